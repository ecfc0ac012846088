// SPDX-License-Identifier: Apache-2.0
// Waiting for descriptors as a simulation has it; takes the place of os/poll.cpp. Descriptors are the host's until io/ has simulated
// ones: what is ready at once is seen at once, and otherwise the simulated time goes on in steps until the deadline. The steps grow with
// the wait, so that a day of sleep is some thousand of them.
#include "os/poll.hpp"

#include "sim/world.hpp"

#include <weir/check.hpp>

#include <algorithm>

namespace weir::rt::os {

outcome<std::size_t> poll(std::span<poll_item> items, std::optional<std::chrono::nanoseconds> timeout) {
  using sim::detail::world;
  constexpr duration short_nap = std::chrono::milliseconds(10);
  world* const here = world::current();
  WEIR_CHECK(here != nullptr, "the simulated variant of weir waits inside of sim::run() only");
  const instant deadline = timeout ? here->now() + *timeout : instant::never();
  const instant begin = here->time();
  duration nap = std::chrono::microseconds(20);
  for (;;) {
    if (const auto ready = host_poll(items, std::chrono::nanoseconds{0}); !ready || *ready != 0) return ready;
    if (here->time() >= deadline) return 0;
    here->wait(items.data(), std::min(deadline, here->time() + nap));
    nap = std::min(2 * nap, std::max(short_nap, (here->time() - begin) / 64));
  }
}

} // namespace weir::rt::os
