// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::cli {

/// The exit statuses that belong to weir itself; any other is a guest's own.
namespace exit_code {
inline constexpr int success = 0;
inline constexpr int failure = 1;         ///< `conform`, `inspect` and `check`: something did not pass
inline constexpr int usage = 2;           ///< the command line is wrong; `check`: or names a file that cannot be used
inline constexpr int timed_out = 124;     ///< --timeout passed
inline constexpr int not_a_program = 126; ///< the file is missing, broken, or needs what weir does not have
inline constexpr int interrupted = 130;   ///< Ctrl-C
inline constexpr int trapped = 134;       ///< the guest trapped, or threw an exception that nobody caught
} // namespace exit_code

} // namespace weir::cli
