// SPDX-License-Identifier: Apache-2.0
#include "sched/monitor.hpp"

#include "sched/runtime_core.hpp"

#include <algorithm>

namespace weir::rt {
namespace {

using namespace std::chrono_literals;

constexpr duration shortest_period = 20us;
constexpr duration longest_period = 1ms;
constexpr duration until_sleep = 100ms; // of quiet
constexpr duration doze_time = 100ms;
constexpr duration closure_patience = 10ms; // with a queue that makes no progress

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
  last_busy_ = core.now();
  while (!core.is_terminating()) {
    instant at = core.now();
    duration period = scan(at);
    if (at - last_busy_ < until_sleep) {
      parker_.park_until(rt::now() + period);
    } else {
      sleep_deeply(at);
    }
  }
  core.release();
}

void monitor::sleep_deeply(instant now) noexcept {
  sleep_.begin();
  if (is_quiet(now) && !core_.is_terminating()) {
    instant until = core_.threads().oldest_idle() + core_.options().keep_alive;
    if (core_.idle().count_free() != core_.permit_count()) until = std::min(until, rt::now() + doze_time);
    bool was_notified = core_.timers().park_monitor(parker_, until);
    if (was_notified && !sleep_.is_on()) last_busy_ = core_.now(); // else: a timer
  } else {
    last_busy_ = core_.now();
  }
  sleep_.leave();
  period_ = {};
}

bool monitor::is_quiet(instant now) const noexcept {
  if (core_.has_demand() || !core_.closures().is_empty()) return false;
  for (std::size_t index = 0; index != core_.permit_count(); ++index) {
    call_word word = core_.permit_at(index).word();
    const sighting& last = seen_[index];
    bool is_long_blocked = is_call(word.phase) && last.call == word.pack() && now - last.call_since >= until_sleep;
    if (word.phase != permit_phase::free && !is_long_blocked) return false;
  }
  return true;
}

void monitor::look(instant now) noexcept {
  for (std::size_t index = 0; index != core_.permit_count(); ++index) {
    std::uint64_t word = core_.permit_at(index).call.load(detail::memory_order::acquire);
    sighting& last = seen_[index];
    if (!is_call(call_word::unpack(word).phase)) continue;
    last.is_valid = false; // what comes after the call is a new stretch of running
    if (last.call == word && !WEIR_MUTANT("monitor: a call does not grow older")) continue;
    last.call = word;
    last.call_since = now;
    core_.threads().at(call_word::unpack(word).worker).note_call_seen(word, now);
  }
}

bool monitor::is_mature(const permit& of, call_word call, instant now) const noexcept {
  const sighting& last = seen_[of.index];
  return last.call == call.pack() && now - last.call_since >= core_.options().grace;
}

duration monitor::scan(instant now) {
  core_.timers().fire_late();
  look(now);
  scans_.add();
  std::size_t returners = core_.returners().size();
  std::size_t left_alone = count_left_alone();
  std::size_t demand = core_.stealable() + left_alone + returners;
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
  if (left_alone != 0 && core_.idle().has_free()) core_.wake_one();
  watch_closures(now);
  if (core_.threads().spare() > 1) core_.threads().retire_idle(now + -core_.options().keep_alive);
  if (!is_quiet(now)) last_busy_ = now;
  if (demand > served && has_call) {
    period_ = std::clamp(core_.options().grace / 2, shortest_period, longest_period);
  } else {
    period_ = std::clamp(2 * period_, shortest_period, longest_period);
  }
  return std::min(period_, next_end_ - now);
}

void monitor::watch_closures(instant now) noexcept {
  std::uint64_t taken = core_.closures().taken();
  if (taken != closures_taken_ || core_.closures().is_empty()) {
    closures_taken_ = taken;
    closures_since_ = now;
  } else if (now - closures_since_ >= closure_patience) {
    closures_since_ = now;
    core_.find_closure_thread();
  }
}

void monitor::report_slow_poll(const sighting& poll, instant now) noexcept {
  core_.slow_polls.fetch_add(1, detail::memory_order::relaxed);
  if (!core_.options().on_slow_poll) return;
  slow_poll report{.task_name = {}, .spawned_at = {}, .worker = poll.worker, .age = now - poll.since};
  if (core_.threads().at(poll.worker).describe(report.task_name, report.spawned_at))
    core_.options().on_slow_poll(report);
}

void monitor::ask_to_drive() noexcept {
  for (std::size_t index = 0; index != core_.permit_count(); ++index) {
    call_word call = core_.permit_at(index).word();
    if (is_call(call.phase) && core_.threads().at(call.worker).ask_to_drive()) return;
  }
}

std::size_t monitor::count_left_alone() const noexcept {
  std::size_t count = 0;
  for (std::size_t index = 0; index != core_.permit_count(); ++index) {
    const permit& each = core_.permit_at(index);
    if (!each.next.is_occupied()) continue;
    call_word word = each.word();
    count += word.phase == permit_phase::run && is_same_poll(each, word) ? 1 : 0;
  }
  return count;
}

bool monitor::is_same_poll(const permit& of, call_word run) const noexcept {
  const sighting& last = seen_[of.index];
  return last.is_valid && last.polls == of.polls.get() && last.worker == run.worker;
}

bool monitor::watch_poll(permit& of, call_word run, instant now, bool has_demand, bool has_returner) noexcept {
  sighting& last = seen_[of.index];
  std::uint64_t poll = of.polls.get();
  if (!is_same_poll(of, run)) {
    bool is_known = of.slice_poll.load(detail::memory_order::acquire) == poll;
    last = {poll, run.worker, is_known ? instant{of.slice_began.load(detail::memory_order::relaxed)} : now, true};
  }
  if (!last.is_reported && now - last.since >= core_.options().slow_poll) {
    last.is_reported = true;
    report_slow_poll(last, now);
  }
  instant end = last.since + core_.options().slice;
  bool is_due = has_returner || (has_demand && now >= end);
  if (has_demand && !is_due) next_end_ = std::min(next_end_, end);
  return is_due && core_.threads().at(run.worker).ask_to_yield(of, poll);
}

} // namespace weir::rt
