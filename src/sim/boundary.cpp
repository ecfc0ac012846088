// SPDX-License-Identifier: Apache-2.0
// The boundary to the system as a simulation has it: these definitions take the place of those in os/. Sleeping on words, the clock,
// and what else would differ from run to run.
#include "base/clock.hpp"
#include "os/cpu_count.hpp"
#include "os/fork_mark.hpp"
#include "os/futex.hpp"
#include "os/random.hpp"
#include "sim/world.hpp"

#include <weir/check.hpp>

#include <algorithm>
#include <limits>

namespace weir::rt {

using sim::detail::world;

instant now() noexcept {
  world* const here = world::current();
  return here != nullptr ? here->now() : instant{1'000'000'000'000};
}

// A simulation begins on the first of January 2030.
duration wall_time() noexcept {
  world* const here = world::current();
  const std::int64_t since_begin = here != nullptr ? here->since_begin(here->now()) : 0;
  return std::chrono::seconds(1'893'456'000) + duration(since_begin);
}

namespace os {
namespace {

world& in_simulation() {
  world* const here = world::current();
  WEIR_CHECK(here != nullptr,
             "the simulated variant of weir waits, wakes and starts threads inside of sim::run() only");
  return *here;
}

} // namespace

bool futex_wait(const detail::atomic<std::uint32_t>& word, std::uint32_t expected, instant deadline) noexcept {
  world& here = in_simulation();
  // Nothing can happen between the comparison and the falling asleep.
  if (word.peek() != expected) {
    here.step();
    return true;
  }
  if (deadline <= here.time()) {
    here.step();
    return false;
  }
  return here.wait(&word, deadline);
}

void futex_wake(const detail::atomic<std::uint32_t>& word, int count) noexcept {
  if (world* const here = world::current()) here->wake(&word, static_cast<std::size_t>(std::max(count, 0)));
}

void futex_wake_all(const detail::atomic<std::uint32_t>& word) noexcept {
  if (world* const here = world::current()) here->wake(&word, std::numeric_limits<std::size_t>::max());
}

std::size_t affinity_cpu_count() noexcept {
  world* const here = world::current();
  return here != nullptr ? here->options().processors : 1;
}

std::size_t available_cpus() { return affinity_cpu_count(); }

outcome<void> fill_random(std::span<std::byte> bytes) {
  world& here = in_simulation();
  for (std::byte& each : bytes) each = static_cast<std::byte>(here.random().draw(sim::detail::stream::entropy) & 0xffU);
  return {};
}

// A simulation does not fork under its runtimes; a snapshot of it does, and goes on in the child. But who looks at a run that stands
// still is in the same position as a child: nobody will give back the locks that are held.
fork_mark::fork_mark() noexcept : page_(&sim::detail::threads_go_on) {}
fork_mark::~fork_mark() { page_ = nullptr; }

} // namespace os
} // namespace weir::rt
