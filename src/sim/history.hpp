// SPDX-License-Identifier: Apache-2.0
#pragma once

// Going back in time: copies of the process on the way of a run (os/snapshot.hpp). The run itself does not notice them.
#include "os/snapshot.hpp"

#include <cstdint>
#include <vector>

namespace weir::sim::detail {

struct kept_copies {
  struct copy {
    std::uint64_t step;
    rt::os::snapshot process;
  };

  std::vector<copy> kept;
  std::size_t most = 0;
  bool is_branch = false;
  rt::os::snapshot origin; // of a branch

  void add(std::uint64_t step, rt::os::snapshot process);
  /// How far the next copy is.
  static std::uint64_t distance(std::uint64_t step) noexcept { return step / 256 < 64 ? 64 : step / 256; }
};

} // namespace weir::sim::detail
