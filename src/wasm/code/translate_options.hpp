// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::wasm::detail {

/// What the translator may do to make code faster. Results do not depend on any of it.
struct translate_options {
  bool use_accumulator = true;
  bool use_pinned_local = true;
  bool use_fusion = true;
  friend bool operator==(const translate_options&, const translate_options&) = default;
};

} // namespace weir::wasm::detail
