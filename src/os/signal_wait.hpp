// SPDX-License-Identifier: Apache-2.0
#pragma once

// Takes signals in an ordinary thread: they are blocked for delivery, and a thread waits for them as for input.
#include <expected>
#include <initializer_list>
#include <memory>
#include <optional>
#include <system_error>

namespace weir::rt::os {

/// While it lives, the given signals do not interrupt the thread that made it, nor threads that thread starts; wait()
/// takes them. Make it before the first other thread of the program. The destructor restores the mask of the thread
/// that made it, so that thread must destroy it.
class signal_wait {
public:
  /// Errors: what the system says when descriptors run out.
  static std::expected<signal_wait, std::error_code> open(std::initializer_list<int> signals);

  signal_wait(signal_wait&&) noexcept;
  signal_wait& operator=(signal_wait&&) = delete;
  ~signal_wait();

  /// Waits for the next of the signals and takes it; nothing after stop().
  ///
  /// Suspends: blocks the thread.
  /// Thread:   any, though each signal goes to one waiter.
  std::optional<int> wait() const;

  /// Lets every wait(), now and later, return nothing.
  ///
  /// Thread: any.
  void stop() const noexcept;

private:
  struct state;
  explicit signal_wait(std::unique_ptr<state> opened) noexcept;
  std::unique_ptr<state> state_;
};

} // namespace weir::rt::os
