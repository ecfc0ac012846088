// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads of the operating system. Unlike std::thread, a thread that cannot be made is an expected outcome, and it has
// a name.
#include "base/clock.hpp"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace weir::rt::os {

struct thread_options {
  std::string name;            ///< shown by ps and debuggers; cut to 15 bytes
  std::size_t stack_bytes = 0; ///< 0: what the system gives
};

/// A joinable thread. It must be joined or detached before it is destroyed.
class thread {
public:
  /// Starts `function()` on a new thread.
  ///
  /// Errors: what the system says: mostly resource_unavailable_try_again when a limit is reached; `function` is
  /// destroyed.
  template <class F> static std::expected<thread, std::error_code> start(thread_options options, F function) {
    auto closure = std::make_unique<F>(std::move(function));
    auto started = start_raw(
        std::move(options),
        [](void* argument) {
          std::unique_ptr<F> mine(static_cast<F*>(argument));
          (*mine)();
        },
        closure.get());
    if (started) static_cast<void>(closure.release());
    return started;
  }

  /// As start(), for a function and its argument; allocates nothing but the options' name.
  static std::expected<thread, std::error_code> start_raw(thread_options options, void (*function)(void*),
                                                          void* argument);

  thread() noexcept = default;
  thread(thread&& other) noexcept : native_(other.native_), joinable_(std::exchange(other.joinable_, false)) {}
  thread& operator=(thread&& other) noexcept;
  ~thread();

  bool is_joinable() const noexcept { return joinable_; }
  /// Waits for the thread's end.
  void join() noexcept;
  /// As join(), but gives up at `deadline`; false when it did.
  bool join_until(instant deadline) noexcept;
  /// Lets the thread go on without an owner.
  void detach() noexcept;
  /// The processor time this thread has used, or zero when it has ended.
  duration cpu_time() const noexcept;

private:
  std::uintptr_t native_ = 0;
  bool joinable_ = false;
};

/// The processor time the calling thread has used.
duration this_thread_cpu_time() noexcept;
/// The processor time all threads of the process have used.
duration process_cpu_time() noexcept;
/// The kernel's number of the calling thread.
std::uint32_t this_thread_number() noexcept;
/// Names the calling thread.
void name_this_thread(const std::string& name) noexcept;
/// Lets timed waits of the calling thread end when they are due, and not up to 50 us later.
void use_precise_timers() noexcept;
/// Lets another thread have the processor.
void yield_thread() noexcept;

} // namespace weir::rt::os
