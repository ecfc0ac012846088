// SPDX-License-Identifier: Apache-2.0
#include "os/futex.hpp"

#include <cerrno>
#include <climits>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace weir::rt::os {
namespace {

static_assert(sizeof(detail::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// The caller's errno belongs to a task that may have been in the middle of using it.
long futex(const detail::atomic<std::uint32_t>& word, int operation, std::uint32_t value,
           const timespec* deadline) noexcept {
  int saved = errno;
  long result =
      ::syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY);
  long error = result < 0 ? -errno : result;
  errno = saved;
  return error;
}

} // namespace

bool futex_wait(const detail::atomic<std::uint32_t>& word, std::uint32_t expected, instant deadline) noexcept {
  if (deadline.is_never()) {
    futex(word, FUTEX_WAIT_BITSET, expected, nullptr);
    return true;
  }
  if (deadline.nanoseconds < 0) deadline.nanoseconds = 0;
  // FUTEX_WAIT_BITSET takes an absolute time of the monotonic clock, the one that now() reads.
  timespec at{};
  at.tv_sec = static_cast<time_t>(deadline.nanoseconds / 1'000'000'000);
  at.tv_nsec = static_cast<long>(deadline.nanoseconds % 1'000'000'000);
  return futex(word, FUTEX_WAIT_BITSET, expected, &at) != -ETIMEDOUT;
}

void futex_wake(const detail::atomic<std::uint32_t>& word, int count) noexcept {
  futex(word, FUTEX_WAKE_BITSET, static_cast<std::uint32_t>(count), nullptr);
}

void futex_wake_all(const detail::atomic<std::uint32_t>& word) noexcept { futex_wake(word, INT_MAX); }

} // namespace weir::rt::os
