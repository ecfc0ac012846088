// SPDX-License-Identifier: Apache-2.0
// Operations by path: the parent is opened by the rules of beneath.hpp, and the system call gets its descriptor and one
// name. None of the calls used here follows a link in that name, also not when slashes come after it.
#include "os/beneath.hpp"
#include "os/file_detail.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::rt::os {

namespace {

std::unexpected<std::error_code> failed() { return std::unexpected(last_error()); }
std::unexpected<std::error_code> failed(int code) {
  return std::unexpected(std::error_code{code, std::system_category()});
}

outcome<void> done(int code) {
  if (code < 0) return failed();
  return {};
}

outcome<file> open_path(const beneath& rule, int directory, std::string_view path, bool follows,
                        bool must_be_directory) {
  open_request request;
  request.path_only = true;
  request.follows = follows;
  request.must_be_directory = must_be_directory;
  return rule.open(directory, path, request);
}

/// A name in a directory.
struct place {
  file holder; // the parent, or nothing when that is the directory the path starts from
  int parent = -1;
  std::string name; // without slashes, never `..`; `.` stands for the parent itself
  bool has_slash = false;

  /// The name with its slash, for the calls that judge by it.
  std::string text() const { return has_slash ? name + "/" : name; }
};

outcome<place> locate(const beneath& rule, int directory, std::string_view path) {
  if (path.empty()) return failed(ENOENT);
  if (path.size() >= PATH_MAX) return failed(ENAMETOOLONG);
  if (path.find('\0') != std::string_view::npos) return failed(EINVAL);
  if (path.front() == '/') return failed(EPERM);
  place found;
  const std::size_t end = path.find_last_not_of('/') + 1;
  found.has_slash = end < path.size();
  path = path.substr(0, end);
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  std::string_view parent = slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash + 1);
  const bool is_itself = name == "." || name == "..";
  found.name = is_itself ? "." : std::string{name};
  if (is_itself) parent = path;
  if (parent.empty()) {
    found.parent = directory;
    return found;
  }
  auto opened = open_path(rule, directory, parent, true, true);
  if (!opened) return std::unexpected(opened.error());
  found.holder = std::move(*opened);
  found.parent = found.holder.get();
  return found;
}

} // namespace

outcome<void> make_directory(const beneath& rule, int directory, std::string_view path) {
  const auto at = locate(rule, directory, path);
  if (!at) return std::unexpected(at.error());
  return done(::mkdirat(at->parent, at->name.c_str(), 0777));
}

outcome<void> remove_directory(const beneath& rule, int directory, std::string_view path) {
  const auto at = locate(rule, directory, path);
  if (!at) return std::unexpected(at.error());
  return done(::unlinkat(at->parent, at->name.c_str(), AT_REMOVEDIR));
}

outcome<void> unlink(const beneath& rule, int directory, std::string_view path) {
  const auto at = locate(rule, directory, path);
  if (!at) return std::unexpected(at.error());
  return done(::unlinkat(at->parent, at->text().c_str(), 0));
}

outcome<void> rename(const beneath& rule, int old_directory, std::string_view old_path, int new_directory,
                     std::string_view new_path) {
  const auto from = locate(rule, old_directory, old_path);
  if (!from) return std::unexpected(from.error());
  const auto to = locate(rule, new_directory, new_path);
  if (!to) return std::unexpected(to.error());
  return done(::renameat(from->parent, from->text().c_str(), to->parent, to->text().c_str()));
}

outcome<void> link(const beneath& rule, int old_directory, std::string_view old_path, int new_directory,
                   std::string_view new_path) {
  const auto from = locate(rule, old_directory, old_path);
  if (!from) return std::unexpected(from.error());
  if (from->has_slash) {
    // A slash asks for a directory, and directories have no second links.
    const auto target = open_path(rule, old_directory, old_path, true, true);
    return target ? failed(EPERM) : std::unexpected(target.error());
  }
  const auto to = locate(rule, new_directory, new_path);
  if (!to) return std::unexpected(to.error());
  return done(::linkat(from->parent, from->name.c_str(), to->parent, to->text().c_str(), 0));
}

outcome<void> make_symlink(const beneath& rule, std::string_view text, int directory, std::string_view path) {
  if (text.find('\0') != std::string_view::npos) return failed(EINVAL);
  if (!text.empty() && text.front() == '/') return failed(EPERM);
  const auto at = locate(rule, directory, path);
  if (!at) return std::unexpected(at.error());
  return done(::symlinkat(std::string{text}.c_str(), at->parent, at->text().c_str()));
}

outcome<std::string> read_link(const beneath& rule, int directory, std::string_view path) {
  const auto at = locate(rule, directory, path);
  if (!at) return std::unexpected(at.error());
  if (at->has_slash) {
    const auto target = open_path(rule, directory, path, true, true);
    return target ? failed(EINVAL) : std::unexpected(target.error());
  }
  std::array<char, PATH_MAX> text;
  const ssize_t size = ::readlinkat(at->parent, at->name.c_str(), text.data(), text.size());
  if (size < 0) return failed();
  return std::string{text.data(), static_cast<std::size_t>(size)};
}

outcome<file_status> status_at(const beneath& rule, int directory, std::string_view path, bool follows) {
  // A single name needs no descriptor of its own, unless it is a link to follow.
  if (!path.empty() && path.find('/') == std::string_view::npos && path != "." && path != ".." &&
      path.find('\0') == std::string_view::npos) {
    struct stat what;
    if (::fstatat(directory, std::string{path}.c_str(), &what, AT_SYMLINK_NOFOLLOW) < 0) return failed();
    if (!follows || !S_ISLNK(what.st_mode)) return to_file_status(what, -1);
  }
  const auto found = open_path(rule, directory, path, follows, false);
  if (!found) return std::unexpected(found.error());
  return status(found->get());
}

outcome<void> set_times_at(const beneath& rule, int directory, std::string_view path, bool follows,
                           time_change accessed, time_change modified) {
  const auto found = open_path(rule, directory, path, follows, false);
  if (!found) return std::unexpected(found.error());
  return set_times(found->get(), accessed, modified);
}

} // namespace weir::rt::os
