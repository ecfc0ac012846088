// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/body_validator.hpp"

namespace weir::wasm::detail {

namespace {

// Three i32: destination, source and count.
constexpr std::array<std::uint8_t, 3> copy_operands = {0x7f, 0x7f, 0x7f};
constexpr type_codes copy_types{copy_operands.data(), 3};

} // namespace

void body_validator::bulk(opcode op) {
  switch (op) {
  case opcode::memory_init:
    memory_init();
    pop(copy_types);
    break;
  case opcode::data_drop: check_data(in_.u32()); break;
  case opcode::memory_copy:
    memory_index();
    memory_index();
    pop(copy_types);
    break;
  case opcode::memory_fill:
    memory_index();
    pop(copy_types);
    break;
  case opcode::elem_drop: element_index(); break;
  case opcode::table_init: table_init(); break;
  case opcode::table_copy: table_copy(); break;
  default: table_access(op); break;
  }
}

const table_decl* body_validator::table_index() {
  const std::uint32_t index = in_.u32();
  if (index != 0) gate_.admit(in_, where_, feature::reference_types, "a table index");
  if (index < module_.tables.size()) [[likely]]
    return &module_.tables[index];
  invalid(unknown("table", index));
  return nullptr;
}

const element_segment* body_validator::element_index() {
  const std::uint32_t index = in_.u32();
  if (index < module_.elements.size()) return &module_.elements[index];
  invalid(unknown("elem segment", index));
  return nullptr;
}

// The data section comes after the code, so its size must have been announced.
void body_validator::check_data(std::uint32_t index) {
  if (in_.failed()) return;
  if (!module_.data_count) return in_.fail_at(where_, errc::malformed, "data count section required");
  if (index >= *module_.data_count) invalid(unknown("data segment", index));
}

void body_validator::memory_init() {
  const std::uint32_t segment = in_.u32();
  memory_index();
  check_data(segment);
}

void body_validator::table_access(opcode op) {
  const table_decl* table = table_index();
  if (!table) return;
  const value_type element = table->type.element;
  switch (op) {
  case opcode::table_get:
    pop(i32);
    push(element);
    break;
  case opcode::table_set:
    pop(element);
    pop(i32);
    break;
  case opcode::table_size: push(i32); break;
  case opcode::table_grow:
    pop(i32);
    pop(element);
    push(i32);
    break;
  default: // table.fill
    pop(i32);
    pop(element);
    pop(i32);
    break;
  }
}

void body_validator::table_copy() {
  const table_decl* to = table_index();
  const table_decl* from = to ? table_index() : nullptr;
  if (!from) return;
  if (to->type.element != from->type.element)
    return invalid("type mismatch: table of " + wasm::to_string(from->type.element) + " copied to table of " +
                   wasm::to_string(to->type.element));
  pop(copy_types);
}

void body_validator::table_init() {
  const std::uint32_t segment = in_.u32();
  const table_decl* table = table_index();
  if (!table) return;
  if (segment >= module_.elements.size()) return invalid(unknown("elem segment", segment));
  if (module_.elements[segment].type != table->type.element)
    return invalid("type mismatch: element segment of " + wasm::to_string(module_.elements[segment].type) +
                   " for a table of " + wasm::to_string(table->type.element));
  pop(copy_types);
}

} // namespace weir::wasm::detail
