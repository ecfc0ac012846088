// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of an activation as its handlers see it.
//
// Two stacks hold a guest. Frames are windows of the value stack: parameters, other locals, then temporaries by their
// height on the operand stack. A call leaves its arguments in the caller's highest temporaries, which become the
// callee's first slots; results come back to the same place. The control stack has one record a call; a call into
// another instance has a second record above it, whose cell is `restore`, and an entry in `callers`.
//
// States: idle (no function), ready (registers saved, run() may go on), waiting (a host function suspended), finished.
//
// R1  The thread inside run(), or whoever holds the activation between runs, owns everything but the two atomics.
// R2  `interrupt` and `stack_limit` are written by any thread through raise(). Others only add bits and only store 0.
// R3  Nothing but `records` and `saved.fp` points into the value stack across a checkpoint; both are rebased when it
// moves.
//
// O1  raise() sets a bit, then stores 0 to the limit. refresh_limit() stores the limit, then reads the word and stores
// 0 again when a
//     bit is up. All are seq_cst, so either the refresh sees the bit, or the raise's 0 comes after the refresh's store.
#include "wasm/code/cell.hpp"
#include "wasm/interp/activation.hpp"

#include <weir/detail/atomic.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::wasm::detail {

struct machine;

/// How the handlers return to the driver.
enum class exit_code : int { go_on, done, checkpoint, suspended, failed };

struct call_record {
  const cell* return_to = nullptr; // the call's own cell
  std::uint64_t* frame = nullptr;  // of the caller
};

/// What handlers keep in machine registers.
struct registers {
  const cell* ip = nullptr;
  std::uint64_t* fp = nullptr;
  std::byte* mem = nullptr; // of memory 0
  std::uint64_t mem_size = 0;
  machine* vm = nullptr;
  call_record* records = nullptr; // one past the newest
  std::uint64_t acc = 0;
  std::uint64_t local = 0;
  float acc_f32 = 0;
  double acc_f64 = 0;
};

namespace interrupt_bits {
inline constexpr std::uint32_t yield = static_cast<std::uint32_t>(interrupt::yield);
inline constexpr std::uint32_t cancel = static_cast<std::uint32_t>(interrupt::cancel);
// Always up in the test modes.
inline constexpr std::uint32_t always_yield = 4;
inline constexpr std::uint32_t always_move = 8;
} // namespace interrupt_bits

struct machine {
  machine(activation& owner, store_data& store, const activation_options& options);
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  // Read by handlers.
  weir::detail::atomic<std::uint32_t> interrupt{0};
  weir::detail::atomic<std::uintptr_t> stack_limit{0}; // O1: no frame may end above this address
  call_record* record_limit = nullptr;
  instance_object* instance = nullptr;
  global_object* const* globals = nullptr;
  table_object* const* tables = nullptr;
  memory_object* memory = nullptr; // memory 0 of the instance, or an empty one
  registers saved;

  // The stacks.
  std::unique_ptr<std::uint64_t[]> values;
  std::size_t value_capacity = 0;
  std::unique_ptr<call_record[]> records;
  std::size_t record_capacity = 0;
  std::vector<instance_object*> callers;

  activation& owner;
  store_data& store;
  const activation_options options;
  cell start[3];   // calls `callee`, then ends
  cell restore[3]; // as a call that returns to its third cell: goes back to the calling instance
  memory_object no_memory;

  func_object* callee = nullptr; // of begin()
  bool is_running = false;       // between begin() and the end of the call

  // The host call in progress.
  func_object* host = nullptr;
  std::uint64_t* host_slots = nullptr;
  bool host_is_tail = false;

  error failure;
  exception_object* exception = nullptr; // in flight, or uncaught

  void raise(std::uint32_t bits) noexcept;
  void reset_interrupt() noexcept;
  void refresh_limit() noexcept; // O1
  void set_instance(instance_object* next) noexcept;

  /// Makes room for `slots` slots from `saved.fp`; false when that would pass the limit.
  bool reserve_values(std::size_t slots);
  bool reserve_record();
  /// Moves the value stack to another address, with the same or a greater capacity.
  bool move_values(std::size_t capacity);

  exit_code fail(error why);
  exit_code trap(trap_code why);
  exit_code interrupted();
  exit_code uncaught();
  std::vector<stack_frame> backtrace(std::size_t most) const;
  /// The function that a cell belongs to; null for the cells of the machine itself.
  const function_code* function_at(const cell* at, const instance_object* where) const;
  bool is_own(const cell* at) const { return at == start || at == restore; }

private:
  exit_code end(errc code, const char* message, trap_code why);
};

} // namespace weir::wasm::detail
