// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/store_data.hpp"

#include "os/thread.hpp"
#include "wasm/runtime/compiled_module.hpp"
#include "wasm/runtime/host_call.hpp"

#include <weir/check.hpp>
#include <weir/detail/task_header.hpp>

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <thread>

namespace weir::wasm::detail {

store_data::store_data(std::shared_ptr<engine_data> engine, const store_limits& limits)
    : engine_{std::move(engine)}, limits_{limits} {
  const engine_options& options = engine_->options;
  call_options_ = {.max_value_slots = options.max_value_slots,
                   .max_call_depth = options.max_call_depth,
                   .yields_everywhere = options.yields_everywhere,
                   .moves_stack_everywhere = options.moves_stack_everywhere};
}

store_data::~store_data() {
  WEIR_CHECK(calls_.empty(),
             "a store is destroyed while calls into its guests run or are suspended; let the calls end, or "
             "destroy their coroutines, before the store",
             calls_.size());
  for (const auto& call : idle_calls_) interrupts_->remove(*call);
  idle_calls_.clear();
  for (std::size_t i = 0; i < memories_.size(); ++i) engine_->reservations.give_back(ranges_[i], memories_[i].size);
}

store_usage store_data::usage() const {
  return {memory_bytes_, table_elements_, instances_.size(), exceptions_.size()};
}

func_object& store_data::add_function() {
  func_object& made = functions_.emplace_back();
  made.store = this;
  return made;
}

func_object& store_data::host_function_of(std::shared_ptr<const host_definition> definition) {
  func_object*& slot = host_functions_[definition.get()];
  if (slot != nullptr) return *slot;
  slot = &add_function();
  slot->type = &definition->type;
  slot->type_id = definition->type_id;
  slot->host = enter_host;
  slot->data = std::make_unique<linked_host>(std::move(definition));
  return *slot;
}

result<memory_object*> store_data::add_memory(const memory_type& type) {
  if (type.pages.min > memory_pages_limit || type.pages.max.value_or(0) > memory_pages_limit)
    return std::unexpected(error{.code = errc::limit_exceeded,
                                 .message = "a memory has at most 65536 pages; this one asks for " +
                                            std::to_string(std::max(type.pages.min, type.pages.max.value_or(0)))});
  const std::uint64_t bytes = type.pages.min * page_bytes;
  if (auto lack = lacks_room_for(bytes, 0))
    return std::unexpected(error{.code = errc::limit_exceeded, .message = *lack});
  auto range = engine_->reservations.take(bytes, type.pages.max.value_or(memory_pages_limit) * page_bytes);
  if (!range) return std::unexpected(std::move(range).error());
  charge_memory(bytes);
  const reservation& kept = ranges_.emplace_back(std::move(*range));
  memory_object& made = memories_.emplace_back();
  made.base = kept.range.data();
  made.size = bytes;
  made.type = type;
  made.max_pages = std::min(type.pages.max.value_or(memory_pages_limit), kept.usable / page_bytes);
  made.store = this;
  made.range = &ranges_.back();
  return &made;
}

result<table_object*> store_data::add_table(const table_type& type, std::uint64_t fill) {
  if (auto lack = lacks_room_for(0, type.size.min))
    return std::unexpected(error{.code = errc::limit_exceeded, .message = *lack});
  std::vector<std::uint64_t> storage;
  try {
    storage.assign(type.size.min, fill);
  } catch (const std::bad_alloc&) {
    return std::unexpected(error{.code = errc::limit_exceeded,
                                 .message = "no memory for a table of " + std::to_string(type.size.min) + " elements"});
  }
  charge_table(type.size.min);
  table_object& made = tables_.emplace_back();
  made.storage = std::move(storage);
  made.elements = made.storage.data();
  made.size = type.size.min;
  made.type = type;
  made.store = this;
  return &made;
}

global_object& store_data::add_global(const global_type& type, std::uint64_t bits) {
  return globals_.emplace_back(global_object{.value = bits, .type = type, .store = this});
}

tag_object& store_data::add_tag(const func_type* type, std::uint32_t type_id) {
  return tags_.emplace_back(tag_object{.type = type, .type_id = type_id, .store = this});
}

tag_object& store_data::add_tag(func_type type) {
  const std::uint32_t id = engine_->types.intern(type);
  return add_tag(&tag_types_.emplace_back(std::move(type)), id);
}

instance_object& store_data::add_instance(std::shared_ptr<const compiled_module> module) {
  instance_object& made = instances_.emplace_back();
  made.module = module->code.get();
  made.store = this;
  made.compiled = module.get();
  modules_.push_back(std::move(module));
  return made;
}

extern_object& store_data::add_extern() { return externs_.emplace_back(); }

extern_object& store_data::extern_of_number(std::uint64_t number) {
  extern_object*& slot = numbered_externs_[number];
  if (slot == nullptr) {
    slot = &add_extern();
    slot->number = number;
  }
  return *slot;
}

bool store_data::charge_memory(std::uint64_t bytes) {
  if (bytes > limits_.max_memory_bytes - std::min(memory_bytes_, limits_.max_memory_bytes)) return false;
  memory_bytes_ += bytes;
  return true;
}

bool store_data::charge_table(std::uint64_t elements) {
  if (elements > limits_.max_table_elements - std::min(table_elements_, limits_.max_table_elements)) return false;
  table_elements_ += elements;
  return true;
}

std::optional<std::string> store_data::lacks_room_for(std::uint64_t memory_bytes, std::uint64_t table_elements) const {
  const auto lack = [](const char* what, std::uint64_t wanted, std::uint64_t used, std::uint64_t limit,
                       const char* name) {
    return std::to_string(wanted) + " more " + what + " do not fit: the store uses " + std::to_string(used) + " and " +
           name + " is " + std::to_string(limit);
  };
  if (memory_bytes > limits_.max_memory_bytes - std::min(memory_bytes_, limits_.max_memory_bytes))
    return lack("bytes of memory", memory_bytes, memory_bytes_, limits_.max_memory_bytes,
                "store_limits::max_memory_bytes");
  if (table_elements > limits_.max_table_elements - std::min(table_elements_, limits_.max_table_elements))
    return lack("table elements", table_elements, table_elements_, limits_.max_table_elements,
                "store_limits::max_table_elements");
  return std::nullopt;
}

exception_object& store_data::add_exception(tag_object& tag, std::span<const std::uint64_t> values) {
  if (exceptions_.is_due()) collect_exceptions(values);
  return exceptions_.add(tag, values.data(), values.size());
}

void store_data::collect_exceptions(std::span<const std::uint64_t> also) {
  exceptions_.begin();
  for (const std::uint64_t bits : also) exceptions_.mark(bits);
  for (const auto& call : calls_) call->for_each_slot([this](std::uint64_t bits) { exceptions_.mark(bits); });
  for (const global_object& variable : globals_) {
    if (variable.type.value == exnref) exceptions_.mark(variable.value);
  }
  for (const table_object& table : tables_) {
    if (table.type.element != exnref) continue;
    for (const std::uint64_t bits : table.storage) exceptions_.mark(bits);
  }
  exceptions_.finish();
}

guest_call& store_data::begin_call() {
  if (idle_calls_.empty()) {
    idle_calls_.push_back(std::make_unique<guest_call>(*this, call_options_));
    interrupts_->add(*idle_calls_.back());
  }
  calls_.push_back(std::move(idle_calls_.back()));
  idle_calls_.pop_back();
  return *calls_.back();
}

void store_data::end_call(guest_call& call, bool is_idle) noexcept {
  const auto found =
      std::find_if(calls_.rbegin(), calls_.rend(), [&](const auto& candidate) { return candidate.get() == &call; });
  std::unique_ptr<guest_call> owned = std::move(*found);
  *found = std::move(calls_.back());
  calls_.pop_back();
  if (is_idle && idle_calls_.size() < most_idle_calls) {
    idle_calls_.push_back(std::move(owned));
    return;
  }
  interrupts_->remove(call);
}

namespace {

std::uint64_t current_thread() noexcept {
#if WEIR_SIMULATED
  return rt::os::this_thread_number(); // the threads of a simulation share one of the system
#else
  static_assert(sizeof(std::thread::id) == sizeof(std::uint64_t));
  return std::bit_cast<std::uint64_t>(std::this_thread::get_id());
#endif
}

// Both are addresses of objects, or a small number in a simulation, so a thread and a fiber never have the same.
std::uint64_t current_user() noexcept {
  const weir::detail::task_header* task = weir::detail::current_task();
  if (task != nullptr && task->kind() == weir::detail::task_kind::fiber) return reference_to(task);
  return current_thread();
}

} // namespace

store_entry::store_entry(store_data& store) : store_{&store} {
  const std::uint64_t self = current_user();
  std::uint64_t before = 0;
  if (store.user_.compare_exchange_strong(before, self, std::memory_order_acquire, std::memory_order_relaxed)) return;
  WEIR_CHECK(before == self,
             "two threads use one store at the same time; give each thread a store of its own, or take turns");
  store_ = nullptr;
}

store_entry::~store_entry() {
  if (store_ != nullptr) store_->user_.store(0, std::memory_order_release);
}

store_loan::store_loan(store_data& store)
    : store_{store}, lender_{store.user_.exchange(current_thread(), std::memory_order_relaxed)} {}

store_loan::~store_loan() { store_.user_.store(lender_, std::memory_order_relaxed); }

} // namespace weir::wasm::detail
