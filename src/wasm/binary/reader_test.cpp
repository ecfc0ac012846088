// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/reader.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>

namespace weir::wasm::detail {
namespace {

struct fixture {
  explicit fixture(std::initializer_list<unsigned> list) {
    for (unsigned one : list) bytes.push_back(static_cast<std::byte>(one));
    in.emplace(bytes, sink);
  }
  std::vector<std::byte> bytes;
  failure_sink sink;
  std::optional<reader> in;
};

template <class Read> std::string failure_of(std::initializer_list<unsigned> bytes, Read read) {
  fixture f{bytes};
  read(*f.in);
  EXPECT_TRUE(f.in->at_end());
  return f.sink.what.message + " @" + std::to_string(f.sink.what.offset);
}

constexpr auto u32 = [](reader& in) { return in.u32(); };
constexpr auto u64 = [](reader& in) { return in.u64(); };
constexpr auto s32 = [](reader& in) { return in.s32(); };
constexpr auto s33 = [](reader& in) { return in.s33(); };
constexpr auto s64 = [](reader& in) { return in.s64(); };

template <class Read> auto read(std::initializer_list<unsigned> bytes, Read how) {
  fixture f{bytes};
  const auto value = how(*f.in);
  EXPECT_FALSE(f.in->failed());
  EXPECT_TRUE(f.in->at_end());
  return value;
}

TEST(reader, reads_unsigned_numbers_in_every_length) {
  EXPECT_EQ(read({0x00}, u32), 0u);
  EXPECT_EQ(read({0x7f}, u32), 127u);
  EXPECT_EQ(read({0x80, 0x01}, u32), 128u);
  EXPECT_EQ(read({0x83, 0x00}, u32), 3u);
  EXPECT_EQ(read({0xff, 0xff, 0xff, 0xff, 0x0f}, u32), 0xffffffffu);
  EXPECT_EQ(read({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, u64),
            std::numeric_limits<std::uint64_t>::max());
}

TEST(reader, reads_signed_numbers_in_every_length) {
  EXPECT_EQ(read({0x3f}, s32), 63);
  EXPECT_EQ(read({0x40}, s32), -64);
  EXPECT_EQ(read({0xff, 0x7f}, s32), -1);
  EXPECT_EQ(read({0x80, 0x80, 0x80, 0x80, 0x78}, s32), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(read({0xff, 0xff, 0xff, 0xff, 0x07}, s32), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(read({0xff, 0xff, 0xff, 0xff, 0x0f}, s33), 0xffffffff);
  EXPECT_EQ(read({0x80, 0x80, 0x80, 0x80, 0x70}, s33), -0x100000000);
  EXPECT_EQ(read({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, s64),
            std::numeric_limits<std::int64_t>::min());
}

TEST(reader, refuses_numbers_with_too_many_bytes) {
  EXPECT_EQ(failure_of({0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, u32), "integer representation too long @4");
  EXPECT_EQ(failure_of({0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}, s32), "integer representation too long @4");
  EXPECT_EQ(failure_of({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, u64),
            "integer representation too long @9");
}

TEST(reader, refuses_numbers_with_bits_beyond_their_width) {
  EXPECT_EQ(failure_of({0x80, 0x80, 0x80, 0x80, 0x10}, u32), "integer too large @4");
  EXPECT_EQ(failure_of({0xff, 0xff, 0xff, 0xff, 0x0f}, s32), "integer too large @4");
  EXPECT_EQ(failure_of({0x80, 0x80, 0x80, 0x80, 0x1f}, s32), "integer too large @4");
  EXPECT_EQ(failure_of({0x80, 0x80, 0x80, 0x80, 0x10}, s33), "integer too large @4");
  EXPECT_EQ(failure_of({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02}, u64), "integer too large @9");
  EXPECT_EQ(failure_of({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, s64), "integer too large @9");
}

TEST(reader, reports_the_end_where_the_bytes_stop) {
  EXPECT_EQ(failure_of({}, u32), "unexpected end of section or function @0");
  EXPECT_EQ(failure_of({0x80, 0x80}, s64), "unexpected end of section or function @2");
  EXPECT_EQ(failure_of({1, 2, 3}, [](reader& in) { in.fixed_u32(); }), "unexpected end of section or function @3");
  EXPECT_EQ(failure_of({1, 2, 3}, [](reader& in) { in.skip(4); }), "unexpected end of section or function @3");
}

TEST(reader, keeps_the_first_failure_and_reads_zeros_after_it) {
  fixture f{0x05, 0x06};
  f.in->u8();
  f.in->fail(errc::invalid, "first");
  EXPECT_EQ(f.in->u32(), 0u);
  EXPECT_EQ(f.in->fixed_u64(), 0u);
  f.in->fail(errc::malformed, "second");
  EXPECT_EQ(f.sink.what.message, "first");
  EXPECT_EQ(f.sink.what.offset, 1u);
  EXPECT_EQ(f.sink.what.code, errc::invalid);
}

TEST(reader, counts_never_exceed_what_is_left) {
  fixture good{0x02, 0, 0, 0, 0};
  EXPECT_EQ(good.in->count(2), 2u);
  fixture bad{0x03, 0, 0, 0, 0};
  EXPECT_EQ(bad.in->count(2), 0u);
  EXPECT_TRUE(bad.in->failed());
}

TEST(reader, sub_reader_sees_its_own_bytes_with_offsets_of_the_file) {
  fixture f{9, 1, 2, 3};
  f.in->u8();
  reader part = f.in->sub(2);
  EXPECT_EQ(part.offset(), 1u);
  EXPECT_EQ(part.remaining(), 2u);
  EXPECT_EQ(f.in->u8(), 3);
  part.skip(3);
  EXPECT_TRUE(f.in->failed());
  EXPECT_EQ(f.sink.what.offset, 3u);
}

TEST(reader, accepts_exactly_the_well_formed_utf8) {
  for (std::string_view good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                                "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (std::string_view bad :
       {"\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82", "\xe2\x82\x41",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xe2\x82"})
    EXPECT_FALSE(is_utf8(bad));
}

TEST(reader, names_must_be_utf8_and_fit) {
  EXPECT_EQ(failure_of({0x02, 0xc3, 0x28}, [](reader& in) { in.name(); }), "malformed UTF-8 encoding @0");
  EXPECT_EQ(failure_of({0x03, 'a', 'b'}, [](reader& in) { in.name(); }), "length out of bounds @0");
}

} // namespace
} // namespace weir::wasm::detail
