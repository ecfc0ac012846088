// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a module handle names: the decoded module, the code of its functions and an index of its exports. Shared by all
// its instances in all stores; only the code grows, and it does its own locking.
#include "wasm/binary/module_data.hpp"
#include "wasm/code/module_code.hpp"
#include "wasm/runtime/engine_data.hpp"

#include <memory>
#include <string_view>
#include <unordered_map>

namespace weir::wasm::detail {

struct compiled_module {
  std::shared_ptr<engine_data> engine;
  std::shared_ptr<const module_data> data;
  std::unique_ptr<module_code> code;
  std::unordered_map<std::string_view, const module_export*> exports; // names live in `data`

  const module_export* find_export(std::string_view name) const {
    const auto found = exports.find(name);
    return found == exports.end() ? nullptr : found->second;
  }
};

} // namespace weir::wasm::detail
