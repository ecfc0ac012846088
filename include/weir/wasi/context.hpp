// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasi/cancel.hpp>
#include <weir/wasi/clock.hpp>
#include <weir/wasi/streams.hpp>
#include <weir/wasm/error.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace weir::wasi {

namespace detail {
struct guest_state;
}

/// A directory of the host that a guest may use, and under which name.
struct preopened_directory {
  std::string host_path;
  std::string guest_path;
  bool is_read_only = false; ///< no creation, change or removal, also not through directories opened below it
};

/// How paths are kept inside their directory; the two ways have the same results.
enum class path_resolution : std::uint8_t {
  automatic, ///< by the kernel (openat2) where it can, else in user space
  user_space,
};

/// What one guest gets to see. Everything not given here does not exist for it.
struct context_options {
  std::vector<std::string> args{}; ///< the first is the program's name
  std::vector<std::pair<std::string, std::string>> env{};
  std::vector<preopened_directory> directories{}; ///< descriptors from 3 on, in this order
  std::vector<int> sockets{};                     ///< of the host, after the directories; they stay the caller's
  input standard_input{};
  output standard_output{};
  output standard_error{};
  cancel_token cancel{};
  std::shared_ptr<clock_source> clocks = system_clocks();
  std::function<void(std::span<std::byte>)> random{}; ///< fills the bytes; empty: the system's secure generator
  std::size_t max_descriptors = 1024;
  path_resolution resolution = path_resolution::automatic;
};

/// The WASI side of one guest: its arguments, descriptors, clocks. Give one to each store.
///
/// Thread:   used by one thread at a time, as the store it serves; may move between threads.
/// Lifetime: outlives every call into the guest.
class context {
public:
  /// Opens the directories and makes the descriptors.
  ///
  /// Errors: `wasm::errc::host_error` with a message that names the directory, the socket or the argument that is
  /// wrong.
  static wasm::result<context> build(context_options options);

  context(context&&) noexcept;
  context& operator=(context&&) noexcept;
  ~context();

  const cancel_token& cancel() const;
  detail::guest_state& state() const { return *state_; }

private:
  explicit context(std::unique_ptr<detail::guest_state> state);
  std::unique_ptr<detail::guest_state> state_;
};

} // namespace weir::wasi
