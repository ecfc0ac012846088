// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of the runtime share: compile and instantiate or fail the test with the error's text.
#include "wasm/runtime/test_module.hpp"

#include <weir/wasm/wasm.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <utility>

namespace weir::wasm::testing {

/// The value of a result that must be there; otherwise ends the test program with the error.
template <class T> T expect(result<T> outcome) {
  if (!outcome) {
    ADD_FAILURE() << outcome.error().to_string();
    std::abort();
  }
  if constexpr (!std::is_void_v<T>) return std::move(*outcome);
}

inline wasm::module compile(const engine& with, const test_module& source) {
  return expect(wasm::module::compile(with, source.build()));
}

/// An engine with a linker and a store.
struct world {
  engine machine;
  linker names;
  store guests;

  explicit world(engine_options options = {}, store_limits limits = {})
      : machine{options}, names{machine}, guests{machine, limits} {}

  result<instance> try_instantiate(const test_module& source) {
    return names.instantiate(guests, compile(machine, source));
  }
  instance instantiate(const test_module& source) { return expect(try_instantiate(source)); }
};

} // namespace weir::wasm::testing
