// SPDX-License-Identifier: Apache-2.0
// How coroutines, fibers and threads wait for an instant.
#include "base/parker.hpp"
#include "sched/fiber_task.hpp"
#include "sched/runtime_core.hpp"

#include <weir/blocking.hpp>
#include <weir/time.hpp>

namespace weir {
namespace detail {
namespace {

bool has_timer_fired(void* timer) noexcept { return static_cast<armed_timer*>(timer)->has_fired(); }

constexpr wait_kind waits_for_timer{"a time", has_timer_fired};

void block_until(rt::instant deadline) noexcept {
  rt::parker sleeper;
  while (rt::now() < deadline) sleeper.park_until(deadline);
}

} // namespace

std::chrono::nanoseconds current_time() noexcept {
  rt::thread_context* context = rt::current_context();
  rt::instant now = context != nullptr && context->core != nullptr ? context->core->now() : rt::now();
  return std::chrono::nanoseconds(now.nanoseconds);
}

bool suspend_until_deadline(armed_timer& timer, std::chrono::nanoseconds deadline, std::coroutine_handle<> self,
                            bool is_part_of_task) {
  task_header* task = is_part_of_task ? current_task() : nullptr;
  if (task == nullptr || task->kind() == task_kind::fiber) {
    blocking([&] { block_until({deadline.count()}); });
    return false;
  }
  timer.arm(*task, deadline);
  task->set_leaf(self);
  task->set_wait(waits_for_timer, &timer);
  return true;
}

void wait_for_deadline(std::chrono::nanoseconds deadline) {
  if (task_header* self = suspendable_fiber()) {
    armed_timer timer;
    timer.arm(*self, deadline);
    while (!timer.has_fired()) {
      self->set_wait(waits_for_timer, &timer);
      suspend_fiber();
    }
    return;
  }
  blocking([&] { block_until({deadline.count()}); });
}

std::chrono::nanoseconds tick_after(std::chrono::nanoseconds due, std::chrono::nanoseconds now,
                                    std::chrono::nanoseconds period, missed_tick policy) noexcept {
  rt::instant next = rt::instant{due.count()} + period;
  std::chrono::nanoseconds tolerated = std::min<std::chrono::nanoseconds>(period / 2, std::chrono::milliseconds(5));
  if (policy == missed_tick::burst || now - due <= tolerated) return std::chrono::nanoseconds(next.nanoseconds);
  if (policy == missed_tick::delay) return std::chrono::nanoseconds((rt::instant{now.count()} + period).nanoseconds);
  return due + ((now - due) / period + 1) * period;
}

} // namespace detail

interval::interval(std::chrono::nanoseconds period, missed_tick policy) : interval(now(), period, policy) {}

interval::interval(time_point first, std::chrono::nanoseconds period, missed_tick policy)
    : due_(first.time_since_epoch()), period_(period), policy_(policy) {
  WEIR_CHECK(period.count() > 0, "an interval's period must be more than zero", period.count());
}

} // namespace weir
