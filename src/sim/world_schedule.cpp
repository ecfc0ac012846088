// SPDX-License-Identifier: Apache-2.0
// Who runs next, and what time it is.
#include "sim/world.hpp"

#include <weir/detail/atomic.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace weir::sim::detail {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t patience = 64; // turns of a loop that waits, until time jumps
constexpr std::size_t endless = 1'000'000;
constexpr std::size_t monitors_alone = 200;
constexpr std::uint64_t longest_stall = 50'000'000;
constexpr std::uint64_t longest_delay = 5'000'000;

} // namespace

void world::set_up_by_seed() {
  constexpr std::array<std::int64_t, 6> distances{0, 2000, 200, 40, 12, 4}; // 0: no preemption at atomic operations
  const auto drawn = random_.below(stream::setup, distances.size());
  points_ = options_.grain == granularity::coarse ? 0 : distances[drawn];
  if (options_.grain == granularity::fine && points_ == 0) points_ = 8;
  constexpr std::array<std::uint64_t, 6> demotions{0, 0, 0, 20, 200, 2000};
  demotes_one_in_ = demotions[random_.below(stream::setup, demotions.size())];
  const auto uses = [&](bool is_allowed) {
    const bool is_drawn = random_.one(stream::setup, 2);
    return is_allowed && (options_.uses_all_faults || is_drawn);
  };
  faults_ = {.spurious_wakes = uses(options_.faults.spurious_wakes),
             .stalls = uses(options_.faults.stalls),
             .late_monitor = uses(options_.faults.late_monitor),
             .late_timers = uses(options_.faults.late_timers),
             .thread_failures = uses(options_.faults.thread_failures),
             .buggify = uses(options_.faults.buggify)};
}

void world::note(event_kind kind, std::uint64_t value) {
  const event happened{steps_, now_.nanoseconds, value, running_->number, kind};
  if (!trace_.add(happened)) {
    const event* const expected = trace_.expected();
    const std::string first = expected != nullptr ? "the first run of the seed had: " + describe_event(*expected)
                                                  : std::string("the first run of the seed had ended here");
    trace_.compare_with(nullptr);
    fail(failure_kind::nondeterminism, first);
  }
}

void world::next_point() noexcept {
  if (is_still_) return;
  charge_for_points();
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  drawn_ =
      points_ == 0 || is_calm_
          ? never
          : 1 + static_cast<std::int64_t>(random_.below(stream::schedule, 2 * static_cast<std::uint64_t>(points_)));
  if (options_.longest_stretch != 0 && !is_calm_)
    drawn_ = std::min(drawn_, static_cast<std::int64_t>(options_.longest_stretch));
  points_left = drawn_;
}

void world::charge_for_points() noexcept {
  const std::int64_t used = std::clamp<std::int64_t>(drawn_ - points_left, 0, 1'000'000'000);
  pass_time(used * options_.operation_time.count());
  drawn_ = points_left;
}

void world::check_limits() {
  if (steps_ > options_.max_steps) fail(failure_kind::too_long, "the run took more steps than max_steps");
  if (now_ - begin_ > options_.limit) fail(failure_kind::too_long, "the run took more virtual time than its limit");
}

void world::count_step() {
  ++steps_;
  if (steps_ >= next_look_) look();
  if (steps_ % 1024 == 0) check_limits();
}

void world::step() {
  if (is_still_ || is_calm_) return;
  count_step();
  fruitless_ = 0;
  charge_for_points();
  pass_time(20 + static_cast<std::int64_t>(random_.below(stream::time, 64)));
  fire_deadlines();
  if (faults_.stalls && random_.one(stream::faults, 3000)) {
    note(event_kind::fault, static_cast<std::uint64_t>(fault::stall));
    running_->word = nullptr;
    const auto span = random_.of_any_size(stream::faults, longest_stall);
    block(thread_phase::waiting, now_ + rt::duration(static_cast<std::int64_t>(span)));
    return;
  }
  next_point();
  switch_to(pick());
}

void world::yield() {
  if (is_still_) return;
  count_step();
  ++fruitless_;
  charge_for_points();
  pass_time(30 + static_cast<std::int64_t>(random_.below(stream::time, 32)));
  fire_deadlines();
  if (fruitless_ > endless) fail(failure_kind::deadlock, "every thread that does not sleep spins");
  if (fruitless_ > patience * ready_.size() && !deadlines_.empty()) advance();
  running_->priority = --lowest_priority_;
  next_point();
  if (ready_.size() == 1) return;
  const std::size_t self = running_->place;
  std::size_t at = random_.below(stream::schedule, ready_.size() - 1);
  if (at >= self) ++at;
  switch_to(demotes_one_in_ != 0 ? pick() : *ready_[at]);
}

sim_thread& world::pick() {
  if (ready_.size() == 1) return *ready_.front();
  if (demotes_one_in_ == 0) return *ready_[random_.below(stream::schedule, ready_.size())];
  if (running_->phase == thread_phase::ready && random_.one(stream::schedule, demotes_one_in_))
    running_->priority = --lowest_priority_;
  return **std::ranges::max_element(ready_, {}, [](const sim_thread* thread) { return thread->priority; });
}

rt::instant world::now() {
  if (is_still_) return now_;
  pass_time(15 + static_cast<std::int64_t>(random_.below(stream::time, 32)));
  if (random_.one(stream::schedule, 4)) step();
  return now_;
}

void world::leave(std::vector<sim_thread*>& list, sim_thread& thread) noexcept {
  list.back()->place = thread.place;
  list[thread.place] = list.back();
  list.pop_back();
}

void world::make_ready(sim_thread& thread) {
  leave(waiting_, thread);
  thread.phase = thread_phase::ready;
  thread.place = ready_.size();
  ready_.push_back(&thread);
}

void world::block(thread_phase phase, rt::instant deadline) {
  fruitless_ = 0;
  sim_thread& self = *running_;
  leave(ready_, self);
  self.phase = phase;
  self.place = waiting_.size();
  waiting_.push_back(&self);
  self.has_timed_out = false;
  ++self.waits;
  self.sleeps_since = order_++;
  self.deadline = deadline;
  if (!deadline.is_never()) deadlines_.push({deadline.nanoseconds, order_++, self.number, self.waits});
  note(event_kind::waits, deadline.is_never() ? 0 : static_cast<std::uint64_t>(deadline.nanoseconds));
  while (ready_.empty()) advance();
  next_point();
  switch_to(pick());
}

void world::fire_deadlines() {
  while (!deadlines_.empty() && deadlines_.top().at <= now_.nanoseconds) {
    const timed due = deadlines_.top();
    deadlines_.pop();
    sim_thread& thread = *threads_[due.thread];
    if (!is_current(thread, due.waits)) continue;
    thread.has_timed_out = true;
    note(event_kind::times_out, thread.number);
    make_ready(thread);
  }
}

void world::advance() {
  while (!deadlines_.empty() && !is_current(*threads_[deadlines_.top().thread], deadlines_.top().waits))
    deadlines_.pop();
  if (deadlines_.empty()) {
    if (!ready_.empty()) return;
    fail(failure_kind::deadlock, "every thread waits, and no timer is armed");
  }
  const bool is_monitor = threads_[deadlines_.top().thread]->is_monitor();
  if (is_monitor && ready_.empty() && ++only_monitors_ > monitors_alone) {
    const bool somebody_else = std::ranges::any_of(
        waiting_, [](const sim_thread* each) { return !each->is_monitor() && !each->deadline.is_never(); });
    if (!somebody_else) fail(failure_kind::deadlock, "every thread waits but the monitor, and no timer is armed");
    only_monitors_ = 0;
  }
  now_ = std::max(now_, rt::instant{deadlines_.top().at});
  note(event_kind::advances, 0);
  fire_deadlines();
  check_limits();
}

bool world::wait(const void* word, rt::instant deadline) {
  if (is_still_) return true;
  count_step();
  pass_time(200);
  if (faults_.spurious_wakes && random_.one(stream::faults, 12)) {
    note(event_kind::fault, static_cast<std::uint64_t>(fault::spurious_wake));
    step();
    return deadline > now_;
  }
  std::uint64_t late = 0;
  if (!deadline.is_never() && faults_.late_monitor && running_->is_monitor() && random_.one(stream::faults, 8))
    late = random_.of_any_size(stream::faults, longest_stall);
  if (!deadline.is_never() && faults_.late_timers && random_.one(stream::faults, 8))
    late += random_.of_any_size(stream::faults, longest_delay);
  if (late != 0) note(event_kind::fault, static_cast<std::uint64_t>(fault::late));
  running_->word = word;
  block(thread_phase::waiting, deadline + rt::duration(static_cast<std::int64_t>(late)));
  running_->word = nullptr;
  return !running_->has_timed_out;
}

std::size_t world::wake(const void* word, std::size_t most) {
  std::size_t woken = 0;
  while (woken != most) {
    sim_thread* first = nullptr; // the one that came first: places change, so the order is that of the waits
    for (sim_thread* each : waiting_) {
      if (each->phase != thread_phase::waiting || each->word != word) continue;
      if (first == nullptr || each->sleeps_since < first->sleeps_since) first = each;
    }
    if (first == nullptr) break;
    note(event_kind::wakes, first->number);
    make_ready(*first);
    ++woken;
  }
  step();
  return woken;
}

bool world::join(std::uint32_t thread, rt::instant deadline) {
  if (threads_[thread]->phase == thread_phase::ended) {
    step();
    return true;
  }
  if (deadline <= now_) return false;
  running_->joins = thread;
  block(thread_phase::joining, deadline);
  return threads_[thread]->phase == thread_phase::ended;
}

bool world::may_start_thread() noexcept {
  if (!fails_threads_ || !faults_.thread_failures || !random_.one(stream::faults, 3)) return true;
  note(event_kind::fault, static_cast<std::uint64_t>(fault::no_thread));
  return false;
}

void world::reach(std::string_view goal, bool holds) {
  auto& reached = result_.reached;
  auto& missed = result_.missed;
  if (std::ranges::find(reached, goal) != reached.end()) return;
  const auto known = std::ranges::find(missed, goal);
  if (holds) {
    if (known != missed.end()) missed.erase(known);
    reached.emplace_back(goal);
  } else if (known == missed.end()) {
    missed.emplace_back(goal);
  }
}

void preempt() noexcept {
  if (world* const here = world::current()) {
    here->step();
  } else {
    points_left = std::numeric_limits<std::int64_t>::max();
  }
}

std::uint32_t thread_number() noexcept {
  world* const here = world::current();
  return here != nullptr ? here->running().number : 0;
}

void spin() noexcept {
  if (world* const here = world::current()) here->yield();
}

} // namespace weir::sim::detail
