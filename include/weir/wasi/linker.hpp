// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasi/context.hpp>
#include <weir/wasm/error.hpp>

#include <functional>

namespace weir::wasm {
class caller;
class linker;
class module;
} // namespace weir::wasm

namespace weir::wasi {

/// Finds the context of the guest that calls.
using context_finder = std::function<context&(wasm::caller&)>;

/// How the functions behave towards the scheduler.
struct linker_options {
  /// Whether sched_yield suspends the guest, so that other guests of the same permit run. Guests that are called with
  /// `func::call` cannot be suspended; for them this is false, and sched_yield gives the rest of the thread's time
  /// away.
  bool suspends = true;
};

/// Defines the 46 functions of `wasi_snapshot_preview1`. The context is the store's user data: set it with
/// `store.set_user_data(&context)` before the instantiation. One linker serves any number of stores.
///
/// Errors of the functions: a guest's pointer out of its memory is the errno `fault`, never a trap; a cancelled wait
/// ends the guest with `wasm::errc::interrupted`, and proc_exit with `wasm::errc::exited`.
void add_to_linker(wasm::linker& linker, linker_options options = {});

/// The same with the context found by a function, for stores whose user data is something else.
void add_to_linker(wasm::linker& linker, context_finder find, linker_options options = {});

/// Refuses a module that asks for WASI in a form that is not offered, such as `wasi_unstable`, whose functions have the
/// same names but other layouts; says what to do instead.
///
/// Errors: `wasm::errc::unlinkable`.
wasm::result<void> check_imports(const wasm::module& module);

} // namespace weir::wasi
