// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/validator.hpp"
#include "wasm/binary/body_validator.hpp"

#include <string_view>
#include <unordered_set>

namespace weir::wasm::detail {

namespace {

constexpr std::uint64_t max_pages = 65536;

class module_validator {
public:
  module_validator(module_data& module, feature_gate& gate, failure_sink& sink)
      : module_{module}, gate_{gate}, sink_{sink} {}

  void check() {
    types_of_functions();
    tables();
    memories();
    tags();
    globals();
    exports();
    start();
    elements();
    data();
  }

private:
  void types_of_functions();
  void tables();
  void memories();
  void tags();
  void globals();
  void exports();
  void start();
  void elements();
  void data();
  void export_one(const module_export& one);
  std::uint64_t where_of(extern_kind kind, std::uint32_t index) const;
  std::string size_error(const limits& size, std::uint64_t most, const char* too_much) const;
  void constant(const const_expression& expression, value_type wanted, std::uint32_t visible_globals,
                std::uint64_t where);
  std::optional<value_type> const_result(const const_instruction& one, std::uint32_t visible_globals);
  void fail(std::uint64_t where, std::string message) { sink_.fail(errc::invalid, where, std::move(message)); }

  module_data& module_;
  feature_gate& gate_;
  failure_sink& sink_;
};

// Where to point for something that has no offset of its own: its import, or the section that defines it.
std::uint64_t module_validator::where_of(extern_kind kind, std::uint32_t index) const {
  constexpr std::array<std::uint8_t, 5> section_of = {3, 4, 5, 6, 13};
  for (const module_import& one : module_.imports)
    if (one.kind == kind && one.index == index) return one.offset;
  for (const section_range& one : module_.sections)
    if (one.id == section_of[static_cast<std::size_t>(kind)]) return one.begin;
  return 0;
}

void module_validator::types_of_functions() {
  for (std::uint32_t i = 0; i < module_.functions.size(); ++i)
    if (module_.functions[i] >= module_.types.size())
      return fail(where_of(extern_kind::function, i),
                  unknown("type", module_.functions[i]) + " of function " + std::to_string(i));
}

// Nothing for sizes that are fine. Places are looked up for errors alone, because that takes a walk over the imports.
std::string module_validator::size_error(const limits& size, std::uint64_t most, const char* too_much) const {
  if (size.min > most || size.max.value_or(0) > most) return too_much;
  if (size.max && *size.max < size.min) return "size minimum must not be greater than maximum";
  return {};
}

void module_validator::tables() {
  for (const table_decl& table : module_.tables) {
    std::string error = size_error(table.type.size, 0xffffffffu, "table size must be at most 2^32-1");
    if (!error.empty()) return fail(table.declared_at, std::move(error));
    if (!table.init.empty()) constant(table.init, table.type.element, module_.imported_globals, table.declared_at);
  }
}

void module_validator::memories() {
  const auto count = static_cast<std::uint32_t>(module_.memories.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string error =
        size_error(module_.memories[i].pages, max_pages, "memory size must be at most 65536 pages (4GiB)");
    if (!error.empty()) return fail(where_of(extern_kind::memory, i), std::move(error));
  }
  if (count < 2) return;
  reader nowhere{{}, sink_};
  gate_.admit(nowhere, where_of(extern_kind::memory, 1), feature::multi_memory, "multiple memories");
}

void module_validator::tags() {
  for (std::uint32_t i = 0; i < module_.tags.size(); ++i) {
    if (module_.tags[i] >= module_.types.size())
      return fail(where_of(extern_kind::tag, i), unknown("type", module_.tags[i]));
    if (!module_.types[module_.tags[i]].results.empty())
      return fail(where_of(extern_kind::tag, i), "non-empty tag result type");
  }
}

void module_validator::globals() {
  for (std::uint32_t i = module_.imported_globals; i < module_.globals.size(); ++i) {
    const global_decl& global = module_.globals[i];
    constant(global.init, global.type.value, i, global.declared_at);
  }
}

void module_validator::exports() {
  std::unordered_set<std::string_view> names;
  names.reserve(module_.exports.size());
  for (const module_export& one : module_.exports) {
    if (!names.insert(one.name).second) fail(one.declared_at, "duplicate export name \"" + one.name + "\"");
    export_one(one);
    if (sink_.has_failed) return;
  }
}

void module_validator::export_one(const module_export& one) {
  const auto exists = [&](std::size_t count) {
    if (one.index >= count) fail(one.declared_at, unknown(wasm::to_string(one.kind), one.index));
    return one.index < count;
  };
  switch (one.kind) {
  case extern_kind::function:
    if (exists(module_.functions.size())) module_.declared_functions[one.index] = true;
    break;
  case extern_kind::table: exists(module_.tables.size()); break;
  case extern_kind::memory: exists(module_.memories.size()); break;
  case extern_kind::tag: exists(module_.tags.size()); break;
  case extern_kind::global:
    if (exists(module_.globals.size()) && module_.globals[one.index].type.is_mutable) {
      reader nowhere{{}, sink_};
      gate_.admit(nowhere, one.declared_at, feature::mutable_global, "export of a mutable global");
    }
    break;
  }
}

void module_validator::start() {
  if (!module_.start || sink_.has_failed) return;
  const std::uint32_t index = *module_.start;
  if (index >= module_.functions.size()) return fail(module_.start_declared_at, unknown("function", index));
  const func_type& type = module_.function_type(index);
  if (!type.params.empty() || !type.results.empty())
    fail(module_.start_declared_at, "start function must take and give nothing, not " + wasm::to_string(type));
}

void module_validator::elements() {
  const auto all_globals = static_cast<std::uint32_t>(module_.globals.size());
  for (const element_segment& one : module_.elements) {
    if (sink_.has_failed) return;
    for (std::uint32_t function : one.functions) {
      if (function >= module_.functions.size()) return fail(one.declared_at, unknown("function", function));
      module_.declared_functions[function] = true;
    }
    for (const const_expression& item : one.expressions) constant(item, one.type, all_globals, one.declared_at);
    if (one.mode != segment_mode::active) continue;
    if (one.table >= module_.tables.size()) return fail(one.declared_at, unknown("table", one.table));
    if (module_.tables[one.table].type.element != one.type)
      return fail(one.declared_at, "type mismatch: element segment of " + wasm::to_string(one.type) +
                                       " for a table of " + wasm::to_string(module_.tables[one.table].type.element));
    constant(one.offset, i32, all_globals, one.declared_at);
  }
}

void module_validator::data() {
  const auto all_globals = static_cast<std::uint32_t>(module_.globals.size());
  for (const data_segment& one : module_.data) {
    if (sink_.has_failed) return;
    if (one.mode != segment_mode::active) continue;
    if (one.memory >= module_.memories.size()) return fail(one.declared_at, unknown("memory", one.memory));
    constant(one.offset, i32, all_globals, one.declared_at);
  }
}

std::optional<value_type> module_validator::const_result(const const_instruction& one, std::uint32_t visible_globals) {
  using op = const_instruction::op;
  switch (one.code) {
  case op::i32_const: return i32;
  case op::i64_const: return i64;
  case op::f32_const: return f32;
  case op::f64_const: return f64;
  case op::ref_null: return value_type{static_cast<std::uint32_t>(one.bits)};
  case op::ref_func:
    if (one.bits >= module_.functions.size()) return fail(one.declared_at, unknown("function", one.bits)), std::nullopt;
    module_.declared_functions[one.bits] = true;
    return funcref;
  case op::global_get: {
    if (one.bits >= visible_globals) return fail(one.declared_at, unknown("global", one.bits)), std::nullopt;
    const global_type& type = module_.globals[one.bits].type;
    if (type.is_mutable)
      return fail(one.declared_at, "constant expression required, not a mutable global"), std::nullopt;
    return type.value;
  }
  case op::i32_add:
  case op::i32_sub:
  case op::i32_mul: return i32;
  case op::i64_add:
  case op::i64_sub:
  case op::i64_mul: return i64;
  }
  return std::nullopt;
}

void module_validator::constant(const const_expression& expression, value_type wanted, std::uint32_t visible_globals,
                                std::uint64_t where) {
  if (expression.size() == 1) { // nearly all
    const std::optional<value_type> result = const_result(expression.front(), visible_globals);
    if (!result || *result == wanted) return;
  }
  std::vector<value_type> stack;
  for (const const_instruction& one : expression) {
    const std::optional<value_type> result = const_result(one, visible_globals);
    if (!result) return;
    if (one.code >= const_instruction::op::i32_add) { // takes two of what it gives
      if (stack.size() < 2 || stack[stack.size() - 1] != *result || stack[stack.size() - 2] != *result)
        return fail(one.declared_at, "type mismatch: arithmetic on other types in a constant expression");
      stack.pop_back();
    } else {
      stack.push_back(*result);
    }
  }
  if (stack.size() == 1 && stack[0] == wanted) return;
  std::string given;
  for (value_type one : stack) given += (given.empty() ? "" : " ") + wasm::to_string(one);
  fail(expression.empty() ? where : expression.front().declared_at,
       "type mismatch: constant expression requires [" + wasm::to_string(wanted) + "] but stack has [" + given + "]");
}

} // namespace

result<void> validate_module(module_data& module, validation how) {
  feature_gate gate{module.allowed};
  failure_sink sink;
  module.declared_functions.assign(module.functions.size(), false);
  module_validator{module, gate, sink}.check();
  if (how == validation::eager && !sink.has_failed) {
    body_validator bodies{module, gate, sink};
    for (std::uint32_t i = module.imported_functions; i < module.functions.size(); ++i)
      if (!bodies.check(i)) break;
  }
  if (sink.has_failed) return std::unexpected(std::move(sink.what));
  module.used = feature_set{module.used.bits() | gate.used().bits()};
  return {};
}

result<void> validate_body(const module_data& module, std::uint32_t function) {
  feature_gate gate{module.allowed};
  failure_sink sink;
  if (!body_validator{module, gate, sink}.check(function)) return std::unexpected(std::move(sink.what));
  return {};
}

} // namespace weir::wasm::detail
