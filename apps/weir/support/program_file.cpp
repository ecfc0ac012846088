// SPDX-License-Identifier: Apache-2.0
#include "support/program_file.hpp"

#include "support/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace weir::cli {
namespace {

struct file_closer {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, file_closer>;

std::unexpected<std::string> refuse(const std::string& path, std::string_view why) {
  return std::unexpected(fmt::format("{}: {}", path, why));
}

std::expected<open_file, std::string> open_program(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (status.type() == std::filesystem::file_type::not_found) return refuse(path, "no such file");
  if (failed) return refuse(path, failed.message());
  if (status.type() == std::filesystem::file_type::directory) return refuse(path, "is a directory, not a program");
  open_file file{std::fopen(path.c_str(), "rb")};
  if (!file) return refuse(path, std::generic_category().message(errno));
  if (status.type() == std::filesystem::file_type::regular) {
    const std::uintmax_t size = std::filesystem::file_size(path, failed);
    if (!failed && size > largest_program)
      return refuse(path, fmt::format("has {}; the largest program that can be loaded has {}", format_size(size),
                                      format_size(largest_program)));
  }
  return file;
}

std::string why_unknown(std::span<const std::byte> head) {
  constexpr std::byte preamble[] = {std::byte{0}, std::byte{'a'}, std::byte{'s'}, std::byte{'m'}};
  if (head.empty()) return "is empty, not a program";
  const std::size_t common = std::min(head.size(), std::size(preamble));
  if (std::equal(head.begin(), head.begin() + static_cast<std::ptrdiff_t>(common), std::begin(preamble))) {
    if (head.size() < 8)
      return fmt::format("is truncated: it ends after {} bytes, within the 8 of the preamble", head.size());
    return fmt::format("is WebAssembly of an unknown version ({:02x} {:02x} {:02x} {:02x}); weir knows version 1",
                       std::to_integer<int>(head[4]), std::to_integer<int>(head[5]), std::to_integer<int>(head[6]),
                       std::to_integer<int>(head[7]));
  }
  return "is not WebAssembly: its first bytes are not \\0asm";
}

} // namespace

program_kind classify(std::span<const std::byte> bytes) {
  constexpr unsigned char core[] = {0, 'a', 's', 'm', 1, 0, 0, 0};
  if (bytes.size() >= 8 && std::memcmp(bytes.data(), core, 8) == 0) return program_kind::core_module;
  // Bytes 6 and 7 are the layer: 1 for components, of which there have been several pre-release versions.
  if (bytes.size() >= 8 && std::memcmp(bytes.data(), core, 4) == 0 && bytes[6] == std::byte{1} &&
      bytes[7] == std::byte{0})
    return program_kind::component;
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin != std::string_view::npos &&
      (text.substr(begin).starts_with("(module") || text.substr(begin).starts_with("(component") ||
       text.substr(begin).starts_with(";;") || text.substr(begin).starts_with("(;")))
    return program_kind::text;
  return program_kind::unknown;
}

std::expected<std::vector<std::byte>, std::string> read_program(const std::string& path) {
  auto opened = open_program(path);
  if (!opened) return std::unexpected(opened.error());
  std::FILE* const file = opened->get();

  std::vector<std::byte> bytes(256);
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  if (std::ferror(file)) return refuse(path, std::generic_category().message(errno));
  switch (classify(bytes)) {
  case program_kind::text: return refuse(path, "is WebAssembly text; translate it first, for example with wat2wasm");
  case program_kind::unknown: return refuse(path, why_unknown(bytes));
  case program_kind::core_module:
  case program_kind::component: break;
  }
  for (std::size_t have = bytes.size(), got = bytes.size() == 256 ? 1 : 0; got != 0;) {
    bytes.resize(have + std::max(std::size_t{64} * 1024, have));
    got = std::fread(bytes.data() + have, 1, bytes.size() - have, file);
    have += got;
    bytes.resize(have);
    if (have > largest_program)
      return refuse(
          path, fmt::format("goes on after {}, the largest program that can be loaded", format_size(largest_program)));
  }
  if (std::ferror(file)) return refuse(path, std::generic_category().message(errno));
  return bytes;
}

std::string program_name(std::string_view path) {
  std::string name = std::filesystem::path{path}.filename().string();
  if (name.size() > 5 && name.ends_with(".wasm")) name.resize(name.size() - 5);
  return name.empty() ? std::string{path} : name;
}

} // namespace weir::cli
