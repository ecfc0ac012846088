// SPDX-License-Identifier: Apache-2.0
// The dump of all tasks as text.
#include <weir/task_dump.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>

namespace weir {
namespace {

constexpr std::array<const char*, 4> activity_names{"ready", "running", "blocking", "waiting"};
constexpr std::array<const char*, 4> context_names{"task", "fiber", "block_on", "closure"};

using tasks_by_id = std::unordered_map<std::uint64_t, const live_task*>;

std::string site_of(const live_task& task) {
  return std::string(task.spawned_at.file_name()) + ":" + std::to_string(task.spawned_at.line());
}

std::string quoted(const live_task& task) { return task.name.empty() ? "without a name" : "\"" + task.name + "\""; }

std::string count_of(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string time_of(std::chrono::nanoseconds span) {
  using namespace std::chrono;
  if (span < milliseconds(10)) return std::to_string(duration_cast<microseconds>(span).count()) + " us";
  if (span < seconds(10)) return std::to_string(duration_cast<milliseconds>(span).count()) + " ms";
  return std::to_string(duration_cast<seconds>(span).count()) + " s";
}

std::string wait_of(const live_task& task, const tasks_by_id& all) {
  if (task.waits_for.empty()) return {};
  auto target = all.find(task.waits_for_task);
  if (target == all.end()) return " for " + task.waits_for;
  return " for the task " + quoted(*target->second) + " of " + site_of(*target->second);
}

std::string line_of(const live_task& task, const tasks_by_id& all) {
  std::string line = "  ";
  line += context_names[static_cast<std::size_t>(task.context)];
  line += " " + quoted(task) + ": ";
  line += activity_names[static_cast<std::size_t>(task.activity)];
  if (task.worker) line += " on weir-" + std::to_string(*task.worker);
  if (task.since) line += ", in a blocking region for " + time_of(*task.since);
  line += wait_of(task, all);
  if (task.is_stopping) line += ", asked to stop";
  line += ", " + count_of(task.polls, "poll");
  return line + ", spawned at " + site_of(task) + "\n";
}

} // namespace

std::string task_dump::to_string() const {
  std::array<std::size_t, 4> counts{};
  tasks_by_id all;
  for (const live_task& each : tasks) {
    ++counts[static_cast<std::size_t>(each.activity)];
    all.emplace(each.id, &each);
  }
  std::string text = count_of(tasks.size(), "task");
  const char* before = ": ";
  for (std::size_t activity = 0; activity != counts.size(); ++activity) {
    if (counts[activity] == 0) continue;
    text += before + std::to_string(counts[activity]) + " " + activity_names[activity];
    before = ", ";
  }
  text += "\n";
  for (const live_task& each : tasks) text += line_of(each, all);
  return text;
}

} // namespace weir
