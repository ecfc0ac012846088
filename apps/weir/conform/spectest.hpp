// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/error.hpp>
#include <weir/wasm/linker.hpp>
#include <weir/wasm/store.hpp>

namespace weir::cli {

/// Defines the host module `spectest` that scripts import, its table and memory made anew in `owner`.
///
/// Its functions take what they are given and print nothing.
wasm::result<void> define_spectest(wasm::linker& into, wasm::store& owner);

} // namespace weir::cli
