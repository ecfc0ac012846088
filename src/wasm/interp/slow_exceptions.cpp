// SPDX-License-Identifier: Apache-2.0
// Throwing. The control stack is walked from the newest frame outwards; in each frame the function's ranges say whether
// its cell is inside a try_table with a clause for the exception's tag. A record with the cell `restore` gives back the
// calling instance. The walk changes nothing before it has found a clause, so that the trace of an uncaught exception
// is complete.
#include "wasm/code/module_code.hpp"
#include "wasm/interp/entry_points.hpp"
#include "wasm/interp/slow.hpp"

#include <algorithm>

namespace weir::wasm::detail {
namespace {

/// A frame on the control stack.
class frame_cursor {
public:
  explicit frame_cursor(const machine& vm)
      : vm_{vm},
        at{vm.saved.ip},
        frame{vm.saved.fp},
        instance{vm.instance},
        records{vm.saved.records},
        callers{vm.callers.size()} {}

  /// Goes to the caller's frame; false when the call came from outside.
  bool leave() {
    for (;;) {
      if (records == vm_.records.get()) return false;
      --records;
      if (records->return_to == vm_.start) return false;
      if (records->return_to != vm_.restore) break;
      instance = vm_.callers[--callers];
    }
    at = records->return_to;
    frame = records->frame;
    return true;
  }

private:
  const machine& vm_;

public:
  const cell* at;
  std::uint64_t* frame;
  instance_object* instance;
  call_record* records;
  std::size_t callers; // of machine::callers
};

const exception_clause* find_clause(const machine& vm, const function_code& function, const frame_cursor& frame) {
  for (const exception_range& range : function.ranges) {
    if (frame.at < range.begin || frame.at >= range.end) continue;
    for (const exception_clause& clause : range.clauses)
      if (clause.catches_all || frame.instance->tags[clause.tag] == vm.exception->tag) return &clause;
  }
  return nullptr;
}

/// Goes on at the clause. Its target may lie before the throw, so this is a checkpoint as well.
exit_code land(machine& vm, const frame_cursor& frame, const function_code& function, const exception_clause& clause) {
  if (vm.instance != frame.instance) vm.set_instance(frame.instance);
  vm.callers.resize(frame.callers);
  vm.saved.records = frame.records;
  vm.saved.fp = frame.frame;
  std::uint64_t* to = vm.saved.fp + clause.slot;
  if (!clause.catches_all) to = std::copy(vm.exception->values.begin(), vm.exception->values.end(), to);
  if (clause.takes_reference) *to = reinterpret_cast<std::uint64_t>(vm.exception);
  vm.exception = nullptr;
  vm.saved.local = vm.saved.fp[function.pinned_slot];
  vm.saved.ip = clause.target;
  return vm.interrupt.load() != 0 ? checkpoint_now(vm) : exit_code::go_on;
}

exit_code unwind_from(machine& vm, frame_cursor frame, bool is_there) {
  for (; is_there; is_there = frame.leave()) {
    const function_code* function = vm.function_at(frame.at, frame.instance);
    if (function == nullptr) continue;
    if (const exception_clause* clause = find_clause(vm, *function, frame)) return land(vm, frame, *function, *clause);
  }
  return vm.uncaught();
}

exit_code throw_object(machine& vm, exception_object* thrown) {
  vm.exception = thrown;
  return unwind(vm);
}

} // namespace

exit_code unwind(machine& vm) { return unwind_from(vm, frame_cursor{vm}, true); }

exit_code unwind_from_caller(machine& vm) {
  frame_cursor frame{vm};
  const bool is_there = frame.leave();
  return unwind_from(vm, frame, is_there);
}

// The values are in consecutive slots from `c` on; the tag is in the second cell.
exit_code throw_tag_now(machine& vm) {
  tag_object& tag = *vm.instance->tags[vm.saved.ip[1].c];
  const std::uint64_t* values = vm.saved.fp + vm.saved.ip->c;
  return throw_object(vm, make_exception(vm.store, tag, values, tag.type->params.size()));
}

exit_code throw_reference_now(machine& vm) {
  const std::uint64_t reference = vm.saved.fp[vm.saved.ip->b];
  if (reference == 0) return vm.trap(trap_code::null_exception);
  return throw_object(vm, to_pointer<exception_object>(reference));
}

} // namespace weir::wasm::detail
