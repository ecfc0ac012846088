// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a store handle names: the owner of every run-time object of its guests.
//
// R1  One thread at a time runs guests or host functions of a store. `user_` holds that thread and is checked at each
// entry; a
//     thread may enter again from a host function. Between entries, suspended calls belong to no thread.
// R2  Objects have stable addresses and live as long as the store, so a reference in a slot needs no count. Exceptions
// alone are
//     collected (exception_heap.hpp).
// R3  A memory, a table or an instance exists only after the store's limits have been charged for it; growth charges
// first too. R4  `calls_` lists the calls that are running or suspended: their live slots are roots. A call is on the
// list of the interrupt
//     control from its creation to its destruction, also while it waits in `idle_calls_`.
// R5  Only the interrupt control is shared with other threads.
#include "wasm/runtime/engine_data.hpp"
#include "wasm/runtime/exception_heap.hpp"
#include "wasm/runtime/guest_call.hpp"
#include "wasm/runtime/interrupt_control.hpp"
#include "wasm/runtime/objects.hpp"

#include <weir/detail/atomic.hpp>
#include <weir/wasm/store.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace weir::wasm::detail {

struct compiled_module;
struct host_definition;

/// What an externref made by the host points to.
struct extern_object {
  std::shared_ptr<void> data;
  std::optional<std::uint64_t> number;
};

class store_data {
public:
  store_data(std::shared_ptr<engine_data> engine, const store_limits& limits);
  store_data(const store_data&) = delete;
  store_data& operator=(const store_data&) = delete;
  ~store_data();

  engine_data& engine() const { return *engine_; }
  const std::shared_ptr<engine_data>& shared_engine() const { return engine_; }
  const store_limits& limits() const { return limits_; }
  const std::shared_ptr<interrupt_control>& interrupts() const { return interrupts_; }
  store_usage usage() const;

  // Objects.
  func_object& add_function();
  /// The function of this store for a host definition; the same one at each request.
  func_object& host_function_of(std::shared_ptr<const host_definition> definition);
  result<memory_object*> add_memory(const memory_type& type);
  result<table_object*> add_table(const table_type& type, std::uint64_t fill);
  global_object& add_global(const global_type& type, std::uint64_t bits);
  tag_object& add_tag(const func_type* type, std::uint32_t type_id);
  /// A tag of a type that no module owns.
  tag_object& add_tag(func_type type);
  instance_object& add_instance(std::shared_ptr<const compiled_module> module);
  extern_object& add_extern();
  extern_object& extern_of_number(std::uint64_t number);

  // Limits. Each charge is all or nothing.
  bool charge_memory(std::uint64_t bytes);
  bool charge_table(std::uint64_t elements);
  void refund_memory(std::uint64_t bytes) { memory_bytes_ -= bytes; }
  void refund_table(std::uint64_t elements) { table_elements_ -= elements; }
  /// What a new instance would need beyond the limits; none when it fits.
  std::optional<std::string> lacks_room_for(std::uint64_t memory_bytes, std::uint64_t table_elements) const;

  // Exceptions.
  exception_object& add_exception(tag_object& tag, std::span<const std::uint64_t> values);

  void* user_data = nullptr;
  unsigned nested_calls = 0; // synchronous calls on the native stack

private:
  friend class call_lease;
  friend class store_entry;
  friend class store_loan;
  static constexpr std::size_t most_idle_calls = 8;
  void collect_exceptions(std::span<const std::uint64_t> also);
  guest_call& begin_call();
  void end_call(guest_call& call, bool is_idle) noexcept;

  std::shared_ptr<engine_data> engine_;
  store_limits limits_;
  std::shared_ptr<interrupt_control> interrupts_ = std::make_shared<interrupt_control>();
  activation_options call_options_;

  std::vector<std::shared_ptr<const compiled_module>> modules_; // one for each instance
  std::unordered_map<const host_definition*, func_object*> host_functions_;
  std::deque<func_object> functions_;
  std::deque<memory_object> memories_;
  std::deque<reservation> ranges_; // of memories_, in the same order
  std::deque<table_object> tables_;
  std::deque<global_object> globals_;
  std::deque<tag_object> tags_;
  std::deque<func_type> tag_types_;
  std::deque<instance_object> instances_;
  std::deque<extern_object> externs_;
  std::unordered_map<std::uint64_t, extern_object*> numbered_externs_;
  exception_heap exceptions_;

  std::uint64_t memory_bytes_ = 0;
  std::uint64_t table_elements_ = 0;

  std::vector<std::unique_ptr<guest_call>> calls_;
  std::vector<std::unique_ptr<guest_call>> idle_calls_;
  weir::detail::atomic<std::uint64_t> user_{0};
};

/// Claims the store for this thread while it lives; a claim inside a claim of the same thread is allowed.
class store_entry {
public:
  explicit store_entry(store_data& store);
  store_entry(const store_entry&) = delete;
  store_entry& operator=(const store_entry&) = delete;
  ~store_entry();

private:
  store_data* store_; // null for an inner claim
};

/// Passes a claim from a fiber to its thread while it lives.
class store_loan {
public:
  explicit store_loan(store_data& store);
  store_loan(const store_loan&) = delete;
  store_loan& operator=(const store_loan&) = delete;
  ~store_loan();

private:
  store_data& store_;
  std::uint64_t lender_;
};

} // namespace weir::wasm::detail
