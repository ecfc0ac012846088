// SPDX-License-Identifier: Apache-2.0
#pragma once

// Opening by path inside a directory, with no way out of it. Two methods with the same results:
//   kernel      openat2() with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS;
//   user_space  a walk, one component at a time, each opened by its parent's descriptor and never through a symbolic
//   link; the
//               text of a link is resolved by the same walk. `..` goes back to the descriptor the walk came by, so a
//               directory that is moved meanwhile cannot lead outside.
// A path that would leave the directory (an absolute one, one with too many `..`, a link with such a text) is
// `errc::operation_not_permitted`, whatever lies there, so nothing is learnt about the outside.
// Rejected: realpath() and a comparison of prefixes, because a link can be exchanged between the check and the use.
#include "os/file.hpp"

#include <string>
#include <string_view>

namespace weir::rt::os {

/// How to open a path. The last component's symbolic link is followed only when `follows`; others always are.
struct open_request {
  bool reads = true;
  bool writes = false;
  bool creates = false;
  bool is_exclusive = false;
  bool truncates = false;
  bool must_be_directory = false;
  bool appends = false;
  bool syncs = false;
  bool syncs_data = false;
  bool follows = false;
  bool path_only =
      false; ///< a descriptor that names the file and does not open it; only must_be_directory and follows count
};

class beneath {
public:
  enum class method : std::uint8_t { kernel, user_space };
  explicit beneath(method how) noexcept : method_{how} {}
  /// The kernel's method, or the other where the system has no openat2() or forbids it.
  static beneath best();

  /// Opens `path` inside `directory`. Never waits for the other end of a fifo: a fifo or a device is opened in
  /// non-blocking mode.
  outcome<file> open(int directory, std::string_view path, const open_request& request) const;
  method how() const noexcept { return method_; }

private:
  method method_;
};

// Operations on a path inside a directory, by the same rules. None follows a symbolic link in the last component,
// except where `follows` says so.
outcome<void> make_directory(const beneath& rule, int directory, std::string_view path);
outcome<void> remove_directory(const beneath& rule, int directory, std::string_view path);
outcome<void> unlink(const beneath& rule, int directory, std::string_view path);
outcome<void> rename(const beneath& rule, int old_directory, std::string_view old_path, int new_directory,
                     std::string_view new_path);
outcome<void> link(const beneath& rule, int old_directory, std::string_view old_path, int new_directory,
                   std::string_view new_path);
/// An absolute text is refused as one that leads outside; a relative one is stored as it is.
outcome<void> make_symlink(const beneath& rule, std::string_view text, int directory, std::string_view path);
outcome<std::string> read_link(const beneath& rule, int directory, std::string_view path);
outcome<file_status> status_at(const beneath& rule, int directory, std::string_view path, bool follows);
outcome<void> set_times_at(const beneath& rule, int directory, std::string_view path, bool follows,
                           time_change accessed, time_change modified);

} // namespace weir::rt::os
