// SPDX-License-Identifier: Apache-2.0
// `weir run --sim SEED`; takes the place of run.cpp in the simulated variant. Threads, clocks, waits and random numbers are the seed's;
// files, standard input and what a guest reads from them are the host's. Time-outs are virtual time.
#include "run/run.hpp"

#include "run/outcome.hpp"
#include "run/preparation.hpp"
#include "run/stats.hpp"
#include "support/console.hpp"
#include "support/exit_code.hpp"

#include <weir/event.hpp>
#include <weir/runtime.hpp>
#include <weir/sim/run.hpp>
#include <weir/time.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace weir::cli {
namespace {

/// A guest with what came of it.
struct simulated_guest {
  std::unique_ptr<guest> live;
  std::optional<std::chrono::nanoseconds> timeout;
  join_handle<void> task;
  wasm::result<void> ended;
  event end;
  bool is_late = false;
  guest_stats stats;
};

task<void> run_guest(simulated_guest* self, time_point begin) {
  task<wasm::result<void>> running = self->live->run();
  self->ended = co_await std::move(running);
  self->stats.wall = now() - begin;
  self->end.set();
}

/// Stops the guests of one program. They share the token that ends their waits, so all are late at once.
task<void> stop_in_time(std::span<const std::unique_ptr<simulated_guest>> guests, std::chrono::nanoseconds limit) {
  co_await sleep_for(limit);
  for (const auto& each : guests)
    if (!each->end.is_set()) each->is_late = true;
  for (const auto& each : guests)
    if (each->is_late) each->live->stop();
}

class simulated_session {
public:
  explicit simulated_session(run_request request) : prepared_{std::move(request)} {}

  int run() {
    if (!prepared_.load_programs()) return prepared_.status();
    const sim::outcome ran =
        sim::run({.seed = *prepared_.request().seed,
                  .limit = std::chrono::hours(24 * 365),
                  .max_steps = ~std::uint64_t{0},
                  .operation_time = std::chrono::nanoseconds(20), // a guest does much between two atomic operations
                  .longest_stretch = 1000},                       // a guest that spins never waits
                 [this] {
                   simulate();
                   guests_.clear(); // their contexts refer to the simulation
                 });
    if (!ran.passed()) {
      complain(fmt::format("the simulation failed\n{}", ran.report));
      end_process(exit_code::failure); // the guests stand where they were when it failed
    }
    return status_ == exit_code::success ? prepared_.status() : status_;
  }

private:
  void simulate() {
    for (auto& made : prepared_.make_guests()) {
      guests_.push_back(std::make_unique<simulated_guest>());
      guests_.back()->live = std::move(made);
      guests_.back()->timeout = prepared_.request_of(guests_.size() - 1).options.timeout;
    }
    if (guests_.empty()) return;
    auto built = prepared_.build_runtime();
    if (!built) return;
    const time_point begin = now();
    std::vector<join_handle<void>> watchers;
    for (std::size_t i = 0; i < guests_.size(); ++i)
      guests_[i]->task = built->spawn(run_guest(guests_[i].get(), begin), prepared_.spawning(i));
    for (std::size_t first = 0, end = 0; first != guests_.size(); first = end) {
      const auto& plans = prepared_.plans();
      while (end != guests_.size() && plans[end].program == plans[first].program) ++end;
      if (const auto limit = guests_[first]->timeout)
        watchers.push_back(built->spawn(stop_in_time(std::span{guests_}.subspan(first, end - first), *limit)));
    }
    for (auto& one : guests_) settle(*one);
    for (auto& each : watchers) {
      each.abort();
      static_cast<void>(each.wait());
    }
    report(built->snapshot());
    built->shutdown();
    std::vector<int> statuses;
    statuses.reserve(guests_.size());
    for (const auto& one : guests_) statuses.push_back(one->stats.status);
    status_ = choose_exit_status(statuses, 0);
  }

  // In the order of the command line, as each guest ends in its own time.
  void settle(simulated_guest& one) {
    one.end.wait();
    take_counters(one.stats, *one.live, one.task);
    one.stats.name = one.live->name();
    const stop_reason asked = one.is_late ? stop_reason::timeout : stop_reason::none;
    const guest_outcome outcome =
        one.ended ? finished(exit_code::success)
                  : failed(one.ended.error(), asked, one.timeout.value_or(std::chrono::nanoseconds{0}));
    one.stats.status = outcome.status;
    one.stats.result = outcome.result;
    if (!outcome.message.empty()) complain(fmt::format("{}: {}", one.stats.name, outcome.message));
  }

  void report(const metrics& counted) {
    if (prepared_.request().stats == stats_format::none) return;
    std::vector<guest_stats> all;
    all.reserve(guests_.size());
    run_totals totals;
    for (const auto& one : guests_) {
      all.push_back(one->stats);
      totals.wall = std::max(totals.wall, one->stats.wall);
      totals.cpu += one->stats.cpu;
    }
    totals.permits = counted.permits;
    totals.threads = counted.spawned_threads;
    const bool is_json = prepared_.request().stats == stats_format::json;
    print(is_json ? stream::output : stream::error, is_json ? stats_json(all, totals) : stats_table(all, totals));
  }

  preparation prepared_;
  std::vector<std::unique_ptr<simulated_guest>> guests_;
  int status_ = exit_code::success; // of the guests
};

} // namespace

int run_programs(std::span<const std::string> words) {
  auto request = parse_run(words);
  if (!request) {
    print(request.error().status == exit_code::success ? stream::output : stream::error, request.error().text + "\n");
    return request.error().status;
  }
  return simulated_session{*std::move(request)}.run();
}

} // namespace weir::cli
