// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/reader.hpp"

#include <bit>

namespace weir::wasm::detail {

static_assert(std::endian::native == std::endian::little, "fixed-size words are copied as they stand in the file");

std::uint64_t reader::unsigned_leb(unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = u8();
    if (failed()) return 0;
    const std::uint64_t part = byte & 0x7fu;
    if (shift + 7 > bits) { // the last byte that may come
      if (byte & 0x80) return fail_at(offset() - 1, errc::malformed, text::too_long), 0;
      if (part >> (bits - shift)) return fail_at(offset() - 1, errc::malformed, text::too_large), 0;
    }
    value |= part << shift;
    if (!(byte & 0x80)) return value;
  }
}

std::int64_t reader::signed_leb(unsigned bits) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = u8();
    if (failed()) return 0;
    const std::uint64_t part = byte & 0x7fu;
    if (shift + 7 > bits) {
      if (byte & 0x80) return fail_at(offset() - 1, errc::malformed, text::too_long), 0;
      // The bits beyond the value's own must all equal its sign.
      const unsigned used = bits - shift;
      const std::uint64_t sign_and_beyond = part >> (used - 1);
      if (sign_and_beyond != 0 && sign_and_beyond != 0x7fu >> (used - 1))
        return fail_at(offset() - 1, errc::malformed, text::too_large), 0;
    }
    value |= part << shift;
    if (byte & 0x80) continue;
    const unsigned filled = shift + 7;
    if (filled >= 64) return static_cast<std::int64_t>(value);
    return static_cast<std::int64_t>(value << (64 - filled)) >> (64 - filled);
  }
}

std::string_view reader::bytes() {
  const std::uint64_t where = offset();
  const std::uint32_t size = u32();
  if (failed()) return {};
  if (size > remaining()) {
    fail_at(where, errc::malformed, text::length_out_of_bounds);
    return {};
  }
  const std::string_view view{reinterpret_cast<const char*>(at_), size};
  at_ += size;
  return view;
}

std::string_view reader::name() {
  const std::uint64_t where = offset();
  const std::string_view view = bytes();
  if (!is_utf8(view)) {
    fail_at(where, errc::malformed, text::bad_utf8);
    return {};
  }
  return view;
}

std::uint32_t reader::count(std::size_t min_size) {
  const std::uint64_t where = offset();
  const std::uint32_t number = u32();
  if (number <= remaining() / min_size) [[likely]]
    return number;
  fail_at(where, errc::malformed, text::unexpected_end);
  return 0;
}

namespace {

// Length of the sequence that starts with `lead`, and the legal range of its second byte; length 0 for a byte that
// starts none.
struct utf8_lead {
  unsigned length = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xbf;
};

constexpr utf8_lead classify(std::uint8_t lead) {
  if (lead < 0x80) return {1};
  if (lead < 0xc2) return {0};
  if (lead < 0xe0) return {2};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};
  if (lead < 0xf0) return {3};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead < 0xf4) return {4};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {0};
}

} // namespace

bool is_utf8(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    const utf8_lead lead = classify(static_cast<std::uint8_t>(bytes[i]));
    if (lead.length == 0 || lead.length > bytes.size() - i) return false;
    if (lead.length > 1) {
      const auto second = static_cast<std::uint8_t>(bytes[i + 1]);
      if (second < lead.low || second > lead.high) return false;
    }
    for (unsigned k = 2; k < lead.length; ++k)
      if ((static_cast<std::uint8_t>(bytes[i + k]) & 0xc0) != 0x80) return false;
    i += lead.length;
  }
  return true;
}

} // namespace weir::wasm::detail
