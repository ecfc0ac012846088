// SPDX-License-Identifier: Apache-2.0
// Threads of the system as a simulation has them; takes the place of os/thread.cpp.
#include "os/thread.hpp"

#include "sim/world.hpp"

#include <weir/check.hpp>

namespace weir::rt::os {

using sim::detail::world;

namespace {

std::uint32_t number_of(std::uintptr_t native) noexcept { return static_cast<std::uint32_t>(native); }

} // namespace

std::expected<thread, std::error_code> thread::start_raw(thread_options options, void (*function)(void*),
                                                         void* argument) {
  world* const here = world::current();
  WEIR_CHECK(here != nullptr, "a thread of the simulated variant of weir starts inside of sim::run() only");
  if (!here->may_start_thread())
    return std::unexpected(std::make_error_code(std::errc::resource_unavailable_try_again));
  thread started;
  started.native_ = here->start(std::move(options.name), function, argument);
  started.joinable_ = true;
  here->step();
  return started;
}

thread& thread::operator=(thread&& other) noexcept {
  WEIR_CHECK(!joinable_, "a thread that is assigned to must have been joined or detached");
  native_ = other.native_;
  joinable_ = std::exchange(other.joinable_, false);
  return *this;
}

thread::~thread() { WEIR_CHECK(!joinable_, "a thread must be joined or detached before it is destroyed"); }

void thread::join() noexcept { join_until(instant::never()); }

bool thread::join_until(instant deadline) noexcept {
  WEIR_CHECK(joinable_, "only a joinable thread can be joined");
  world* const here = world::current();
  if (here != nullptr && number_of(native_) == here->running().number) {
    WEIR_CHECK(deadline <= here->time(), "a thread cannot join itself");
    return false; // it has not ended
  }
  if (here != nullptr && !here->join(number_of(native_), deadline)) return false;
  joinable_ = false;
  return true;
}

void thread::detach() noexcept {
  WEIR_CHECK(joinable_, "only a joinable thread can be detached");
  joinable_ = false;
}

duration thread::cpu_time() const noexcept {
  world* const here = world::current();
  return joinable_ && here != nullptr ? here->busy(here->thread(number_of(native_))) : duration::zero();
}

duration this_thread_cpu_time() noexcept {
  world* const here = world::current();
  return here != nullptr ? here->busy(here->running()) : duration::zero();
}

duration process_cpu_time() noexcept { return duration::zero(); }

std::uint32_t this_thread_number() noexcept {
  world* const here = world::current();
  return here != nullptr ? here->running().number + 1 : 1;
}

void name_this_thread(const std::string& name) noexcept {
  if (world* const here = world::current(); here != nullptr && !name.empty()) here->running().name = name;
}

void use_precise_timers() noexcept {}

void yield_thread() noexcept {
  if (world* const here = world::current()) here->yield();
}

} // namespace weir::rt::os
