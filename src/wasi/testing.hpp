// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of WASI share: a directory on the host's disk, and a guest without an engine, which is a context and
// some memory.
#include "base/scratch_folder.hpp"
#include "wasi/functions.hpp"

#include <weir/wasi/context.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace weir::wasi::abi {

inline void PrintTo(errc code, std::ostream* out) { *out << "errno " << static_cast<int>(code); }

} // namespace weir::wasi::abi

namespace weir::wasi::testing {

using detail::errc;
using detail::u32;
using detail::u64;
using host_path = std::filesystem::path;

inline void write_file(const host_path& to, std::string_view content) {
  std::ofstream{to, std::ios::binary} << content;
}

inline std::string read_file(const host_path& from) {
  std::ostringstream content;
  content << std::ifstream{from, std::ios::binary}.rdbuf();
  return content.str();
}

/// A new directory of the host, removed in the end.
using scratch = weir::test::scratch_folder;

/// Memory of a guest that is not there, given out from the bottom up.
class fake_memory {
public:
  explicit fake_memory(std::size_t size = 1 << 20) : bytes_(size) {}
  guest_memory view() { return guest_memory{bytes_}; }
  u32 size() const { return static_cast<u32>(bytes_.size()); }

  u32 room(u32 size) {
    const u32 address = next_;
    next_ = (next_ + size + 15) & ~15u;
    EXPECT_LE(next_, bytes_.size());
    return address;
  }
  u32 put(std::string_view text) {
    const u32 address = room(static_cast<u32>(text.size()));
    std::memcpy(bytes_.data() + address, text.data(), text.size());
    return address;
  }
  template <class T> void set(u32 address, T value) { EXPECT_TRUE(view().store(address, value)); }
  template <class T> T at(u32 address) { return view().load<T>(address).value(); }
  std::string text(u32 address, u32 size) {
    const auto bytes = view().slice(address, size).value();
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  /// An array of iovec for these pieces.
  u32 vector(std::initializer_list<std::pair<u32, u32>> pieces) {
    const u32 address = room(static_cast<u32>(pieces.size()) * 8);
    u32 at = address;
    for (const auto& [buf, len] : pieces) {
      set(at, buf);
      set(at + 4, len);
      at += 8;
    }
    return address;
  }

private:
  std::vector<std::byte> bytes_;
  u32 next_ = 64;
};

inline context build(context_options options) {
  auto built = context::build(std::move(options));
  EXPECT_TRUE(built.has_value()) << (built ? "" : built.error().message);
  return std::move(built).value();
}

/// A guest whose descriptor 3 is a directory.
class fake_guest {
public:
  explicit fake_guest(context_options options) : context_{build(std::move(options))} {}
  explicit fake_guest(const host_path& directory, path_resolution how = path_resolution::automatic)
      : fake_guest{options_for(directory, how)} {}

  static context_options options_for(const host_path& directory, path_resolution how = path_resolution::automatic) {
    context_options options;
    options.directories = {{directory.string(), "/box", false}};
    options.resolution = how;
    return options;
  }

  detail::guest_state& state() { return context_.state(); }
  fake_memory& memory() { return memory_; }
  guest_memory view() { return memory_.view(); }

  /// Calls a function whose last arguments are a path.
  template <class Function> errc by_path(Function function, u32 fd, std::string_view path) {
    return function(state(), view(), fd, memory_.put(path), static_cast<u32>(path.size()));
  }

  struct open_flags {
    u32 oflags = 0;
    u64 rights = abi::right::fd_read;
    u32 fdflags = 0;
    u32 lookup = abi::lookupflag::symlink_follow;
    u32 fd = 3;
  };
  std::expected<u32, errc> open(std::string_view path, open_flags flags) {
    const u32 out = memory_.room(4);
    const errc code =
        detail::path_open(state(), view(), flags.fd, flags.lookup, memory_.put(path), static_cast<u32>(path.size()),
                          flags.oflags, flags.rights, 0, flags.fdflags, out);
    if (code != errc::success) return std::unexpected(code);
    return memory_.at<u32>(out);
  }
  std::expected<u32, errc> open(std::string_view path) { return open(path, open_flags{}); }
  /// The errno of opening for reading.
  errc open_code(std::string_view path) {
    const auto opened = open(path);
    return opened ? errc::success : opened.error();
  }

  std::expected<std::string, errc> read(u32 fd, u32 size = 256) {
    const u32 buffer = memory_.room(size), out = memory_.room(4);
    const errc code = detail::fd_read(state(), view(), fd, memory_.vector({{buffer, size}}), 1, out);
    if (code != errc::success) return std::unexpected(code);
    return memory_.text(buffer, memory_.at<u32>(out));
  }
  std::expected<u32, errc> write(u32 fd, std::string_view text) {
    const u32 out = memory_.room(4);
    const errc code = detail::fd_write(state(), view(), fd,
                                       memory_.vector({{memory_.put(text), static_cast<u32>(text.size())}}), 1, out);
    if (code != errc::success) return std::unexpected(code);
    return memory_.at<u32>(out);
  }
  errc stat(std::string_view path, u32 lookup, u32 out) {
    return detail::path_filestat_get(state(), view(), 3, lookup, memory_.put(path), static_cast<u32>(path.size()), out);
  }
  errc rename(std::string_view from, std::string_view to, u32 from_fd = 3, u32 to_fd = 3) {
    return detail::path_rename(state(), view(), from_fd, memory_.put(from), static_cast<u32>(from.size()), to_fd,
                               memory_.put(to), static_cast<u32>(to.size()));
  }
  errc link(std::string_view from, std::string_view to, u32 from_fd = 3, u32 to_fd = 3) {
    return detail::path_link(state(), view(), from_fd, 0, memory_.put(from), static_cast<u32>(from.size()), to_fd,
                             memory_.put(to), static_cast<u32>(to.size()));
  }
  errc symlink(std::string_view text, std::string_view at) {
    return detail::path_symlink(state(), view(), memory_.put(text), static_cast<u32>(text.size()), 3, memory_.put(at),
                                static_cast<u32>(at.size()));
  }

private:
  fake_memory memory_;
  context context_;
};

} // namespace weir::wasi::testing
