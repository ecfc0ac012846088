// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/decoder.hpp"
#include "wasm/binary/module_decoder.hpp"

#include <algorithm>

// The sections with contents of their own: element segments, function bodies and data segments.
namespace weir::wasm::detail {

void module_decoder::elements(reader& in) {
  const std::uint32_t number = in.count(3);
  module_.elements.reserve(number);
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) module_.elements.push_back(element(in));
}

element_segment module_decoder::element(reader& in) {
  constexpr std::uint32_t not_active = 1, names_table_or_declarative = 2, has_expressions = 4;
  element_segment segment;
  segment.declared_at = in.offset();
  const std::uint32_t flags = in.u32();
  if (in.failed()) return segment;
  if (flags > 7) return in.fail_at(segment.declared_at, errc::malformed, "malformed elements segment kind"), segment;
  if (flags != 0)
    gate_.admit(in, segment.declared_at, feature::bulk_memory, "element segment that is not plainly active");
  if (flags & not_active)
    segment.mode = flags & names_table_or_declarative ? segment_mode::declarative : segment_mode::passive;
  else {
    segment.mode = segment_mode::active;
    if (flags & names_table_or_declarative) segment.table = in.u32();
    segment.offset = constant(in);
  }
  if (flags & (not_active | names_table_or_declarative)) {
    if (flags & has_expressions)
      segment.type = read_reference_type(in, gate_);
    else if (const std::uint64_t where = in.offset(); in.u8() != 0)
      in.fail_at(where, errc::malformed, "malformed element kind");
  }
  element_items(in, segment, flags & has_expressions);
  return segment;
}

void module_decoder::element_items(reader& in, element_segment& segment, bool has_expressions) {
  const std::uint32_t number = in.count(has_expressions ? 2 : 1);
  if (has_expressions)
    segment.expressions.reserve(number);
  else
    segment.functions.reserve(number);
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) {
    if (has_expressions)
      segment.expressions.push_back(constant(in));
    else
      segment.functions.push_back(in.u32());
  }
}

void module_decoder::code(reader& in) {
  const std::uint32_t number = in.count();
  module_.bodies.reserve(std::min(number, defined_functions_));
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) module_.bodies.push_back(body(in));
  code_end_ = in.end_offset();
}

function_body module_decoder::body(reader& in) {
  const std::uint64_t where = in.offset();
  const std::uint32_t size = in.u32();
  function_body body;
  if (!in.failed() && size > in.remaining()) in.fail_at(where, errc::malformed, text::length_out_of_bounds);
  reader code = in.sub(size);
  const std::uint32_t runs = code.count(2);
  body.locals.reserve(runs);
  std::uint64_t total = 0;
  for (std::uint32_t i = 0; i < runs && !code.failed(); ++i) {
    const std::uint64_t at = code.offset();
    const std::uint32_t number = code.u32();
    total += number;
    if (total > 0xffffffffu) code.fail_at(at, errc::malformed, "too many locals");
    body.locals.push_back({number, read_value_type(code, gate_)});
  }
  if (total > engine_limits::max_locals)
    code.fail_at(where, errc::limit_exceeded,
                 "a function with " + std::to_string(total) + " locals, more than " +
                     std::to_string(engine_limits::max_locals));
  body.begin = code.offset();
  body.end = code.end_offset();
  return body;
}

void module_decoder::data(reader& in) {
  const std::uint32_t number = in.count(2);
  module_.data.reserve(number);
  for (std::uint32_t i = 0; i < number && !in.failed(); ++i) module_.data.push_back(data_one(in));
}

data_segment module_decoder::data_one(reader& in) {
  data_segment segment;
  segment.declared_at = in.offset();
  const std::uint32_t flags = in.u32();
  if (in.failed()) return segment;
  if (flags > 2) return in.fail_at(segment.declared_at, errc::malformed, "malformed data segment kind"), segment;
  if (flags == 1)
    gate_.admit(in, segment.declared_at, feature::bulk_memory, "passive data segment");
  else
    segment.mode = segment_mode::active;
  if (flags == 2) segment.memory = in.u32();
  if (flags != 1) segment.offset = constant(in);
  const std::uint32_t size = in.u32();
  segment.begin = in.offset();
  in.skip(size);
  segment.end = in.offset();
  return segment;
}

} // namespace weir::wasm::detail
