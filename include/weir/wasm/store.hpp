// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/engine.hpp>
#include <weir/wasm/error.hpp>
#include <weir/wasm/value.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace weir::wasm {

namespace detail {
class store_data;
class interrupt_control;
} // namespace detail

/// What the guests of one store may use together. Beyond a limit an instantiation ends with errc::limit_exceeded, and
/// growth from inside a guest fails as the instruction says: it returns -1.
struct store_limits {
  std::uint64_t max_memory_bytes = std::uint64_t{4} << 30;
  std::uint64_t max_table_elements = 10'000'000;
  std::size_t max_instances = 10'000;
};

/// What the guests of a store use now.
struct store_usage {
  std::uint64_t memory_bytes = 0;
  std::uint64_t table_elements = 0;
  std::size_t instances = 0;
  std::size_t exceptions = 0; ///< exception objects that the last collection did not free
};

/// Ends the guests of a store from outside.
///
/// Thread:   any.
/// Lifetime: may outlive the store; then cancel() does nothing.
class interrupt_handle {
public:
  /// Ends every call that runs in the store, and every later one, with errc::interrupted at its next checkpoint.
  ///
  /// A guest that waits for a host coroutine ends after that coroutine.
  void cancel() noexcept;
  bool is_cancelled() const noexcept;

private:
  friend struct detail::access;
  explicit interrupt_handle(std::shared_ptr<detail::interrupt_control> control) : control_{std::move(control)} {}
  std::shared_ptr<detail::interrupt_control> control_;
};

/// Owns instances and all they are made of: functions, memories, tables, globals, tags, exceptions and host references.
///
/// Nothing of a store is freed before the store, except exceptions that nobody can reach.
///
/// Thread:   one thread at a time uses a store and what belongs to it; calls that overlap in time on two threads end
/// the program.
///           Several asynchronous calls may be suspended in one store.
/// Lifetime: must outlive every call, checked. Handles such as func are dangling once their store is gone.
class store {
public:
  explicit store(const engine& owner, store_limits limits = {});
  store(store&&) noexcept = default;
  store& operator=(store&&) noexcept = default;
  store(const store&) = delete;
  store& operator=(const store&) = delete;
  ~store() = default;

  /// The engine the store was made with.
  engine owner() const;
  interrupt_handle interrupts() const;
  store_usage usage() const;

  /// A pointer that host functions reach by caller::user_data().
  void set_user_data(void* data) noexcept;
  void* user_data() const noexcept;

  /// Makes an externref for the host's data, kept until the store goes. Each call gives a reference of its own.
  value make_externref(std::shared_ptr<void> data);
  /// Makes an externref that stands for a number. Equal numbers give equal references.
  value make_externref(std::uint64_t number);
  /// What make_externref() was given; null for the null reference and for a number.
  std::shared_ptr<void> externref_data(value reference) const;
  /// The number that make_externref() was given, if it was one.
  std::optional<std::uint64_t> externref_number(value reference) const;

private:
  friend struct detail::access;
  explicit store(std::shared_ptr<detail::store_data> data) : data_{std::move(data)} {}
  std::shared_ptr<detail::store_data> data_;
};

} // namespace weir::wasm
