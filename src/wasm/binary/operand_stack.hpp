// SPDX-License-Identifier: Apache-2.0
#pragma once

// The types of the operand stack and of the open blocks of one function body, one byte a value. A value of unreachable
// code whose type nothing fixes is `bottom`; below the height at which unreachable code began there is no end of such
// values.
#include "wasm/binary/module_data.hpp"
#include "wasm/binary/opcodes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace weir::wasm::detail {

inline constexpr std::uint8_t bottom = 0;

/// A sequence of value types.
struct type_codes {
  const std::uint8_t* data = nullptr;
  std::uint32_t size = 0;
};

/// `[i32 i64]`, the reference interpreter's way to write it.
std::string to_string(type_codes types);

inline bool is_number(std::uint8_t code) { return code >= 0x7b && code <= 0x7f; }

/// An open block: its type, the operand height at its start and what opened it.
struct open_block {
  const std::uint8_t* codes = nullptr; // parameters, then results
  std::uint16_t params = 0;
  std::uint16_t results = 0;
  opcode kind = opcode::block;
  bool is_unreachable = false;
  std::uint32_t height = 0;

  type_codes start_types() const { return {codes, params}; }
  type_codes end_types() const { return {codes + params, results}; }
  /// What a branch to the block carries.
  type_codes label_types() const { return kind == opcode::loop ? start_types() : end_types(); }
};

class operand_stack {
public:
  /// Empties the stack. Every single push() must take a byte of input, of which there are `input_size`; push() relies
  /// on it.
  void reset(std::size_t input_size);
  /// Room for `count` more values while `input_left` bytes are to come.
  void make_room(std::size_t count, std::size_t input_left) {
    if (static_cast<std::size_t>(limit_ - top_) < count + input_left + 1) [[unlikely]]
      grow(count + input_left + 1);
  }

  void open(open_block block) {
    block.height = static_cast<std::uint32_t>(top_ - values_.get());
    blocks_.push_back(block);
    base_ = top_;
  }
  void close() {
    blocks_.pop_back();
    base_ = blocks_.empty() ? values_.get() : values_.get() + blocks_.back().height;
  }
  open_block& innermost() { return blocks_.back(); }
  open_block& block(std::size_t label) { return blocks_[blocks_.size() - 1 - label]; }
  std::size_t depth() const { return blocks_.size(); }

  /// Values of the innermost block.
  std::size_t size() const { return static_cast<std::size_t>(top_ - base_); }
  std::size_t height() const { return static_cast<std::size_t>(top_ - values_.get()); }
  std::uint8_t* top() { return top_; }
  void set_top(std::uint8_t* top) { top_ = top; }
  void drop_all() { top_ = base_; }
  bool is_polymorphic() const { return blocks_.back().is_unreachable; }

  void push(std::uint8_t code) { *top_++ = code; }
  /// Needs make_room().
  void push(type_codes types) {
    if (types.size == 0) return;
    std::memcpy(top_, types.data, types.size);
    top_ += types.size;
  }
  bool pop(type_codes types) {
    if (types.size == 0) return true;
    if (size() >= types.size && std::memcmp(top_ - types.size, types.data, types.size) == 0) [[likely]] {
      top_ -= types.size;
      return true;
    }
    return pop_slowly(types);
  }
  bool pop(std::uint8_t code) {
    if (top_ != base_ && top_[-1] == code) [[likely]] {
      --top_;
      return true;
    }
    return pop_slowly({&code, 1});
  }
  /// Takes a value of any type off; false when there is none.
  bool pop_any(std::uint8_t& code) {
    if (top_ != base_) [[likely]] {
      code = *--top_;
      return true;
    }
    code = bottom;
    return is_polymorphic();
  }
  /// Whether pop(types) would succeed. Leaves the stack as it is.
  bool matches(type_codes types) const;
  /// The topmost values of the innermost block, at most `count`, for messages.
  type_codes visible(std::size_t count) const {
    const std::size_t shown = count < size() ? count : size();
    return {top_ - shown, static_cast<std::uint32_t>(shown)};
  }

private:
  [[gnu::noinline]] bool pop_slowly(type_codes types);
  [[gnu::noinline]] void grow(std::size_t room);

  std::uint8_t* top_ = nullptr;
  std::uint8_t* base_ = nullptr; // where the innermost block starts
  std::uint8_t* limit_ = nullptr;
  std::unique_ptr<std::uint8_t[]> values_;
  std::vector<open_block> blocks_;
};

} // namespace weir::wasm::detail
