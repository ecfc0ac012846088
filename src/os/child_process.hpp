// SPDX-License-Identifier: Apache-2.0
#pragma once

// A part of a program in a process of its own, which may crash, leak or hang there.
#include "os/file.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace weir::rt::os {

/// How a child ended, and what it said.
struct child_end {
  int signal = 0; ///< 0: it ended by itself
  int status = 0;
  std::string said;
};

/// Calls `body(say)` in a copy of this process and waits for its end. `say(text)` is how the copy tells this process something.
///
/// The copy has the calling thread only, and ends without destructors of static objects.
/// Errors: what the system says when there is no process or no pipe.
outcome<child_end> run_in_child(const std::function<void(const std::function<void(std::string_view)>& say)>& body);

} // namespace weir::rt::os
