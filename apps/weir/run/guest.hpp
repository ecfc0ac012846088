// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "run/args.hpp"
#include "run/guest_output.hpp"
#include "run/plan.hpp"
#include "run/program.hpp"

#include <weir/task.hpp>
#include <weir/wasi/cancel.hpp>
#include <weir/wasi/context.hpp>
#include <weir/wasm/instance.hpp>
#include <weir/wasm/linker.hpp>
#include <weir/wasm/module.hpp>
#include <weir/wasm/store.hpp>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace weir::cli {

/// One program in a store of its own, from its first instruction to its last.
///
/// Lifetime: outlives the task that run() gives; stays where it is, since its store and its outputs are pointed to.
class guest {
public:
  /// Makes the store and the WASI context.
  ///
  /// `linker` has WASI defined; `cancel` ends what the guest waits for and may be shared with others that end with it.
  /// Errors: one line, mostly about a folder that cannot be opened.
  static std::expected<std::unique_ptr<guest>, std::string>
  prepare(const guest_plan& plan, const program_request& request, const program& loaded, const wasm::linker& linker,
          const wasm::engine& engine, wasi::cancel_token cancel, bool has_prefix);

  guest(const guest&) = delete;
  guest& operator=(const guest&) = delete;

  /// Instantiates the program and runs it: its _start, or the function of --invoke, whose results it prints.
  ///
  /// Suspends: at checkpoints and in host calls that wait.
  /// Cancels:  stop() ends it with errc::interrupted; destroying the task drops the guest's stack.
  /// Errors:   whatever ended the guest, errc::exited included.
  task<wasm::result<void>> run();

  /// Asks the guest to end at its next checkpoint, and ends what it waits for. Thread: any.
  void stop() noexcept;

  const std::string& name() const { return name_; }
  /// The linear memory it has. Thread: not while it runs.
  std::uint64_t memory_pages() const;

private:
  guest(const guest_plan& plan, const program_request& request, const program& loaded, const wasm::linker& linker,
        const wasm::engine& engine, wasi::cancel_token cancel, bool has_prefix);

  task<wasm::result<void>> run_inside();
  task<wasm::result<void>> invoke(wasm::instance on);
  task<wasm::result<void>> repeat(wasm::func function, std::size_t count);

  std::string name_;
  const program_request& request_;
  program program_;
  const wasm::linker& linker_;
  guest_output output_;
  wasi::cancel_token cancel_;
  std::unique_ptr<wasi::context> wasi_;
  wasm::store store_;
  wasm::interrupt_handle interrupts_;
};

} // namespace weir::cli
