// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies of a running process that wait until they are asked to go on from where they were made.
//
//   who        is                                           ends by
//   original   the process that takes snapshots             itself
//   copy       made by take(); waits for requests           the original's release of it
//   branch     made by a copy for one request, goes on      answer()
//
// A copy shares its memory with the original page by page until one of them writes. The process must have one thread.
#include "os/file.hpp"

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace weir::rt::os {

/// A copy, as the original holds it.
class snapshot {
public:
  /// What a branch is asked for; the meaning is the caller's.
  struct request {
    std::uint64_t first = 0;
    std::uint64_t second = 0;
  };

  /// Makes a copy. In the original `into` is the copy then, and nothing is returned. In a branch of it the request is.
  ///
  /// Errors: what the system says when there is no process.
  static std::expected<std::optional<request>, std::error_code> take(snapshot& into);

  snapshot() noexcept = default;
  snapshot(snapshot&& other) noexcept;
  snapshot& operator=(snapshot&& other) noexcept;
  ~snapshot();

  /// Lets a branch go on from here; returns its answer, or nothing when it ended without one.
  std::string ask(request what) const;
  /// Ends a branch with its answer.
  [[noreturn]] void answer(std::string_view text) const;

private:
  void release() noexcept;

  file channel_;
  int copy_ = 0;  // a process
  int owner_ = 0; // the original
};

} // namespace weir::rt::os
