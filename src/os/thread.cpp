// SPDX-License-Identifier: Apache-2.0
#include "os/thread.hpp"

#include <weir/check.hpp>

#include <cerrno>

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace weir::rt::os {
namespace {

static_assert(sizeof(pthread_t) <= sizeof(std::uintptr_t));

struct start_block {
  std::string name;
  void (*function)(void*);
  void* argument;
};

void* thread_main(void* raw) {
  std::unique_ptr<start_block> block(static_cast<start_block*>(raw));
  name_this_thread(block->name);
  auto* function = block->function;
  void* argument = block->argument;
  block.reset();
  function(argument);
  return nullptr;
}

duration read_clock(clockid_t clock) noexcept {
  timespec time{};
  if (::clock_gettime(clock, &time) != 0) return duration::zero();
  return std::chrono::seconds(time.tv_sec) + duration(time.tv_nsec);
}

std::error_code last(int error) noexcept { return {error, std::generic_category()}; }

} // namespace

std::expected<thread, std::error_code> thread::start_raw(thread_options options, void (*function)(void*),
                                                         void* argument) {
  auto block = std::make_unique<start_block>(std::move(options.name), function, argument);
  pthread_attr_t attributes;
  if (int error = ::pthread_attr_init(&attributes); error != 0) return std::unexpected(last(error));
  int error = options.stack_bytes == 0 ? 0 : ::pthread_attr_setstacksize(&attributes, options.stack_bytes);
  pthread_t native{};
  if (error == 0) error = ::pthread_create(&native, &attributes, &thread_main, block.get());
  ::pthread_attr_destroy(&attributes);
  if (error != 0) return std::unexpected(last(error));
  static_cast<void>(block.release());
  thread started;
  started.native_ = static_cast<std::uintptr_t>(native);
  started.joinable_ = true;
  return started;
}

thread& thread::operator=(thread&& other) noexcept {
  WEIR_CHECK(!joinable_, "a thread that is assigned to must have been joined or detached");
  native_ = other.native_;
  joinable_ = std::exchange(other.joinable_, false);
  return *this;
}

thread::~thread() { WEIR_CHECK(!joinable_, "a thread must be joined or detached before it is destroyed"); }

void thread::join() noexcept {
  WEIR_CHECK(joinable_, "only a joinable thread can be joined");
  int error = ::pthread_join(static_cast<pthread_t>(native_), nullptr);
  WEIR_CHECK(error == 0, "a thread could not be joined; a thread cannot join itself", error);
  joinable_ = false;
}

bool thread::join_until(instant deadline) noexcept {
  if (deadline.is_never()) {
    join();
    return true;
  }
  WEIR_CHECK(joinable_, "only a joinable thread can be joined");
  constexpr std::int64_t second = 1'000'000'000;
  int error = 0;
  if (deadline <= now()) {
    error = ::pthread_tryjoin_np(static_cast<pthread_t>(native_), nullptr);
  } else {
#if WEIR_HAS_TSAN
    // ThreadSanitizer does not know pthread_clockjoin_np and would take the thread for a live one for ever.
    std::int64_t left = (deadline - now()).count();
    timespec until{};
    ::clock_gettime(CLOCK_REALTIME, &until);
    std::int64_t at = until.tv_sec * second + until.tv_nsec + left;
    until = {.tv_sec = at / second, .tv_nsec = at % second};
    error = ::pthread_timedjoin_np(static_cast<pthread_t>(native_), nullptr, &until);
#else
    timespec until{.tv_sec = deadline.nanoseconds / second, .tv_nsec = deadline.nanoseconds % second};
    error = ::pthread_clockjoin_np(static_cast<pthread_t>(native_), nullptr, CLOCK_MONOTONIC, &until);
#endif
  }
  if (error == EBUSY || error == ETIMEDOUT) return false;
  WEIR_CHECK(error == 0, "a thread could not be joined; a thread cannot join itself", error);
  joinable_ = false;
  return true;
}

void thread::detach() noexcept {
  WEIR_CHECK(joinable_, "only a joinable thread can be detached");
  ::pthread_detach(static_cast<pthread_t>(native_));
  joinable_ = false;
}

duration thread::cpu_time() const noexcept {
  clockid_t clock{};
  if (!joinable_ || ::pthread_getcpuclockid(static_cast<pthread_t>(native_), &clock) != 0) return duration::zero();
  return read_clock(clock);
}

duration this_thread_cpu_time() noexcept { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
duration process_cpu_time() noexcept { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }
std::uint32_t this_thread_number() noexcept { return static_cast<std::uint32_t>(::syscall(SYS_gettid)); }

void name_this_thread(const std::string& name) noexcept {
  if (name.empty()) return;
  char cut[16];
  std::size_t length = std::min<std::size_t>(name.size(), sizeof(cut) - 1);
  name.copy(cut, length);
  cut[length] = '\0';
  ::pthread_setname_np(::pthread_self(), cut);
}

void use_precise_timers() noexcept { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }
void yield_thread() noexcept { ::sched_yield(); }

} // namespace weir::rt::os
