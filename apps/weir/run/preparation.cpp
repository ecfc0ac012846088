// SPDX-License-Identifier: Apache-2.0
#include "run/preparation.hpp"

#include "support/console.hpp"
#include "support/exit_code.hpp"

#include "os/thread.hpp"

#include <weir/wasi/linker.hpp>

#include <fmt/format.h>

#include <utility>

namespace weir::cli {

preparation::preparation(run_request request)
    : request_{std::move(request)}, plans_{plan_guests(request_)}, linker_{engine_} {
  wasi::add_to_linker(linker_);
}

int preparation::fail(int status, std::string_view message) {
  complain(message);
  if (status_ == exit_code::success) status_ = status;
  return status_;
}

bool preparation::load_programs() {
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

std::vector<std::unique_ptr<guest>> preparation::make_guests() {
  std::vector<std::unique_ptr<guest>> guests;
  guests.reserve(plans_.size());
  std::optional<wasi::cancel_token> cancel;
  for (const guest_plan& plan : plans_) {
    // The copies of a program have the same deadline, so they share the token and its descriptor.
    if (guests.empty() || plans_[guests.size() - 1].program != plan.program) cancel.emplace();
    auto made = guest::prepare(plan, request_.programs[plan.program], programs_[plan.program], linker_, engine_,
                               *cancel, plans_.size() > 1 && !request_.is_raw);
    if (!made) {
      fail(exit_code::usage, fmt::format("{}: {}", plan.name, made.error()));
      return {};
    }
    guests.push_back(*std::move(made));
  }
  return guests;
}

std::optional<runtime> preparation::build_runtime() {
  runtime_options options;
  options.permits = request_.permits;
  options.max_threads = request_.max_threads;
  auto built = runtime::build(std::move(options));
  if (built) return *std::move(built);
  fail(exit_code::usage, fmt::format("no runtime with {} permits and {} threads: {}", request_.permits,
                                     request_.max_threads, built.error().message()));
  return {};
}

spawn_options preparation::spawning(std::size_t guest) const {
  return {.name = plans_[guest].name, .accounts_cpu = request_.stats != stats_format::none};
}

void take_counters(guest_stats& into, const guest& of, const join_handle<void>& task) {
  while (!task.is_done()) rt::os::yield_thread();
  const task_stats counters = task.stats();
  into.cpu = counters.cpu_time;
  into.polls = counters.polls;
  into.handoffs = counters.handoffs;
  into.checkpoints = counters.preemptions;
  into.memory_pages = of.memory_pages();
}

} // namespace weir::cli
