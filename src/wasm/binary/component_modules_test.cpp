// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/component_modules.hpp"
#include "wasm/binary/module_builder.hpp"

#include <gtest/gtest.h>

namespace weir::wasm::detail {
namespace {

using test::byte_writer;
using test::bytes;

byte_writer component() { return bytes({0, 'a', 's', 'm', 13, 0, 1, 0}); }
byte_writer core_module(unsigned tail) { return bytes({0, 'a', 's', 'm', 1, 0, 0, 0, 0, 2, 1, tail}); }

TEST(component_modules, finds_nested_modules_in_order_with_their_paths) {
  const byte_writer inner = component().u8(1).sized(core_module('c'));
  const byte_writer middle = component().u8(1).sized(core_module('b')).u8(4).sized(inner);
  const auto file = component()
                        .raw({0, 1, 0})
                        .u8(1)
                        .sized(core_module('a'))
                        .u8(4)
                        .sized(middle)
                        .u8(1)
                        .sized(core_module('d'))
                        .bytes();
  const auto found = find_core_modules(file);
  ASSERT_TRUE(found) << found.error().to_string();
  ASSERT_EQ(found->size(), 4u);
  const char* paths[] = {"0", "0.0", "0.0.0", "1"};
  for (std::size_t i = 0; i < 4; ++i) {
    const embedded_module& one = (*found)[i];
    EXPECT_EQ(one.path, paths[i]);
    EXPECT_EQ(one.end - one.begin, core_module(0).size());
    EXPECT_EQ(file[one.end - 1], static_cast<std::byte>("abcd"[i]));
  }
}

TEST(component_modules, says_what_is_wrong_with_the_file) {
  const auto message = [](const byte_writer& file) {
    const auto found = find_core_modules(file.bytes());
    return found ? std::string{"ok"} : found.error().to_string();
  };
  EXPECT_EQ(message(component()), "ok");
  EXPECT_EQ(message(bytes({})), "malformed module: this is not a component at byte 0x0");
  EXPECT_EQ(message(core_module(0)), "malformed module: this is a core module, not a component at byte 0x0");
  EXPECT_EQ(message(component().raw({13, 0})), "malformed module: malformed section id 13 at byte 0x8");
  EXPECT_EQ(message(component().raw({1, 90, 0})), "malformed module: length out of bounds at byte 0x8");
  EXPECT_EQ(message(component().raw({1, 2, 0, 0})),
            "malformed module: the section of a core module holds none at byte 0xa");
  EXPECT_EQ(message(component().raw({4, 0})), "malformed module: this is not a component at byte 0xa");
  EXPECT_EQ(message(component().raw({1, 0x80})), "malformed module: unexpected end of section or function at byte 0xa");
}

TEST(component_modules, deep_nesting_needs_no_recursion) {
  byte_writer file = component();
  for (int i = 0; i < 2000; ++i) file = component().u8(4).sized(file);
  EXPECT_TRUE(find_core_modules(file.bytes()));
}

TEST(component_modules, tells_kinds_of_files_apart) {
  EXPECT_EQ(kind_of_binary(component().bytes()), binary_kind::component);
  EXPECT_EQ(kind_of_binary(core_module(0).bytes()), binary_kind::core_module);
  EXPECT_EQ(kind_of_binary(bytes({0, 'a', 's', 'm', 1, 0, 0}).bytes()), binary_kind::other);
}

} // namespace
} // namespace weir::wasm::detail
