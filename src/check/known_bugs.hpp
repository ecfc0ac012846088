// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests only: bugs that were made in earnest, each in a small model of its own with a twin that is right.

#include <span>

#include <weir/check/model.hpp>

namespace weir::check::detail {

struct known_bug {
  const char* name;
  void (*run)(model& m, bool is_right);
};

[[nodiscard]] std::span<const known_bug> known_queue_bugs();
[[nodiscard]] std::span<const known_bug> known_wake_bugs();
[[nodiscard]] std::span<const known_bug> known_lifetime_bugs();

} // namespace weir::check::detail
