// SPDX-License-Identifier: Apache-2.0
#include "wasm/binary/decoder.hpp"
#include "wasm/binary/module_decoder.hpp"

#include <array>
#include <utility>

namespace weir::wasm::detail {

void module_decoder::decode() {
  reader in{module_.bytes, sink_};
  module_.allowed = gate_.allowed();
  header(in);
  while (!in.at_end()) section(in);
  if (!sink_.has_failed) check_counts(in);
  module_.used = gate_.used();
}

void module_decoder::header(reader& in) {
  constexpr std::array<std::uint8_t, 4> magic = {0, 'a', 's', 'm'};
  constexpr std::uint32_t component_version = 0x1000d;
  if (in.remaining() < magic.size()) return in.skip(magic.size());
  for (std::uint8_t byte : magic)
    if (in.u8() != byte) return in.fail_at(0, errc::malformed, "magic header not detected");
  const std::uint64_t where = in.offset();
  const std::uint32_t version = in.fixed_u32();
  if (in.failed() || version == 1) return;
  in.fail_at(where, errc::malformed,
             version == component_version ? "unknown binary version: this is a component, not a core module"
                                          : "unknown binary version");
}

void module_decoder::section(reader& in) {
  const std::uint64_t where = in.offset();
  const std::uint8_t id = in.u8();
  if (id > static_cast<std::uint8_t>(section_id::tag))
    return in.fail_at(where, errc::malformed, "malformed section id " + std::to_string(id));
  const std::uint64_t size_where = in.offset();
  const std::uint32_t size = in.u32();
  if (in.failed()) return;
  if (size > in.remaining()) return in.fail_at(size_where, errc::malformed, text::length_out_of_bounds);
  reader body = in.sub(size);
  module_.sections.push_back({id, body.offset(), body.end_offset()});
  const auto kind = static_cast<section_id>(id);
  if (!is_in_order(kind)) return in.fail_at(where, errc::malformed, "unexpected content after last section");
  if (kind != section_id::custom) last_section_ = id;
  contents(kind, body);
  if (!body.at_end()) body.fail(errc::malformed, "section size mismatch");
  if (sink_.has_failed) in.skip(in.remaining());
}

bool module_decoder::is_in_order(section_id id) {
  // By id; 0 for custom sections, which may stand anywhere.
  constexpr std::array<std::uint8_t, 14> ranks = {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 13, 11, 6};
  const unsigned rank = ranks[static_cast<std::size_t>(id)];
  if (rank == 0) return true;
  return rank > ranks[last_section_];
}

void module_decoder::contents(section_id id, reader& in) {
  switch (id) {
  case section_id::custom: return custom(in);
  case section_id::type: return types(in);
  case section_id::import: return imports(in);
  case section_id::function: return functions(in);
  case section_id::table: return tables(in);
  case section_id::memory: return memories(in);
  case section_id::global: return globals(in);
  case section_id::export_: return exports(in);
  case section_id::start: return start(in);
  case section_id::element: return elements(in);
  case section_id::code: return code(in);
  case section_id::data: return data(in);
  case section_id::data_count: return data_count(in);
  case section_id::tag: return tags(in);
  }
}

void module_decoder::custom(reader& in) {
  const std::string_view name = in.name();
  if (in.failed()) return;
  module_.customs.push_back({std::string{name}, in.offset(), in.end_offset()});
  if (name == "name") names(in);
  in.skip(in.end_offset() - in.offset());
}

void module_decoder::check_counts(const reader& in) {
  if (defined_functions_ != module_.bodies.size())
    sink_.fail(errc::malformed, code_end_ ? code_end_ : in.offset(),
               "function and code section have inconsistent lengths: " + std::to_string(defined_functions_) +
                   " functions, " + std::to_string(module_.bodies.size()) + " bodies");
  else if (module_.data_count && *module_.data_count != module_.data.size())
    sink_.fail(errc::malformed, in.offset(),
               "data count and data section have inconsistent lengths: " + std::to_string(*module_.data_count) +
                   " announced, " + std::to_string(module_.data.size()) + " present");
}

result<std::shared_ptr<module_data>> decode_module(std::vector<std::byte> bytes, feature_set allowed,
                                                   type_registry& registry, std::string name) {
  auto module = std::make_shared<module_data>();
  module->bytes = std::move(bytes);
  module->name = std::move(name);
  module_decoder decoder{*module, allowed, registry};
  decoder.decode();
  if (decoder.failure().has_failed) return std::unexpected(decoder.failure().what);
  return module;
}

} // namespace weir::wasm::detail
