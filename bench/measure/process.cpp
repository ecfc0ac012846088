// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace bench {
namespace {

std::uint64_t read_clock(clockid_t clock) noexcept {
  timespec at{};
  clock_gettime(clock, &at);
  return static_cast<std::uint64_t>(at.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(at.tv_nsec);
}

timespec to_timespec(std::uint64_t span) noexcept {
  return {.tv_sec = static_cast<time_t>(span / 1'000'000'000u), .tv_nsec = static_cast<long>(span % 1'000'000'000u)};
}

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

} // namespace

std::uint64_t now_ns() noexcept { return read_clock(CLOCK_MONOTONIC); }

std::uint64_t process_cpu_ns() noexcept { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

long process_status(const char* key) noexcept {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return -1;
  char line[256];
  long value = -1;
  std::size_t length = std::strlen(key);
  while (value == -1 && std::fgets(line, sizeof line, file) != nullptr)
    if (std::strncmp(line, key, length) == 0) value = std::strtol(line + length, nullptr, 10);
  std::fclose(file);
  return value;
}

void spin_for_ns(std::uint64_t span) noexcept {
  std::uint64_t end = now_ns() + span;
  while (now_ns() < end) {
  }
}

std::uint64_t short_system_call() noexcept { return syscall(SYS_getppid) > 0 ? 1 : 0; }

void sleep_1ms() noexcept { sleep_for_ns(1'000'000); }

void sleep_for_ns(std::uint64_t span) noexcept {
  timespec left = to_timespec(span);
  while (nanosleep(&left, &left) == -1 && errno == EINTR) {
  }
}

silent_socket::silent_socket() {
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) == -1) fail("socketpair");
}

silent_socket::~silent_socket() {
  close(ends_[0]);
  close(ends_[1]);
}

bool silent_socket::wait_for_ns(std::uint64_t span) const noexcept {
  pollfd waited{.fd = ends_[0], .events = POLLIN, .revents = 0};
  timespec limit = to_timespec(span);
  return ppoll(&waited, 1, &limit, nullptr) == 0;
}

std::vector<unsigned char> read_file(const std::string& path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file == -1) fail(path);
  struct stat about{};
  if (fstat(file, &about) == -1) fail(path);
  std::vector<unsigned char> content(static_cast<std::size_t>(about.st_size));
  std::size_t done = 0;
  while (done != content.size()) {
    ssize_t got = read(file, content.data() + done, content.size() - done);
    if (got == -1 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  close(file);
  if (done != content.size()) fail(path + ": read " + std::to_string(done) + " of " + std::to_string(content.size()));
  return content;
}

} // namespace bench
