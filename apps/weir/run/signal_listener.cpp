// SPDX-License-Identifier: Apache-2.0
#include "run/signal_listener.hpp"

#include "support/console.hpp"

#include <csignal>
#include <optional>
#include <utility>

namespace weir::cli {

std::expected<signal_listener, std::string> signal_listener::open() {
  auto signals = rt::os::signal_wait::open({SIGINT, SIGTERM});
  if (!signals) return std::unexpected(signals.error().message());
  return signal_listener{std::make_unique<rt::os::signal_wait>(*std::move(signals))};
}

std::expected<void, std::string> signal_listener::listen(std::function<void(int)> on_first) {
  auto started = rt::os::thread::start({.name = "weir-signals"}, [&signals = *signals_, tell = std::move(on_first)] {
    const std::optional<int> first = signals.wait();
    if (!first) return;
    complain("interrupted: the guests stop at their next checkpoint; interrupt again to end at once");
    tell(*first);
    if (const std::optional<int> second = signals.wait()) end_process(128 + *second);
  });
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
