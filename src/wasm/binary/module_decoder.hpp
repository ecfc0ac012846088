// SPDX-License-Identifier: Apache-2.0
#pragma once

// The decoder's working state. Sections come in a fixed order, each at most once, custom sections anywhere; every
// reader of a section sees that section's bytes alone.
#include "wasm/binary/module_data.hpp"
#include "wasm/binary/reader.hpp"
#include "wasm/binary/type_reader.hpp"
#include "wasm/binary/type_registry.hpp"

#include <cstdint>
#include <string>

namespace weir::wasm::detail {

enum class section_id : std::uint8_t {
  custom,
  type,
  import,
  function,
  table,
  memory,
  global,
  export_,
  start,
  element,
  code,
  data,
  data_count,
  tag,
};

class module_decoder {
public:
  module_decoder(module_data& module, feature_set allowed, type_registry& registry)
      : module_{module}, gate_{allowed}, registry_{registry} {}

  /// Decodes all of `module.bytes`; the sink has failed when they are not a module.
  void decode();
  const failure_sink& failure() const { return sink_; }

private:
  // decoder.cpp: the file
  void header(reader& in);
  void section(reader& in);
  bool is_in_order(section_id id);
  void contents(section_id id, reader& in);
  void custom(reader& in);
  void check_counts(const reader& in);

  // section_decoder.cpp: one section each
  void types(reader& in);
  void imports(reader& in);
  void functions(reader& in);
  void tables(reader& in);
  void memories(reader& in);
  void tags(reader& in);
  void globals(reader& in);
  void exports(reader& in);
  void start(reader& in);
  void data_count(reader& in);

  func_type function_type(reader& in);
  void value_types(reader& in, std::vector<value_type>& to, std::uint32_t most, const char* what);
  void add_type(func_type type);
  void import_one(reader& in, module_import& to);
  limits read_limits(reader& in, const char* what, bool may_have_page_size);
  table_type read_table_type(reader& in);
  memory_type read_memory_type(reader& in);
  global_type read_global_type(reader& in);
  std::uint32_t read_tag_type(reader& in);
  table_decl table(reader& in);

  // segment_decoder.cpp
  void elements(reader& in);
  void code(reader& in);
  void data(reader& in);
  element_segment element(reader& in);
  void element_items(reader& in, element_segment& segment, bool has_expressions);
  data_segment data_one(reader& in);
  function_body body(reader& in);

  // const_decoder.cpp
  const_expression constant(reader& in);
  bool const_instruction_at(reader& in, const_expression& to);
  void not_constant(reader& in, std::uint64_t where, std::uint8_t byte);

  // name_section.cpp
  void names(reader in);

  module_data& module_;
  feature_gate gate_;
  type_registry& registry_;
  failure_sink sink_;
  std::uint8_t last_section_ = 0; // id of the last section that was not a custom one
  std::uint64_t code_end_ = 0;    // byte offsets for errors about counts that disagree
  std::uint32_t defined_functions_ = 0;
};

} // namespace weir::wasm::detail
