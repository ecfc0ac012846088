// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/types.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace weir::wasm {

namespace detail {
struct engine_data;
struct access;
} // namespace detail

/// How an engine compiles and runs. The defaults are right for production; the rest is for testing.
struct engine_options {
  /// The proposals that a module may use.
  feature_set features = feature_set::all();
  /// Validates a function body at its first call, not in module::compile(). A body that does not validate then ends the
  /// guest with errc::invalid.
  bool validates_lazily = false;

  // Each optimisation of the translator, to switch off when a difference must be found.
  bool use_accumulator = true;
  bool use_pinned_local = true;
  bool use_fusion = true;

  // Test modes.
  bool yields_everywhere = false;      ///< a guest stops at every checkpoint
  bool moves_stack_everywhere = false; ///< a guest's value stack moves at every checkpoint

  /// Bounds of one call into a guest: beyond either, it traps with trap_code::call_stack_exhausted.
  std::size_t max_value_slots = std::size_t{1} << 20;
  std::size_t max_call_depth = std::size_t{1} << 16;
};

/// What modules and stores share: options, the identity of function types, a pool of address ranges for memories.
///
/// A copy is another handle on the same engine.
///
/// Thread:   any.
/// Lifetime: modules, stores and linkers keep their engine alive.
class engine {
public:
  explicit engine(engine_options options = {});

  const engine_options& options() const noexcept;
  friend bool operator==(const engine&, const engine&) = default;

private:
  friend struct detail::access;
  explicit engine(std::shared_ptr<detail::engine_data> data) : data_{std::move(data)} {}
  std::shared_ptr<detail::engine_data> data_;
};

} // namespace weir::wasm
