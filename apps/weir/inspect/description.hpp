// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `weir inspect` shows, as text and as JSON.
#include "wasm/binary/component_modules.hpp"
#include "wasm/binary/summary.hpp"

#include <weir/wasm/error.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace weir::cli {

/// A core module inside a component: where it is, and what it contains or why it cannot be read.
struct inner_module {
  wasm::detail::embedded_module place;
  wasm::result<wasm::detail::module_summary> contents;
};

/// The type of an import or export, such as `function (i32) -> i32` or `memory, 2 to 16 pages`.
std::string describe_type(const wasm::import_type& type);
std::string describe_type(const wasm::export_type& type);

/// `most_functions`: how many of the largest functions to list.
std::string describe_module(const std::string& path, const wasm::detail::module_summary& module,
                            std::size_t most_functions);
std::string describe_component(const std::string& path, std::size_t bytes, const std::vector<inner_module>& modules);

nlohmann::json module_json(const wasm::detail::module_summary& module);
nlohmann::json component_json(std::size_t bytes, const std::vector<inner_module>& modules);

} // namespace weir::cli
