// SPDX-License-Identifier: Apache-2.0
// A randomised load on whole runtimes: spawn, yield, block, join, wake, abort, throw, block_on, fibers, shut down or
// drop, at random permits and thread caps. Every admitted task must end exactly once and every thread must go.
//
//   sched_stress [--seed N] [--rounds N]
//
// The seed is printed first; the same seed makes the same choices, though threads interleave as they like.
#include "sched/runtime_core.hpp"

#include <weir/blocking.hpp>
#include <weir/checkpoint.hpp>
#include <weir/spawn.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace {

using namespace weir;

struct counters {
  bool may_nest = true; // block_on inside tasks
  detail::atomic<long> made{0};
  detail::atomic<long> ended{0};
};

// Lives in each task's frame or captures: made and ended must be equal once all handles are joined.
class presence {
public:
  explicit presence(counters& of) : of_(&of) { of.made.fetch_add(1); }
  presence(presence&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
  presence& operator=(presence&&) = delete;
  ~presence() {
    if (of_ != nullptr) of_->ended.fetch_add(1);
  }

private:
  counters* of_;
};

class dice {
public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  unsigned below(unsigned limit) { return static_cast<unsigned>(engine_() % limit); }
  std::uint64_t seed() { return engine_(); }

private:
  std::mt19937_64 engine_;
};

void block_a_little(unsigned microseconds) {
  auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(microseconds);
  while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
}

task<int> act(counters& all, std::uint64_t seed, unsigned depth, presence);

void act_on_fiber(counters& all, std::uint64_t seed, unsigned depth) {
  dice roll(seed);
  for (unsigned step = roll.below(6); step != 0; --step) {
    switch (roll.below(4)) {
    case 0: this_fiber::yield(); break;
    case 1: this_fiber::checkpoint(); break;
    case 2: blocking([&] { block_a_little(roll.below(200)); }); break;
    default:
      if (depth != 0) static_cast<void>(spawn(act(all, roll.seed(), depth - 1, presence(all))).wait());
    }
  }
}

task<int> act(counters& all, std::uint64_t seed, unsigned depth, presence) {
  dice roll(seed);
  std::vector<join_handle<int>> children;
  for (unsigned step = roll.below(8); step != 0; --step) {
    switch (roll.below(10)) {
    case 0:
    case 1: co_await yield(); break;
    case 2: co_await checkpoint(); break;
    case 3: {
      unsigned length = roll.below(300);
      blocking([&] { blocking([&] { block_a_little(length); }); });
      break;
    }
    case 4:
      if (depth != 0) children.push_back(spawn(act(all, roll.seed(), depth - 1, presence(all))));
      break;
    case 5:
      if (!children.empty()) children.back().abort();
      break;
    case 6:
      if (!children.empty()) {
        auto outcome = co_await children.back();
        children.pop_back();
        if (outcome.exception() != nullptr && roll.below(2) == 0) throw std::runtime_error("passed on");
      }
      break;
    case 7:
      if (depth != 0 && all.may_nest) {
        auto root = [](counters& in, std::uint64_t with, unsigned at) -> task<int> {
          co_return (co_await spawn(act(in, with, at - 1, presence(in)))).has_value() ? 1 : 0;
        };
        static_cast<void>(block_on(root(all, roll.seed(), depth)));
      }
      break;
    case 8:
      if (depth != 0) {
        auto fiber = spawn_fiber(
            [&all, inner = roll.seed(), depth, here = presence(all)] { act_on_fiber(all, inner, depth - 1); });
        static_cast<void>(co_await fiber);
      }
      break;
    default:
      if (roll.below(20) == 0) throw std::runtime_error("thrown");
    }
  }
  for (auto& child : children) static_cast<void>(co_await child);
  co_return 1;
}

bool run_round(std::uint64_t seed, unsigned round) {
  dice roll(seed);
  counters all;
  runtime_options options;
  options.permits = 1 + roll.below(4);
  // At a tight cap a nested block_on may wait for what lies below it on the same stack; that is the cap's contract, so
  // not both.
  all.may_nest = roll.below(2) == 0;
  options.max_threads = all.may_nest ? 512 : options.permits + 1 + roll.below(8);
  options.grace = std::chrono::microseconds(20 + roll.below(200));
  options.slice = std::chrono::microseconds(100 + roll.below(2000));
  options.on_unhandled = [](const unhandled_exception&) {};
  auto rt = std::make_unique<runtime>(options);
  unsigned tasks = 1 + roll.below(60);
  std::vector<join_handle<int>> handles;
  std::vector<abort_handle> aborts;
  for (unsigned i = 0; i != tasks; ++i) {
    handles.push_back(rt->spawn(act(all, roll.seed(), 3, presence(all))));
    if (roll.below(4) == 0) aborts.push_back(handles.back().get_abort_handle());
    if (roll.below(8) == 0) {
      handles.back().detach();
      handles.pop_back();
    }
  }
  std::thread aborter([&] {
    for (auto& each : aborts) each.abort();
  });
  unsigned ending = roll.below(4);
  if (ending == 0) block_a_little(roll.below(500)); // close in the middle
  if (ending <= 1) rt->shutdown();
  if (ending == 2) rt.reset();
  for (auto& each : handles) static_cast<void>(each.wait());
  aborter.join();
  if (rt != nullptr) {
    rt->shutdown();
    metrics last = rt->snapshot();
    if (last.tasks != 0 || last.threads != 0 || last.queued != 0 || last.returning != 0 || last.active != 0) {
      std::fprintf(stderr, "round %u (seed %llu): tasks %zu threads %zu queued %zu returning %zu active %zu\n", round,
                   static_cast<unsigned long long>(seed), last.tasks, last.threads, last.queued, last.returning,
                   last.active);
      return false;
    }
  }
  // A dropped runtime ends on its own; its last tasks may still be at it.
  auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (all.made.load() != all.ended.load() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  if (all.made.load() != all.ended.load()) {
    std::fprintf(stderr, "round %u (seed %llu): %ld tasks were made, %ld ended\n", round,
                 static_cast<unsigned long long>(seed), all.made.load(), all.ended.load());
    return false;
  }
  return true;
}

} // namespace

int main(int count, char** arguments) {
  std::uint64_t seed = std::random_device()();
  unsigned rounds = 200;
  for (int at = 1; at + 1 < count; at += 2) {
    if (std::strcmp(arguments[at], "--seed") == 0) seed = std::strtoull(arguments[at + 1], nullptr, 10);
    if (std::strcmp(arguments[at], "--rounds") == 0) rounds = static_cast<unsigned>(std::atoi(arguments[at + 1]));
  }
  std::printf("seed %llu, %u rounds\n", static_cast<unsigned long long>(seed), rounds);
  std::fflush(stdout);
  dice seeds(seed);
  for (unsigned round = 0; round != rounds; ++round) {
    if (!run_round(seeds.seed(), round)) return 1;
  }
  std::printf("%u rounds passed\n", rounds);
  return 0;
}
