// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/func.hpp>
#include <weir/wasm/global.hpp>
#include <weir/wasm/memory.hpp>
#include <weir/wasm/table.hpp>
#include <weir/wasm/tag.hpp>

#include <variant>

namespace weir::wasm {

/// Whatever an instance can import or export. The order is that of extern_kind.
using extern_value = std::variant<func, table, memory, global, tag>;

inline extern_kind kind_of(const extern_value& item) { return static_cast<extern_kind>(item.index()); }

} // namespace weir::wasm
