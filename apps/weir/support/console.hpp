// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string_view>
#include <system_error>

namespace weir::cli {

/// The descriptors that every process begins with.
enum class stream : int { input = 0, output = 1, error = 2 };

/// Writes all of the text in one piece: texts from several threads do not mix.
///
/// Thread: any. Suspends: blocks the thread while the reader is slow.
std::error_code write_all(stream to, std::string_view text);

/// Writes the text like write_all(). A failure to write to standard output is complained about.
void print(stream to, std::string_view text);

/// Writes the text, but leaves the rest of it out when the reader takes nothing for `limit`.
void print_within(stream to, std::string_view text, std::chrono::nanoseconds limit);

/// Writes `weir: ` and the text, one line, to standard error. A reader that takes nothing does not hold it up for long.
void complain(std::string_view text);

/// Whether the stream is open at all.
bool is_open(stream which);
bool is_terminal(stream which);

/// Ends the process without waiting for any thread.
[[noreturn]] void end_process(int status);

} // namespace weir::cli
