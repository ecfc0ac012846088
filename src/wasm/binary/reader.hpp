// SPDX-License-Identifier: Apache-2.0
#pragma once

// A cursor over untrusted bytes. The first failure is kept, with its byte offset, and moves the cursor to the end:
// every later read gives 0, and a loop over what is left ends by itself, so callers test `failed()` only where a value
// decides something.
#include <weir/wasm/error.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace weir::wasm::detail {

/// Where a whole decoding or validation notes what went wrong first.
struct failure_sink {
  bool has_failed = false;
  error what;

  [[gnu::cold, gnu::noinline]] void fail(errc code, std::uint64_t offset, std::string message) {
    if (has_failed) return;
    has_failed = true;
    what.code = code;
    what.offset = offset;
    what.message = std::move(message);
  }
};

/// The messages shared by the decoder and the validator; the words are those of the reference interpreter.
namespace text {
inline constexpr const char* unexpected_end = "unexpected end of section or function";
inline constexpr const char* too_long = "integer representation too long";
inline constexpr const char* too_large = "integer too large";
inline constexpr const char* bad_utf8 = "malformed UTF-8 encoding";
inline constexpr const char* length_out_of_bounds = "length out of bounds";
} // namespace text

/// Whether the bytes are well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);

class reader {
public:
  reader(const std::uint8_t* file, const std::uint8_t* begin, const std::uint8_t* end, failure_sink& sink)
      : file_{file}, at_{begin}, end_{end}, sink_{&sink} {}
  reader(std::span<const std::byte> bytes, failure_sink& sink)
      : reader{data(bytes), data(bytes), data(bytes) + bytes.size(), sink} {}

  bool failed() const { return sink_->has_failed; }
  bool at_end() const { return at_ == end_; }
  std::size_t remaining() const { return static_cast<std::size_t>(end_ - at_); }
  /// Byte offset in the file.
  std::uint64_t offset() const { return static_cast<std::uint64_t>(at_ - file_); }
  std::uint64_t end_offset() const { return static_cast<std::uint64_t>(end_ - file_); }
  const std::uint8_t* position() const { return at_; }

  [[gnu::cold, gnu::noinline]] void fail(errc code, std::string message) {
    fail_at(offset(), code, std::move(message));
  }
  [[gnu::cold, gnu::noinline]] void fail_at(std::uint64_t where, errc code, std::string message) {
    sink_->fail(code, where, std::move(message));
    at_ = end_;
  }

  /// Adds the feature to a failure with errc::unsupported_feature.
  void note_lacking(feature one) { sink_->what.lacking.add(one); }

  std::uint8_t peek() const { return at_ == end_ ? std::uint8_t{0} : *at_; }
  std::uint8_t u8() {
    if (at_ == end_) [[unlikely]]
      return run_out();
    return *at_++;
  }

  std::uint32_t u32() {
    if (at_ != end_ && *at_ < 0x80) [[likely]]
      return *at_++;
    return static_cast<std::uint32_t>(unsigned_leb(32));
  }
  std::uint64_t u64() {
    if (at_ != end_ && *at_ < 0x80) [[likely]]
      return *at_++;
    return unsigned_leb(64);
  }
  std::int32_t s32() { return static_cast<std::int32_t>(signed_leb_short(32)); }
  std::int64_t s33() { return signed_leb_short(33); }
  std::int64_t s64() { return signed_leb_short(64); }

  /// Four or eight bytes, least significant first.
  std::uint32_t fixed_u32() { return fixed<std::uint32_t>(); }
  std::uint64_t fixed_u64() { return fixed<std::uint64_t>(); }

  /// A byte length and that many bytes; the view points into the file.
  std::string_view bytes();
  /// `bytes()` that must be well-formed UTF-8.
  std::string_view name();
  /// A u32 count of things that take at least `min_size` bytes each; fails when they cannot fit into what is left, so
  /// that the caller may reserve space for them.
  std::uint32_t count(std::size_t min_size = 1);

  void skip(std::size_t size) {
    if (size > remaining()) [[unlikely]]
      run_out();
    else
      at_ += size;
  }
  /// A reader of the next `size` bytes, which this one skips.
  reader sub(std::size_t size) {
    const std::uint8_t* begin = at_;
    skip(size);
    return at_ == begin ? reader{file_, at_, at_, *sink_} : reader{file_, begin, at_, *sink_};
  }

private:
  static const std::uint8_t* data(std::span<const std::byte> bytes) {
    return reinterpret_cast<const std::uint8_t*>(bytes.data());
  }
  [[gnu::cold, gnu::noinline]] std::uint8_t run_out() {
    fail_at(end_offset(), errc::malformed, text::unexpected_end);
    return 0;
  }
  std::int64_t signed_leb_short(unsigned bits) {
    if (at_ != end_ && *at_ < 0x80) [[likely]]
      return static_cast<std::int64_t>(static_cast<std::uint64_t>(*at_++) << 57) >> 57;
    return signed_leb(bits);
  }
  template <class Word> Word fixed() {
    if (remaining() < sizeof(Word)) [[unlikely]]
      return run_out();
    Word word;
    std::memcpy(&word, at_, sizeof word);
    at_ += sizeof word;
    return word;
  }
  std::uint64_t unsigned_leb(unsigned bits);
  std::int64_t signed_leb(unsigned bits);

  const std::uint8_t* file_;
  const std::uint8_t* at_;
  const std::uint8_t* end_;
  failure_sink* sink_;
};

} // namespace weir::wasm::detail
