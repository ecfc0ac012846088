// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which runtime locks this thread holds, in builds with debug checks. A lock held across a switch would be released by
// another thread, or never; the switch asks here and ends the program with the lock's name.
#include <weir/config.hpp>

namespace weir::rt {

#if WEIR_HAS_DEBUG_CHECKS
void note_lock_taken(const char* name) noexcept;
void note_lock_given(const char* name) noexcept;
/// Ends the program when this thread holds a runtime lock.
void check_no_lock_held() noexcept;
#else
inline void note_lock_taken(const char*) noexcept {}
inline void note_lock_given(const char*) noexcept {}
inline void check_no_lock_held() noexcept {}
#endif

} // namespace weir::rt
