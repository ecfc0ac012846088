// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds small modules for the tests of the runtime. Imports come before what the module defines, as in its index
// spaces.
#include <weir/wasm/types.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::wasm::testing {

using byte_string = std::vector<std::uint8_t>;

inline void append(byte_string& to, const byte_string& from) { to.insert(to.end(), from.begin(), from.end()); }

template <class... Part> byte_string join(const Part&... parts) {
  byte_string out;
  (append(out, parts), ...);
  return out;
}

inline byte_string unsigned_leb(std::uint64_t number) {
  byte_string out;
  do {
    const auto low = static_cast<std::uint8_t>(number & 0x7f);
    number >>= 7;
    out.push_back(static_cast<std::uint8_t>(low | (number != 0 ? 0x80 : 0)));
  } while (number != 0);
  return out;
}

inline byte_string signed_leb(std::int64_t number) {
  byte_string out;
  for (;;) {
    const auto low = static_cast<std::uint8_t>(number & 0x7f);
    number >>= 7;
    const bool is_last = (number == 0 && (low & 0x40) == 0) || (number == -1 && (low & 0x40) != 0);
    out.push_back(static_cast<std::uint8_t>(low | (is_last ? 0 : 0x80)));
    if (is_last) return out;
  }
}

inline byte_string text(std::string_view name) {
  return join(unsigned_leb(name.size()), byte_string(name.begin(), name.end()));
}

// Instructions.
inline byte_string i32_const(std::int32_t number) { return join(byte_string{0x41}, signed_leb(number)); }
inline byte_string i64_const(std::int64_t number) { return join(byte_string{0x42}, signed_leb(number)); }
inline byte_string local_get(std::uint32_t index) { return join(byte_string{0x20}, unsigned_leb(index)); }
inline byte_string local_set(std::uint32_t index) { return join(byte_string{0x21}, unsigned_leb(index)); }
inline byte_string call(std::uint32_t index) { return join(byte_string{0x10}, unsigned_leb(index)); }
inline byte_string global_get(std::uint32_t index) { return join(byte_string{0x23}, unsigned_leb(index)); }
inline byte_string global_set(std::uint32_t index) { return join(byte_string{0x24}, unsigned_leb(index)); }
inline byte_string call_indirect(std::uint32_t type, std::uint32_t table = 0) {
  return join(byte_string{0x11}, unsigned_leb(type), unsigned_leb(table));
}
inline const byte_string i32_add{0x6a};
inline const byte_string i32_sub{0x6b};
inline const byte_string unreachable{0x00};
inline const byte_string drop{0x1a};
inline const byte_string memory_grow{0x40, 0x00};
inline const byte_string memory_size{0x3f, 0x00};
inline const byte_string i32_load{0x28, 0x02, 0x00};
/// An endless loop.
inline const byte_string spin{0x03, 0x40, 0x0c, 0x00, 0x0b};

class test_module {
public:
  std::uint32_t type(const std::vector<value_type>& params, const std::vector<value_type>& results) {
    add(types_, join(byte_string{0x60}, list(params), list(results)));
    return types_.count - 1;
  }

  std::uint32_t import_function(std::string_view from, std::string_view name, std::uint32_t type) {
    return add_import(from, name, 0, unsigned_leb(type));
  }
  std::uint32_t import_table(std::string_view from, std::string_view name, const table_type& type) {
    return add_import(from, name, 1, table_bytes(type));
  }
  std::uint32_t import_memory(std::string_view from, std::string_view name, const limits& pages) {
    return add_import(from, name, 2, limit_bytes(pages));
  }
  std::uint32_t import_global(std::string_view from, std::string_view name, global_type type) {
    return add_import(from, name, 3, {code(type.value), static_cast<std::uint8_t>(type.is_mutable)});
  }
  std::uint32_t import_tag(std::string_view from, std::string_view name, std::uint32_t type) {
    return add_import(from, name, 4, join(byte_string{0}, unsigned_leb(type)));
  }

  /// A function with locals of the given types; `body` without its final end.
  std::uint32_t function(std::uint32_t type, const byte_string& body, const std::vector<value_type>& locals = {}) {
    add(functions_, unsigned_leb(type));
    byte_string runs = unsigned_leb(locals.size());
    for (const value_type local : locals) append(runs, {1, code(local)});
    const byte_string whole = join(runs, body, byte_string{0x0b});
    add(bodies_, join(unsigned_leb(whole.size()), whole));
    return indices_[0]++;
  }
  std::uint32_t table(const table_type& type) {
    add(tables_, table_bytes(type));
    return indices_[1]++;
  }
  std::uint32_t memory(const limits& pages) {
    add(memories_, limit_bytes(pages));
    return indices_[2]++;
  }
  std::uint32_t global(global_type type, const byte_string& initial) {
    const byte_string kind{code(type.value), static_cast<std::uint8_t>(type.is_mutable)};
    add(globals_, join(kind, initial, byte_string{0x0b}));
    return indices_[3]++;
  }
  std::uint32_t tag(std::uint32_t type) {
    add(tags_, join(byte_string{0}, unsigned_leb(type)));
    return indices_[4]++;
  }
  void export_item(std::string_view name, extern_kind kind, std::uint32_t index) {
    add(exports_, join(text(name), byte_string{static_cast<std::uint8_t>(kind)}, unsigned_leb(index)));
  }
  void start(std::uint32_t function) { start_ = function; }
  /// An active segment of table 0.
  void element(std::int32_t offset, const std::vector<std::uint32_t>& functions) {
    byte_string out = join(byte_string{0}, i32_const(offset), byte_string{0x0b}, unsigned_leb(functions.size()));
    for (const std::uint32_t one : functions) append(out, unsigned_leb(one));
    add(elements_, out);
  }
  /// An active segment of memory 0.
  void data(std::int32_t offset, std::string_view contents) {
    add(data_, join(byte_string{0}, i32_const(offset), byte_string{0x0b}, text(contents)));
  }
  void passive_data(std::string_view contents) { add(data_, join(byte_string{1}, text(contents))); }

  std::vector<std::byte> build() const {
    byte_string out{0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00};
    emit(out, 1, types_);
    emit(out, 2, imports_);
    emit(out, 3, functions_);
    emit(out, 4, tables_);
    emit(out, 5, memories_);
    emit(out, 13, tags_);
    emit(out, 6, globals_);
    emit(out, 7, exports_);
    if (start_) {
      const byte_string index = unsigned_leb(*start_);
      append(out, join(byte_string{8}, unsigned_leb(index.size()), index));
    }
    emit(out, 9, elements_);
    emit(out, 10, bodies_);
    emit(out, 11, data_);
    const auto* bytes = reinterpret_cast<const std::byte*>(out.data());
    return {bytes, bytes + out.size()};
  }

private:
  struct section {
    std::uint32_t count = 0;
    byte_string bytes;
  };

  static std::uint8_t code(value_type type) { return static_cast<std::uint8_t>(type.code); }
  static byte_string list(const std::vector<value_type>& types) {
    byte_string out = unsigned_leb(types.size());
    for (const value_type type : types) out.push_back(code(type));
    return out;
  }
  static byte_string limit_bytes(const limits& size) {
    byte_string out = join(byte_string{static_cast<std::uint8_t>(size.max.has_value())}, unsigned_leb(size.min));
    return size.max ? join(out, unsigned_leb(*size.max)) : out;
  }
  static byte_string table_bytes(const table_type& type) {
    return join(byte_string{code(type.element)}, limit_bytes(type.size));
  }
  static void add(section& to, const byte_string& entry) {
    ++to.count;
    append(to.bytes, entry);
  }
  static void emit(byte_string& out, std::uint8_t id, const section& from) {
    if (from.count == 0) return;
    const byte_string count = unsigned_leb(from.count);
    append(out, join(byte_string{id}, unsigned_leb(count.size() + from.bytes.size()), count, from.bytes));
  }
  std::uint32_t add_import(std::string_view from, std::string_view name, std::uint8_t kind, const byte_string& type) {
    add(imports_, join(text(from), text(name), byte_string{kind}, type));
    return indices_[kind]++;
  }

  section types_, imports_, functions_, tables_, memories_, tags_, globals_, exports_, elements_, bodies_, data_;
  std::optional<std::uint32_t> start_;
  std::array<std::uint32_t, 5> indices_{};
};

} // namespace weir::wasm::testing
