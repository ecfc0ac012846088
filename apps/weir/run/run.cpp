// SPDX-License-Identifier: Apache-2.0
#include "run/run.hpp"

#include "run/args.hpp"
#include "run/guest.hpp"
#include "run/outcome.hpp"
#include "run/preparation.hpp"
#include "run/signal_listener.hpp"
#include "run/simulated.hpp"
#include "run/stats.hpp"
#include "run/supervisor.hpp"
#include "support/console.hpp"
#include "support/exit_code.hpp"

#include "os/thread.hpp"

#include <weir/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;

/// How long a guest that was asked to stop may stay in a host call while nobody else ends.
constexpr std::chrono::nanoseconds stop_grace = 1s;

/// A guest with what came of it. `live` is set from the start, `ended` by its task before it reports its end.
struct launched {
  std::unique_ptr<guest> live;
  join_handle<void> task;
  wasm::result<void> ended;
  guest_stats stats;
};

class run_session {
public:
  explicit run_session(run_request request) : prepared_{std::move(request)} {}

  int run();

private:
  bool prepare();
  void start_guests();
  void settle(const supervisor::end& one);
  void report();
  void show_tasks() const;

  preparation prepared_;
  std::vector<launched> guests_;
  std::optional<runtime> runtime_;
  std::optional<supervisor> supervisor_;
  bool has_stuck_guest_ = false;
};

bool run_session::prepare() {
  if (!prepared_.load_programs()) return false;
  auto made = prepared_.make_guests();
  guests_.reserve(made.size());
  for (auto& one : made) guests_.push_back({std::move(one), {}, {}, {}});
  return !guests_.empty();
}

/// Runs one guest and leaves its end where the supervisor's reports find it.
task<void> run_guest(launched* self, supervisor* watching, std::size_t index) {
  task<wasm::result<void>> running = self->live->run();
  self->ended = co_await std::move(running);
  watching->report_end(index);
}

void run_session::start_guests() {
  std::vector<supervisor::watched> watched;
  watched.reserve(guests_.size());
  for (std::size_t i = 0; i < guests_.size(); ++i)
    watched.push_back({[live = guests_[i].live.get()] { live->stop(); }, prepared_.request_of(i).options.timeout});
  supervisor_.emplace(std::move(watched), stop_grace);
  for (std::size_t i = 0; i < guests_.size(); ++i)
    guests_[i].task = runtime_->spawn(run_guest(&guests_[i], &*supervisor_, i), prepared_.spawning(i));
}

void run_session::settle(const supervisor::end& one) {
  launched& guest = guests_[one.guest];
  const auto timeout = prepared_.request_of(one.guest).options.timeout.value_or(0ns);
  guest_outcome outcome;
  guest.stats.name = guest.live->name();
  guest.stats.wall = one.wall;
  if (one.is_stuck) {
    has_stuck_guest_ = true;
    outcome = stuck(one.asked, timeout);
    guest.task.detach();
  } else {
    take_counters(guest.stats, *guest.live, guest.task);
    outcome = guest.ended ? finished(exit_code::success) : failed(guest.ended.error(), one.asked, timeout);
  }
  guest.stats.status = outcome.status;
  guest.stats.result = outcome.result;
  if (!outcome.message.empty()) complain(fmt::format("{}: {}", guest.stats.name, outcome.message));
}

void run_session::report() {
  if (prepared_.request().stats == stats_format::none) return;
  std::vector<guest_stats> all;
  all.reserve(guests_.size());
  for (const launched& one : guests_) all.push_back(one.stats);
  run_totals totals;
  const metrics counted = runtime_->snapshot();
  totals.permits = counted.permits;
  totals.threads = counted.spawned_threads;
  for (const guest_stats& one : all) totals.wall = std::max(totals.wall, one.wall);
  totals.cpu = rt::os::process_cpu_time();
  const bool is_json = prepared_.request().stats == stats_format::json;
  const stream target = is_json ? stream::output : stream::error;
  const std::string text = is_json ? stats_json(all, totals) : stats_table(all, totals);
  // What a guest is stuck in may be the very stream.
  if (has_stuck_guest_)
    print_within(target, text, stop_grace);
  else
    print(target, text);
}

void run_session::show_tasks() const {
  const metrics counted = runtime_->snapshot();
  const std::string text =
      fmt::format("weir: {}weir: {} of {} permits held, {} of them in blocking regions, {} threads, {} polls\n",
                  runtime_->dump_tasks().to_string(), counted.active, counted.permits, counted.in_regions,
                  counted.threads, counted.polls);
  // Who reads standard error may be gone or stuck, and the next signal must be heard.
  print_within(stream::error, text, stop_grace);
}

int run_session::run() {
  if (!prepare()) return prepared_.status();
  auto signals = signal_listener::open();
  if (!signals) return prepared_.fail(exit_code::failure, fmt::format("cannot listen for Ctrl-C: {}", signals.error()));
  runtime_ = prepared_.build_runtime();
  if (!runtime_) return prepared_.status();
  start_guests();
  if (const auto listening =
          signals->listen([this](int signal) { supervisor_->report_signal(signal); }, [this] { show_tasks(); });
      !listening)
    complain(fmt::format("cannot listen for Ctrl-C: {}", listening.error()));
  supervisor_->wait([this](const supervisor::end& one) { settle(one); });
  report();

  std::vector<int> statuses;
  statuses.reserve(guests_.size());
  for (const launched& one : guests_) statuses.push_back(one.stats.status);
  const int status = choose_exit_status(statuses, supervisor_->signal());
  // A guest that is stuck uses its store on a thread that cannot be stopped.
  if (has_stuck_guest_) end_process(status);
  runtime_->shutdown();
  return status;
}

} // namespace

int run_programs(std::span<const std::string> words) {
  auto request = parse_run(words);
  if (!request) {
    print(request.error().status == exit_code::success ? stream::output : stream::error, request.error().text + "\n");
    return request.error().status;
  }
  if (!request->seed) return run_session{*std::move(request)}.run();
#if WEIR_HAS_SIMULATED_RUN
  return weir_simulated::cli::run_programs(words);
#else
  complain("--sim: this weir was built without the simulation; configure it with -DWEIR_BUILD_SIMULATED_RUN=ON");
  return exit_code::usage;
#endif
}

} // namespace weir::cli
