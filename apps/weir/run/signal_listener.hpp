// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "os/signal_wait.hpp"
#include "os/thread.hpp"

#include <expected>
#include <functional>
#include <memory>
#include <string>

namespace weir::cli {

/// Listens for Ctrl-C and SIGTERM: the first one is passed on, the second one ends the process; and for SIGQUIT, which may
/// come any number of times.
///
/// Lifetime: made before the first thread of the process, so that no other thread takes the signals.
class signal_listener {
public:
  /// Errors: what the system says.
  static std::expected<signal_listener, std::string> open();
  signal_listener(signal_listener&&) noexcept = default;
  signal_listener& operator=(signal_listener&&) = delete;
  ~signal_listener();

  /// Starts to listen. Both functions run on a thread of the listener's own.
  std::expected<void, std::string> listen(std::function<void(int signal)> on_first, std::function<void()> on_quit);

private:
  explicit signal_listener(std::unique_ptr<rt::os::signal_wait> signals) : signals_{std::move(signals)} {}

  std::unique_ptr<rt::os::signal_wait> signals_;
  rt::os::thread thread_;
};

} // namespace weir::cli
