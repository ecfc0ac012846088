// SPDX-License-Identifier: Apache-2.0
#include "wasm/interp/activation.hpp"

#include "wasm/code/module_code.hpp"
#include "wasm/interp/entry_points.hpp"
#include "wasm/interp/slow.hpp"

#include <weir/check.hpp>

#include <algorithm>
#include <utility>

namespace weir::wasm::detail {

struct activation::state : machine {
  using machine::machine;

  exit_code resume() {
    if (has_failed) return exit_code::failed;
    if (host != nullptr) { // its results came between two runs
      if (const exit_code code = finish_host(*this); code != exit_code::go_on) return code;
    }
    return run_handlers(*this);
  }

  std::size_t results_count = 0;
  bool is_waiting = false; // for the reply of a host function that suspended
  bool has_failed = false; // before run() could do anything
};

activation::activation(store_data& store, const activation_options& options)
    : state_{std::make_unique<state>(*this, store, options)} {}

activation::~activation() = default;

void activation::begin(func_object& function, std::span<const std::uint64_t> arguments) {
  state& vm = *state_;
  WEIR_CHECK(!vm.is_running, "an activation makes one call at a time");
  vm.callee = &function;
  vm.callers.clear();
  vm.set_instance(function.instance);
  vm.host = nullptr;
  vm.host_slots = nullptr;
  vm.has_failed = false;
  vm.exception = nullptr;
  vm.results_count = function.type->results.size();
  vm.saved = registers{};
  vm.saved.vm = &vm;
  vm.saved.ip = vm.start;
  vm.saved.fp = vm.values.get();
  vm.saved.records = vm.records.get();
  vm.is_running = true;
  vm.reset_interrupt();
  if (vm.reserve_values(std::max(arguments.size(), vm.results_count) + 1)) {
    std::ranges::copy(arguments, vm.values.get());
  } else {
    vm.trap(trap_code::call_stack_exhausted);
    vm.has_failed = true;
  }
}

run_status activation::run() {
  state& vm = *state_;
  WEIR_CHECK(vm.is_running && !vm.is_waiting,
             "an activation runs a call that was begun and waits for no host function");
  switch (vm.resume()) {
  case exit_code::checkpoint: return run_status::checkpoint;
  case exit_code::suspended: vm.is_waiting = true; return run_status::suspended;
  case exit_code::done: vm.is_running = false; return run_status::done;
  default: vm.is_running = false; return run_status::failed;
  }
}

std::span<const std::uint64_t> activation::results() const { return {state_->values.get(), state_->results_count}; }

void activation::finish_host_call(std::span<const std::uint64_t> results) {
  WEIR_CHECK(state_->is_waiting, "only a host function that suspended gets its results this way");
  std::ranges::copy(results, state_->host_slots);
  state_->is_waiting = false;
}

void activation::fail_host_call(error why) {
  WEIR_CHECK(state_->is_waiting, "only a host function that suspended fails this way");
  state_->is_waiting = false;
  state_->has_failed = true;
  state_->failure = std::move(why);
}

void activation::fail(error why) { state_->failure = std::move(why); }
void activation::raise(exception_object& exception) { state_->exception = &exception; }
error activation::take_error() { return std::exchange(state_->failure, {}); }
exception_object* activation::uncaught() const { return state_->exception; }

void activation::ask(interrupt why) noexcept { state_->machine::raise(static_cast<std::uint32_t>(why)); }

store_data& activation::store() const { return state_->machine::store; }

instance_object* activation::calling_instance() const {
  return state_->saved.ip == state_->start ? nullptr : state_->instance;
}

std::vector<stack_frame> activation::backtrace() const { return state_->backtrace(~std::size_t{0}); }

// The newest frame ends where its function says, or behind the operands of the host function it called.
std::span<const std::uint64_t> activation::live_slots() const {
  const state& vm = *state_;
  if (!vm.is_running) return {};
  const auto at = static_cast<std::size_t>(vm.saved.fp - vm.values.get());
  const function_code* function = vm.function_at(vm.saved.ip, vm.instance);
  const std::size_t end = function != nullptr ? at + function->slot_count : vm.value_capacity;
  return {vm.values.get(), std::min(end, vm.value_capacity)};
}

} // namespace weir::wasm::detail
