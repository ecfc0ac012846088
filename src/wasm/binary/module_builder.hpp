// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: writes modules byte by byte, right or wrong ones.
#include "wasm/binary/decoder.hpp"
#include "wasm/binary/opcodes.hpp"
#include "wasm/binary/type_registry.hpp"
#include "wasm/binary/validator.hpp"

#include <weir/wasm/types.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::wasm::detail::test {

/// Bytes with the number formats of the binary format.
class byte_writer {
public:
  byte_writer& u8(unsigned byte) { return bytes_.push_back(static_cast<std::uint8_t>(byte)), *this; }
  byte_writer& raw(std::initializer_list<unsigned> bytes) {
    for (unsigned byte : bytes) u8(byte);
    return *this;
  }
  byte_writer& raw(const byte_writer& other) {
    bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
    return *this;
  }
  byte_writer& u32(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) u8(static_cast<unsigned>(number & 0x7f) | 0x80);
    return u8(static_cast<unsigned>(number));
  }
  byte_writer& s64(std::int64_t number) {
    for (;;) {
      const auto low = static_cast<unsigned>(number & 0x7f);
      number >>= 7;
      if ((number == 0 && !(low & 0x40)) || (number == -1 && (low & 0x40))) return u8(low);
      u8(low | 0x80);
    }
  }
  byte_writer& name(std::string_view text) {
    u32(text.size());
    for (char letter : text) u8(static_cast<std::uint8_t>(letter));
    return *this;
  }
  byte_writer& op(opcode code) {
    const auto number = static_cast<unsigned>(code);
    return number < 0x100 ? u8(number) : u8(0xfc).u32(number - 0x100);
  }
  /// A count or size, then the bytes.
  byte_writer& sized(const byte_writer& contents) { return u32(contents.size()).raw(contents); }
  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> bytes() const {
    std::vector<std::byte> out;
    out.reserve(bytes_.size());
    for (std::uint8_t one : bytes_) out.push_back(std::byte{one});
    return out;
  }

private:
  std::vector<std::uint8_t> bytes_;
};

inline byte_writer bytes(std::initializer_list<unsigned> list) { return byte_writer{}.raw(list); }

/// Collects the entries of sections and writes them in the order of the format. Imports of a kind must be added before
/// what the module defines, as the index spaces have it.
class module_builder {
public:
  std::uint32_t type(const std::vector<value_type>& params, const std::vector<value_type>& results = {}) {
    byte_writer entry;
    entry.u8(0x60);
    for (const auto* list : {&params, &results}) {
      entry.u32(list->size());
      for (value_type one : *list) entry.u8(one.code);
    }
    return add(1, entry);
  }
  void import(std::string_view from, std::string_view name, unsigned kind, const byte_writer& description) {
    add(2, byte_writer{}.name(from).name(name).u8(kind).raw(description));
    if (kind == 0) ++functions_;
  }
  /// A function with the instructions of `code`, to which the final `end` is added.
  std::uint32_t function(std::uint32_t type_index, const byte_writer& code, const byte_writer& locals = bytes({0})) {
    add(3, byte_writer{}.u32(type_index));
    add(10, byte_writer{}.sized(byte_writer{}.raw(locals).raw(code).u8(0x0b)));
    return functions_++;
  }
  void table(value_type element, std::uint32_t min) { add(4, byte_writer{}.u8(element.code).u8(0).u32(min)); }
  void memory(std::uint32_t min) { add(5, byte_writer{}.u8(0).u32(min)); }
  void tag(std::uint32_t type_index) { add(13, byte_writer{}.u8(0).u32(type_index)); }
  void global(value_type type, bool is_mutable, const byte_writer& init) {
    add(6, byte_writer{}.u8(type.code).u8(is_mutable).raw(init).u8(0x0b));
  }
  void export_item(std::string_view name, unsigned kind, std::uint32_t index) {
    add(7, byte_writer{}.name(name).u8(kind).u32(index));
  }
  void start(std::uint32_t function_index) { set(8, byte_writer{}.u32(function_index)); }
  void data_count(std::uint32_t count) { set(12, byte_writer{}.u32(count)); }
  void element(const byte_writer& entry) { add(9, entry); }
  void data(const byte_writer& entry) { add(11, entry); }
  void custom(std::string_view name, const byte_writer& contents) {
    tail_.u8(0).sized(byte_writer{}.name(name).raw(contents));
  }

  /// Adds an entry to a section that is a list.
  std::uint32_t add(unsigned section, const byte_writer& entry) {
    lists_[section].second.raw(entry);
    return lists_[section].first++;
  }
  /// Sets the contents of a section that is no list.
  void set(unsigned section, const byte_writer& contents) { contents_[section] = contents; }

  std::vector<std::byte> build() const {
    byte_writer out = bytes({0, 'a', 's', 'm', 1, 0, 0, 0});
    for (unsigned id : {1u, 2u, 3u, 4u, 5u, 13u, 6u, 7u, 8u, 9u, 12u, 10u, 11u}) {
      if (lists_[id].first != 0) out.u8(id).sized(byte_writer{}.u32(lists_[id].first).raw(lists_[id].second));
      if (contents_[id].size() != 0) out.u8(id).sized(contents_[id]);
    }
    return out.raw(tail_).bytes();
  }

private:
  std::pair<std::uint32_t, byte_writer> lists_[14];
  byte_writer contents_[14];
  byte_writer tail_;
  std::uint32_t functions_ = 0;
};

inline result<std::shared_ptr<module_data>> decode(const std::vector<std::byte>& file,
                                                   feature_set allowed = feature_set::all()) {
  type_registry registry;
  return decode_module(file, allowed, registry, "test");
}

/// Decodes and validates.
inline result<std::shared_ptr<module_data>> check(const std::vector<std::byte>& file,
                                                  feature_set allowed = feature_set::all()) {
  auto module = decode(file, allowed);
  if (!module) return module;
  if (auto valid = validate_module(**module); !valid) return std::unexpected(valid.error());
  return module;
}

/// `ok`, or the error in one line with the code of its kind.
inline std::string outcome(const result<std::shared_ptr<module_data>>& checked) {
  return checked ? "ok" : checked.error().to_string();
}

} // namespace weir::wasm::detail::test
