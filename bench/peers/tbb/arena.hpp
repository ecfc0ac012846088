// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the families of workloads of oneTBB's program share.
#include "../../measure/rounds.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

namespace bench {

/// An arena of `permits` threads. With `outside`, one more, for the calling thread's own core.
struct arena_of {
  explicit arena_of(std::size_t permits, bool outside = false)
      : limit(tbb::global_control::max_allowed_parallelism, permits + (outside ? 1 : 0)),
        arena(static_cast<int>(permits), outside ? 0 : 1) {
    arena.initialize();
  }
  tbb::global_control limit;
  tbb::task_arena arena;
};

/// Warms up with `run(warm_size)`, then measures `run(asked.size)`, both inside the arena.
template <class Run>
report measure_in_arena(const request& asked, std::uint64_t warm_size, std::uint64_t operations, Run run) {
  arena_of in(asked.permits);
  in.arena.execute([&] { return run(warm_size); });
  return measure_rounds(asked, operations, [&] { return in.arena.execute([&] { return run(asked.size); }); });
}

} // namespace bench
