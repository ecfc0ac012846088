// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests only: random litmus programs of at most three threads with at most four accesses each.

#include <random>

#include "check/litmus_program.hpp"

namespace weir::check::detail {

class litmus_generator {
public:
  explicit litmus_generator(std::uint64_t seed) : random_(seed) {}

  litmus_program next() {
    litmus_program program;
    program.name = "random-" + std::to_string(++made_);
    const int threads = below(3) == 0 ? 3 : 2;
    const int locations = 1 + below(3);
    has_plain_ = locations > 1 && below(6) == 0;
    left_ = threads == 2 ? 8 : 7;
    for (int location = 0; location < locations; ++location)
      program.locations.push_back(std::string(1, static_cast<char>('x' + location)));
    for (int thread = 0; thread < threads; ++thread) {
      registers_ = 0;
      accesses_ = 0;
      program.threads.push_back(list(1 + below(4), locations));
      program.registers.emplace_back();
      for (int reg = 0; reg < registers_; ++reg) program.registers.back().push_back("r" + std::to_string(reg));
    }
    return program;
  }

private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint64_t>(bound)); }

  memory_order any_of(std::initializer_list<memory_order> orders) {
    return orders.begin()[static_cast<std::size_t>(below(static_cast<int>(orders.size())))];
  }

  litmus_thread list(int length, int locations) {
    litmus_thread out;
    for (int at = 0; at < length && accesses_ < 4 && left_ > 0; ++at) out.push_back(instruction(locations));
    return out;
  }

  litmus_instruction instruction(int locations) {
    using enum memory_order;
    litmus_instruction out;
    const int kind = below(20);
    if (kind < 3) {
      out.what = litmus_instruction::form::fence;
      out.op.kind = operation_kind::fence;
      out.op.order = any_of({acquire, release, acq_rel, seq_cst, seq_cst});
      return out;
    }
    if (kind == 3 && registers_ > 0) {
      out.what = litmus_instruction::form::if_equal;
      out.reg = below(registers_);
      out.equals = below(3);
      out.then = list(1 + below(2), locations);
      return out;
    }
    ++accesses_;
    --left_;
    out.op.location = below(locations);
    out.op.is_plain = has_plain_ && out.op.location == locations - 1;
    out.op.operand = static_cast<std::uint64_t>(1 + below(3));
    if (kind < 9 || (out.op.is_plain && kind < 14)) {
      out.op.kind = operation_kind::store;
      out.op.order = any_of({relaxed, release, seq_cst});
      return out;
    }
    out.reg = registers_++;
    if (kind < 14 || out.op.is_plain) {
      out.op.kind = operation_kind::load;
      out.op.order = any_of({relaxed, acquire, seq_cst});
      return out;
    }
    out.op.order = any_of({relaxed, acquire, release, acq_rel, seq_cst});
    if (kind < 16) {
      out.op.kind = operation_kind::exchange;
    } else if (kind < 18) {
      out.op.kind = operation_kind::add;
    } else {
      out.op.kind = operation_kind::compare_exchange;
      out.op.expected = static_cast<std::uint64_t>(below(3));
      out.op.failure = out.op.order == seq_cst ? any_of({relaxed, acquire, seq_cst}) : any_of({relaxed, acquire});
    }
    return out;
  }

  std::mt19937_64 random_;
  int made_ = 0;
  int registers_ = 0;
  int accesses_ = 0;
  int left_ = 0;
  bool has_plain_ = false;
};

} // namespace weir::check::detail
