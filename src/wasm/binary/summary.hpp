// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `weir inspect` shows of a module: public types and numbers, no bytes.
#include "wasm/binary/module_data.hpp"

#include <weir/wasm/types.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weir::wasm::detail {

struct section_summary {
  std::string name;       // as in the specification, such as `code`; of a custom section its own name in quotes
  std::uint64_t size = 0; // bytes without the section's id and size
};

struct function_summary {
  std::uint32_t index = 0;
  std::string name;         // from the name section, else from an export, else empty
  std::uint64_t size = 0;   // bytes of instructions
  std::uint64_t locals = 0; // without the parameters
};

struct module_summary {
  std::string name;
  std::uint64_t size = 0; // bytes of the file
  std::vector<import_type> imports;
  std::vector<export_type> exports;
  feature_set features;                                                   // complete for a validated module
  std::vector<section_summary> sections;                                  // in the order of the file
  std::vector<function_summary> functions;                                // the defined ones, in order of index
  std::uint64_t code_size = 0;                                            // bytes of instructions of all functions
  std::uint64_t data_size = 0;                                            // bytes of all data segments
  std::size_t types = 0, tables = 0, memories = 0, globals = 0, tags = 0; // with imported ones
  std::size_t element_segments = 0, data_segments = 0;
  std::size_t imported_functions = 0;
};

module_summary summarise(const module_data& module);

/// The types of a module's imports, in the order of the file.
std::vector<import_type> import_types(const module_data& module);
/// The types of a module's exports, in the order of the file.
std::vector<export_type> export_types(const module_data& module);

/// The names of the features in a set, in the order of `feature`.
std::vector<std::string> feature_names(feature_set features);

} // namespace weir::wasm::detail
