// SPDX-License-Identifier: Apache-2.0

// Races on memory that no cell<T> wraps. A model compiled with -fsanitize=thread but linked without it calls these
// functions at each plain access; they take the place of ThreadSanitizer's runtime. The clocks are the model's own, so
// a race is found in the execution that allows it and not only when it happens.
//
//   clang: -fsanitize=thread -mllvm -tsan-instrument-atomics=0 -mllvm -tsan-instrument-func-entry-exit=0   (compile
//   options only)
#include <weir/config.hpp>

#if !WEIR_HAS_TSAN

#include "check/arena.hpp"
#include "check/checker.hpp"

namespace {

// The linker keeps one copy of an inline function, which may be the instrumented one, and the checker calls it too: only
// what the model itself does counts, and the checker must not enter itself.
void note(const void* address, std::size_t bytes, bool is_write) {
  if (!weir::check::detail::current_allocation_source().is_model_code) return;
  if (auto* const running = weir::check::detail::checker::current()) running->access_plainly(address, bytes, is_write);
}

} // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are the sanitizer's
#define WEIR_PLAIN_ACCESS(bytes)                                                                                       \
  void __tsan_read##bytes(void* at) { note(at, bytes, false); }                                                        \
  void __tsan_write##bytes(void* at) { note(at, bytes, true); }                                                        \
  void __tsan_unaligned_read##bytes(void* at) { note(at, bytes, false); }                                              \
  void __tsan_unaligned_write##bytes(void* at) { note(at, bytes, true); }                                              \
  void __tsan_read_write##bytes(void* at) { note(at, bytes, true); }                                                   \
  void __tsan_unaligned_read_write##bytes(void* at) { note(at, bytes, true); }

extern "C" {
WEIR_PLAIN_ACCESS(1)
WEIR_PLAIN_ACCESS(2)
WEIR_PLAIN_ACCESS(4)
WEIR_PLAIN_ACCESS(8)
WEIR_PLAIN_ACCESS(16)
void __tsan_read_range(void* at, std::size_t bytes) { note(at, bytes, false); }
void __tsan_write_range(void* at, std::size_t bytes) { note(at, bytes, true); }
void __tsan_vptr_update(void** at, void*) { note(static_cast<void*>(at), sizeof *at, true); }
void __tsan_vptr_read(void** at) { note(static_cast<void*>(at), sizeof *at, false); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}
void* __tsan_memcpy(void* to, const void* from, std::size_t bytes) {
  note(from, bytes, false);
  note(to, bytes, true);
  return __builtin_memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, std::size_t bytes) {
  note(from, bytes, false);
  note(to, bytes, true);
  return __builtin_memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, std::size_t bytes) {
  note(to, bytes, true);
  return __builtin_memset(to, value, bytes);
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming): from here on the names are weir's

#endif
