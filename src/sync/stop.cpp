// SPDX-License-Identifier: Apache-2.0
#include <weir/stop.hpp>

#include "sched/task_state.hpp"

#include <weir/spawn.hpp>

namespace weir {

struct std_stop::relay {
  event signal;
  detail::atomic<bool> is_stop{false};

  static task<> run(std::shared_ptr<relay> mine, std::stop_source to) {
    co_await mine->signal;
    if (mine->is_stop.load(detail::memory_order::relaxed)) to.request_stop(); // ordered by the event
  }
  static void fire(void* self) noexcept {
    auto* mine = static_cast<relay*>(self);
    mine->is_stop.store(true, detail::memory_order::relaxed);
    mine->signal.set();
  }
};

std_stop::std_stop(stop_token from) : relay_(std::make_shared<relay>()) {
  spawn(relay::run(relay_, source_), {.name = "std_stop"}).detach();
  if (from.stop_possible() && !registration_.attach(*from.state(), relay::fire, relay_.get()))
    relay::fire(relay_.get());
}

std_stop::~std_stop() {
  registration_.detach();
  relay_->signal.set(); // the task ends
}

namespace this_task {

bool stop_requested() noexcept {
  detail::task_header* task = detail::current_task();
  return task != nullptr && (task->state.load(detail::memory_order::relaxed) & rt::task_state::cancel) != 0;
}

} // namespace this_task
} // namespace weir
