// SPDX-License-Identifier: Apache-2.0
#include "sched/monitor.hpp"

#include "sched/runtime_core.hpp"

#include <algorithm>

namespace weir::rt {
namespace {

using namespace std::chrono_literals;

constexpr duration shortest_period = 20us;
constexpr duration longest_period = 1ms;
constexpr duration until_sleep = 100ms; // without demand

} // namespace

std::error_code monitor::start() {
  core_.hold();
  auto started =
      os::thread::start_raw({"weir-monitor", 0}, [](void* self) { static_cast<monitor*>(self)->main(); }, this);
  if (!started) {
    core_.release();
    return started.error();
  }
  thread_ = std::move(*started);
  return {};
}

void monitor::main() noexcept {
  runtime_core& core = core_;
  os::use_precise_timers();
  last_demand_ = core.now();
  while (!core.is_terminating()) {
    instant at = core.now();
    duration period = scan(at);
    if (at - last_demand_ < until_sleep) {
      parker_.park_until(rt::now() + period);
      continue;
    }
    asleep_.store(1, detail::memory_order::relaxed);
    detail::seq_cst_fence(); // O1
    if (core.has_demand()) {
      asleep_.store(0, detail::memory_order::relaxed);
    } else if (!core.is_terminating()) {
      parker_.park();
      asleep_.store(0, detail::memory_order::relaxed);
    }
    last_demand_ = core.now();
    period_ = {};
  }
  core.release();
}

void monitor::look(instant now) noexcept {
  for (std::size_t index = 0; index != core_.permit_count(); ++index) {
    std::uint64_t word = core_.permit_at(index).call.load(detail::memory_order::acquire);
    sighting& last = seen_[index];
    if (last.call == word || !is_call(call_word::unpack(word).phase)) continue;
    last.call = word;
    last.call_since = now;
  }
}

bool monitor::is_mature(const permit& of, call_word call, instant now) const noexcept {
  const sighting& last = seen_[of.index];
  return last.call == call.pack() && now - last.call_since >= core_.options().grace;
}

duration monitor::scan(instant now) {
  look(now);
  std::size_t returners = core_.returners().size();
  std::size_t demand = core_.queued() + returners;
  std::size_t served = core_.idle().count_free();
  std::size_t to_ask = returners; // one poll has to give way for each
  bool has_call = false;
  bool can_take = true;
  next_end_ = instant::never();
  for (std::size_t index = 0; index != core_.permit_count(); ++index) {
    permit& each = core_.permit_at(index);
    call_word word = each.word();
    if (word.phase == permit_phase::run) {
      if (watch_poll(each, word, now, demand > served, to_ask != 0) && to_ask != 0) --to_ask;
    } else if (is_call(word.phase)) {
      has_call = true;
      bool may_take =
          is_mature(each, word, now) || (word.phase == permit_phase::long_call && core_.may_release_early());
      if (can_take && demand > served && may_take) {
        can_take = core_.take_call(each, word, may_make_thread::yes) != call_taken::no_thread;
        if (!can_take) ask_to_drive();
        served += can_take ? 1 : 0;
      }
    }
  }
  if (demand != 0) last_demand_ = now;
  if (demand > served && has_call) {
    period_ = std::clamp(core_.options().grace / 2, shortest_period, longest_period);
  } else {
    period_ = std::clamp(2 * period_, shortest_period, longest_period);
  }
  return std::min(period_, next_end_ - now);
}

void monitor::ask_to_drive() noexcept {
  for (std::size_t index = 0; index != core_.permit_count(); ++index) {
    call_word call = core_.permit_at(index).word();
    if (is_call(call.phase) && core_.threads().at(call.worker).ask_to_drive()) return;
  }
}

bool monitor::watch_poll(permit& of, call_word run, instant now, bool has_demand, bool has_returner) noexcept {
  sighting& last = seen_[of.index];
  std::uint64_t poll = of.polls.get();
  if (!last.is_valid || last.polls != poll || last.worker != run.worker) {
    bool is_known = of.slice_poll.load(detail::memory_order::acquire) == poll;
    last = {poll, run.worker, is_known ? instant{of.slice_began.load(detail::memory_order::relaxed)} : now, true};
  }
  instant end = last.since + core_.options().slice;
  bool is_due = has_returner || (has_demand && now >= end);
  if (has_demand && !is_due) next_end_ = std::min(next_end_, end);
  return is_due && core_.threads().at(run.worker).ask_to_yield(of, poll);
}

} // namespace weir::rt
