// SPDX-License-Identifier: Apache-2.0
#include "os/poll.hpp"

#include <algorithm>
#include <cerrno>
#include <poll.h>

namespace weir::rt::os {

static_assert(sizeof(poll_item) == sizeof(pollfd) && offsetof(poll_item, wanted) == offsetof(pollfd, events) &&
              offsetof(poll_item, seen) == offsetof(pollfd, revents));
static_assert(wants_input == POLLIN && wants_output == POLLOUT && has_error == POLLERR && has_hangup == POLLHUP &&
              is_invalid == POLLNVAL);

outcome<std::size_t> host_poll(std::span<poll_item> items, std::optional<std::chrono::nanoseconds> timeout) {
  using clock = std::chrono::steady_clock;
  // A century: far beyond any wait, and far from the clock's overflow.
  constexpr std::chrono::nanoseconds longest = std::chrono::hours{24 * 365 * 100};
  const auto wait = timeout ? std::clamp(*timeout, std::chrono::nanoseconds{0}, longest) : longest;
  const auto end = clock::now() + wait;
  auto left = wait;
  for (;;) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec time{static_cast<time_t>(seconds.count()), static_cast<long>((left - seconds).count())};
    const int count =
        ::ppoll(reinterpret_cast<pollfd*>(items.data()), items.size(), timeout ? &time : nullptr, nullptr);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return std::unexpected(last_error());
    if (timeout) left = std::max(std::chrono::nanoseconds{0}, std::chrono::nanoseconds{end - clock::now()});
  }
}

} // namespace weir::rt::os
