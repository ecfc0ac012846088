// SPDX-License-Identifier: Apache-2.0
// A randomised load on whole runtimes, at random permits, thread caps and times: spawn, stop, block, throw, wait for channels,
// locks and timers, nest, shut down or drop. Every admitted task must end exactly once, every thread must go, each value of a
// channel arrive once, and the identities of the metrics hold all along.
//
//   sched_stress [--seed N] [--rounds N | --seconds N]
//
// The seed is printed first. A round that fails prints its own; --seed with that and --rounds 1 makes the same decisions again,
// though threads interleave as they like. A round that hangs prints all its tasks.
#include "actors.hpp"

#include <weir/runtime.hpp>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace weir::stress {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 120s; // for one round

/// Ends the program with a dump when a round takes too long.
class watchdog {
public:
  watchdog(std::uint64_t seed, const runtime& rt) : thread_([this, seed, &rt] { watch(seed, rt); }) {}
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;
  ~watchdog() {
    {
      std::lock_guard guard(lock_);
      is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

private:
  void watch(std::uint64_t seed, const runtime& rt) {
    std::unique_lock guard(lock_);
    if (changed_.wait_for(guard, patience, [&] { return is_over_; })) return;
    metrics at = rt.snapshot();
    std::fprintf(
        stderr,
        "the round with seed %llu hangs: %zu tasks, %zu queued, %zu returning, %zu threads, %zu of %zu permits held, "
        "%zu in regions\n%s",
        static_cast<unsigned long long>(seed), at.tasks, at.queued, at.returning, at.threads, at.active, at.permits,
        at.in_regions, rt.dump_tasks().to_string().c_str());
    std::abort();
  }

  std::mutex lock_;
  std::condition_variable changed_;
  bool is_over_ = false;
  std::thread thread_;
};

struct verdict {
  std::uint64_t seed;
  bool is_good = true;

  void require(bool holds, const char* what, std::int64_t is, std::int64_t expected) {
    if (holds) return;
    is_good = false;
    std::fprintf(stderr, "seed %llu: %s: %lld, expected %lld\n", static_cast<unsigned long long>(seed), what,
                 static_cast<long long>(is), static_cast<long long>(expected));
  }
  template <class T, class U> void require_equal(const char* what, T is, U expected) {
    require(static_cast<std::int64_t>(is) == static_cast<std::int64_t>(expected), what, static_cast<std::int64_t>(is),
            static_cast<std::int64_t>(expected));
  }
  void require_identities(const metrics& at) {
    require_equal("spawned", at.spawned, at.tasks + at.finished);
    require_equal("permits", at.permits, at.active + at.free + at.changing_hands);
    require_equal("spawned threads", at.spawned_threads, at.threads + at.ended_threads);
    require(at.finished <= at.polls + at.closures, "finished tasks that nobody took up",
            static_cast<std::int64_t>(at.finished), static_cast<std::int64_t>(at.polls + at.closures));
  }
};

runtime_options draw_options(dice& roll, abilities& can) {
  runtime_options options;
  options.permits = 1 + roll.below(4);
  can.nests = roll.one_in(2);
  options.max_threads = can.nests ? 512 : options.permits + 1 + roll.below(8);
  options.grace = std::chrono::microseconds(20 + roll.below(200));
  options.slice = std::chrono::microseconds(100 + roll.below(2000));
  options.keep_alive = std::chrono::microseconds(500 + roll.below(5000));
  if (roll.one_in(3)) options.eager_limit = options.permits + roll.below(8);
  options.on_unhandled = [](const unhandled_exception&) {};
  return options;
}

/// Asks a runtime what it does while it does it.
void observe(const runtime& rt, const detail::atomic<bool>& is_over, verdict& result) {
  while (!is_over.load()) {
    result.require_identities(rt.snapshot());
    for (const live_task& each : rt.dump_tasks().tasks) {
      bool waits = each.activity == task_activity::waiting;
      result.require(!waits || !each.worker.has_value(), "the worker of a task that waits", 1, 0);
    }
    std::this_thread::yield();
  }
}

void check_end(const metrics& last, const world& all, verdict& result) {
  result.require_identities(last);
  result.require_equal("tasks at the end", last.tasks, 0);
  result.require_equal("threads at the end", last.threads, 0);
  result.require_equal("queued at the end", last.queued, 0);
  result.require_equal("returning at the end", last.returning, 0);
  result.require_equal("permits held at the end", last.active, 0);
  result.require_equal("tasks and fibers that ended", all.ended.load(), all.made.load());
  result.require_equal("overlapping holders of the mutex", all.overlaps.load(), 0);
}

/// How a round ends.
enum class ending : std::uint8_t { wait, wait_and_ring, shut_down, drop };

bool run_round(std::uint64_t seed) {
  dice roll(seed);
  verdict result{seed};
  abilities can;
  runtime_options options = draw_options(roll, can);
  world all(can);
  auto rt = std::make_unique<runtime>(options);
  std::optional<watchdog> watching(std::in_place, seed, *rt);
  std::vector<join_handle<int>> handles;
  std::vector<abort_handle> aborts;
  for (unsigned actors = 1 + roll.below(60); actors != 0; --actors) {
    handles.push_back(rt->spawn(act(all, roll.seed(), can.deepest, presence(all))));
    if (roll.one_in(4)) aborts.push_back(handles.back().get_abort_handle());
    if (roll.one_in(8)) {
      handles.back().detach();
      handles.pop_back();
    }
  }
  auto how = static_cast<ending>(roll.below(4));
  unsigned pause = roll.below(500);
  detail::atomic<bool> is_over{false};
  bool is_observed = how != ending::drop && roll.one_in(2);
  std::thread observer([&] {
    if (is_observed) observe(*rt, is_over, result);
  });
  std::thread aborter([&] {
    for (auto& each : aborts) each.abort();
  });
  if (how == ending::wait_and_ring) all.bell.set();
  if (how == ending::shut_down) {
    keep_thread(std::chrono::microseconds(pause));
    rt->shutdown();
  }
  if (how == ending::drop) {
    watching.reset();
    rt.reset();
  }
  for (auto& each : handles) static_cast<void>(each.wait());
  aborter.join();
  if (rt != nullptr) rt->shutdown();
  is_over.store(true);
  observer.join();
  watching.reset();
  if (rt != nullptr) {
    check_end(rt->snapshot(), all, result);
    return result.is_good;
  }
  // A dropped runtime ends on its own; its last tasks may still be at it.
  auto limit = std::chrono::steady_clock::now() + patience;
  auto is_at_rest = [&all] {
    auto ended =
        all.ended.load(); // first: only one that lives makes another, so none lives when no more have been made
    return all.made.load() == ended;
  };
  while (!is_at_rest() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  result.require_equal("tasks and fibers that ended", all.ended.load(), all.made.load());
  return result.is_good;
}

int run(std::uint64_t seed, std::optional<unsigned> rounds, std::chrono::seconds time) {
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  auto end = std::chrono::steady_clock::now() + time;
  dice seeds(seed);
  unsigned done = 0;
  while (rounds ? done != *rounds : std::chrono::steady_clock::now() < end) {
    std::uint64_t of_round = done == 0 ? seed : seeds.seed();
    if (!run_round(of_round)) {
      std::fprintf(stderr, "to repeat it: sched_stress --rounds 1 --seed %llu\n",
                   static_cast<unsigned long long>(of_round));
      return 1;
    }
    ++done;
  }
  std::printf("%u rounds passed\n", done);
  return 0;
}

} // namespace
} // namespace weir::stress

int main(int count, char** arguments) {
  std::uint64_t seed = std::random_device()();
  std::optional<unsigned> rounds;
  std::chrono::seconds time(20);
  for (int at = 1; at + 1 < count; at += 2) {
    if (std::strcmp(arguments[at], "--seed") == 0) seed = std::strtoull(arguments[at + 1], nullptr, 10);
    if (std::strcmp(arguments[at], "--rounds") == 0) rounds = static_cast<unsigned>(std::atoi(arguments[at + 1]));
    if (std::strcmp(arguments[at], "--seconds") == 0) time = std::chrono::seconds(std::atol(arguments[at + 1]));
  }
  return weir::stress::run(seed, rounds, time);
}
