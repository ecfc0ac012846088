// SPDX-License-Identifier: Apache-2.0
// The calls of <weir/sim.hpp>.
#include "os/thread.hpp"
#include "sim/world.hpp"

#include <weir/check.hpp>

#include <vector>

namespace weir::sim {

using detail::stream;
using detail::world;

namespace {

world& in_run() {
  world* const here = world::current();
  WEIR_CHECK(here != nullptr, "this call of weir::sim is for the code that sim::run() runs");
  return *here;
}

} // namespace

namespace {

outcome play_out(std::unique_ptr<world> one) {
  outcome ran = one->run();
#if WEIR_HAS_ASAN
  // What only the dropped stacks refer to is not what the leak checker should report.
  static auto& dropped = *new std::vector<std::unique_ptr<world>>(); // never destroyed
  if (!ran.passed()) {
    one->show_stacks_to_leak_checker();
    dropped.push_back(std::move(one));
  }
#endif
  return ran;
}

} // namespace

outcome run(const run_options& options, const std::function<void()>& body) {
  return play_out(std::make_unique<world>(options, body));
}

outcome run_twice(const run_options& options, const std::function<void()>& body) {
  std::vector<detail::event> events;
  outcome first;
  {
    auto once = std::make_unique<world>(options, body);
    once->events().record_to(&events);
    first = play_out(std::move(once));
  }
  auto again = std::make_unique<world>(options, body);
  again->events().compare_with(&events);
  outcome second = play_out(std::move(again));
  if (second.failure == failure_kind::nondeterminism || first.hash == second.hash) return second;
  second.failure = failure_kind::nondeterminism;
  second.report = "nondeterminism: the second run of seed " + std::to_string(options.seed) +
                  " ended before the first one did\n" + second.report;
  return second;
}

bool is_running() noexcept { return world::current() != nullptr; }
std::uint64_t seed() noexcept { return in_run().options().seed; }

void require(bool holds, std::string_view what, std::source_location where) {
  if (holds) return;
  in_run().fail(failure_kind::requirement,
                std::string(what) + " (" + where.file_name() + ":" + std::to_string(where.line()) + ")");
}

void sometimes(std::string_view goal, bool holds) { in_run().reach(goal, holds); }
void note(std::uint64_t value) noexcept { in_run().note(detail::event_kind::note, value); }

std::uint64_t choose(std::uint64_t bound) noexcept {
  world& here = in_run();
  const std::uint64_t chosen = here.random().below(stream::user, bound);
  here.note(detail::event_kind::draws, chosen);
  return chosen;
}

bool buggify(std::string_view site) noexcept {
  world* const here = world::current();
  if (here == nullptr || !here->faults().buggify) return false;
  std::uint64_t name = here->options().seed;
  for (const char c : site) name = detail::mix(name ^ static_cast<unsigned char>(c));
  if (name % 4 != 0 || !here->random().one(stream::faults, 4)) return false;
  here->note(detail::event_kind::fault, static_cast<std::uint64_t>(detail::fault::buggify));
  return true;
}

void block_for(std::chrono::nanoseconds span) noexcept {
  world& here = in_run();
  const rt::instant end = here.now() + span;
  const char nothing = 0;
  while (here.time() < end) here.wait(&nothing, end);
}

void start_thread(std::string name, std::function<void()> body) {
  auto started = rt::os::thread::start({.name = std::move(name), .stack_bytes = 0}, std::move(body));
  require(started.has_value(), "the system has a thread for start_thread()");
  started->detach();
}

void arm_thread_failures() noexcept { in_run().arm_thread_failures(); }

} // namespace weir::sim
