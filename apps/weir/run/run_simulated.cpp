// SPDX-License-Identifier: Apache-2.0
// `weir run --sim SEED`; takes the place of run.cpp in the simulated variant. Threads, clocks, waits and random numbers are the seed's;
// files, standard input and what a guest reads from them are the host's. Time-outs are virtual time.
#include "run/run.hpp"

#include "run/args.hpp"
#include "run/guest.hpp"
#include "run/outcome.hpp"
#include "run/plan.hpp"
#include "run/program.hpp"
#include "run/stats.hpp"
#include "support/console.hpp"
#include "support/exit_code.hpp"

#include "os/thread.hpp"

#include <weir/event.hpp>
#include <weir/runtime.hpp>
#include <weir/sim/run.hpp>
#include <weir/time.hpp>
#include <weir/wasi/linker.hpp>
#include <weir/wasm/engine.hpp>
#include <weir/wasm/linker.hpp>

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
  explicit simulated_session(run_request request) : request_{std::move(request)}, linker_{engine_} {}

  int run() {
    if (!load_programs()) return status_;
    wasi::add_to_linker(linker_);
    const sim::outcome ran =
        sim::run({.seed = *request_.seed,
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
    return status_;
  }

private:
  int fail(int status, std::string_view message) {
    complain(message);
    if (status_ == exit_code::success) status_ = status;
    return status_;
  }

  bool load_programs() {
    program_loader loader{engine_};
    for (const program_request& request : request_.programs) {
      auto loaded = loader.load(request);
      if (loaded)
        programs_.push_back(*std::move(loaded));
      else
        fail(loaded.error().status, loaded.error().message);
    }
    return status_ == exit_code::success;
  }

  bool prepare_guests() {
    plans_ = plan_guests(request_);
    std::optional<wasi::cancel_token> cancel;
    for (const guest_plan& plan : plans_) {
      const program_request& request = request_.programs[plan.program];
      // As run.cpp has it: one token, and one descriptor, for the copies of a program.
      if (guests_.empty() || plans_[guests_.size() - 1].program != plan.program) cancel.emplace();
      auto made = guest::prepare(plan, request, programs_[plan.program], linker_, engine_, *cancel,
                                 plans_.size() > 1 && !request_.is_raw);
      if (!made) {
        fail(exit_code::usage, fmt::format("{}: {}", plan.name, made.error()));
        return false;
      }
      auto one = std::make_unique<simulated_guest>();
      one->live = *std::move(made);
      one->timeout = request.options.timeout;
      guests_.push_back(std::move(one));
    }
    return true;
  }

  void simulate() {
    if (!prepare_guests()) return;
    runtime_options options;
    options.permits = request_.permits;
    options.max_threads = request_.max_threads;
    auto built = runtime::build(std::move(options));
    if (!built) {
      fail(exit_code::usage, fmt::format("no runtime with {} permits and {} threads: {}", request_.permits,
                                         request_.max_threads, built.error().message()));
      return;
    }
    const time_point begin = now();
    std::vector<join_handle<void>> watchers;
    for (auto& one : guests_)
      one->task = built->spawn(run_guest(one.get(), begin),
                               {.name = one->live->name(), .accounts_cpu = request_.stats != stats_format::none});
    for (std::size_t first = 0, end = 0; first != guests_.size(); first = end) {
      const std::size_t program = plans_[first].program;
      while (end != guests_.size() && plans_[end].program == program) ++end;
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
    while (!one.task.is_done()) rt::os::yield_thread(); // its last poll is about to be over
    const task_stats counters = one.task.stats();
    one.stats.cpu = counters.cpu_time;
    one.stats.polls = counters.polls;
    one.stats.handoffs = counters.handoffs;
    one.stats.checkpoints = counters.preemptions;
    one.stats.name = one.live->name();
    one.stats.memory_pages = one.live->memory_pages();
    const stop_reason asked = one.is_late ? stop_reason::timeout : stop_reason::none;
    const guest_outcome outcome =
        one.ended ? finished(exit_code::success)
                  : failed(one.ended.error(), asked, one.timeout.value_or(std::chrono::nanoseconds{0}));
    one.stats.status = outcome.status;
    one.stats.result = outcome.result;
    if (!outcome.message.empty()) complain(fmt::format("{}: {}", one.stats.name, outcome.message));
  }

  void report(const metrics& counted) {
    if (request_.stats == stats_format::none) return;
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
    const bool is_json = request_.stats == stats_format::json;
    print(is_json ? stream::output : stream::error, is_json ? stats_json(all, totals) : stats_table(all, totals));
  }

  run_request request_;
  wasm::engine engine_;
  wasm::linker linker_;
  std::vector<program> programs_;
  std::vector<guest_plan> plans_;
  std::vector<std::unique_ptr<simulated_guest>> guests_;
  int status_ = exit_code::success;
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
