// SPDX-License-Identifier: Apache-2.0

// The kernel's futex for weir's own source under exploration: os/futex.hpp over the words of the model.

#include "os/futex.hpp"

#include <weir/check/futex.hpp>

namespace weir::rt::os {

bool futex_wait(const detail::atomic<std::uint32_t>& word, std::uint32_t expected, instant deadline) noexcept {
  return check::futex_wait(word, expected, !deadline.is_never());
}

void futex_wake(const detail::atomic<std::uint32_t>& word, int count) noexcept {
  check::futex_wake(word, static_cast<unsigned>(count));
}

void futex_wake_all(const detail::atomic<std::uint32_t>& word) noexcept { check::futex_wake(word, ~0U); }

} // namespace weir::rt::os
