// SPDX-License-Identifier: Apache-2.0

// A dump that looks at a task while it is polled reports the reason of the very wait that it reports.

#include "sched/task_view.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/registry.hpp>

#include <source_location>

namespace check = weir::check;
namespace task_state = weir::rt::task_state;
using weir::rt::task_view;

namespace {

constexpr weir::detail::wait_kind waits[] = {{"the first"}, {"the second"}};

struct subject : weir::detail::task_header {
  subject() : task_header(no_operations, weir::detail::task_kind::coroutine) { task_state::init(*this); }
  static constexpr weir::detail::task_operations no_operations{};

  // One poll that waits: start, count, leave the reason, park.
  void poll(std::uint64_t number) {
    task_state::start(*this);
    count_poll();
    set_wait(waits[number], this);
    static_cast<void>(task_state::suspend(*this, false));
  }
};

std::optional<task_view> look(const subject& at) {
  return weir::rt::look_at(at, [](bool) {});
}

void require_own_reason(check::model& m, const task_view& seen) {
  if (seen.now != task_view::activity::waiting) return;
  m.require(seen.polls == 1 || seen.polls == 2, "a task that waits was polled");
  m.require(seen.why == &waits[seen.polls - 1], "the reason is that of the last poll");
}

} // namespace

WEIR_MODEL(task_view_between_two_waits) {
  subject task;
  m.spawn("runner", [&] {
    task.poll(0);
    if (task_state::set_notified(task)) task.poll(1);
  });
  std::optional<task_view> seen = look(task);
  m.require(seen.has_value(), "the task is alive");
  require_own_reason(m, *seen);
  m.sometimes("it is seen in the queue", seen->now == task_view::activity::ready && seen->polls == 0);
  m.sometimes("it is seen while it runs", seen->now == task_view::activity::running);
  m.sometimes("it is seen in its first wait", seen->now == task_view::activity::waiting && seen->polls == 1);
  m.sometimes("it is seen in its second wait", seen->now == task_view::activity::waiting && seen->polls == 2);
  m.join_all();
}

WEIR_MODEL(task_view_of_a_wait_that_blocks) {
  static constexpr weir::detail::wait_kind blocks{.what = "blocks", .blocks_thread = true};
  subject task;
  weir::detail::atomic<std::uint32_t> region_depth{0}; // as in worker::set_region_depth() and worker::is_in_region()
  m.spawn("runner", [&] {
    task_state::start(task);
    task.count_poll();
    task.set_wait(blocks, nullptr);
    region_depth.store(1, weir::detail::memory_order::release);
    region_depth.store(0, weir::detail::memory_order::relaxed); // before clear_wait(), which is a release
    task.clear_wait();
  });
  bool is_in_region = false;
  const std::optional<task_view> seen = weir::rt::look_at(
      task, [&](bool) { is_in_region = region_depth.load(weir::detail::memory_order::acquire) != 0; });
  m.require(seen.has_value(), "the task is alive");
  const bool is_blocked = seen->now == task_view::activity::blocked;
  const bool is_over = region_depth.load(weir::detail::memory_order::relaxed) == 0;
  m.require(!is_in_region || is_blocked || is_over, "who sees the region of a wait that goes on sees the reason");
  m.require(!is_blocked || seen->why == &blocks, "the reason is that of the wait");
  m.sometimes("it is seen in the region", is_in_region);
  m.sometimes("it is seen to block outside the region", is_blocked && !is_in_region);
  m.join_all();
}

WEIR_MODEL(task_view_of_a_task_that_ends) {
  subject task;
  m.spawn("runner", [&] {
    task_state::start(task);
    task.count_poll();
    task_state::set_complete(task);
  });
  std::optional<task_view> seen = look(task);
  m.sometimes("it is over", !seen.has_value());
  m.sometimes("it is in the queue", seen.has_value() && seen->now == task_view::activity::ready);
  m.sometimes("it runs", seen.has_value() && seen->now == task_view::activity::running);
  m.require(!seen.has_value() || seen->now != task_view::activity::waiting, "it never waits");
  m.join_all();
}

WEIR_MODEL(task_view_names_a_task_that_fails) {
  subject task;
  const std::source_location here = std::source_location::current();
  task.set_site(here);
  m.spawn("runner", [&] { static_cast<void>(task.need_extras()); }); // for the handler of exceptions nobody takes
  m.require(task.name().empty(), "the name stays");
  m.require(task.site().line() == here.line(), "the spawn site stays");
  m.join_all();
}
