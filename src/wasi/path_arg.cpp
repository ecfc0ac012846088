// SPDX-License-Identifier: Apache-2.0
#include "wasi/path_arg.hpp"

namespace weir::wasi::detail {

namespace {

/// The length of a well-formed sequence at the beginning of `text` (no overlong form, surrogate or value above 10FFFF),
/// or 0.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned second = byte(1);
  const bool is_bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                      (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return is_bad ? 0 : length;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

} // namespace

std::expected<std::string, errc> load_path(guest_memory memory, u32 address, u32 size) {
  constexpr u32 most_bytes = 4096;
  const auto bytes = memory.slice(address, size);
  if (!bytes) return std::unexpected(errc::fault);
  if (size >= most_bytes) return std::unexpected(errc::nametoolong);
  std::string path{reinterpret_cast<const char*>(bytes->data()), bytes->size()};
  if (path.find('\0') != std::string::npos) return std::unexpected(errc::inval);
  if (!is_utf8(path)) return std::unexpected(errc::ilseq);
  return path;
}

std::expected<const descriptor*, errc> find_directory(const guest_state& guest, u32 fd) {
  const descriptor* const found = guest.files.find(fd);
  if (!found) return std::unexpected(errc::badf);
  if (!found->is_directory()) return std::unexpected(errc::notdir);
  return found;
}

std::expected<const descriptor*, errc> find_changeable_directory(const guest_state& guest, u32 fd) {
  const auto found = find_directory(guest, fd);
  if (found && !(*found)->can_change) return std::unexpected(errc::perm);
  return found;
}

} // namespace weir::wasi::detail
