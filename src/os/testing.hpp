// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pipes, fifos and sockets for tests, also for those of other layers, which include no system header themselves.
#include "os/file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace weir::rt::os::testing {

/// Two ends in blocking mode: what is written to the second is read from the first.
struct pipe_pair {
  pipe_pair() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader = file::owning(ends[0]);
    writer = file::owning(ends[1]);
  }
  file reader, writer;
};

inline void make_fifo(const std::string& path) { EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0); }

inline file open_file(const std::string& path, bool writes) {
  return file::owning(::open(path.c_str(), (writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC));
}

/// Two connected sockets in blocking mode.
inline std::pair<file, file> socket_pair(bool is_datagram = false) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, (is_datagram ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {file::owning(ends[0]), file::owning(ends[1])};
}

inline sockaddr_un socket_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  EXPECT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

inline file listen_at(const std::string& path) {
  file made = file::owning(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = socket_address(path);
  EXPECT_EQ(::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(made.get(), 8), 0);
  return made;
}

inline file connect_to(const std::string& path) {
  file made = file::owning(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = socket_address(path);
  EXPECT_EQ(::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return made;
}

inline void write_all(const file& to, std::string_view text) {
  EXPECT_EQ(::write(to.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

/// One read, which waits for something.
inline std::string read_once(const file& from) {
  std::string text(4096, '\0');
  const ssize_t count = ::read(from.get(), text.data(), text.size());
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

} // namespace weir::rt::os::testing
