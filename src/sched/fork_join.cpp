// SPDX-License-Identifier: Apache-2.0
#include "sched/fork_join.hpp"

#include "sched/fiber_task.hpp"
#include "sched/runtime_core.hpp"

#include <weir/fiber.hpp>

namespace weir {
namespace rt {
namespace {

using detail::first_failure;
using detail::fork_list;
using detail::fork_node;
using detail::memory_order;

bool is_end_here(void* node) noexcept { return has_ended(*static_cast<const fork_node*>(node)); }

void wait_on_thread(fork_node& node, std::uintptr_t before) noexcept {
  thread_context* context = current_context();
  if (context != nullptr && context->on != nullptr) {
    context->on->wait_for_fork(node, before);
    return;
  }
  fork_sleeper sleeper;
  if (set_fork_waiter(node, &sleeper, fork_waiter::parker, before))
    sleeper.park(); // returns after the one wake there is
}

// A fiber waits suspended. A fiber that is stopped meanwhile must not unwind before the other side has ended, and
// cannot suspend any more, so it blocks its thread; then the exception goes on.
void wait_on_fiber(fork_node& node, detail::task_header& self) {
  detail::add_reference(self);
  if (!set_fork_waiter(node, &self, fork_waiter::task)) {
    detail::drop_reference(self);
    return;
  }
  try {
    while (!has_ended(node)) detail::suspend_fiber();
  } catch (...) {
    if (!has_ended(node)) wait_on_thread(node, fork_end::pack(&self, fork_waiter::task));
    throw;
  }
}

} // namespace

void run_taken(fork_node& node) noexcept {
  node.run(node);
  fork_end before = end_fork(node);
  switch (before.kind) {
  case fork_waiter::task:
    if (WEIR_MUTANT("fork: a fiber that waits for the other side is not woken")) break;
    detail::wake(*static_cast<detail::task_header*>(before.who));
    detail::drop_reference(*static_cast<detail::task_header*>(before.who));
    break;
  case fork_waiter::worker: static_cast<worker*>(before.who)->wake(); break;
  case fork_waiter::parker: static_cast<fork_sleeper*>(before.who)->unpark(); break;
  default: break;
  }
}

void worker::wait_for_fork(fork_node& node, std::uintptr_t before) noexcept {
  while (can_queue() && !has_ended(node)) {
    fork_node* other = core_.take_fork();
    if (other == nullptr) break;
    run_fork(*other);
  }
  if (!set_fork_waiter(node, this, fork_waiter::worker, before)) return; // the end came first, and wakes who waited
  if (fork_end waited = fork_end::unpack(before); waited.kind == fork_waiter::task)
    detail::drop_reference(*static_cast<detail::task_header*>(waited.who));
  if (can_queue() && release_permit()) {
    set_region_depth(1);
    site_ = nullptr;
    region_ = region_state::released;
    while (!has_ended(node)) parker_.park();
    leave_region();
  } else if (can_queue()) {
    wait_blocked(parker_, is_end_here, &node);
  } else {
    while (!has_ended(node)) parker_.park();
  }
}

void worker::run_fork(fork_node& node) noexcept {
  if (is_searching_) stop_searching();
  task_header* outer = std::exchange(context_.task, nullptr);
  held_->polls.add();
  run_taken(node);
  context_.task = outer;
}

fork_node* runtime_core::take_fork() noexcept {
  for (std::size_t index = 0; index != permit_count_; ++index) {
    if (fork_node* node = rt::take_fork(permits_[index].offered)) return node;
  }
  return rt::take_fork(offered_outside);
}

void runtime_core::set_up_forks(thread_context& of) noexcept {
  of.own_forks.core = this;
  of.own_forks.idle_permits = &idle_.first_word();
  of.forks = &of.own_forks;
}

bool runtime_core::has_fork() const noexcept {
  for (std::size_t index = 0; index != permit_count_; ++index) {
    if (permits_[index].offered.load(memory_order::relaxed) != nullptr) return true;
  }
  return offered_outside.load(memory_order::relaxed) != nullptr;
}

} // namespace rt

namespace detail {

fork_list* current_forks() noexcept {
  rt::thread_context* context = rt::current_context();
  return context != nullptr ? context->forks : nullptr;
}

void offer_oldest(fork_list& list) noexcept {
  constexpr std::uint32_t longest_skip = 255;
  if (list.to_skip != 0) {
    --list.to_skip;
    return;
  }
  std::int64_t now = rt::now().nanoseconds;
  if (now - list.last_offer < rt::beat.count()) {
    list.to_skip = list.skipped = std::min(2 * list.skipped + 1, longest_skip);
    return;
  }
  list.last_offer = now;
  list.skipped = 0;
  rt::runtime_core& core = *list.core;
  rt::worker* here = rt::current_context()->on;
  bool has_permit = here != nullptr && &here->core() == &core && here->can_queue();
  fork_node& node = *list.oldest;
  if (!rt::offer_fork(node, has_permit ? here->held().offered : core.offered_outside)) return;
  list.oldest = node.newer;
  (node.newer != nullptr ? node.newer->older : list.newest) = nullptr;
  core.publish(); // O4
}

void join_offered(fork_node& node) {
  if (rt::take_fork_back(node)) {
    node.run(node);
  } else if (rt::has_ended(node)) {
    return;
  } else if (task_header* self = suspendable_fiber()) {
    rt::wait_on_fiber(node, *self);
  } else {
    rt::wait_on_thread(node, 0);
  }
}

void note_right_failure(fork_node& node) noexcept {
  if (node.place == nullptr) return; // it runs after the left side, which then has failed before it
  first_failure none = first_failure::none;
  node.failed.compare_exchange_strong(none, first_failure::right, memory_order::relaxed, memory_order::relaxed);
}

void fail_fork(fork_list& list, fork_node& node, std::exception_ptr left) {
  bool is_first = true;
  if (node.place == nullptr) {
    node.leave(list);
    node.run(node);
  } else {
    first_failure none = first_failure::none;
    is_first =
        node.failed.compare_exchange_strong(none, first_failure::left, memory_order::relaxed, memory_order::relaxed);
    join_offered(node);
  }
  std::rethrow_exception(is_first ? std::move(left) : std::move(node.error));
}

} // namespace detail
} // namespace weir
