// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/engine.hpp>
#include <weir/wasm/error.hpp>
#include <weir/wasm/types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::wasm {

namespace detail {
struct compiled_module;
} // namespace detail

/// Sizes of a module's parts, for people.
struct module_summary {
  std::size_t file_bytes = 0;
  std::size_t code_bytes = 0; ///< of the function bodies
  std::size_t data_bytes = 0; ///< of the data segments
  std::size_t types = 0;
  // The imported ones included.
  std::size_t functions = 0;
  std::size_t tables = 0;
  std::size_t memories = 0;
  std::size_t globals = 0;
  std::size_t tags = 0;
  std::size_t imported_functions = 0;
  std::size_t element_segments = 0;
  std::size_t data_segments = 0;
  bool has_start = false;
  std::vector<std::pair<std::string, std::size_t>> custom_sections; ///< name and bytes, in the file's order
};

/// A validated module, ready to be instantiated any number of times. A copy is another handle on the same module.
///
/// `module` is also a keyword of C++20 where it stands first on a line: spell it `wasm::module` there.
///
/// Thread: any.
class module {
public:
  /// Decodes and validates a binary module. Functions are translated at their first call.
  ///
  /// `name` is used in backtraces where the module's name section has none.
  ///
  /// Errors: errc::malformed, errc::invalid and errc::unsupported_feature, with the byte offset and, for a body, the
  /// function.
  /// Cost:   keeps a copy of `bytes`.
  static result<module> compile(const engine& owner, std::span<const std::byte> bytes, std::string name = {});

  std::vector<import_type> imports() const;
  std::vector<export_type> exports() const;
  /// The features beyond the first version of core WebAssembly that the module uses.
  feature_set features() const;
  const std::string& name() const;
  module_summary summary() const;
  /// The contents of the first custom section of that name.
  ///
  /// Lifetime: of the module.
  std::optional<std::span<const std::byte>> custom_section(std::string_view name) const;

  /// Translates every function now and returns the bytes of code.
  ///
  /// Errors: errc::invalid when the engine validates lazily and a body does not validate.
  result<std::size_t> translate_all() const;

  friend bool operator==(const module&, const module&) = default;

private:
  friend struct detail::access;
  explicit module(std::shared_ptr<const detail::compiled_module> data) : data_{std::move(data)} {}
  std::shared_ptr<const detail::compiled_module> data_;
};

} // namespace weir::wasm
