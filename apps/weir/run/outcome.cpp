// SPDX-License-Identifier: Apache-2.0
#include "run/outcome.hpp"

#include "support/exit_code.hpp"
#include "support/units.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weir::cli {
namespace {

constexpr std::size_t most_frames = 32;
constexpr std::size_t longest_name = 160; // names of templates can be longer than a screen

guest_outcome stopped(stop_reason asked, std::chrono::nanoseconds timeout, std::string_view how) {
  if (asked == stop_reason::timeout)
    return {exit_code::timed_out, "timed out", fmt::format("timed out after {}{}", format_duration(timeout), how)};
  return {exit_code::interrupted, "interrupted", how.empty() ? std::string{} : fmt::format("interrupted{}", how)};
}

} // namespace

guest_outcome finished(int status) { return {status, fmt::format("exit {}", status), {}}; }

guest_outcome stuck(stop_reason asked, std::chrono::nanoseconds timeout) {
  return stopped(asked, timeout, "; it is stuck in a host call that cannot be cancelled, so weir ends without it");
}

guest_outcome failed(const wasm::error& why, stop_reason asked, std::chrono::nanoseconds timeout) {
  switch (why.code) {
  case wasm::errc::exited: return finished(why.exit_status);
  case wasm::errc::interrupted: return stopped(asked, timeout, {});
  case wasm::errc::trap:
    return {exit_code::trapped, fmt::format("trap: {}", wasm::to_string(why.trap)),
            fmt::format("trap: {}{}", wasm::to_string(why.trap), format_backtrace(why.backtrace))};
  case wasm::errc::uncaught_exception:
    return {exit_code::trapped, "exception",
            fmt::format("threw an exception that nobody caught{}", format_backtrace(why.backtrace))};
  case wasm::errc::unlinkable:
  case wasm::errc::unsupported_feature:
  case wasm::errc::malformed:
  case wasm::errc::invalid: return {exit_code::not_a_program, "not started", why.to_string()};
  case wasm::errc::limit_exceeded:
    return {exit_code::not_a_program, "not started", fmt::format("{}; --max-memory sets the limit", why.to_string())};
  default:
    return {exit_code::trapped, "failed",
            fmt::format("failed: {}{}", why.to_string(), format_backtrace(why.backtrace))};
  }
}

std::string format_backtrace(std::span<const wasm::stack_frame> frames) {
  std::string text;
  for (const wasm::stack_frame& frame : frames.first(std::min(frames.size(), most_frames))) {
    const std::string name = frame.function_name.empty() ? fmt::format("function {}", frame.function_index)
                                                         : frame.function_name.substr(0, longest_name);
    text += fmt::format("\n    at {}{}{}", name, frame.module_name.empty() ? "" : " in ", frame.module_name);
  }
  if (frames.size() > most_frames) text += fmt::format("\n    and {} callers more", frames.size() - most_frames);
  return text;
}

int choose_exit_status(std::span<const int> statuses, int signal) {
  if (signal != 0) return 128 + signal;
  for (const int status : statuses)
    if (status != 0) return status;
  return exit_code::success;
}

} // namespace weir::cli
