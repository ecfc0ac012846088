// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/error.hpp>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weir::cli {

/// Who asked a guest to stop.
enum class stop_reason : std::uint8_t { none, timeout, interrupt };

/// How a guest ended.
struct guest_outcome {
  int status = 0;      ///< what weir exits with if this is the guest that counts
  std::string result;  ///< for the table, such as `exit 0`, `trap`, `timed out`
  std::string message; ///< for standard error, lines without an end of the last; empty when there is nothing to say
};

/// The outcome of a guest that returned, or that exited with a status.
guest_outcome finished(int status);

/// The outcome of a guest that failed. `timeout` is the limit it had, for the message.
guest_outcome failed(const wasm::error& why, stop_reason asked, std::chrono::nanoseconds timeout);

/// The outcome of a guest that did not come back from a host call after it was asked to stop.
guest_outcome stuck(stop_reason asked, std::chrono::nanoseconds timeout);

/// A trap's or an exception's guest functions, innermost first, one a line and indented; each line begins with a
/// newline.
std::string format_backtrace(std::span<const wasm::stack_frame> frames);

/// The status of the whole run: 130 or 143 after a signal, else that of the first guest that failed, else 0.
int choose_exit_status(std::span<const int> statuses, int signal);

} // namespace weir::cli
