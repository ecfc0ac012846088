// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/module.hpp>

#include "wasm/binary/decoder.hpp"
#include "wasm/binary/validator.hpp"
#include "wasm/runtime/access.hpp"

#include <algorithm>
#include <utility>

namespace weir::wasm {

using detail::access;
using detail::module_data;

result<module> module::compile(const engine& owner, std::span<const std::byte> bytes, std::string name) {
  const std::shared_ptr<detail::engine_data>& shared = access::of(owner);
  const engine_options& options = shared->options;
  auto decoded = detail::decode_module({bytes.begin(), bytes.end()}, options.features, shared->types, std::move(name));
  if (!decoded) return std::unexpected(std::move(decoded).error());
  const auto how = options.validates_lazily ? detail::validation::module_only : detail::validation::eager;
  if (auto valid = detail::validate_module(**decoded, how); !valid) return std::unexpected(std::move(valid).error());

  auto made = std::make_shared<detail::compiled_module>();
  made->engine = shared;
  made->data = std::move(*decoded);
  made->code = std::make_unique<detail::module_code>(
      made->data, detail::translate_options{.use_accumulator = options.use_accumulator,
                                            .use_pinned_local = options.use_pinned_local,
                                            .use_fusion = options.use_fusion,
                                            .validates_bodies = options.validates_lazily});
  for (const detail::module_export& item : made->data->exports) made->exports.emplace(item.name, &item);
  return access::make(std::shared_ptr<const detail::compiled_module>{std::move(made)});
}

namespace {

// Fills what import_type and export_type have in common.
template <class Type> void describe(const module_data& data, extern_kind kind, std::uint32_t index, Type& out) {
  out.kind = kind;
  switch (kind) {
  case extern_kind::function: out.function = data.function_type(index); break;
  case extern_kind::table: out.table = data.tables[index].type; break;
  case extern_kind::memory: out.memory = data.memories[index]; break;
  case extern_kind::global: out.global = data.globals[index].type; break;
  case extern_kind::tag: out.function = data.types[data.tags[index]]; break;
  }
}

} // namespace

std::vector<import_type> module::imports() const {
  std::vector<import_type> out;
  for (const detail::module_import& item : data_->data->imports) {
    import_type& made = out.emplace_back();
    made.module = item.module;
    made.name = item.name;
    describe(*data_->data, item.kind, item.index, made);
  }
  return out;
}

std::vector<export_type> module::exports() const {
  std::vector<export_type> out;
  for (const detail::module_export& item : data_->data->exports) {
    export_type& made = out.emplace_back();
    made.name = item.name;
    describe(*data_->data, item.kind, item.index, made);
  }
  return out;
}

feature_set module::features() const { return data_->data->used; }
const std::string& module::name() const { return data_->data->name; }

module_summary module::summary() const {
  const module_data& data = *data_->data;
  module_summary out;
  out.file_bytes = data.bytes.size();
  for (const detail::function_body& body : data.bodies) out.code_bytes += body.end - body.begin;
  for (const detail::data_segment& segment : data.data) out.data_bytes += segment.end - segment.begin;
  out.types = data.types.size();
  out.functions = data.functions.size();
  out.tables = data.tables.size();
  out.memories = data.memories.size();
  out.globals = data.globals.size();
  out.tags = data.tags.size();
  out.imported_functions = data.imported_functions;
  out.element_segments = data.elements.size();
  out.data_segments = data.data.size();
  out.has_start = data.start.has_value();
  for (const detail::custom_section& one : data.customs)
    out.custom_sections.emplace_back(one.name, one.end - one.begin);
  return out;
}

std::optional<std::span<const std::byte>> module::custom_section(std::string_view name) const {
  const auto& customs = data_->data->customs;
  const auto found = std::ranges::find(customs, name, &detail::custom_section::name);
  if (found == customs.end()) return std::nullopt;
  return data_->data->slice(found->begin, found->end);
}

result<std::size_t> module::translate_all() const { return data_->code->translate_all(); }

} // namespace weir::wasm
