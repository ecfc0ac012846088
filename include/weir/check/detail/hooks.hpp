// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the model types call. Inside a model thread each call is a step of the explored execution; outside of one
// (before, after and between executions) the types are plain memory of a single thread.

#include <cstdint>
#include <source_location>
#include <string_view>

#include <weir/check/detail/operation.hpp>

namespace weir::check::detail {

/// The part of an atomic object that does not depend on its type.
struct atomic_base {
  std::uint64_t stored;         // outside of executions; in them, where a static object starts
  std::uint32_t generation = 0; // the execution that made it; another number: a static object
  std::int32_t location = -1;
};

void construct(atomic_base& object, const std::source_location& where) noexcept;
void destroy(atomic_base& object, const std::source_location& where) noexcept;
void set_name(const atomic_base& object, std::string_view name);
std::uint64_t perform(const atomic_base& object, operation op, const std::source_location& where);
/// Whether a weak compare-exchange fails now although the values may be equal: a choice, within a budget.
bool fails_for_no_reason();
void perform_fence(memory_order order, const std::source_location& where);

inline constexpr unsigned most_threads = 8; // of a model, with its body
/// The number of the running thread; 0: the body, or none.
unsigned running_thread() noexcept;

/// The accesses of plain data that a later one may race with: the last write and the last read of each thread.
struct cell_base {
  struct access {
    std::int32_t thread = -1;
    std::int32_t position = 0; // events of the thread before it
    std::uint32_t step = 0;
  };
  std::uint32_t generation = 0;
  access write;
  access reads[most_threads];
};

void note_read(cell_base& cell, const std::source_location& where);
void note_write(cell_base& cell, const std::source_location& where);

} // namespace weir::check::detail
