// SPDX-License-Identifier: Apache-2.0
#include "os/child_process.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace weir::rt::os {
namespace {

void say_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(to, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return; // nobody listens any more
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

std::string hear_all(int from) {
  std::string heard;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = ::read(from, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return heard;
    heard.append(part.data(), static_cast<std::size_t>(count));
  }
}

} // namespace

outcome<child_end> run_in_child(const std::function<void(const std::function<void(std::string_view)>&)>& body) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::unexpected(last_error());
  const file reader = file::owning(ends[0]);
  file writer = file::owning(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return std::unexpected(last_error());
  if (child == 0) {
    body([to = writer.get()](std::string_view text) { say_all(to, text); });
    ::_exit(0);
  }
  writer = file{};
  child_end end;
  end.said = hear_all(reader.get());
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return std::unexpected(last_error());
  }
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
  return end;
}

} // namespace weir::rt::os
