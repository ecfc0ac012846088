// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weir::wasm::detail {

struct translate_options {
  // What makes code faster. Results do not depend on any of it.
  bool use_accumulator = true;
  bool use_pinned_local = true;
  bool use_fusion = true;
  /// The module was validated but for its bodies: each is validated before it is translated.
  bool validates_bodies = false;
  friend bool operator==(const translate_options&, const translate_options&) = default;
};

} // namespace weir::wasm::detail
