// SPDX-License-Identifier: Apache-2.0
#pragma once

// A lock that may be held for as long as a system call takes. In a simulation, where all threads share one of the system's, the
// library's own mutex would stop them all.
#include <weir/config.hpp>

#if WEIR_SIMULATED
#include "base/spin_lock.hpp"
#else
#include <mutex>
#endif

namespace weir::rt {

#if WEIR_SIMULATED
using mutex = spin_lock;
#else
using mutex = std::mutex;
#endif

} // namespace weir::rt
