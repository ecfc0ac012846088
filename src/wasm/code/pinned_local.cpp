// SPDX-License-Identifier: Apache-2.0
// Which local deserves a register: the one with most references, where each loop around a reference counts eightfold.
#include "wasm/code/translator.hpp"

#include <algorithm>
#include <array>

namespace weir::wasm::detail {

std::int64_t choose_pinned_local(const module_data& module, std::uint32_t function,
                                 std::span<const value_class> locals) {
  constexpr std::size_t deepest = 6; // deeper loops count no more
  static constexpr std::array<std::uint64_t, deepest + 1> weights = {1, 8, 64, 512, 4096, 32768, 262144};
  std::vector<std::uint64_t> references(locals.size());
  std::vector<bool> is_loop;
  std::size_t loops = 0;
  code_cursor in = body_cursor(module, function);
  const std::uint8_t* const end =
      reinterpret_cast<const std::uint8_t*>(module.bytes.data()) + module.body(function).end;
  while (in.position() != end) {
    const instruction one = read_instruction(in);
    const immediate_kind kind = info(one.op).immediate;
    if (kind == immediate_kind::local) {
      references[one.index] += weights[std::min(loops, deepest)];
    } else if (kind == immediate_kind::block || kind == immediate_kind::try_table) {
      is_loop.push_back(one.op == opcode::loop);
      loops += is_loop.back() ? 1 : 0;
    } else if (one.op == opcode::end && !is_loop.empty()) {
      loops -= is_loop.back() ? 1 : 0;
      is_loop.pop_back();
    }
  }
  std::int64_t best = -1;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (is_float(locals[i]) || references[i] <= most) continue;
    best = static_cast<std::int64_t>(i);
    most = references[i];
  }
  return best;
}

} // namespace weir::wasm::detail
