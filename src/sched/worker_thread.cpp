// SPDX-License-Identifier: Apache-2.0
// The worker as a thread: how it starts and ends, how it gets a permit, and how it waits for one.
#include "sched/runtime_core.hpp"

namespace weir::rt {
namespace {

using namespace std::chrono_literals;

constexpr duration hot_time = 30us;

} // namespace

void worker::main() noexcept {
  runtime_core& core = core_; // outlives this object's last use below
  context_.core = &core;
  set_current_context(&context_);
  while (permit* granted = wait_for_permit()) {
    held_ = granted;
    work();
  }
  set_current_context(nullptr);
  core.threads().note_end(*this);
  core.release();
}

void worker::grant(permit& to_hold, bool to_search) noexcept {
  to_hold.set(permit_phase::grant, number_);
  assign(to_hold, to_search);
}

void worker::assign(permit& granted, bool to_search) noexcept {
  give_order(reinterpret_cast<std::uintptr_t>(&granted) | (to_search ? searching : 0));
}

void worker::give_order(std::uintptr_t order) noexcept {
  assigned_.store(order, detail::memory_order::release); // O1
  parker_.unpark();
}

permit* worker::accept(std::uintptr_t assigned) noexcept {
  is_searching_ = (assigned & searching) != 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): a pointer and a flag share the word
  auto* granted = reinterpret_cast<permit*>(assigned & ~searching);
  granted->set(permit_phase::run, number_);
  return granted;
}

permit* worker::wait_for_permit() noexcept {
  for (;;) {
    if (std::uintptr_t assigned = assigned_.exchange(0, detail::memory_order::acquire)) // O1
      return assigned == order_retire ? nullptr : accept(assigned);
    if (core_.is_terminating()) return nullptr;
    if (!spin_while_hot()) parker_.park();
  }
}

permit* worker::wait_in_return_queue() noexcept {
  for (;;) {
    if (std::uintptr_t assigned = assigned_.exchange(0, detail::memory_order::acquire)) return accept(assigned); // O1
    parker_.park();
  }
}

bool worker::spin_while_hot() noexcept {
  if (place.load(detail::memory_order::relaxed) != spare_place::hot) return false;
  instant end = rt::now() + hot_time;
  do {
    for (int i = 0; i != 32; ++i) {
      if (assigned_.load(detail::memory_order::relaxed) != 0) return true;
      spin_pause();
    }
  } while (rt::now() < end && !core_.is_terminating());
  return !core_.threads().cool(*this);
}

} // namespace weir::rt
