// SPDX-License-Identifier: Apache-2.0
// Blocking regions: the holder's side of the race for the permit. The monitor's side is in monitor.cpp, the word in
// call_word.hpp, the whole story in doc/design/blocking.md.
#include "sched/runtime_core.hpp"

#include <weir/blocking.hpp>

namespace weir {
namespace rt {
namespace {

constexpr detail::wait_kind blocks_in_wait{.what = "the end of a blocking wait", .blocks_thread = true};

// Says of the task of this thread, in whose poll it waits, that it does.
class blocked_mark {
public:
  explicit blocked_mark(detail::task_header* task) noexcept : task_(task) {
    if (task_ != nullptr) task_->set_wait(blocks_in_wait, nullptr);
  }
  blocked_mark(const blocked_mark&) = delete;
  blocked_mark& operator=(const blocked_mark&) = delete;
  ~blocked_mark() {
    if (task_ != nullptr) task_->clear_wait();
  }

private:
  detail::task_header* task_;
};

} // namespace

void worker::enter_region(const call_site& site, detail::expected_wait expects) noexcept {
  std::uint32_t depth = region_depth_.load(detail::memory_order::relaxed);
  set_region_depth(depth + 1);
  if (depth != 0 || held_ == nullptr) return;
  bool learns = expects == detail::expected_wait::learned;
  site_ = learns ? &site : nullptr;
  if (learns ? core_.sites().is_long(site) : expects == detail::expected_wait::long_wait) {
    enter_long_region();
  } else {
    start_call(permit_phase::call);
  }
}

void worker::start_call(permit_phase phase) noexcept {
  if (held_->next.is_occupied()) { // next_cell.hpp, delay
    if (task_header* woken = held_->next.take()) queue_here(*woken);
    core_.publish();
  }
  region_ = phase == permit_phase::call ? region_state::call : region_state::long_call;
  call_.store(begin_call(held_->call, phase), detail::memory_order::relaxed);
}

void worker::enter_long_region() noexcept {
  if (is_permit_wanted() && core_.count_early_release()) {
    if (release_counted_permit()) {
      note_release();
      return;
    }
    core_.detached.fetch_sub(1, detail::memory_order::relaxed);
  }
  start_long_call();
}

void worker::start_long_call() noexcept {
  start_call(permit_phase::long_call);
  core_.long_calls.add();
  if (is_permit_wanted()) core_.take_long_call();
}

void worker::leave_region() noexcept {
  std::uint32_t depth = region_depth_.load(detail::memory_order::relaxed);
  if (depth != 1) {
    set_region_depth(depth - 1);
    return;
  }
  region_state state = std::exchange(region_, region_state::none);
  if (state == region_state::call || state == region_state::long_call) {
    bool is_mine = end_call(held_->call, call_.load(detail::memory_order::relaxed)) ||
                   WEIR_MUTANT("region: a permit that was taken is used on");
    if (is_mine && state == region_state::long_call) core_.long_calls.subtract();
    if (is_mine) state = region_state::none;
  }
  if (state != region_state::none) {
    if (context_.task != nullptr) ++context_.task->stats.handoffs;
    if (state == region_state::call && site_ != nullptr) core_.sites().note_detached(*site_);
    if (state == region_state::released && site_ != nullptr) learn_from_release();
    take_permit_back();
  }
  call_.store(no_call, detail::memory_order::relaxed);
  set_region_depth(0);
}

void worker::note_release() noexcept {
  region_ = region_state::released;
  released_at_.store(core_.now().nanoseconds, detail::memory_order::relaxed);
  call_.store(0, detail::memory_order::release);
}

void worker::note_call_seen(std::uint64_t call, instant at) noexcept {
  seen_at_.store(at.nanoseconds, detail::memory_order::relaxed);
  seen_call_.store(call, detail::memory_order::release);
}

std::optional<duration> worker::region_age(instant now) const noexcept {
  if (!is_in_region()) return std::nullopt;
  std::uint64_t call = call_.load(detail::memory_order::acquire);
  if (call == 0) return now - instant{released_at_.load(detail::memory_order::relaxed)};
  // A call has a word of its own, and is seen once: who reads the word afterwards reads its time.
  if (seen_call_.load(detail::memory_order::acquire) != call) return std::nullopt;
  std::int64_t at = seen_at_.load(detail::memory_order::acquire);
  return seen_call_.load(detail::memory_order::relaxed) == call ? std::optional(now - instant{at}) : std::nullopt;
}

void worker::learn_from_release() noexcept {
  if (core_.now() - instant{released_at_.load(detail::memory_order::relaxed)} < core_.options().grace / 2)
    core_.sites().note_needless(*site_);
}

void worker::take_permit_back() noexcept {
  held_ = core_.claim_or_enqueue(*this);
  if (held_ == nullptr) held_ = wait_in_return_queue();
  core_.detached.fetch_sub(1, detail::memory_order::relaxed); // not before: eager_limit bounds the threads
}

bool worker::is_permit_wanted() const noexcept {
  return (held_->next.is_occupied() || core_.has_stealable()) && !core_.idle().has_free();
}

bool worker::release_permit() noexcept {
  core_.detached.fetch_add(1, detail::memory_order::relaxed);
  bool is_released = release_counted_permit();
  if (!is_released) core_.detached.fetch_sub(1, detail::memory_order::relaxed);
  return is_released;
}

bool worker::release_counted_permit() noexcept {
  if (!core_.grant_to_returner(*held_)) {
    auto next = core_.threads().reserve();
    if (!next) {
      core_.count_missing_thread(next.error());
      return false;
    }
    (*next)->grant(*held_);
  }
  held_ = nullptr;
  core_.handoffs.fetch_add(1, detail::memory_order::relaxed);
  if (core_.expects_next_release()) core_.threads().prepare_next(); // the receiver runs meanwhile
  return true;
}

void worker::offer_permit() noexcept {
  if (!is_permit_wanted()) return;
  if (release_permit()) {
    take_permit_back();
  } else {
    drive_once();
  }
}

void worker::wait_blocked(parker& wake, bool (*is_over)(void*) noexcept, void* argument) noexcept {
  bool drives = false;
  blocked_mark mark(context_.task);
  while (!is_over(argument)) {
    // Other work waits already: the permit goes at once, without a grace. When no thread can take it, this one runs the
    // work.
    bool is_released = false;
    if (is_permit_wanted()) {
      is_released = !drives && release_permit();
      drives = !is_released && drive_once();
      if (drives) continue;
    }
    set_region_depth(1);
    site_ = nullptr;
    if (is_released) {
      note_release();
    } else {
      start_long_call();
    }
    drives = sleep_until_over(wake, is_over, argument);
    leave_region();
  }
}

bool worker::sleep_until_over(parker& wake, bool (*is_over)(void*) noexcept, void* argument) noexcept {
  {
    std::lock_guard guard(attention_lock_);
    waits_on_ = &wake;
    wants_driving_ = false;
  }
  bool is_asked = false;
  while (!is_asked && !is_over(argument)) {
    if (!core_.timers().park(wake)) core_.timers().fire_due();
    std::lock_guard guard(attention_lock_);
    is_asked = wants_driving_ && !WEIR_MUTANT("block_on: a waiter does not drive the queue");
  }
  std::lock_guard guard(attention_lock_);
  waits_on_ = nullptr;
  return is_asked;
}

bool worker::drive_once() noexcept {
  if (core_.returners().size() != 0 && core_.grant_to_returner(*held_)) {
    held_ = nullptr;
    core_.detached.fetch_add(1, detail::memory_order::relaxed);
    take_permit_back();
    return true;
  }
  task_header* task = next_task();
  if (is_searching_) stop_searching();
  if (task == nullptr) return false;
  execute(*task);
  // The task may be queued here again, and who waits looks at the queue only when no permit is free: idle.hpp, own requeue.
  if (held_->has_queued() && !WEIR_MUTANT("block_on: what was driven is not published")) core_.publish();
  return true;
}

bool worker::ask_to_drive() noexcept {
  std::lock_guard guard(attention_lock_);
  if (waits_on_ == nullptr) return false;
  wants_driving_ = true;
  waits_on_->unpark();
  return true;
}

} // namespace rt

namespace detail {

blocking_region::blocking_region(const call_site& site, expected_wait expects) noexcept : worker_(nullptr) {
  rt::thread_context* context = rt::current_context();
  if (context == nullptr || context->on == nullptr) return;
  worker_ = context->on;
  context->on->enter_region(site, expects);
}

blocking_region::~blocking_region() {
  if (worker_ != nullptr) static_cast<rt::worker*>(worker_)->leave_region();
}

} // namespace detail
} // namespace weir
