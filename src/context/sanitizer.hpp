// SPDX-License-Identifier: Apache-2.0
#pragma once

// What AddressSanitizer and ThreadSanitizer must hear at each switch between stacks. Without them every member is empty
// and every call nothing.
//
// R1 leave() is the last thing before the switch, on the stack that is left; arrive() the first thing after it, on the
// stack that
//    runs now. Between the two only the switch itself touches memory.
// R2 ThreadSanitizer sees each fiber as a thread of its own; its switch orders the two sides, as being on one thread
// does.
#include <weir/config.hpp>

#include <cstddef>
#include <span>

#if WEIR_HAS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if WEIR_HAS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace weir::rt {

/// One stack as the sanitizers know it.
class sanitized_stack {
public:
#if WEIR_HAS_ASAN || WEIR_HAS_TSAN
  /// A fiber's stack, before its first switch.
  void create([[maybe_unused]] std::span<std::byte> stack) noexcept {
#if WEIR_HAS_ASAN
    bottom_ = stack.data();
    bytes_ = stack.size();
#endif
#if WEIR_HAS_TSAN
    fiber_ = __tsan_create_fiber(0);
#endif
  }

  /// A fiber's stack, after its last switch.
  void destroy() noexcept {
#if WEIR_HAS_TSAN
    if (fiber_ != nullptr) __tsan_destroy_fiber(fiber_);
    fiber_ = nullptr;
#endif
  }

  /// The stack of the thread that is about to resume a fiber.
  void note_running() noexcept {
#if WEIR_HAS_TSAN
    fiber_ = __tsan_get_current_fiber();
#endif
  }

  /// `ends`: this stack will not be switched to again.
  WEIR_ALWAYS_INLINE void leave([[maybe_unused]] sanitized_stack& to, [[maybe_unused]] bool ends) noexcept {
#if WEIR_HAS_ASAN
    __sanitizer_start_switch_fiber(ends ? nullptr : &fake_stack_, to.bottom_, to.bytes_);
#endif
#if WEIR_HAS_TSAN
    __tsan_switch_to_fiber(to.fiber_, 0);
#endif
  }

  /// `from`: the stack that was left; a thread's own bounds are learnt here.
  WEIR_ALWAYS_INLINE void arrive([[maybe_unused]] sanitized_stack& from) noexcept {
#if WEIR_HAS_ASAN
    __sanitizer_finish_switch_fiber(fake_stack_, &from.bottom_, &from.bytes_);
#endif
  }

private:
#if WEIR_HAS_ASAN
  void* fake_stack_ = nullptr;
  const void* bottom_ = nullptr;
  std::size_t bytes_ = 0;
#endif
#if WEIR_HAS_TSAN
  void* fiber_ = nullptr;
#endif
#else
  void create(std::span<std::byte>) noexcept {}
  void destroy() noexcept {}
  void note_running() noexcept {}
  void leave(sanitized_stack&, bool) noexcept {}
  void arrive(sanitized_stack&) noexcept {}
#endif
};

/// The frames of a stack that ended by a switch never returned, so their red zones are still marked.
inline void forget_frames_on([[maybe_unused]] std::span<std::byte> stack) noexcept {
#if WEIR_HAS_ASAN
  __asan_unpoison_memory_region(stack.data(), stack.size());
#endif
}

} // namespace weir::rt
