// SPDX-License-Identifier: Apache-2.0
#pragma once

// The translated code of one function.
//
// States of a function: untranslated (`entry` points at `stub`), translated (`entry` points at `cells`).
//
// R1  Everything but `entry` is written once: by the constructor of module_code, or by the translation while it holds
// the module's
//     lock. Nothing is changed or freed before the module goes.
// R2  `entry` goes from `stub` to `cells` once.
//
// O1  The translation stores `entry` with release after it wrote the cells; every jump through `entry` loads it with
// acquire.
#include "wasm/code/cell.hpp"

#include <weir/detail/atomic.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace weir::wasm::detail {

struct module_code;

/// What to do with an exception in a range of cells: copy its values, and its reference when asked for, to consecutive
/// slots of the frame and go on at `target`.
struct exception_clause {
  bool catches_all = false;
  bool takes_reference = false;
  std::uint32_t tag = 0;
  std::uint32_t slot = 0;
  const cell* target = nullptr;
};

/// The clauses of one try_table. A call in the range counts by its own cell.
struct exception_range {
  const cell* begin = nullptr;
  const cell* end = nullptr;
  std::vector<exception_clause> clauses;
};

struct function_code {
  weir::detail::atomic<const cell*> entry{nullptr}; // O1
  cell stub[2];                                     // translates at the first call
  module_code* module = nullptr;
  std::uint32_t index = 0; // in the module's function index space
  std::uint32_t param_count = 0;
  std::uint32_t result_count = 0;

  std::unique_ptr<cell[]> cells;
  std::uint32_t cell_count = 0;
  std::uint32_t slot_count = 0; // of a frame
  std::uint16_t pinned_slot = 0;
  std::vector<exception_range> ranges; // inner ones before outer ones

  bool is_translated() const { return entry.load(std::memory_order_acquire) != stub; } // O1
};

} // namespace weir::wasm::detail
