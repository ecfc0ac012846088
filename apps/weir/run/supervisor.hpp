// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/outcome.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace weir::cli {

/// Watches guests until each has ended: asks them to stop when their time is over or a signal comes, and gives up on
/// those that do not come back.
class supervisor {
public:
  using clock = std::chrono::steady_clock;

  struct watched {
    std::function<void()> stop; ///< asks the guest to end; called on the thread that waits
    std::optional<std::chrono::nanoseconds> timeout;
  };

  /// What is known of a guest when its watching ends.
  struct end {
    std::size_t guest = 0;
    stop_reason asked = stop_reason::none;
    bool is_stuck = false;
    std::chrono::nanoseconds wall{};
  };

  /// Time counts from here. A guest that was asked to stop is given up on when no guest has ended for `grace`.
  supervisor(std::vector<watched> guests, std::chrono::nanoseconds grace);

  /// The guest has ended. Thread: any; once for each guest.
  void report_end(std::size_t guest);
  /// All guests shall stop. Thread: any.
  void report_signal(int signal);

  /// Calls `on_end` for each guest as it ends, or is given up on, and returns after the last.
  void wait(const std::function<void(const end&)>& on_end);

  /// The first signal that was reported, or 0. Thread: any.
  int signal() const;

private:
  // All fields below `mutex_` are guarded by it. A guest goes running -> ended, or running -> given up on; an end that
  // is reported after that is ignored, so on_end runs once for each guest.
  enum class phase : std::uint8_t { running, ended, over };
  struct state {
    phase now = phase::running;
    stop_reason asked = stop_reason::none;
    clock::time_point ended_at{};
    std::optional<clock::time_point> deadline;
  };

  std::vector<end> collect(clock::time_point now);
  std::vector<std::size_t> to_stop(clock::time_point now);
  std::optional<clock::time_point> next_event() const;

  std::vector<watched> guests_;
  clock::time_point begin_;
  std::chrono::nanoseconds grace_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<state> states_;
  std::size_t remaining_;
  clock::time_point last_sign_of_life_; // of the guests that were asked to stop: the asking, or an end since
  int signal_ = 0;
};

} // namespace weir::cli
