// SPDX-License-Identifier: Apache-2.0
#include "os/signal_wait.hpp"

#include <weir/check.hpp>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace weir::rt::os {

struct signal_wait::state {
  sigset_t previous{};
  bool masked = false;
  int signals = -1;
  int stopped = -1;

  state() = default;
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() {
    if (signals >= 0) ::close(signals);
    if (stopped >= 0) ::close(stopped);
    if (masked) ::pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  }
};

std::expected<signal_wait, std::error_code> signal_wait::open(std::initializer_list<int> signals) {
  auto fresh = std::make_unique<state>();
  sigset_t set;
  ::sigemptyset(&set);
  for (int signal : signals) ::sigaddset(&set, signal);
  int error = ::pthread_sigmask(SIG_BLOCK, &set, &fresh->previous);
  if (error != 0) return std::unexpected(std::error_code(error, std::generic_category()));
  fresh->masked = true;
  fresh->signals = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fresh->signals >= 0) fresh->stopped = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (fresh->stopped < 0) return std::unexpected(std::error_code(errno, std::generic_category()));
  return signal_wait(std::move(fresh));
}

signal_wait::signal_wait(std::unique_ptr<state> opened) noexcept : state_(std::move(opened)) {}
signal_wait::signal_wait(signal_wait&&) noexcept = default;
signal_wait::~signal_wait() = default;

std::optional<int> signal_wait::wait() const {
  for (;;) {
    pollfd watched[2] = {{state_->signals, POLLIN, 0}, {state_->stopped, POLLIN, 0}};
    int ready = ::poll(watched, 2, -1);
    WEIR_CHECK(ready >= 0 || errno == EINTR, "waiting for signals failed", errno);
    if (ready <= 0) continue;
    if (watched[1].revents != 0) return std::nullopt;
    signalfd_siginfo info{};
    // Another waiter may have taken it between poll and read; then there is nothing to read and this one waits on.
    if (::read(state_->signals, &info, sizeof(info)) == sizeof(info)) return static_cast<int>(info.ssi_signo);
  }
}

void signal_wait::stop() const noexcept {
  std::uint64_t one = 1; // never read, so the descriptor stays ready for every waiter
  [[maybe_unused]] auto written = ::write(state_->stopped, &one, sizeof(one));
}

} // namespace weir::rt::os
