// SPDX-License-Identifier: Apache-2.0
#include "os/testing.hpp"
#include "wasi/testing.hpp"

#include <thread>

namespace weir::wasi {
namespace {

using namespace testing;
using namespace detail;
namespace host = rt::os::testing;

/// Descriptor 3 is a stream, 4 a datagram socket, 5 a listener.
struct sock : ::testing::Test {
  scratch box;
  std::pair<rt::os::file, rt::os::file> stream = host::socket_pair(), datagram = host::socket_pair(true);
  rt::os::file listener = host::listen_at((box / "socket").string());
  fake_guest guest{make()};
  u32 buffer = guest.memory().room(64), out = guest.memory().room(4), flags = guest.memory().room(2);

  context_options make() {
    context_options options;
    options.sockets = {stream.first.get(), datagram.first.get(), listener.get()};
    return options;
  }
  std::expected<std::string, errc> receive(u32 fd, u32 size = 64, u32 with = 0) {
    const errc code =
        sock_recv(guest.state(), guest.view(), fd, guest.memory().vector({{buffer, size}}), 1, with, out, flags);
    if (code != errc::success) return std::unexpected(code);
    return guest.memory().text(buffer, guest.memory().at<u32>(out));
  }
  errc send(u32 fd, std::string_view text, u32 with = 0) {
    const auto size = static_cast<u32>(text.size());
    return sock_send(guest.state(), guest.view(), fd, guest.memory().vector({{guest.memory().put(text), size}}), 1,
                     with, out);
  }
};

TEST_F(sock, bytes_go_both_ways) {
  EXPECT_EQ(send(3, "ping"), errc::success);
  EXPECT_EQ(guest.memory().at<u32>(out), 4u);
  EXPECT_EQ(host::read_once(stream.second), "ping");
  host::write_all(stream.second, "pong");
  EXPECT_EQ(receive(3, 64, abi::riflag::peek).value(), "pong");
  EXPECT_EQ(receive(3).value(), "pong");
  EXPECT_EQ(guest.memory().at<std::uint16_t>(flags), 0u);
}

TEST_F(sock, receiving_waits_for_the_sender) {
  std::thread sender([&] { host::write_all(stream.second, "late"); });
  EXPECT_EQ(receive(3).value(), "late");
  sender.join();
}

TEST_F(sock, receiving_all_waits_for_all) {
  host::write_all(stream.second, "ab");
  std::thread sender([&] { host::write_all(stream.second, "cd"); });
  EXPECT_EQ(receive(3, 4, abi::riflag::waitall).value(), "abcd");
  sender.join();
  host::write_all(stream.second, "e");
  stream.second = {};
  EXPECT_EQ(receive(3, 4, abi::riflag::waitall).value(), "e");
}

TEST_F(sock, a_datagram_that_is_too_long_is_marked_as_cut) {
  host::write_all(datagram.second, "abcdef");
  EXPECT_EQ(receive(4, 4).value(), "abcd");
  EXPECT_EQ(guest.memory().at<std::uint16_t>(flags), abi::roflag::data_truncated);
}

TEST_F(sock, reading_and_writing_work_on_sockets_too) {
  EXPECT_EQ(guest.write(3, "x").value(), 1u);
  EXPECT_EQ(host::read_once(stream.second), "x");
  host::write_all(stream.second, "y");
  EXPECT_EQ(guest.read(3).value(), "y");
  stream.second = {};
  EXPECT_EQ(guest.write(3, "x").error(), errc::pipe);
  EXPECT_EQ(send(3, "x"), errc::pipe);
}

TEST_F(sock, a_listener_gives_connections) {
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), 5, abi::fdflag::nonblock), errc::success);
  EXPECT_EQ(sock_accept(guest.state(), guest.view(), 5, 0, out), errc::again);
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), 5, 0), errc::success);
  rt::os::file client;
  std::thread connector([&] { client = host::connect_to((box / "socket").string()); });
  ASSERT_EQ(sock_accept(guest.state(), guest.view(), 5, abi::fdflag::nonblock, out), errc::success);
  connector.join();
  const u32 fd = guest.memory().at<u32>(out);
  EXPECT_EQ(fd, 6u);
  EXPECT_EQ(receive(fd).error(), errc::again);
  host::write_all(client, "hello");
  EXPECT_EQ(receive(fd).value(), "hello");
}

TEST_F(sock, shutting_down_ends_a_direction) {
  EXPECT_EQ(sock_shutdown(guest.state(), guest.view(), 3, abi::sdflag::wr), errc::success);
  EXPECT_EQ(host::read_once(stream.second), "");
  EXPECT_EQ(send(3, "x"), errc::pipe);
  EXPECT_EQ(sock_shutdown(guest.state(), guest.view(), 3, 0), errc::inval);
  EXPECT_EQ(sock_shutdown(guest.state(), guest.view(), 3, 4), errc::inval);
}

TEST_F(sock, other_descriptors_are_not_sockets) {
  EXPECT_EQ(receive(0).error(), errc::notsock);
  EXPECT_EQ(send(1, "x"), errc::notsock);
  EXPECT_EQ(sock_shutdown(guest.state(), guest.view(), 0, 1), errc::notsock);
  EXPECT_EQ(sock_accept(guest.state(), guest.view(), 2, 0, out), errc::notsock);
  EXPECT_EQ(receive(99).error(), errc::badf);
}

TEST_F(sock, bad_arguments_are_refused) {
  EXPECT_EQ(send(3, "x", 1), errc::inval);
  EXPECT_EQ(receive(3, 4, 8).error(), errc::inval);
  EXPECT_EQ(sock_accept(guest.state(), guest.view(), 5, abi::fdflag::append, out), errc::inval);
  EXPECT_EQ(sock_accept(guest.state(), guest.view(), 5, 0, guest.memory().size() - 3), errc::fault);
  host::write_all(stream.second, "kept");
  const u32 vector = guest.memory().vector({{buffer, 8}});
  EXPECT_EQ(sock_recv(guest.state(), guest.view(), 3, vector, 1, 0, out, guest.memory().size() - 1), errc::fault);
  EXPECT_EQ(receive(3).value(), "kept");
}

TEST_F(sock, waits_end_when_cancelled) {
  std::thread canceller([&] { guest.state().cancel.cancel(); });
  EXPECT_EQ(receive(3).error(), errc::interrupted);
  EXPECT_EQ(sock_accept(guest.state(), guest.view(), 5, 0, out), errc::interrupted);
  canceller.join();
}

} // namespace
} // namespace weir::wasi
