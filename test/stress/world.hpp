// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the actors of one stress round share, and how they decide.
//
// Each actor decides by a die of its own, whose seed its maker drew: the same seed makes the same decisions, however the
// threads interleave. What an actor finds (a value in a channel, an outcome) may differ and decides nothing that is counted.
#include <weir/channel.hpp>
#include <weir/detail/atomic.hpp>
#include <weir/event.hpp>
#include <weir/mutex.hpp>
#include <weir/semaphore.hpp>

#include <chrono>
#include <cstdint>
#include <utility>

namespace weir::stress {

/// Draws by splitmix64: cheap, and the same on every machine.
class dice {
public:
  explicit dice(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t seed() noexcept {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
  }
  unsigned below(unsigned limit) noexcept { return static_cast<unsigned>(seed() % limit); }
  bool one_in(unsigned limit) noexcept { return below(limit) == 0; }

private:
  std::uint64_t state_;
};

/// What an actor may do in this round.
struct abilities {
  // Waits that keep a thread: block_on, plain waits on workers, scopes that are destroyed with live children. Not at a tight
  // cap of threads, where one such wait may need the thread that lies below it on the same stack.
  bool nests = true;
  unsigned deepest = 3; // generations
};

using counter = detail::atomic<std::int64_t>;

struct world {
  explicit world(const abilities& what) : can(what), values(4), hand_over(0), permits(3) {}

  const abilities can;
  counter made{0};  // actors
  counter ended{0}; // of those, destroyed
  counter sent{0};
  counter received{0};
  counter inside{0};      // holders of `exclusive`
  counter overlaps{0};    // must stay 0
  channel<int> values;    // with room
  channel<int> hand_over; // a rendezvous
  semaphore permits;
  mutex exclusive;
  event bell;
};

/// Lives in each actor's frame or captures.
class presence {
public:
  explicit presence(world& in) noexcept : in_(&in) { in.made.fetch_add(1); }
  presence(presence&& other) noexcept : in_(std::exchange(other.in_, nullptr)) {}
  presence& operator=(presence&&) = delete;
  ~presence() {
    if (in_ != nullptr) in_->ended.fetch_add(1);
  }

private:
  world* in_;
};

/// Keeps the thread for a while, as a call of the system does.
void keep_thread(std::chrono::microseconds time) noexcept;

} // namespace weir::stress
