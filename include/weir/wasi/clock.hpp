// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasi/cancel.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace weir::wasi {

enum class clock_id : std::uint32_t { realtime, monotonic, process_cpu, thread_cpu };

/// Where a guest's time comes from; derive from it to let a simulation decide what time it is.
///
/// Thread: a context calls it from one thread at a time; a source shared by contexts must bear calls from several.
class clock_source {
public:
  virtual ~clock_source() = default;
  /// The time since 1970 or, for the other clocks, since an epoch of the clock's own. Nothing for a clock it does not
  /// have.
  virtual std::optional<std::chrono::nanoseconds> now(clock_id which) = 0;
  virtual std::optional<std::chrono::nanoseconds> resolution(clock_id which) = 0;
  /// Waits for `duration` of the clock and returns true, or false as soon as `cancel` is cancelled. Runs inside
  /// blocking().
  ///
  /// A wait for descriptors as well as for a time does not come here: it uses the host's own time.
  virtual bool sleep(clock_id which, std::chrono::nanoseconds duration, const cancel_token& cancel) = 0;
};

/// The host's real and monotonic clocks. Processor time is not offered: a guest has no process or thread of its own.
std::shared_ptr<clock_source> system_clocks();

} // namespace weir::wasi
