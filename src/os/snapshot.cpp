// SPDX-License-Identifier: Apache-2.0
#include "os/snapshot.hpp"

#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace weir::rt::os {
namespace {

bool write_all(int to, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size != 0) {
    const ssize_t count = ::send(to, at, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool read_all(int from, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size != 0) {
    const ssize_t count = ::recv(from, at, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

void await_end(pid_t process) {
  while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// The copy's life; returns in its branches only. A branch that ended without an answer has an empty one.
snapshot::request serve(int channel) {
  snapshot::request asked;
  while (read_all(channel, &asked, sizeof asked)) {
    const pid_t branch = ::fork();
    if (branch == 0) return asked;
    int status = -1;
    if (branch > 0) {
      while (::waitpid(branch, &status, 0) < 0 && errno == EINTR) {
      }
    }
    const std::uint64_t nothing = 0;
    if (status != 0 && !write_all(channel, &nothing, sizeof nothing)) break;
  }
  ::_exit(0);
}

} // namespace

std::expected<std::optional<snapshot::request>, std::error_code> snapshot::take(snapshot& into) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::unexpected(last_error());
  file mine = file::owning(ends[0]);
  file theirs = file::owning(ends[1]);
  const pid_t owner = ::getpid();
  const pid_t copy = ::fork();
  if (copy < 0) return std::unexpected(last_error());
  into.release();
  into.owner_ = owner;
  if (copy == 0) {
    mine = file{};
    into.copy_ = 0;
    into.channel_ = std::move(theirs);
    return serve(into.channel_.get());
  }
  into.copy_ = copy;
  into.channel_ = std::move(mine);
  return std::nullopt;
}

snapshot::snapshot(snapshot&& other) noexcept
    : channel_(std::move(other.channel_)),
      copy_(std::exchange(other.copy_, 0)),
      owner_(std::exchange(other.owner_, 0)) {}

snapshot& snapshot::operator=(snapshot&& other) noexcept {
  std::swap(channel_, other.channel_);
  std::swap(copy_, other.copy_);
  std::swap(owner_, other.owner_);
  return *this;
}

snapshot::~snapshot() { release(); }

// In a copy or a branch the other copies are not its own, and what it inherits of them it only closes. Later copies have this
// one's channel, too, so closing it would not end it: it is shut down.
void snapshot::release() noexcept {
  if (copy_ != 0 && owner_ == ::getpid()) {
    ::shutdown(channel_.get(), SHUT_RDWR);
    await_end(copy_);
  }
  channel_ = file{};
  copy_ = 0;
}

std::string snapshot::ask(request what) const {
  std::uint64_t size = 0;
  if (!write_all(channel_.get(), &what, sizeof what) || !read_all(channel_.get(), &size, sizeof size)) return {};
  std::string text(size, '\0');
  return read_all(channel_.get(), text.data(), size) ? text : std::string();
}

void snapshot::answer(std::string_view text) const {
  const std::uint64_t size = text.size();
  const bool is_said = write_all(channel_.get(), &size, sizeof size) && write_all(channel_.get(), text.data(), size);
  ::_exit(is_said ? 0 : 1);
}

} // namespace weir::rt::os
