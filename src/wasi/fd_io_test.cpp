// SPDX-License-Identifier: Apache-2.0
#include "os/testing.hpp"
#include "wasi/testing.hpp"

#include <thread>

namespace weir::wasi {
namespace {

using namespace testing;
using namespace detail;
namespace host = rt::os::testing;

constexpr u64 read_write = abi::right::fd_read | abi::right::fd_write;
constexpr u32 creat = abi::oflag::creat;

struct fd_io : ::testing::Test {
  scratch box;
  fake_guest guest{box.path()};

  std::expected<u64, errc> seek(u32 fd, i64 offset, u32 whence) {
    const u32 out = guest.memory().room(8);
    const errc code = fd_seek(guest.state(), guest.view(), fd, offset, whence, out);
    if (code != errc::success) return std::unexpected(code);
    return guest.memory().at<u64>(out);
  }
};

TEST_F(fd_io, what_is_written_is_read_back_at_the_position) {
  const u32 fd = guest.open("file", {.oflags = creat, .rights = read_write}).value();
  EXPECT_EQ(guest.write(fd, "hello, world").value(), 12u);
  EXPECT_EQ(seek(fd, -5, 2).value(), 7u);
  EXPECT_EQ(guest.read(fd).value(), "world");
  EXPECT_EQ(guest.read(fd).value(), "");
  EXPECT_EQ(seek(fd, 1, 0).value(), 1u);
  EXPECT_EQ(seek(fd, 2, 1).value(), 3u);
  EXPECT_EQ(guest.read(fd, 2).value(), "lo");
  const u32 out = guest.memory().room(8);
  EXPECT_EQ(fd_tell(guest.state(), guest.view(), fd, out), errc::success);
  EXPECT_EQ(guest.memory().at<u64>(out), 5u);
  EXPECT_EQ(read_file(box / "file"), "hello, world");
}

TEST_F(fd_io, a_scattered_transfer_fills_its_pieces_in_order) {
  write_file(box / "file", "abcdefgh");
  const u32 fd = guest.open("file", {.rights = read_write}).value();
  fake_memory& memory = guest.memory();
  const u32 one = memory.room(3), two = memory.room(4), out = memory.room(4);
  ASSERT_EQ(fd_read(guest.state(), guest.view(), fd, memory.vector({{one, 3}, {0, 0}, {two, 4}}), 3, out),
            errc::success);
  EXPECT_EQ(memory.at<u32>(out), 7u);
  EXPECT_EQ(memory.text(one, 3) + memory.text(two, 4), "abcdefg");
  ASSERT_EQ(fd_pwrite(guest.state(), guest.view(), fd, memory.vector({{two, 4}, {one, 3}}), 2, 1, out), errc::success);
  EXPECT_EQ(read_file(box / "file"), "adefgabc");
}

TEST_F(fd_io, transfers_at_an_offset_leave_the_position_alone) {
  write_file(box / "file", "abcdef");
  const u32 fd = guest.open("file").value();
  fake_memory& memory = guest.memory();
  const u32 buffer = memory.room(16), out = memory.room(4);
  ASSERT_EQ(fd_pread(guest.state(), guest.view(), fd, memory.vector({{buffer, 16}}), 1, 4, out), errc::success);
  EXPECT_EQ(memory.text(buffer, memory.at<u32>(out)), "ef");
  EXPECT_EQ(guest.read(fd).value(), "abcdef");
  EXPECT_EQ(fd_pread(guest.state(), guest.view(), fd, memory.vector({{buffer, 1}}), 1, ~u64{0}, out), errc::inval);
}

TEST_F(fd_io, a_bad_pointer_is_a_fault_and_nothing_is_transferred) {
  write_file(box / "file", "abcdef");
  const u32 fd = guest.open("file", {.rights = read_write}).value();
  fake_memory& memory = guest.memory();
  const u32 buffer = memory.room(8), out = memory.room(4), end = memory.size();
  EXPECT_EQ(fd_read(guest.state(), guest.view(), fd, memory.vector({{buffer, 8}}), 1, end - 3), errc::fault);
  EXPECT_EQ(fd_read(guest.state(), guest.view(), fd, end - 4, 1, out), errc::fault);
  EXPECT_EQ(fd_read(guest.state(), guest.view(), fd, memory.vector({{buffer, 4}, {end - 1, 2}}), 2, out), errc::fault);
  EXPECT_EQ(fd_write(guest.state(), guest.view(), fd, memory.vector({{buffer, 0xffff'ffff}}), 1, out), errc::fault);
  EXPECT_EQ(fd_seek(guest.state(), guest.view(), fd, 3, 0, end - 7), errc::fault);
  EXPECT_EQ(guest.read(fd).value(), "abcdef"); // the position did not move
}

TEST_F(fd_io, a_descriptor_without_the_right_is_bad) {
  write_file(box / "file", "abc");
  const u32 reads = guest.open("file", {.rights = abi::right::fd_read}).value();
  const u32 writes = guest.open("file", {.rights = abi::right::fd_write}).value();
  const u32 neither = guest.open("file", {.rights = 0}).value();
  EXPECT_EQ(guest.write(reads, "x").error(), errc::badf);
  EXPECT_EQ(guest.read(writes).error(), errc::badf);
  EXPECT_EQ(guest.read(neither).error(), errc::badf);
  EXPECT_EQ(guest.write(neither, "x").error(), errc::badf);
  EXPECT_EQ(guest.read(3).error(), errc::badf); // a directory
  EXPECT_EQ(guest.read(99).error(), errc::badf);
  EXPECT_EQ(guest.read(1).error(), errc::badf);
  EXPECT_EQ(guest.write(0, "x").error(), errc::badf);
}

TEST_F(fd_io, seeking_has_the_errors_of_the_interface) {
  write_file(box / "file", "abc");
  const u32 fd = guest.open("file").value();
  EXPECT_EQ(seek(fd, -1, 0).error(), errc::inval);
  EXPECT_EQ(seek(fd, 0, 3).error(), errc::inval);
  EXPECT_EQ(seek(3, 0, 0).error(), errc::badf);
  EXPECT_EQ(seek(99, 0, 9).error(), errc::badf);
  EXPECT_EQ(seek(0, 0, 1).error(), errc::spipe);
  EXPECT_EQ(seek(fd, 1'000'000'000'000, 0).value(), 1'000'000'000'000u);
}

TEST_F(fd_io, appending_writes_at_the_end_whatever_the_position) {
  write_file(box / "file", "abc");
  const u32 fd = guest.open("file", {.rights = read_write, .fdflags = abi::fdflag::append}).value();
  EXPECT_EQ(seek(fd, 0, 0).value(), 0u);
  EXPECT_EQ(guest.write(fd, "def").value(), 3u);
  EXPECT_EQ(read_file(box / "file"), "abcdef");
  EXPECT_EQ(fd_sync(guest.state(), guest.view(), fd), errc::success);
  EXPECT_EQ(fd_datasync(guest.state(), guest.view(), fd), errc::success);
  EXPECT_EQ(fd_sync(guest.state(), guest.view(), 99), errc::badf);
}

TEST(fd_io_streams, text_and_callbacks_are_standard_streams) {
  std::string out, err;
  context_options options;
  options.standard_input = input::text("line\n");
  options.standard_output = output::callback([&](std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::error_code{};
  });
  options.standard_error =
      output::callback([&](std::span<const std::byte>) { return std::make_error_code(std::errc::no_space_on_device); });
  fake_guest guest{std::move(options)};
  EXPECT_EQ(guest.read(0, 2).value(), "li");
  EXPECT_EQ(guest.read(0).value(), "ne\n");
  EXPECT_EQ(guest.read(0).value(), "");
  EXPECT_EQ(guest.write(1, "hello").value(), 5u);
  EXPECT_EQ(out, "hello");
  EXPECT_EQ(guest.write(2, "x").error(), errc::nospc);
  EXPECT_EQ(fd_sync(guest.state(), guest.view(), 1), errc::success);
}

TEST(fd_io_streams, an_input_callback_gives_what_it_has) {
  context_options options;
  int calls = 0;
  options.standard_input =
      input::callback([&](std::span<std::byte> into) -> std::expected<std::size_t, std::error_code> {
        if (++calls > 1) return std::unexpected(std::make_error_code(std::errc::io_error));
        into[0] = std::byte{'x'};
        return 1;
      });
  fake_guest guest{std::move(options)};
  EXPECT_EQ(guest.read(0).value(), "x");
  EXPECT_EQ(guest.read(0).error(), errc::io);
}

struct fd_io_pipes : ::testing::Test {
  host::pipe_pair in, out;
  cancel_token cancel;
  fake_guest guest{make()};
  context_options make() {
    context_options options;
    options.standard_input = input::descriptor(in.reader.get());
    options.standard_output = output::descriptor(out.writer.get());
    options.cancel = cancel;
    return options;
  }
};

TEST_F(fd_io_pipes, reading_waits_for_the_writer) {
  std::thread writer([&] { host::write_all(in.writer, "late"); });
  EXPECT_EQ(guest.read(0).value(), "late");
  writer.join();
  in.writer = {};
  EXPECT_EQ(guest.read(0).value(), "");
}

TEST_F(fd_io_pipes, a_waiting_read_ends_when_cancelled) {
  std::thread canceller([&] { cancel.cancel(); });
  EXPECT_EQ(guest.read(0).error(), errc::interrupted);
  canceller.join();
}

TEST_F(fd_io_pipes, a_waiting_write_ends_when_cancelled) {
  const std::string much(1 << 17, 'x'); // twice what a pipe holds
  std::thread canceller([&] { cancel.cancel(); });
  EXPECT_EQ(guest.write(1, much).error(), errc::interrupted);
  canceller.join();
}

TEST_F(fd_io_pipes, a_write_larger_than_the_pipe_is_written_whole) {
  const std::string much(500'000, 'x');
  std::size_t read = 0;
  std::thread reader([&] {
    while (read < much.size()) read += host::read_once(out.reader).size();
  });
  EXPECT_EQ(guest.write(1, much).value(), much.size());
  reader.join();
  EXPECT_EQ(read, much.size());
}

TEST_F(fd_io_pipes, non_blocking_mode_is_the_guests_own) {
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), 0, abi::fdflag::nonblock), errc::success);
  EXPECT_EQ(guest.read(0).error(), errc::again);
  host::write_all(in.writer, "x");
  EXPECT_EQ(guest.read(0).value(), "x");
  EXPECT_EQ(fd_fdstat_set_flags(guest.state(), guest.view(), 0, 0), errc::success);
  // The host's descriptor still blocks: a plain read of it would wait, so only its mode is looked at.
  EXPECT_EQ(::fcntl(in.reader.get(), F_GETFL) & O_NONBLOCK, 0);
}

TEST_F(fd_io_pipes, a_pipe_without_reader_is_an_error) {
  out.reader = {};
  EXPECT_EQ(guest.write(1, "x").error(), errc::pipe);
}

TEST_F(fd_io_pipes, pipes_have_no_offsets) {
  fake_memory& memory = guest.memory();
  const u32 buffer = memory.room(4), n = memory.room(8);
  EXPECT_EQ(fd_pread(guest.state(), guest.view(), 0, memory.vector({{buffer, 4}}), 1, 0, n), errc::spipe);
  EXPECT_EQ(fd_pwrite(guest.state(), guest.view(), 1, memory.vector({{buffer, 4}}), 1, 0, n), errc::spipe);
  EXPECT_EQ(fd_seek(guest.state(), guest.view(), 0, 0, 1, n), errc::spipe);
  EXPECT_EQ(fd_sync(guest.state(), guest.view(), 1), errc::success);
}

TEST_F(fd_io, a_fifo_opens_at_once_and_its_first_read_waits_for_a_writer) {
  host::make_fifo((box / "fifo").string());
  const u32 fd = guest.open("fifo").value();
  std::thread writer([&] { host::write_all(host::open_file((box / "fifo").string(), true), "through"); });
  EXPECT_EQ(guest.read(fd).value(), "through");
  writer.join();
  EXPECT_EQ(guest.read(fd).value(), "");
}

TEST_F(fd_io, a_fifo_for_writing_opens_when_a_reader_comes) {
  host::make_fifo((box / "fifo").string());
  std::string got;
  std::thread reader([&] { got = host::read_once(host::open_file((box / "fifo").string(), false)); });
  const u32 fd = guest.open("fifo", {.rights = abi::right::fd_write}).value();
  EXPECT_EQ(guest.write(fd, "through").value(), 7u);
  reader.join();
  EXPECT_EQ(got, "through");
}

TEST_F(fd_io, waiting_for_the_reader_of_a_fifo_ends_when_cancelled) {
  host::make_fifo((box / "fifo").string());
  EXPECT_EQ(guest.open("fifo", {.rights = abi::right::fd_write, .fdflags = abi::fdflag::nonblock}).error(), errc::nxio);
  std::thread canceller([&] { guest.state().cancel.cancel(); });
  EXPECT_EQ(guest.open("fifo", {.rights = abi::right::fd_write}).error(), errc::interrupted);
  canceller.join();
}

} // namespace
} // namespace weir::wasi
