// SPDX-License-Identifier: Apache-2.0
// The worker as a thread: how it starts and ends, how it gets a permit, and how it waits for one.
#include "sched/runtime_core.hpp"
#include "sched/task_state.hpp"

#include <bit>

namespace weir::rt {
namespace {

using namespace std::chrono_literals;

constexpr duration hot_time = 30us;

} // namespace

void worker::main() noexcept {
  runtime_core& core = core_; // outlives this object's last use below
  context_.core = &core;
  core.set_up_forks(context_);
  set_current_context(&context_);
  core.run_hook(core.options().hooks.start);
  while (permit* granted = wait_for_permit()) {
    held_ = granted;
    work();
  }
  set_current_context(nullptr);
  core.run_hook(core.options().hooks.stop);
  core.threads().note_end(*this);
  core.release();
}

void worker::grant(permit& to_hold, bool to_search) noexcept {
  to_hold.set(permit_phase::grant, number_);
  assign(to_hold, to_search);
}

void worker::assign(permit& granted, bool to_search) noexcept {
  give_order(reinterpret_cast<std::uintptr_t>(&granted) | (to_search ? searching : 0));
}

void worker::give_order(std::uintptr_t order) noexcept {
  assigned_.store(order, detail::memory_order::release); // O1
  parker_.unpark();
}

permit* worker::accept(std::uintptr_t assigned) noexcept {
  is_searching_ = (assigned & searching) != 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer and a flag share the word
  auto* granted = reinterpret_cast<permit*>(assigned & ~searching);
  granted->set(permit_phase::run, number_);
  return granted;
}

permit* worker::wait_for_permit() noexcept {
  for (;;) {
    if (std::uintptr_t assigned = assigned_.exchange(0, detail::memory_order::acquire)) { // O1
      if (assigned == order_retire) return nullptr;
      if (assigned != order_closures) return accept(assigned);
      run_closures();
      continue;
    }
    if (core_.is_terminating()) return nullptr;
    if (run_closures_if_any() || spin_while_hot()) continue;
    const thread_hooks& hooks = core_.options().hooks;
    core_.run_hook(hooks.park);
    bool was_notified = core_.timers().park(parker_);
    core_.run_hook(hooks.unpark);
    if (was_notified) continue;
    bool is_attached = attached_ != nullptr && attached_->word().worker == number_;
    if (permit* own = is_attached ? claim_attached() : nullptr) return own; // and work() fires what is due
    core_.timers().fire_due();
  }
}

permit* worker::wait_in_return_queue() noexcept {
  for (;;) {
    if (std::uintptr_t assigned = assigned_.exchange(0, detail::memory_order::acquire)) return accept(assigned); // O1
    bool is_next = core_.returners().head() == this && core_.threads().may_be_hot();
    if (!is_next || !spin_for_assignment()) parker_.park();
  }
}

bool worker::run_closures_if_any() noexcept {
  if (place.load(detail::memory_order::relaxed) == spare_place::out) return false;
  detail::seq_cst_fence(); // closures.hpp, parker (b)
  if (core_.closures().is_empty() || !core_.threads().withdraw(*this)) return false;
  core_.closure_threads.fetch_add(1, detail::memory_order::relaxed);
  run_closures();
  return true;
}

void worker::run_closures() noexcept {
  while (detail::task_header* closure = core_.closures().pop(number_)) run_closure(*closure);
  core_.closure_threads.fetch_sub(1, detail::memory_order::relaxed);
  core_.threads().put_back_warm(*this);
}

void worker::run_closure(detail::task_header& closure) noexcept {
  bool is_nested = is_in_region();
  set_region_depth(1);
  // A context without a worker: the closure polls roots and waits like a thread from outside.
  thread_context context{.core = &core_, .serves = &core_};
  core_.set_up_forks(context);
  std::uint64_t before = task_state::start(closure);
  note_polled(&closure);
  if ((before & task_state::cancel) != 0) {
    closure.operations->cancel(closure);
  } else {
    thread_context* outer = set_current_context(&context);
    closure.count_poll();
    duration since = closure.block.accounts_cpu ? os::this_thread_cpu_time() : duration{};
    closure.operations->poll(closure);
    if (closure.block.accounts_cpu) closure.extras()->cpu_time += os::this_thread_cpu_time() - since;
    set_current_context(outer);
  }
  note_polled(nullptr);
  if (!is_nested) set_region_depth(0);
  core_.finish_closure(closure);
}

bool worker::run_stranded_closure() noexcept {
  if (!core_.closures().are_stranded()) return false;
  detail::task_header* closure = core_.closures().pop(number_);
  if (closure == nullptr) return false;
  if (is_searching_) stop_searching();
  set_region_depth(1);
  site_ = nullptr;
  start_long_call();
  run_closure(*closure);
  leave_region();
  return true;
}

void worker::note_polled(const detail::task_header* task) noexcept {
  static_assert(sizeof(std::source_location) == sizeof(std::uintptr_t));
  const std::string* name = task != nullptr && task->extras() != nullptr ? &task->extras()->name : nullptr;
  if (name != polled_name_) {
    std::lock_guard guard(attention_lock_); // R3
    polled_name_ = name;
  }
  polled_.store(task, detail::memory_order::release);
  polled_site_.store(task != nullptr ? std::bit_cast<std::uintptr_t>(task->site()) : 0, detail::memory_order::relaxed);
}

bool worker::describe(std::string& name, std::source_location& site) noexcept {
  std::uintptr_t at = polled_site_.load(detail::memory_order::relaxed);
  if (at == 0) return false;
  site = std::bit_cast<std::source_location>(at);
  std::lock_guard guard(attention_lock_);
  if (polled_name_ != nullptr) name = *polled_name_;
  return true;
}

bool worker::spin_while_hot() noexcept {
  if (place.load(detail::memory_order::relaxed) != spare_place::hot) return false;
  return spin_for_assignment() || !core_.threads().cool(*this);
}

bool worker::spin_for_assignment() noexcept {
  instant end = rt::now() + hot_time;
  do {
    for (int i = 0; i != 32; ++i) {
      if (assigned_.load(detail::memory_order::relaxed) != 0) return true;
      spin_pause();
    }
    os::yield_thread(); // who is to assign something may wait for this processor
  } while (rt::now() < end && !core_.is_terminating());
  return false;
}

} // namespace weir::rt
