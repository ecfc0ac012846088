// SPDX-License-Identifier: Apache-2.0
// What a failed run looks like to people: the reason, every thread with what it waits for and which task it runs, the last events.
#include "sched/runtime_core.hpp"
#include "sched/thread_context.hpp"
#include "sim/world.hpp"

#include <weir/current.hpp>

#include <array>
#include <cstdio>
#include <set>

namespace weir::sim {

std::string_view to_string(failure_kind kind) noexcept {
  constexpr std::array<std::string_view, 7> names{
      "no failure", "a requirement does not hold", "exception", "deadlock", "too long", "crash", "nondeterminism"};
  return names[static_cast<std::size_t>(kind)];
}

namespace detail {
namespace {

std::string seconds(std::int64_t nanoseconds) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.9f s", static_cast<double>(nanoseconds) / 1e9);
  return text.data();
}

std::string name_of(const sim_thread& thread) { return "\"" + thread.name + "\""; }

std::string place_of(const std::source_location& site) {
  return std::string(site.file_name()) + ":" + std::to_string(site.line());
}

/// Which task the calling thread runs, if any.
std::string task_here(rt::thread_context* context) {
  if (context == nullptr || context->task == nullptr) return {};
  const weir::detail::task_header& task = *context->task;
  const std::string_view name = task.name();
  return ", in task \"" + std::string(name.empty() ? "unnamed" : name) + "\" spawned at " + place_of(task.site());
}

std::string counts_of(rt::runtime_core& core) {
  const metrics all = core.snapshot();
  return "a runtime with " + std::to_string(all.permits) + " permits: " + std::to_string(all.tasks) + " tasks, " +
         std::to_string(all.queued) + " of them queued, " + std::to_string(all.active) + " permits held, " +
         std::to_string(all.in_regions) + " of them in blocking regions, " + std::to_string(all.returning) +
         " callers wait for a permit\n";
}

} // namespace

std::string describe_threads(world& of) {
  std::string text;
  std::set<rt::runtime_core*> seen;
  std::string runtimes;
  of.look_at_each([&](const sim_thread& thread) {
    text += "  thread " + std::to_string(thread.number) + " " + name_of(thread) + " ";
    if (&thread == &of.running()) {
      text += "runs";
    } else if (thread.phase == thread_phase::ready) {
      text += "is ready";
    } else if (thread.phase == thread_phase::joining) {
      text += "waits for the end of thread " + std::to_string(thread.joins) + " " + name_of(of.thread(thread.joins));
    } else {
      text += thread.word != nullptr ? "sleeps" : "stands still";
    }
    if ((thread.phase == thread_phase::waiting || thread.phase == thread_phase::joining) && !thread.deadline.is_never())
      text += " until " + seconds(of.since_begin(thread.deadline));
    rt::thread_context* const context = rt::current_context();
    text += task_here(context) + "\n";
    if (context != nullptr && context->core != nullptr && seen.insert(context->core).second)
      runtimes += "  " + counts_of(*context->core);
  });
  return text + runtimes;
}

std::string world::describe(const std::string& what) {
  std::string text = std::string(sim::to_string(result_.failure)) + ": " + what + "\n  seed " +
                     std::to_string(options_.seed) + ", step " + std::to_string(steps_) + ", after " +
                     seconds(since_begin(now_)) + ", in thread " + std::to_string(running_->number) + " " +
                     name_of(*running_) + "\n";
  text += describe_threads(*this);
  text += "  the last events:\n";
  trace_.for_last(16, [&](const event& each) { text += "    " + describe_event(each) + "\n"; });
  return text;
}

std::string world::describe_event(const event& what) const {
  const std::string name = what.thread < threads_.size() ? name_of(*threads_[what.thread]) : std::string();
  std::string text = std::to_string(what.step) + "  " + seconds(what.time - begin_.nanoseconds) + "  thread " +
                     std::to_string(what.thread) + " " + name + " " + std::string(to_string(what.kind));
  switch (what.kind) {
  case event_kind::runs:
  case event_kind::wakes:
  case event_kind::times_out:
  case event_kind::starts: return text + " thread " + std::to_string(what.value);
  case event_kind::waits:
    return what.value == 0 ? text
                           : text + " until " + seconds(static_cast<std::int64_t>(what.value) - begin_.nanoseconds);
  case event_kind::note:
  case event_kind::draws:
  case event_kind::fault: return text + " " + std::to_string(what.value);
  default: return text;
  }
}

} // namespace detail
} // namespace weir::sim
