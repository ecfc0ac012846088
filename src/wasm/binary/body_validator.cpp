// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/body_validator.hpp"
#include "wasm/binary/decoder.hpp"
#include "wasm/binary/instruction_rules.hpp"

namespace weir::wasm::detail {

namespace {

const std::uint8_t* file_of(const module_data& module) {
  return reinterpret_cast<const std::uint8_t*>(module.bytes.data());
}

} // namespace

body_validator::body_validator(const module_data& module, feature_gate& gate, failure_sink& sink)
    : module_{module}, gate_{gate}, sink_{sink}, in_{file_of(module), file_of(module), file_of(module), sink} {}

bool body_validator::check(std::uint32_t function) {
  const function_body& body = module_.body(function);
  const std::uint32_t type = module_.functions[function];
  const std::uint8_t* file = file_of(module_);
  function_ = function;
  in_ = reader{file, file + body.begin, file + body.end, sink_};
  where_ = body.begin;
  locals_.assign(params(type).data, params(type).data + params(type).size);
  std::uint64_t total = locals_.size();
  for (const local_run& run : body.locals) total += run.count;
  if (total > engine_limits::max_locals)
    sink_.fail(errc::limit_exceeded, body.begin, "too many locals: " + std::to_string(total));
  else
    for (const local_run& run : body.locals)
      locals_.insert(locals_.end(), run.count, static_cast<std::uint8_t>(run.type.code));

  stack_.reset(in_.remaining());
  const type_codes out = results(type);
  stack_.open({out.data, 0, static_cast<std::uint16_t>(out.size)});
  while (!in_.at_end() && !sink_.has_failed) instruction_at();
  if (!sink_.has_failed && stack_.depth() != 0) missing_end(body.end);
  if (sink_.has_failed && sink_.what.function_index < 0) sink_.what.function_index = function;
  return !sink_.has_failed;
}

// The size of the body ends before its instructions do.
void body_validator::missing_end(std::uint64_t body_end) {
  if (body_end == module_.bytes.size()) return sink_.fail(errc::malformed, body_end, text::unexpected_end);
  const bool is_behind = module_.bytes[body_end] == std::byte{0x0b};
  sink_.fail(errc::malformed, body_end,
             is_behind ? "section size mismatch: the function's end lies behind its size" : "END opcode expected");
}

inline const instruction_rule* body_validator::rule_at(std::uint8_t byte) {
  if (byte != 0xfc) [[likely]] {
    const instruction_rule* rule = &instruction_rules[byte];
    if (rule->kind != rule_kind::illegal) [[likely]]
      return rule;
    const bool has_number = byte == 0xfb || byte == 0xfd || byte == 0xfe;
    refuse_opcode(in_, gate_, where_, byte, has_number ? std::optional{in_.u32()} : std::nullopt);
    return nullptr;
  }
  const std::uint32_t number = in_.u32();
  if (in_.failed()) return nullptr;
  if (number < opcode_count - 0x100) return &instruction_rules[0x100 + number];
  refuse_opcode(in_, gate_, where_, byte, number);
  return nullptr;
}

inline void body_validator::instruction_at() {
  where_ = in_.offset();
  const instruction_rule* rule = rule_at(in_.u8());
  if (!rule) return;
  const auto op = static_cast<opcode>(rule - instruction_rules.data());
  if (rule->needed != 0 && !gate_.admit(in_, where_, feature{1u << (rule->needed - 1)}, to_string(op))) [[unlikely]]
    return;
  switch (rule->kind) {
  case rule_kind::unary:
    if (stack_.size() >= 1 && stack_.top()[-1] == rule->operand[0]) [[likely]]
      stack_.top()[-1] = rule->result;
    else
      effect_slowly(*rule);
    break;
  case rule_kind::binary:
    if (stack_.size() >= 2 && stack_.top()[-1] == rule->operand[1] && stack_.top()[-2] == rule->operand[0]) [[likely]] {
      stack_.top()[-2] = rule->result;
      stack_.set_top(stack_.top() - 1);
    } else {
      effect_slowly(*rule);
    }
    break;
  case rule_kind::local: local(op); break;
  case rule_kind::const_i32:
    in_.s32();
    stack_.push(rule->result);
    break;
  case rule_kind::const_i64:
    in_.s64();
    stack_.push(rule->result);
    break;
  case rule_kind::const_f32:
    in_.skip(4);
    stack_.push(rule->result);
    break;
  case rule_kind::const_f64:
    in_.skip(8);
    stack_.push(rule->result);
    break;
  case rule_kind::load:
    memory_argument(*rule);
    if (stack_.size() >= 1 && stack_.top()[-1] == rule->operand[0]) [[likely]]
      stack_.top()[-1] = rule->result;
    else
      effect_slowly(*rule);
    break;
  case rule_kind::store:
    memory_argument(*rule);
    if (stack_.size() >= 2 && stack_.top()[-1] == rule->operand[1] && stack_.top()[-2] == rule->operand[0]) [[likely]]
      stack_.set_top(stack_.top() - 2);
    else
      effect_slowly(*rule);
    break;
  case rule_kind::memory_use:
    memory_index();
    effect_slowly(*rule);
    break;
  case rule_kind::nothing: break;
  case rule_kind::control: control(op); break;
  case rule_kind::special: special(op); break;
  case rule_kind::bulk: bulk(op); break;
  case rule_kind::illegal: break;
  }
}

void body_validator::effect_slowly(const instruction_rule& rule) {
  pop({rule.operand.data(), rule.operands});
  if (rule.result != 0) stack_.push(rule.result);
}

inline void body_validator::memory_argument(const instruction_rule& rule) {
  constexpr std::uint32_t names_memory = 0x40, first_illegal = 0x80;
  std::uint32_t flags = in_.u32();
  std::uint32_t memory = 0;
  if (flags >= names_memory) [[unlikely]] {
    if (flags >= first_illegal) return in_.fail_at(where_, errc::malformed, "malformed memop flags");
    flags -= names_memory;
    memory = in_.u32();
    gate_.admit(in_, where_, feature::multi_memory, "a memory argument with an index");
  }
  const std::uint64_t offset = in_.u64();
  if (memory >= module_.memories.size()) [[unlikely]]
    return invalid(unknown("memory", memory));
  if (flags > rule.align) [[unlikely]]
    return invalid("alignment must not be larger than natural");
  if (offset > 0xffffffffu) [[unlikely]]
    invalid("offset out of range");
}

std::uint32_t body_validator::memory_index() {
  const std::uint32_t memory = in_.u32();
  if (memory != 0) gate_.admit(in_, where_, feature::multi_memory, "a memory index");
  if (memory >= module_.memories.size()) invalid(unknown("memory", memory));
  return memory;
}

inline void body_validator::local(opcode op) {
  const std::uint32_t index = in_.u32();
  if (index >= locals_.size()) [[unlikely]]
    return invalid(unknown("local", index));
  const std::uint8_t type = locals_[index];
  if (op != opcode::local_get) pop(type);
  if (op != opcode::local_set) stack_.push(type);
}

void body_validator::special(opcode op) {
  std::uint8_t ignored = 0;
  switch (op) {
  case opcode::drop:
    if (!stack_.pop_any(ignored)) invalid("type mismatch: instruction requires [any] but stack has []");
    break;
  case opcode::select: select(); break;
  case opcode::select_typed: select_typed(); break;
  case opcode::global_get:
  case opcode::global_set: global(op); break;
  default: references(op); break;
  }
}

void body_validator::global(opcode op) {
  const std::uint32_t index = in_.u32();
  if (index >= module_.globals.size()) return invalid(unknown("global", index));
  const global_type& type = module_.globals[index].type;
  if (op == opcode::global_get) return push(type.value);
  if (!type.is_mutable) return invalid("immutable global");
  pop(type.value);
}

void body_validator::select() {
  std::uint8_t second = 0;
  std::uint8_t first = 0;
  pop(i32);
  if (!stack_.pop_any(second) || !stack_.pop_any(first))
    return invalid("type mismatch: instruction requires [t t i32] but stack has fewer values");
  const bool are_numbers = (first == bottom || is_number(first)) && (second == bottom || is_number(second));
  if (!are_numbers || (first != second && first != bottom && second != bottom)) {
    const std::uint8_t both[] = {first, second};
    return invalid("type mismatch: select requires two numbers of one type but stack has " +
                   to_string(type_codes{both, 2}));
  }
  stack_.push(first == bottom ? second : first);
}

void body_validator::select_typed() {
  const std::uint32_t count = in_.count();
  if (count != 1) {
    if (!in_.failed()) invalid("invalid result arity");
    return;
  }
  const auto type = static_cast<std::uint8_t>(read_value_type(in_, gate_).code);
  if (in_.failed()) return;
  const std::uint8_t wanted[] = {type, type, static_cast<std::uint8_t>(i32.code)};
  pop({wanted, 3});
  stack_.push(type);
}

void body_validator::references(opcode op) {
  if (op == opcode::ref_null) {
    const value_type type = read_heap_type(in_, gate_);
    if (!in_.failed()) push(type);
  } else if (op == opcode::ref_is_null) {
    std::uint8_t type = 0;
    if (!stack_.pop_any(type) || is_number(type)) return invalid("type mismatch: instruction requires a reference");
    push(i32);
  } else { // ref.func
    const std::uint32_t index = in_.u32();
    if (index >= module_.functions.size()) return invalid(unknown("function", index));
    if (!module_.declared_functions[index])
      return invalid("undeclared function reference to function " + std::to_string(index));
    push(funcref);
  }
}

void body_validator::push(type_codes types) {
  stack_.make_room(types.size, in_.remaining());
  stack_.push(types);
  if (stack_.height() > engine_limits::max_operand_height) [[unlikely]]
    in_.fail_at(where_, errc::limit_exceeded,
                "a function with more than " + std::to_string(engine_limits::max_operand_height) +
                    " operands at a time");
}

void body_validator::mismatch(type_codes wanted) {
  invalid("type mismatch: instruction requires " + to_string(wanted) + " but stack has " +
          to_string(stack_.visible(wanted.size)));
}

void body_validator::invalid(std::string message) { in_.fail_at(where_, errc::invalid, std::move(message)); }

} // namespace weir::wasm::detail
