// SPDX-License-Identifier: Apache-2.0
#include "os/process_barrier.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::rt::os {
namespace {

long membarrier(int command) noexcept { return ::syscall(SYS_membarrier, command, 0, 0); }

} // namespace

bool has_process_barrier() noexcept {
  long known = membarrier(MEMBARRIER_CMD_QUERY);
  return known > 0 && (known & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0 &&
         membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

void process_barrier() noexcept { membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED); }

} // namespace weir::rt::os
