// SPDX-License-Identifier: Apache-2.0
#pragma once

// The operations that leave the registers: each finds them in machine::saved, with `ip` at its own cell, and leaves
// there where to go on.
#include "wasm/interp/machine.hpp"

namespace weir::wasm::detail {

// slow_calls.cpp
exit_code translate_now(machine& vm);
exit_code enter_now(machine& vm);
exit_code enter_clear_now(machine& vm);
exit_code call_now(machine& vm);
exit_code call_import_now(machine& vm);
exit_code call_indirect_now(machine& vm);
exit_code tail_call_import_now(machine& vm);
exit_code tail_call_indirect_now(machine& vm);
exit_code return_now(machine& vm);
exit_code start_now(machine& vm);
exit_code restore_now(machine& vm);
exit_code halt_now(machine& vm);

// slow_host.cpp
exit_code call_host(machine& vm, func_object& callee, std::uint64_t* slots, bool is_tail);
exit_code finish_host(machine& vm);

// slow_exceptions.cpp
exit_code throw_tag_now(machine& vm);
exit_code throw_reference_now(machine& vm);
/// Looks for a handler of machine::exception from `saved.ip` outwards.
exit_code unwind(machine& vm);
/// The same, from the caller of the current frame.
exit_code unwind_from_caller(machine& vm);

// slow_memory.cpp
exit_code memory_size_now(machine& vm);
exit_code memory_grow_now(machine& vm);
exit_code memory_copy_now(machine& vm);
exit_code memory_fill_now(machine& vm);
exit_code memory_init_now(machine& vm);
exit_code data_drop_now(machine& vm);
exit_code far_load_now(machine& vm);
exit_code far_store_now(machine& vm);

// slow_tables.cpp
exit_code table_get_now(machine& vm);
exit_code table_set_now(machine& vm);
exit_code table_size_now(machine& vm);
exit_code table_grow_now(machine& vm);
exit_code table_fill_now(machine& vm);
exit_code table_copy_now(machine& vm);
exit_code table_init_now(machine& vm);
exit_code elem_drop_now(machine& vm);
exit_code ref_func_now(machine& vm);

} // namespace weir::wasm::detail
