// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/decoder.hpp"
#include "wasm/binary/module_decoder.hpp"

#include <algorithm>

namespace weir::wasm::detail {

namespace {

constexpr std::uint8_t function_form = 0x60;

// What a type section of another proposal starts a type with.
std::optional<feature> feature_of_form(std::uint8_t form) {
  switch (form) {
  case 0x4e:
  case 0x4f:
  case 0x50:
  case 0x5e:
  case 0x5f: return feature::gc;
  case 0x4c:
  case 0x4d: return feature::custom_descriptors;
  case 0x5d: return feature::stack_switching;
  case 0x65: return feature::threads;
  default: return std::nullopt;
  }
}

} // namespace

void module_decoder::types(reader& in) {
  const std::uint32_t number = in.count();
  module_.types.reserve(number);
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) add_type(function_type(in));
}

func_type module_decoder::function_type(reader& in) {
  const std::uint64_t where = in.offset();
  const std::uint8_t form = in.u8();
  func_type type;
  if (in.failed()) return type;
  if (form != function_form) {
    if (const auto needed = feature_of_form(form))
      gate_.admit(in, where, *needed, "type of form " + hex(form));
    else
      in.fail_at(where, errc::malformed, form & 0x80 ? text::too_long : "malformed definition type");
    return type;
  }
  value_types(in, type.params, engine_limits::max_params, "parameters");
  value_types(in, type.results, engine_limits::max_results, "results");
  if (type.results.size() > 1) gate_.admit(in, where, feature::multi_value, "a function with several results");
  return type;
}

void module_decoder::value_types(reader& in, std::vector<value_type>& to, std::uint32_t most, const char* what) {
  const std::uint64_t where = in.offset();
  const std::uint32_t number = in.count();
  if (number > most)
    return in.fail_at(where, errc::limit_exceeded,
                      "a type with " + std::to_string(number) + " " + what + ", more than " + std::to_string(most));
  to.reserve(number);
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) to.push_back(read_value_type(in, gate_));
}

void module_decoder::add_type(func_type type) {
  if (sink_.has_failed) return;
  flat_type flat{static_cast<std::uint32_t>(module_.flat_codes.size()), static_cast<std::uint32_t>(type.params.size()),
                 static_cast<std::uint32_t>(type.results.size())};
  for (value_type one : type.params) module_.flat_codes.push_back(static_cast<std::uint8_t>(one.code));
  for (value_type one : type.results) module_.flat_codes.push_back(static_cast<std::uint8_t>(one.code));
  module_.flat_types.push_back(flat);
  module_.type_ids.push_back(registry_.intern(type));
  module_.types.push_back(std::move(type));
}

void module_decoder::imports(reader& in) {
  const std::uint32_t number = in.count();
  module_.imports.reserve(std::min<std::size_t>(number, in.remaining() / 4));
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) {
    module_import one;
    one.offset = in.offset();
    one.module = in.name();
    one.name = in.name();
    import_one(in, one);
    module_.imports.push_back(std::move(one));
  }
}

void module_decoder::import_one(reader& in, module_import& to) {
  const std::uint64_t where = in.offset();
  const std::uint8_t kind = in.u8();
  if (in.failed()) return;
  const auto next = [](const auto& space) { return static_cast<std::uint32_t>(space.size()); };
  to.kind = static_cast<extern_kind>(kind);
  switch (kind) {
  case 0:
    to.index = next(module_.functions);
    module_.functions.push_back(in.u32());
    ++module_.imported_functions;
    break;
  case 1:
    to.index = next(module_.tables);
    module_.tables.push_back({read_table_type(in), {}, where});
    ++module_.imported_tables;
    break;
  case 2:
    to.index = next(module_.memories);
    module_.memories.push_back(read_memory_type(in));
    ++module_.imported_memories;
    break;
  case 3:
    to.index = next(module_.globals);
    module_.globals.push_back({read_global_type(in), {}, where});
    if (module_.globals.back().type.is_mutable)
      gate_.admit(in, where, feature::mutable_global, "import of a mutable global");
    ++module_.imported_globals;
    break;
  case 4:
    to.index = next(module_.tags);
    module_.tags.push_back(read_tag_type(in));
    ++module_.imported_tags;
    break;
  case 0x20: gate_.admit(in, where, feature::custom_descriptors, "import of an exact function type"); break;
  default: in.fail_at(where, errc::malformed, "malformed import kind " + std::to_string(kind)); break;
  }
}

limits module_decoder::read_limits(reader& in, const char* what, bool may_have_page_size) {
  constexpr std::uint8_t has_max = 1, is_shared = 2, is_64_bit = 4, has_page_size = 8;
  const std::uint64_t where = in.offset();
  const std::uint8_t flags = in.u8();
  limits size;
  if (in.failed()) return size;
  // A page size is known of memories alone and takes a byte after the sizes.
  const bool is_page_size_misplaced = flags & has_page_size && (!may_have_page_size || in.remaining() < 2);
  if (flags > (has_max | is_shared | is_64_bit | has_page_size) || is_page_size_misplaced)
    return in.fail_at(where, errc::malformed, "malformed limits flags"), size;
  const std::string subject{what};
  if (flags & is_shared) gate_.admit(in, where, feature::threads, "shared " + subject);
  if (flags & is_64_bit) gate_.admit(in, where, feature::memory64, subject + " with 64-bit addresses");
  if (flags & has_page_size) gate_.admit(in, where, feature::custom_page_sizes, subject + " with a page size");
  size.min = in.u64();
  if (flags & has_max) size.max = in.u64();
  return size;
}

table_type module_decoder::read_table_type(reader& in) {
  table_type type;
  type.element = read_reference_type(in, gate_);
  type.size = read_limits(in, "table", false);
  return type;
}

memory_type module_decoder::read_memory_type(reader& in) { return {read_limits(in, "memory", true)}; }

global_type module_decoder::read_global_type(reader& in) {
  global_type type;
  type.value = read_value_type(in, gate_);
  const std::uint64_t where = in.offset();
  const std::uint8_t mutability = in.u8();
  type.is_mutable = mutability == 1;
  if (mutability == 2 || mutability == 3)
    gate_.admit(in, where, feature::threads, "shared global");
  else if (mutability > 1)
    in.fail_at(where, errc::malformed, "malformed mutability");
  return type;
}

std::uint32_t module_decoder::read_tag_type(reader& in) {
  const std::uint64_t where = in.offset();
  const std::uint8_t attribute = in.u8();
  if (attribute != 0) in.fail_at(where, errc::malformed, "malformed tag attribute");
  if (!in.failed()) gate_.admit(in, where, feature::exceptions, "tag");
  return in.u32();
}

void module_decoder::functions(reader& in) {
  defined_functions_ = in.count();
  module_.functions.reserve(module_.functions.size() + defined_functions_);
  for (std::uint32_t i = 0; i < defined_functions_ && !in.failed(); ++i) module_.functions.push_back(in.u32());
}

void module_decoder::tables(reader& in) {
  const std::uint32_t number = in.count(2);
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) {
    const std::uint64_t where = in.offset();
    if (module_.tables.size() == 1) gate_.admit(in, where, feature::reference_types, "a second table");
    module_.tables.push_back(table(in));
    module_.tables.back().declared_at = where;
  }
}

table_decl module_decoder::table(reader& in) {
  constexpr std::uint8_t with_initializer = 0x40;
  table_decl decl;
  if (in.peek() != with_initializer) {
    decl.type = read_table_type(in);
    return decl;
  }
  in.u8();
  const std::uint64_t where = in.offset();
  if (in.u8() != 0) in.fail_at(where, errc::malformed, "zero byte expected");
  decl.type = read_table_type(in);
  decl.init = constant(in);
  // An empty expression must not pass for a table without initialiser.
  if (decl.init.empty() && !in.failed())
    in.fail_at(where, errc::invalid, "type mismatch: the table's initialiser requires a reference but stack has []");
  return decl;
}

void module_decoder::memories(reader& in) {
  const std::uint32_t number = in.count();
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) module_.memories.push_back(read_memory_type(in));
}

void module_decoder::tags(reader& in) {
  gate_.admit(in, in.offset(), feature::exceptions, "tag section");
  const std::uint32_t number = in.count(2);
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) module_.tags.push_back(read_tag_type(in));
}

void module_decoder::globals(reader& in) {
  const std::uint32_t number = in.count(3);
  module_.globals.reserve(module_.globals.size() + number);
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) {
    global_decl decl;
    decl.declared_at = in.offset();
    decl.type = read_global_type(in);
    decl.init = constant(in);
    module_.globals.push_back(std::move(decl));
  }
}

void module_decoder::exports(reader& in) {
  const std::uint32_t number = in.count();
  module_.exports.reserve(std::min<std::size_t>(number, in.remaining() / 3));
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) {
    module_export one;
    one.declared_at = in.offset();
    one.name = in.name();
    const std::uint64_t where = in.offset();
    const std::uint8_t kind = in.u8();
    if (kind > static_cast<std::uint8_t>(extern_kind::tag))
      in.fail_at(where, errc::malformed, "malformed export kind " + std::to_string(kind));
    one.kind = static_cast<extern_kind>(kind);
    one.index = in.u32();
    module_.exports.push_back(std::move(one));
  }
}

void module_decoder::start(reader& in) {
  module_.start_declared_at = in.offset();
  module_.start = in.u32();
}

void module_decoder::data_count(reader& in) {
  gate_.admit(in, in.offset(), feature::bulk_memory, "data count section");
  module_.data_count = in.u32();
}

} // namespace weir::wasm::detail
