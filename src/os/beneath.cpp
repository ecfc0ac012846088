// SPDX-License-Identifier: Apache-2.0
#include "os/beneath.hpp"

#include "os/file_detail.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace weir::rt::os {

namespace {

// The kernel's own bound for links on one path.
constexpr int most_links = 40;

std::unexpected<std::error_code> failed(int code) {
  return std::unexpected(std::error_code{code, std::system_category()});
}

int flags_of(const open_request& request) {
  int flags = O_CLOEXEC;
  if (request.must_be_directory) flags |= O_DIRECTORY;
  if (request.path_only) return flags | O_PATH;
  flags |= O_NOCTTY | O_NONBLOCK;
  flags |= request.writes ? (request.reads ? O_RDWR : O_WRONLY) : O_RDONLY;
  if (request.creates) flags |= O_CREAT;
  if (request.is_exclusive) flags |= O_EXCL;
  if (request.truncates) flags |= O_TRUNC;
  if (request.appends) flags |= O_APPEND;
  if (request.syncs) flags |= O_SYNC;
  if (request.syncs_data) flags |= O_DSYNC;
  return flags;
}

int open_by_kernel(int directory, const std::string& path, const open_request& request) {
  open_how how{};
  how.flags = static_cast<__u64>(flags_of(request) | (request.follows ? 0 : O_NOFOLLOW));
  how.mode = request.creates ? 0666 : 0;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long descriptor;
  do descriptor = ::syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how);
  while (descriptor < 0 && errno == EINTR);
  return static_cast<int>(descriptor);
}

/// The walk of the user-space method.
class walk {
public:
  walk(int root, std::string_view path, const open_request& request) : root_{root}, rest_{path}, request_{request} {}

  outcome<file> run() {
    if (rest_.empty()) return failed(ENOENT);
    if (rest_.size() >= PATH_MAX) return failed(ENAMETOOLONG);
    if (rest_.front() == '/') return failed(EPERM);
    for (;;) {
      take_component();
      outcome<file> found = step();
      if (!found || found->is_open()) return found;
    }
  }

private:
  int current() const { return below_.empty() ? root_ : below_.back().get(); }

  /// Splits the next name off the rest of the path, and its tail of slashes when it is the last.
  void take_component() {
    const std::size_t begin = std::min(rest_.find_first_not_of('/'), rest_.size());
    const std::size_t end = std::min(rest_.find('/', begin), rest_.size());
    name_ = rest_.substr(begin, end - begin);
    rest_.erase(0, end);
    is_last_ = rest_.find_first_not_of('/') == std::string::npos;
    has_slash_ = is_last_ && !rest_.empty();
  }

  /// One component. A file that is not open means that the walk goes on.
  outcome<file> step() {
    if (name_ == "..") {
      if (below_.empty()) return failed(EPERM);
      below_.pop_back();
    }
    if (name_ == "." || name_ == "..") return is_last_ ? open_at(".", flags_of(request_)) : file{};
    return is_last_ ? finish() : descend();
  }

  outcome<file> open_at(const std::string& name, int flags) {
    int descriptor;
    do descriptor = ::openat(current(), name.c_str(), flags, 0666);
    while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) return std::unexpected(last_error());
    return file::owning(descriptor);
  }

  outcome<file> descend() {
    auto next = open_at(name_, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (!next) return next;
    const auto what = status(next->get());
    if (!what) return std::unexpected(what.error());
    if (what->type == file_type::symbolic_link) return follow(next->get(), "");
    if (what->type != file_type::directory) return failed(ENOTDIR);
    below_.push_back(std::move(*next));
    return file{};
  }

  outcome<file> finish() {
    if (has_slash_ && request_.creates) return failed(EISDIR);
    const bool follows = (request_.follows || has_slash_) && !(request_.creates && request_.is_exclusive);
    if (request_.path_only) return finish_path(follows);
    auto opened = open_at(name_, flags_of(request_) | O_NOFOLLOW | (has_slash_ ? O_DIRECTORY : 0));
    if (opened || !follows) return opened;
    // A link shows itself as ELOOP, or as ENOTDIR where a directory is wanted.
    const int code = opened.error().value();
    if (code != ELOOP && code != ENOTDIR) return opened;
    auto followed = follow(current(), name_.c_str());
    return !followed && followed.error().value() == EINVAL ? std::move(opened) : std::move(followed);
  }

  outcome<file> finish_path(bool follows) {
    auto found = open_at(name_, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (!found) return found;
    const auto what = status(found->get());
    if (!what) return std::unexpected(what.error());
    if (what->type == file_type::symbolic_link && follows) return follow(found->get(), "");
    if ((request_.must_be_directory || has_slash_) && what->type != file_type::directory) return failed(ENOTDIR);
    return found;
  }

  /// Puts the text of a link before the rest of the path. EINVAL when it is no link.
  outcome<file> follow(int directory, const char* name) {
    std::array<char, PATH_MAX> text;
    const ssize_t size = ::readlinkat(directory, name, text.data(), text.size());
    if (size < 0) return std::unexpected(last_error());
    if (++links_ > most_links) return failed(ELOOP);
    if (size == 0) return failed(ENOENT);
    if (static_cast<std::size_t>(size) == text.size()) return failed(ENAMETOOLONG);
    if (text[0] == '/') return failed(EPERM);
    rest_.insert(0, text.data(), static_cast<std::size_t>(size));
    return file{};
  }

  int root_;
  std::vector<file> below_; // the directories from the root to the current one, which is the last
  std::string rest_;        // what remains to be resolved, from current()
  open_request request_;
  std::string name_;
  bool is_last_ = false;
  bool has_slash_ = false;
  int links_ = 0;
};

} // namespace

beneath beneath::best() {
  open_request request;
  request.path_only = true;
  request.must_be_directory = true;
  const file probe = file::owning(open_by_kernel(AT_FDCWD, ".", request));
  // ENOSYS from an old kernel, EPERM from a filter of system calls. Any other failure is about the directory, not the
  // call.
  const bool is_missing = !probe.is_open() && (errno == ENOSYS || errno == EPERM);
  return beneath{is_missing ? method::user_space : method::kernel};
}

outcome<file> beneath::open(int directory, std::string_view path, const open_request& request) const {
  if (path.find('\0') != std::string_view::npos) return failed(EINVAL);
  if (method_ == method::kernel) {
    // EAGAIN: somewhere a directory was renamed while `..` was resolved. When that does not end, the walk does without.
    const std::string text{path};
    for (int round = 0; round < 16; ++round) {
      const int descriptor = open_by_kernel(directory, text, request);
      if (descriptor >= 0) return file::owning(descriptor);
      if (errno == EXDEV) return failed(EPERM);
      if (errno != EAGAIN) return std::unexpected(last_error());
    }
  }
  return walk{directory, path, request}.run();
}

} // namespace weir::rt::os
