// SPDX-License-Identifier: Apache-2.0
#pragma once

// One call into guest code: its value stack, its control stack and the interpreter's saved registers. Everything of a
// suspended guest is here, on the heap; the thread that runs it keeps nothing.
#include "wasm/runtime/objects.hpp"

#include <weir/wasm/error.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weir::wasm::detail {

enum class run_status : std::uint8_t {
  done,       ///< results() are there
  checkpoint, ///< stopped at a checkpoint because somebody raised interrupt::yield; call run() to go on
  suspended,  ///< a host function asked to suspend; finish_host_call() or fail_host_call(), then run()
  failed,     ///< trap, uncaught exception, cancellation or a host's error; take_error() says which
};

/// Why a guest is asked to stop at its next checkpoint; bits of one word.
enum class interrupt : std::uint32_t {
  yield = 1,  ///< the time slice is over: stop once, then go on
  cancel = 2, ///< end with errc::interrupted; stays raised
};

/// Limits and test modes of one activation.
struct activation_options {
  std::size_t max_value_slots = 1u << 20;
  std::size_t max_call_depth = 1u << 16;
  bool yields_everywhere = false;      // every checkpoint returns run_status::checkpoint
  bool moves_stack_everywhere = false; // every checkpoint moves the value stack to another address
};

class activation {
public:
  activation(store_data& store, const activation_options& options);
  ~activation();
  activation(const activation&) = delete;
  activation& operator=(const activation&) = delete;

  /// Starts a call of `function`; run() does the work. The activation must be idle. A host function may be called too.
  void begin(func_object& function, std::span<const std::uint64_t> arguments);
  run_status run();
  std::span<const std::uint64_t> results() const;

  /// Ends the host call that suspended, with its results or with an error.
  void finish_host_call(std::span<const std::uint64_t> results);
  void fail_host_call(error why);

  /// For host functions: what host_status::fail and host_status::raise report.
  void fail(error why);
  void raise(exception_object& exception);

  error take_error();
  /// The exception that nobody caught, after run() failed with errc::uncaught_exception.
  exception_object* uncaught() const;

  /// Asks the guest to stop at its next checkpoint. Thread: any, also while run() runs elsewhere.
  void ask(interrupt why) noexcept;

  store_data& store() const;
  /// The instance whose function called the host; null when the host was called from outside.
  instance_object* calling_instance() const;
  /// Guest functions on the stack, innermost first.
  std::vector<stack_frame> backtrace() const;
  /// Calls `visit(slot)` for every slot of the live part of the value stack. Conservative: slots carry no types.
  template <class Visitor> void for_each_slot(Visitor&& visit) const {
    for (std::uint64_t slot : live_slots()) visit(slot);
  }

private:
  std::span<const std::uint64_t> live_slots() const;
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace weir::wasm::detail
