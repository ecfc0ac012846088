// SPDX-License-Identifier: Apache-2.0
#include "run/signal_listener.hpp"

#include "support/console.hpp"

#include <csignal>
#include <optional>
#include <utility>

namespace weir::cli {

std::expected<signal_listener, std::string> signal_listener::open() {
  auto signals = rt::os::signal_wait::open({SIGINT, SIGTERM, SIGQUIT});
  if (!signals) return std::unexpected(signals.error().message());
  return signal_listener{std::make_unique<rt::os::signal_wait>(*std::move(signals))};
}

std::expected<void, std::string> signal_listener::listen(std::function<void(int)> on_first,
                                                         std::function<void()> on_quit) {
  auto listens = [&signals = *signals_, tell = std::move(on_first), show = std::move(on_quit)] {
    bool was_told = false;
    while (const std::optional<int> signal = signals.wait()) {
      if (*signal == SIGQUIT) {
        show();
        continue;
      }
      if (std::exchange(was_told, true)) end_process(128 + *signal);
      complain("interrupted: the guests stop at their next checkpoint; interrupt again to end at once");
      tell(*signal);
    }
  };
  auto started = rt::os::thread::start({.name = "weir-signals"}, std::move(listens));
  if (!started) return std::unexpected(started.error().message());
  thread_ = *std::move(started);
  return {};
}

signal_listener::~signal_listener() {
  if (!signals_) return;
  signals_->stop();
  if (thread_.is_joinable()) thread_.join();
}

} // namespace weir::cli
