// SPDX-License-Identifier: Apache-2.0
#include "wasm/code/printer.hpp"

#include "wasm/code/handlers.hpp"
#include "wasm/code/op.hpp"

#include <cstdio>
#include <unordered_map>

namespace weir::wasm::detail {
namespace {

struct operation {
  op what;
  operand b;
  operand c;
  target to;
};

/// The operations by the address of their handler. Handlers that a linker merged get one of the names.
const std::unordered_map<std::uintptr_t, operation>& operations() {
  static const auto all = [] {
    std::unordered_map<std::uintptr_t, operation> result;
    for (std::size_t i = 0; i < op_count; ++i) {
      for (std::size_t v = 0; v < variant_count; ++v) {
        const operation one{static_cast<op>(i), static_cast<operand>(v & 3), static_cast<operand>((v >> 2) & 3),
                            static_cast<target>(v >> 4)};
        if (const std::uintptr_t at = find_handler(one.what, v)) result.try_emplace(at, one);
      }
    }
    return result;
  }();
  return all;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string operand_text(operand kind, std::uint32_t slot, std::int64_t constant) {
  switch (kind) {
  case operand::slot: return "s" + number(slot);
  case operand::constant: return "#" + std::to_string(constant);
  case operand::accumulator: return "acc";
  case operand::local: return "pinned";
  }
  return {};
}

std::string target_text(target to, std::uint32_t slot) {
  switch (to) {
  case target::slot: return "s" + number(slot);
  case target::accumulator: return "acc";
  case target::local: return "pinned/s" + number(slot);
  }
  return {};
}

std::string line(const cell& at, const operation& one) {
  std::string text = to_string(one.what);
  text += "  " + target_text(one.to, at.a);
  text += " <- " + operand_text(one.b, at.b, static_cast<std::int32_t>(at.c));
  text += ", " + (one.c == operand::slot ? "c" + number(at.c)
                                         : operand_text(one.c, at.low(), static_cast<std::int32_t>(at.c)));
  return text;
}

} // namespace

std::string print_code(const function_code& function) {
  std::string text = "function " + number(function.index) + ", " + number(function.slot_count) + " slots\n";
  const auto begin = reinterpret_cast<std::uintptr_t>(function.cells.get());
  for (std::uint32_t i = 0; i < function.cell_count; ++i) {
    const cell& at = function.cells[i];
    char place[16];
    std::snprintf(place, sizeof place, "%5u  ", i);
    text += place;
    const auto known = operations().find(at.word);
    if (known != operations().end()) {
      text += line(at, known->second);
    } else if (at.word >= begin && at.word < begin + function.cell_count * sizeof(cell)) {
      text += "-> " + number((at.word - begin) / sizeof(cell));
    } else {
      text += "data " + number(at.word) + ", a " + number(at.a) + ", c " + number(at.c);
    }
    text += '\n';
  }
  for (const exception_range& range : function.ranges) {
    const auto index = [&](const cell* at) { return number(static_cast<std::uint64_t>(at - function.cells.get())); };
    text += "  guarded " + index(range.begin) + " to " + index(range.end) + ":";
    for (const exception_clause& clause : range.clauses)
      text += (clause.catches_all ? " all" : " tag " + number(clause.tag)) + " -> " + index(clause.target);
    text += '\n';
  }
  return text;
}

} // namespace weir::wasm::detail
