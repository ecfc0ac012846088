// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: valid modules made of random instructions, the same ones for the same seed on every machine. Loops count a local of their
// own up to a small number and functions call only earlier ones, so every call ends.
#include "wasm/runtime/test_module.hpp"

#include <weir/wasm/value.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace weir::wasm::testing {

class random_module {
public:
  explicit random_module(std::uint64_t seed) : random_{seed} {
    module_.memory({1, std::nullopt});
    for (const value_type type : {i32, i64, f32, f64}) module_.global({type, true}, constant(type));
    module_.export_item("memory", extern_kind::memory, 0);
    pair_ = module_.type({i32, i32}, {i32, i32});
    for (std::uint32_t i = 0; i < functions; ++i) function(i);
    module_.table({funcref, {functions, functions}});
    std::vector<std::uint32_t> all(functions);
    for (std::uint32_t i = 0; i < functions; ++i) all[i] = i;
    module_.element(0, all);
  }

  std::vector<std::byte> build() const { return module_.build(); }
  static constexpr std::uint32_t functions = 4; // exported as f0, f1, ...
  static std::vector<value_type> params() { return {i32, i64, f64, i32}; }

private:
  static constexpr std::uint32_t counters = 3; // the last locals, one for each depth of loops

  std::uint32_t below(std::uint32_t end) { return static_cast<std::uint32_t>(random_() % end); }
  value_type any_type() { return std::vector{i32, i32, i32, i64, i64, f32, f64}[below(7)]; }

  void function(std::uint32_t index) {
    locals_ = params();
    std::vector<value_type> more;
    for (int i = 0; i < 6; ++i) more.push_back(any_type());
    locals_.insert(locals_.end(), more.begin(), more.end());
    more.insert(more.end(), counters, i32);
    index_ = index;
    loops_ = depth_ = 0;
    results_.push_back(any_type());
    body_.clear();
    for (std::uint32_t i = 2 + below(6); i != 0; --i) statement(4);
    expression(results_[index], 5);
    const std::uint32_t type = module_.type(params(), {results_[index]});
    types_.push_back(type);
    module_.export_item("f" + std::to_string(index), extern_kind::function, module_.function(type, body_, more));
  }

  void put(std::uint8_t byte) { body_.push_back(byte); }
  void put(const byte_string& bytes) { append(body_, bytes); }

  static std::uint8_t code(value_type type) { return static_cast<std::uint8_t>(type.code); }

  byte_string constant(value_type type) {
    const auto number = static_cast<std::int64_t>(random_());
    const std::int64_t small = number % 70;
    byte_string out;
    if (type == i32) return i32_const(static_cast<std::int32_t>(below(3) != 0 ? small : number));
    if (type == i64) return i64_const(below(3) != 0 ? small : number);
    const std::uint64_t bits = value{static_cast<double>(small) / 4}.bits;
    const std::uint64_t short_bits = value{static_cast<float>(small) / 4}.bits;
    out.push_back(type == f32 ? 0x43 : 0x44);
    for (int i = 0; i < (type == f32 ? 4 : 8); ++i)
      out.push_back(static_cast<std::uint8_t>((type == f32 ? short_bits : bits) >> (8 * i)));
    return out;
  }

  /// A local of that type, or -1.
  std::int64_t local_of(value_type type) {
    const auto start = below(static_cast<std::uint32_t>(locals_.size()));
    for (std::uint32_t i = 0; i < locals_.size(); ++i) {
      const auto at = static_cast<std::uint32_t>((start + i) % locals_.size());
      if (locals_[at] == type) return at;
    }
    return -1;
  }

  void indexed(std::uint8_t op, std::int64_t index) {
    put(op);
    put(unsigned_leb(static_cast<std::uint64_t>(index)));
  }

  void address(int budget) {
    expression(i32, budget);
    put(i32_const(0x3fff));
    put(0x71);
    if (below(2) == 0) {
      put(i32_const(static_cast<std::int32_t>(below(64))));
      put(0x6a);
    }
  }
  void memory_argument() { put(join(byte_string{0}, unsigned_leb(below(2) == 0 ? 0 : below(0x8000)))); }

  void binary(value_type type, int budget) {
    expression(type, budget);
    expression(type, budget);
    // Divisions trap often, so there are few.
    const std::uint32_t which = below(15);
    const bool is_division = which >= 3 && which <= 6;
    const std::uint32_t chosen = is_division && below(12) != 0 ? which - 3 : which;
    if (type == i32) put(static_cast<std::uint8_t>(0x6a + chosen));
    if (type == i64) put(static_cast<std::uint8_t>(0x7c + chosen));
    if (type == f32) put(static_cast<std::uint8_t>(0x92 + below(7)));
    if (type == f64) put(static_cast<std::uint8_t>(0xa0 + below(7)));
  }

  void compare(int budget) {
    const value_type type = any_type();
    expression(type, budget);
    if (below(4) == 0 && (type == i32 || type == i64)) return put(type == i32 ? 0x45 : 0x50);
    expression(type, budget);
    if (type == i32) put(static_cast<std::uint8_t>(0x46 + below(10)));
    if (type == i64) put(static_cast<std::uint8_t>(0x51 + below(10)));
    if (type == f32) put(static_cast<std::uint8_t>(0x5b + below(6)));
    if (type == f64) put(static_cast<std::uint8_t>(0x61 + below(6)));
    if (below(4) == 0) put(0x45);
  }

  void unary(value_type type, int budget) {
    const auto from = [&](value_type source, std::initializer_list<std::uint8_t> choices) {
      expression(source, budget);
      put(std::vector<std::uint8_t>(choices)[below(static_cast<std::uint32_t>(choices.size()))]);
    };
    const std::uint32_t which = below(3);
    if (type == i32) {
      if (which == 0) return from(i32, {0x67, 0x68, 0x69, 0xc0, 0xc1});
      if (which == 1) return from(i64, {0xa7, 0x50});
      return from(f32, {0xa8, 0xbc});
    }
    if (type == i64) {
      if (which == 0) return from(i64, {0x79, 0x7a, 0x7b, 0xc2, 0xc3, 0xc4});
      if (which == 1) return from(i32, {0xac, 0xad});
      return from(f64, {0xb0, 0xbd});
    }
    if (type == f32) {
      if (which == 0) return from(f32, {0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90, 0x91});
      if (which == 1) return from(i32, {0xb2, 0xb3, 0xbe});
      return from(f64, {0xb6});
    }
    if (which == 0) return from(f64, {0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f});
    if (which == 1) return from(i64, {0xb9, 0xba, 0xbf});
    return from(f32, {0xbb});
  }

  void arguments(int budget) {
    for (const value_type type : params()) expression(type, budget);
  }

  void call(value_type type, int budget) {
    for (std::uint32_t callee = 0; callee < index_; ++callee) {
      if (results_[callee] != type || below(2) == 0) continue;
      arguments(budget);
      if (below(2) == 0) return put(testing::call(callee));
      put(i32_const(static_cast<std::int32_t>(callee)));
      return put(call_indirect(types_[callee]));
    }
    put(constant(type));
  }

  /// Two values through a block that swaps, replaces or passes them, then joined to one.
  void pair_block(int budget) {
    expression(i32, budget);
    expression(i32, budget);
    put(below(2) == 0 ? 0x02 : 0x03);
    put(unsigned_leb(pair_));
    ++depth_;
    if (const std::int64_t local = local_of(i32); local >= 0) {
      indexed(0x21, local);
      expression(i32, budget);
      put(static_cast<std::uint8_t>(0x6a));
      indexed(0x20, local);
    }
    if (below(2) == 0) { // in a block of its own, so that the branch goes forward
      put(0x02);
      put(unsigned_leb(pair_));
      compare(budget);
      put(byte_string{0x0d, 0x00});
      put(i32_add);
      put(constant(i32));
      put(0x0b);
    }
    put(0x0b);
    --depth_;
    put(0x6b);
  }

  void expression(value_type type, int budget) {
    const std::int64_t local = local_of(type);
    if (budget <= 0 || below(6) == 0) {
      if (local >= 0 && below(3) != 0) return indexed(0x20, local);
      return put(constant(type));
    }
    const int less = budget - 1;
    switch (below(12)) {
    case 0:
    case 1:
    case 2: return binary(type, less);
    case 3: return type == i32 ? compare(less) : unary(type, less);
    case 4: return unary(type, less);
    case 5:
      address(less);
      put(type == i32   ? std::vector<std::uint8_t>{0x28, 0x2c, 0x2d, 0x2e, 0x2f}[below(5)]
          : type == i64 ? std::vector<std::uint8_t>{0x29, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35}[below(7)]
          : type == f32 ? std::uint8_t{0x2a}
                        : std::uint8_t{0x2b});
      return memory_argument();
    case 6:
      expression(type, less);
      if (local >= 0) indexed(0x22, local);
      return;
    case 7:
      expression(type, less);
      expression(type, less);
      compare(less);
      return put(0x1b);
    case 8:
      compare(less);
      put(byte_string{0x04, code(type)});
      ++depth_;
      expression(type, less);
      put(0x05);
      expression(type, less);
      put(0x0b);
      --depth_;
      return;
    case 9: return indexed(0x23, type == i32 ? 0 : type == i64 ? 1 : type == f32 ? 2 : 3);
    case 10: return type == i32 ? pair_block(less) : call(type, less - 1);
    default:
      put(byte_string{0x02, code(type)});
      ++depth_;
      expression(type, less);
      compare(less);
      put(byte_string{0x0d, 0x00}); // br_if with the value
      if (below(2) == 0) {
        put(0x1a);
        expression(type, less);
      }
      put(0x0b);
      --depth_;
    }
  }

  void loop(int budget) {
    const auto counter = static_cast<std::int64_t>(locals_.size() + loops_++);
    put(i32_const(0));
    indexed(0x21, counter);
    put(byte_string{0x03, 0x40});
    ++depth_;
    statement(budget);
    if (below(2) == 0) statement(budget);
    indexed(0x20, counter);
    put(i32_const(1));
    put(0x6a);
    indexed(0x22, counter);
    put(i32_const(static_cast<std::int32_t>(1 + below(5))));
    put(below(2) == 0 ? 0x47 : 0x48);
    if (below(3) == 0) put(byte_string{0x45, 0x45});
    put(byte_string{0x0d, 0x00, 0x0b});
    --depth_;
    --loops_;
  }

  void table_branch(int budget) {
    for (int i = 0; i < 3; ++i) put(byte_string{0x02, 0x40});
    depth_ += 3;
    expression(i32, budget);
    put(byte_string{0x0e, 0x02, 0x00, 0x02, 0x01});
    put(0x0b);
    depth_ -= 1;
    statement(budget);
    put(0x0b);
    depth_ -= 1;
    statement(budget);
    put(0x0b);
    depth_ -= 1;
  }

  void statement(int budget) {
    const value_type type = any_type();
    const int less = budget - 1;
    switch (below(budget > 1 ? 10u : 4u)) {
    case 0:
    case 1:
    case 2: {
      expression(type, less + 1);
      const std::int64_t local = local_of(type);
      return local >= 0 ? indexed(0x21, local) : put(0x1a);
    }
    case 3:
      address(less);
      expression(type, less);
      put(type == i32   ? std::vector<std::uint8_t>{0x36, 0x3a, 0x3b}[below(3)]
          : type == i64 ? std::vector<std::uint8_t>{0x37, 0x3c, 0x3d, 0x3e}[below(4)]
          : type == f32 ? std::uint8_t{0x38}
                        : std::uint8_t{0x39});
      return memory_argument();
    case 4: expression(type, less); return indexed(0x24, type == i32 ? 0 : type == i64 ? 1 : type == f32 ? 2 : 3);
    case 5: return loops_ < counters ? loop(less) : statement(less);
    case 6:
      compare(less);
      put(byte_string{0x04, 0x40});
      ++depth_;
      statement(less);
      if (below(2) == 0) {
        put(0x05);
        statement(less);
      }
      put(0x0b);
      --depth_;
      return;
    case 7: return table_branch(less);
    case 8: // leaves the function, now and then
      expression(results_[index_], less);
      compare(less);
      compare(less);
      put(0x71);
      indexed(0x0d, depth_);
      return put(0x1a);
    default:
      put(byte_string{0x02, 0x40});
      ++depth_;
      compare(less);
      put(byte_string{0x0d, 0x00});
      statement(less);
      put(0x0b);
      --depth_;
    }
  }

  std::mt19937_64 random_;
  test_module module_;
  std::uint32_t pair_ = 0;
  std::vector<std::uint32_t> types_;
  std::vector<value_type> results_;
  std::vector<value_type> locals_; // without the counters
  std::uint32_t index_ = 0;
  std::uint32_t loops_ = 0;
  std::uint32_t depth_ = 0; // of open blocks
  byte_string body_;
};

} // namespace weir::wasm::testing
