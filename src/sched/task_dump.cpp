// SPDX-License-Identifier: Apache-2.0
// The dump of all tasks. First each list is visited under its lock, where a task gets one more reference and nothing else;
// then each task is looked at without a lock, by the rules of task_view.hpp. Name and spawn site never change after the
// launch. Which thread has a running task is what the threads say of themselves, confirmed within the look.
#include <weir/task_dump.hpp>

#include "sched/runtime_core.hpp"
#include "sched/task_view.hpp"

#include <algorithm>

namespace weir::rt {
namespace {

struct listed_task {
  task_header* task;
  const worker* root_on; // roots: the worker that polls it, if it is one
};

/// Tasks with a reference to each.
class task_listing {
public:
  task_listing() = default;
  task_listing(const task_listing&) = delete;
  task_listing& operator=(const task_listing&) = delete;
  ~task_listing() { clear(); }

  void make_room(std::size_t count) { tasks_.reserve(count); }
  void clear() noexcept {
    for (listed_task& each : tasks_) detail::drop_reference(*each.task);
    tasks_.clear();
    missing_ = 0;
  }
  /// Under a list's lock, where nothing is allocated.
  void add(task_header& task, const worker* root_on) noexcept {
    if (tasks_.size() == tasks_.capacity()) {
      ++missing_;
      return;
    }
    detail::add_reference(task);
    tasks_.push_back({&task, root_on});
  }
  std::size_t missing() const noexcept { return missing_; }
  const std::vector<listed_task>& tasks() const noexcept { return tasks_; }

private:
  std::vector<listed_task> tasks_;
  std::size_t missing_ = 0;
};

/// What the threads say about one task.
struct task_place {
  const worker* on = nullptr;
  bool is_in_region = false;
  std::optional<duration> age; // of the region
};

task_place find_place(const listed_task& listed, const std::vector<const worker*>& workers, instant now) noexcept {
  if (listed.root_on != nullptr)
    return {listed.root_on, listed.root_on->is_in_region(), listed.root_on->region_age(now)};
  for (const worker* each : workers) {
    if (each->polled() != listed.task) continue;
    task_place found{each, each->is_in_region(), each->region_age(now)};
    if (each->polled() == listed.task) return found;
  }
  return {};
}

std::optional<live_task> describe(const listed_task& listed, const std::vector<const worker*>& workers, instant now) {
  const task_header& task = *listed.task;
  task_place place;
  auto seen =
      look_at(task, [&](bool is_polled) { place = is_polled ? find_place(listed, workers, now) : task_place(); });
  if (!seen) return std::nullopt;
  live_task told;
  told.id = reinterpret_cast<std::uintptr_t>(&task);
  told.name = task.name();
  told.spawned_at = task.site();
  constexpr task_context contexts[] = {task_context::coroutine, task_context::fiber, task_context::block_on,
                                       task_context::closure};
  told.context = contexts[static_cast<std::size_t>(task.kind())];
  constexpr task_activity activities[] = {task_activity::ready, task_activity::running, task_activity::blocking,
                                          task_activity::waiting};
  told.activity = activities[static_cast<std::size_t>(seen->now)];
  told.is_stopping = seen->is_stopping;
  told.polls = seen->polls;
  if (seen->why != nullptr) {
    if (seen->why->is_for_task) told.waits_for_task = reinterpret_cast<std::uintptr_t>(seen->argument);
    told.waits_for = seen->why->what;
  }
  bool has_thread = told.activity == task_activity::running || told.activity == task_activity::blocking;
  if (!has_thread || place.on == nullptr) return told;
  told.worker = place.on->number();
  if (place.is_in_region && told.activity == task_activity::running) {
    told.activity = task_activity::blocking;
    told.since = place.age;
  }
  return told;
}

} // namespace

task_dump runtime_core::dump_tasks() {
  if (is_in_forked_child()) throw std::system_error(errc::used_after_fork, "runtime::dump_tasks");
  task_listing listing;
  for (std::size_t room = snapshot().tasks;;) {
    listing.make_room(room + room / 8 + 64);
    registry_.visit([&](task_header& task) { listing.add(task, nullptr); });
    roots_.visit([&](task_header& root, const worker* on) { listing.add(root, on); });
    if (listing.missing() == 0) break;
    room = listing.tasks().size() + listing.missing();
    listing.clear();
  }
  std::vector<const worker*> workers;
  crew_.for_each([&](const worker& each) { workers.push_back(&each); });
  task_dump dump;
  dump.tasks.reserve(listing.tasks().size());
  for (const listed_task& each : listing.tasks()) {
    if (auto told = describe(each, workers, now())) dump.tasks.push_back(*std::move(told));
  }
  monitor_.wake_if_asleep(); // it times the regions that it sees, for the next dump
  return dump;
}

} // namespace weir::rt
