// SPDX-License-Identifier: Apache-2.0
#pragma once

// What an engine handle names. Its parts do their own locking, so any thread uses one.
#include "wasm/binary/type_registry.hpp"
#include "wasm/runtime/reservation_pool.hpp"

#include <weir/wasm/engine.hpp>

namespace weir::wasm::detail {

struct engine_data {
  explicit engine_data(const engine_options& chosen) : options{chosen} {}

  const engine_options options;
  type_registry types;
  reservation_pool reservations;
};

} // namespace weir::wasm::detail
