// SPDX-License-Identifier: Apache-2.0
#include <weir/sim/scenario.hpp>

#include "os/thread.hpp"
#include "sim/world.hpp"

#include <algorithm>

namespace weir::sim {

using detail::stream;
using detail::world;

std::vector<registered_test>& registered_tests() {
  static std::vector<registered_test> tests;
  return tests;
}

scenario& scenario::seeds(std::uint64_t count) {
  settings_.seeds = count;
  return *this;
}
scenario& scenario::faults(fault_plan allowed) {
  settings_.base.faults = allowed;
  return *this;
}
scenario& scenario::grain(granularity where) {
  settings_.base.grain = where;
  return *this;
}
scenario& scenario::permits(std::size_t count) {
  permits_ = count;
  return *this;
}
scenario& scenario::finish_within(std::chrono::nanoseconds limit) {
  settings_.base.limit = limit;
  return *this;
}

scenario& scenario::add_part(std::string name, start_function start) {
  auto at = std::ranges::find(nodes_, name, &node_runtime::name);
  if (at == nodes_.end()) at = nodes_.insert(nodes_.end(), node_runtime{std::move(name), nullptr});
  parts_.push_back({static_cast<std::size_t>(at - nodes_.begin()), std::move(start)});
  return *this;
}

scenario& scenario::at(std::chrono::nanoseconds time, std::function<void()> event) {
  events_.push_back({time, std::move(event)});
  return *this;
}
scenario& scenario::always(std::string what, std::function<bool()> holds) {
  invariants_.push_back({std::move(what), std::move(holds)});
  return *this;
}
scenario& scenario::finally(std::string what, std::function<bool()> holds) {
  results_.push_back({std::move(what), std::move(holds)});
  return *this;
}

runtime& scenario::runtime_of(std::string_view name) {
  const auto at = std::ranges::find(nodes_, name, &node_runtime::name);
  require(at != nodes_.end() && at->pool != nullptr, "runtime_of() names a node of the scenario, while it runs");
  return *at->pool;
}

// The pauses grow with the time that has passed, so that an hour costs no more looks than a second does, more or less.
void scenario::watch() {
  world& here = *world::current();
  while (!is_over_) {
    for (const condition& each : invariants_) {
      here.set_calm(true);
      const bool holds = each.holds();
      here.set_calm(false);
      require(holds, each.what);
    }
    const auto longest = static_cast<std::uint64_t>(std::max<std::int64_t>(1000, here.since_begin(here.time()) / 64));
    block_for(std::chrono::nanoseconds(1 + here.random().of_any_size(stream::checks, longest)));
  }
}

void scenario::play() {
  world& here = *world::current();
  for (node_runtime& each : nodes_) {
    const std::size_t permits = permits_ != 0 ? permits_ : 1 + here.random().below(stream::setup, 4);
    each.pool = std::make_unique<runtime>(runtime_options{.permits = permits});
  }
  std::vector<rt::os::thread> helpers; // joined, because they refer to this scenario
  const auto start_helper = [&](const char* name, auto function) {
    helpers.push_back(rt::os::thread::start({.name = name, .stack_bytes = 0}, std::move(function)).value());
  };
  if (!invariants_.empty()) start_helper("invariants", [this] { watch(); });
  for (const timed_event& each : events_) {
    start_helper("event", [&each] {
      block_for(each.time);
      each.happens();
    });
  }
  arm_thread_failures();
  std::vector<std::function<void()>> joins;
  joins.reserve(parts_.size());
  for (const part& each : parts_) joins.push_back(each.start(*nodes_[each.node].pool));
  for (const auto& join : joins) join();
  for (const condition& each : results_) require(each.holds(), each.what);
  for (node_runtime& each : nodes_) each.pool->shutdown();
  is_over_ = true;
  for (rt::os::thread& each : helpers) each.join();
}

search_result play(const registered_test& test, const play_options& options) {
  search_options settings;
  const outcome described = run({}, [&] {
    scenario once;
    test.describe(once);
    settings = once.settings();
  });
  if (!described.passed()) {
    search_result failed;
    failed.failing_seed = 0;
    failed.failing = described;
    return failed;
  }
  settings.first_seed = options.first_seed.value_or(settings.first_seed);
  settings.seeds = options.seeds.value_or(settings.seeds);
  settings.base.mutant = options.mutant;
  if (options.is_always_twice) settings.twice_one_in = 1;
  const auto body = [&] {
    scenario fresh;
    test.describe(fresh);
    fresh.play();
  };
  return options.is_in_process ? search_here(settings, body) : search(settings, body);
}

} // namespace weir::sim
