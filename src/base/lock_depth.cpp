// SPDX-License-Identifier: Apache-2.0
#include "base/lock_depth.hpp"

#include <weir/check.hpp>

#if WEIR_HAS_DEBUG_CHECKS
namespace weir::rt {
namespace {

struct held_locks {
  static constexpr unsigned max_depth = 16;
  unsigned depth = 0;
  const char* names[max_depth] = {};
};

WEIR_THREAD_LOCAL held_locks held;

} // namespace

void note_lock_taken(const char* name) noexcept {
  WEIR_CHECK(held.depth < held_locks::max_depth, "too many runtime locks at once", name);
  held.names[held.depth++] = name;
}

void note_lock_given(const char* name) noexcept {
  for (unsigned i = held.depth; i-- > 0;) {
    if (held.names[i] != name) continue;
    for (unsigned j = i + 1; j < held.depth; ++j) held.names[j - 1] = held.names[j];
    --held.depth;
    return;
  }
  WEIR_CHECK(false, "a runtime lock is given back by a thread that does not hold it", name);
}

void check_no_lock_held() noexcept {
  const char* lock_name = held.depth == 0 ? "" : held.names[held.depth - 1];
  WEIR_CHECK(held.depth == 0, "a runtime lock is held across a switch", lock_name);
}

} // namespace weir::rt
#endif
