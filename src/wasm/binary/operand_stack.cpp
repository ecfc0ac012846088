// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/operand_stack.hpp"

#include <algorithm>

namespace weir::wasm::detail {

std::string to_string(type_codes types) {
  std::string text = "[";
  for (std::uint32_t i = 0; i < types.size; ++i) {
    if (i != 0) text += ' ';
    text += types.data[i] == bottom ? "bot" : wasm::to_string(value_type{types.data[i]});
  }
  return text + "]";
}

void operand_stack::reset(std::size_t input_size) {
  blocks_.clear();
  top_ = base_ = values_.get();
  make_room(0, input_size);
}

void operand_stack::grow(std::size_t room) {
  const std::size_t used = height();
  const std::size_t base = static_cast<std::size_t>(base_ - values_.get());
  const std::size_t capacity =
      std::max({used + room, 2 * static_cast<std::size_t>(limit_ - values_.get()), std::size_t{1024}});
  auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
  std::copy_n(values_.get(), used, larger.get());
  values_ = std::move(larger);
  top_ = values_.get() + used;
  base_ = values_.get() + base;
  limit_ = values_.get() + capacity;
}

bool operand_stack::matches(type_codes types) const {
  const std::size_t present = std::min<std::size_t>(size(), types.size);
  if (present < types.size && !is_polymorphic()) return false;
  const std::uint8_t* values = top_ - present;
  const std::uint8_t* wanted = types.data + (types.size - present);
  for (std::size_t i = 0; i < present; ++i)
    if (values[i] != wanted[i] && values[i] != bottom) return false;
  return true;
}

bool operand_stack::pop_slowly(type_codes types) {
  if (!matches(types)) return false;
  top_ -= std::min<std::size_t>(size(), types.size);
  return true;
}

} // namespace weir::wasm::detail
