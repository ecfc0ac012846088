// SPDX-License-Identifier: Apache-2.0
#include "check/checker.hpp"

#include <algorithm>
#include <cerrno>
#include <cxxabi.h>
#include <exception>
#include <new>
#include <utility>

#include <weir/check.hpp>

namespace weir::check::detail {

namespace {

constexpr std::string_view spins = "spins";

constinit thread_local checker* running = nullptr;

// A check that fails in a model is one more failure of the execution.
void observe_check(std::string_view what, const std::source_location& where) noexcept {
  checker* const model = checker::current();
  if (model == nullptr) return;
  const host_allocation host;
  model->fail(failure_kind::requirement, "check failed: " + std::string(what) + " (" + where.file_name() + ":" +
                                             std::to_string(where.line()) + ")");
}

} // namespace

checker* checker::current() noexcept { return running != nullptr && running->is_in_thread_ ? running : nullptr; }

checker::checker(std::string_view name, const std::function<void(model&)>& body, const model_options& options)
    : name_(name), body_(body), options_(options) {
  WEIR_CHECK(running == nullptr, "a model is explored inside of another one");
  running = this;
  current_allocation_source() = {.arenas = arenas_};
  libraries_.exceptions = reinterpret_cast<weir::rt::exception_globals*>(abi::__cxa_get_globals());
  libraries_.error_number = &errno;
  weir::detail::set_check_observer(&observe_check); // stays: it does nothing where no model runs
}

checker::~checker() {
  running = nullptr;
  current_allocation_source() = {};
  for (thread_record& thread : threads_) thread.stack_notes.destroy();
  model_memory::give_back(std::move(memory_));
}

void checker::follow(const replay_plan& plan) {
  plan_ = &plan;
  for (const auto& [by, child] : plan.children) children_.emplace(by, child);
  engine_.start({});
  static_cast<void>(engine_.next_execution());
  run_threads();
  finish();
  for (unsigned thread = 0; thread < max_threads && failure_.kind == failure_kind::none; ++thread)
    if (static_cast<std::size_t>(position_of(thread)) < plan.threads[thread].size())
      set_failure(failure_kind::nondeterminism, "the program ends before the replay string does", {});
}

void checker::begin() {
  arenas_->reset();
  trace_.clear();
  sleepers_.clear();
  for (auto& values : got_) values.clear();
  calls_.clear();
  planned_positions_.clear();
  is_cut_ = false;
  executed_ = 0;
  is_decided_ = false;
  is_granted_ = false;
  preemptions_ = 0;
  ++generation_;
  for (thread_record& thread : threads_) {
    thread.phase = thread_phase::unused;
    thread.made = 0;
    thread.children = thread.weak_failures = thread.timeouts = thread.ticks = 0;
    thread.has_seen_time = false;
    thread.spin_start = 0;
    thread.sleeps_on = -1;
    thread.was_resumed = false;
    thread.entry = nullptr;
    thread.library = {};
  }
  threads_[0].name = "main";
  prepare(0);
}

void checker::prepare(unsigned thread) {
  thread_record& of = threads_[thread];
  const std::span<std::byte> usable = memory_->stack_of(thread);
  weir::rt::forget_frames_on(usable);
  of.stack_notes.destroy();
  of.stack_notes = {};
  of.stack_notes.create(usable);
  weir::rt::prepare_machine(of, usable, &checker::enter);
  of.phase = thread_phase::ready;
}

bool checker::has_executed(event_id id) const noexcept {
  if (is_initial(id)) return true;
  const graph& g = engine_.current();
  const event_id last = engine_.last_of(g[id].thread);
  return last != no_event && g[id].index <= g[last].index;
}

// Whether the thread may perform the operation it stands before.
bool checker::may_step(unsigned thread) const noexcept {
  if (plan_ != nullptr) return has_source_for_next(thread);
  if (engine_.has_recorded(thread)) return has_executed(engine_.current()[engine_.next_of(thread)].source);
  if (executed_ != engine_.current().size()) return false;
  for (unsigned lower = 0; lower < thread; ++lower)
    if (is_runnable(lower)) return false;
  return true;
}

bool checker::is_runnable(unsigned thread) const noexcept {
  const thread_record& of = threads_[thread];
  return of.phase == thread_phase::ready ||
         (of.phase == thread_phase::joining && threads_[of.joins].phase == thread_phase::ended);
}

bool checker::pick(unsigned& thread) const {
  for (thread = 0; thread < max_threads; ++thread) {
    // A thread that waited goes on when the plan says that it did.
    const bool goes_on = plan_ != nullptr && threads_[thread].phase == thread_phase::waiting;
    if ((goes_on || is_runnable(thread)) && (plan_ != nullptr || engine_.has_recorded(thread)) && may_step(thread))
      return true;
  }
  for (thread = 0; plan_ != nullptr && thread < max_threads; ++thread)
    if (is_runnable(thread) && !threads_[thread].was_resumed) return true;
  if (plan_ != nullptr) return false;
  for (thread = 0; thread < max_threads; ++thread)
    if (is_runnable(thread) && may_step(thread)) return true;
  return false;
}

void checker::run_threads() {
  begin();
  if (strategy_ != nullptr) return run_steps();
  unsigned thread = 0;
  while (failure_.kind == failure_kind::none && !is_cut_ && pick(thread)) resume(thread);
}

void checker::resume(unsigned thread) {
  thread_record& to = threads_[thread];
  self_ = thread;
  to.was_resumed = true;
  allocation_source& source = current_allocation_source();
  source.thread = thread;
  is_in_thread_ = true;
  libraries_.exchange(to.library);
  host_notes_.note_running();
  host_notes_.leave(to.stack_notes, false);
  source.is_model_code = true;
  weir::rt::switch_machine(host_, to);
  source.is_model_code = false;
  host_notes_.arrive(to.stack_notes);
  libraries_.exchange(to.library);
  is_in_thread_ = false;
}

// Back to the host; returns when the host resumes this thread, if it ever does.
void checker::leave(bool ends) noexcept {
  thread_record& from = threads_[self_];
  allocation_source& source = current_allocation_source();
  const bool was_model_code = std::exchange(source.is_model_code, false);
  from.stack_notes.leave(host_notes_, ends);
  weir::rt::switch_machine(from, host_);
  from.stack_notes.arrive(host_notes_);
  source.is_model_code = was_model_code;
}

void checker::enter(weir::rt::machine_state* machine) noexcept {
  auto& of = static_cast<thread_record&>(*machine);
  checker& self = *running;
  of.stack_notes.arrive(self.host_notes_);
  self.run_entry(self.self_);
  self.leave(true);
  std::terminate(); // an ended thread is never picked
}

void checker::run_entry(unsigned thread) noexcept {
  thread_record& of = threads_[thread];
  std::string escaped;
  try {
    if (of.entry != nullptr) {
      (*of.entry)();
      delete std::exchange(of.entry, nullptr);
    } else {
      model m = model_access::make();
      body_(m);
    }
  } catch (const std::exception& thrown) {
    const host_allocation host;
    escaped = std::string("an exception left the thread: ") + thrown.what();
  } catch (...) {
    const host_allocation host;
    escaped = "an exception left the thread";
  }
  // Outside of the handlers, so that the exception is gone when the stack is dropped.
  if (!escaped.empty()) fail(failure_kind::exception, escaped);
  const host_allocation host;
  step({.kind = operation_kind::end}, std::source_location::current());
  of.phase = thread_phase::ended;
}

std::uint64_t checker::step(const operation& op, const std::source_location& where) {
  const host_allocation host;
  if (strategy_ != nullptr) {
    const bool is_access = op.kind <= operation_kind::compare_exchange;
    strategy_->announced({.thread = self_,
                          .kind = op.kind,
                          .location = is_access ? op.location : -1,
                          .writes = is_access && op.kind != operation_kind::load});
    await_turn();
  } else {
    while (!may_step(self_)) leave();
  }
  const int before = position_of(self_);
  std::uint64_t value = 0;
  switch (perform(op, value)) {
  case step_result::stop: cut();
  case step_result::diverged:
    fail(failure_kind::nondeterminism,
         "the thread does something else than before, although all it has seen is the same");
  case step_result::done: break;
  }
  executed_ += position_of(self_) - before;
  event_id event = engine_.last_of(self_);
  if (position_of(self_) - before == 2) event = engine_.current()[event].previous;
  trace_.push_back({.thread = self_, .event = event, .cell = nullptr, .where = where, .note = {}});
  if (strategy_ != nullptr) tell_strategy(event);
  if (engine_.current().events.size() > options_.max_events)
    fail(failure_kind::runaway, "one execution has more than " + std::to_string(options_.max_events) +
                                    " events; mark loops that wait with spin_hint(), or shorten the model");
  return value;
}

step_result checker::perform(const operation& op, std::uint64_t& value) {
  if (plan_ != nullptr) return perform_planned(op, value);
  if (strategy_ != nullptr)
    engine_.add_drawn(self_, op, *strategy_, op.kind <= operation_kind::compare_exchange && is_hidden(op.location));
  return engine_.perform(self_, op, value);
}

unsigned checker::spawn(std::string_view name, std::function<void()> body, const std::source_location& where) {
  auto* const entry = new std::function<void()>(std::move(body)); // of the spawning thread's arena
  const host_allocation host;
  const auto [at, is_new] =
      children_.try_emplace({self_, threads_[self_].children++}, static_cast<unsigned>(children_.size() + 1));
  const unsigned child = at->second;
  if (child >= max_threads) fail(failure_kind::requirement, "a model has at most seven threads and its main thread");
  step({.kind = operation_kind::spawn, .location = static_cast<std::int32_t>(child)}, where);
  threads_[child].name = name;
  threads_[child].entry = entry;
  prepare(child);
  return child;
}

void checker::join(unsigned thread, const std::source_location& where) {
  const host_allocation host;
  if (thread >= max_threads || threads_[thread].phase == thread_phase::unused)
    fail(failure_kind::requirement, "a thread is joined that was not started");
  thread_record& of = threads_[self_];
  while (threads_[thread].phase != thread_phase::ended) {
    of.joins = thread;
    of.phase = thread_phase::joining;
    leave();
    of.phase = thread_phase::ready;
  }
  step({.kind = operation_kind::join, .location = static_cast<std::int32_t>(thread)}, where);
}

void checker::join_all(const std::source_location& where) {
  for (unsigned thread = 1; thread < max_threads; ++thread)
    if (thread != self_ && threads_[thread].phase != thread_phase::unused) join(thread, where);
}

void checker::spin(const std::source_location& where) {
  const graph& g = engine_.current();
  thread_record& of = threads_[self_];
  bool has_effect = false;
  for (event_id id = engine_.last_of(self_); id != no_event && g[id].index >= of.spin_start; id = g[id].previous) {
    if (g[id].is_write() && g[id].is_exclusive && g[id].value == g[g[id].previous].value)
      continue; // wrote what was there
    has_effect |= g[id].is_write() || (g[id].kind == event_kind::other && g[id].op.kind != operation_kind::mark);
  }
  const int from = std::exchange(of.spin_start, position_of(self_));
  if (!has_effect && from != position_of(self_)) wait(spins, from, where);
}

void checker::wait(std::string_view note, int from, const std::source_location& where) {
  const host_allocation host;
  thread_record& of = threads_[self_];
  of.phase = thread_phase::waiting;
  of.waits_from = from;
  of.wait_note = note;
  of.wait_where = where;
  if (strategy_ != nullptr) strategy_->waits(self_, awaited_by(self_));
  do leave();
  while (strategy_ == nullptr && plan_ == nullptr);
  of.phase = thread_phase::ready; // what it waits for has changed
}

void checker::cut() {
  is_cut_ = true;
  threads_[self_].phase = thread_phase::left_out;
  for (;;) leave();
}

void checker::set_failure(failure_kind kind, const std::string& what, const std::vector<std::size_t>& steps) {
  failure_.kind = kind;
  failure_.what.assign(what); // copies: the caller's may be in the arena
  failure_.steps.assign(steps.begin(), steps.end());
}

void checker::fail(failure_kind kind, const std::string& what, const std::vector<std::size_t>& steps) {
  const host_allocation host;
  threads_[self_].phase = thread_phase::left_out;
  if (failure_.kind == failure_kind::none && !is_cut_) set_failure(kind, what, steps);
  for (;;) leave();
}

// After the last switch of an execution.
void checker::finish() {
  if (failure_.kind != failure_kind::none) {
    engine_.finish_execution(true);
    return;
  }
  if (is_cut_) {
    engine_.finish_execution(false);
    return;
  }
  if (plan_ == nullptr && strategy_ == nullptr && executed_ != engine_.current().size()) {
    set_failure(failure_kind::nondeterminism,
                "a thread ends or waits earlier than before, although all it has seen is the same", {});
    engine_.finish_execution(true);
    return;
  }
  const bool all_ended = std::all_of(threads_.begin(), threads_.end(), [](const thread_record& thread) {
    return thread.phase == thread_phase::unused || thread.phase == thread_phase::ended;
  });
  if (!all_ended) {
    check_waits();
  } else if (arenas_->saw_double_free()) {
    set_failure(failure_kind::lifetime, "a block of memory is freed twice", {});
  } else if (options_.checks_leaks && arenas_->live_blocks() != 0) {
    set_failure(failure_kind::leak, std::to_string(arenas_->live_blocks()) + " blocks of memory are never freed", {});
  }
  engine_.finish_execution(all_ended || failure_.kind != failure_kind::none);
}

// Whether something has changed that a waiting thread has read.
bool checker::has_news(unsigned thread) const noexcept {
  const graph& g = engine_.current();
  const int from = threads_[thread].waits_from;
  for (event_id id = engine_.last_of(thread); id != no_event && g[id].index >= from; id = g[id].previous)
    if (g[id].is_access() && g.sight_of(g[id]) != g.position_of(g.newest_write(g[id].location)) &&
        !(g[id].is_read() && g[id].is_exclusive))
      return true;
  return false;
}

// Some threads have not ended and none can run. They wait for ever if what they read is the newest there is.
void checker::check_waits() {
  const graph& g = engine_.current();
  std::string who;
  bool all_spin = true;
  bool word_changed = false;
  for (unsigned thread = 0; thread < max_threads; ++thread) {
    const thread_record& of = threads_[thread];
    if (of.phase == thread_phase::ready) return; // stands at the end of a recorded execution
    if (of.phase == thread_phase::joining)
      who += (who.empty() ? "" : ", ") + of.name + " joins " + threads_[of.joins].name;
    if (of.phase != thread_phase::waiting) continue;
    if (has_news(thread)) return;
    who += (who.empty() ? "" : ", ") + of.name + " " + std::string(of.wait_note);
    all_spin &= of.wait_note == spins;
    if (of.sleeps_on < 0) continue;
    who += " on " + location_name(of.sleeps_on);
    word_changed |= g.value_of(g.newest_write(of.sleeps_on)) != of.sleeps_while;
  }
  const failure_kind kind = word_changed ? failure_kind::lost_wakeup
                            : all_spin   ? failure_kind::livelock
                                         : failure_kind::deadlock;
  set_failure(kind, "no thread can go on: " + who, {});
  for (unsigned thread = 0; thread < max_threads; ++thread) {
    const thread_record& of = threads_[thread];
    if (of.phase != thread_phase::waiting) continue;
    trace_.push_back({.what = trace_step::form::wait,
                      .thread = thread,
                      .cell = nullptr,
                      .where = of.wait_where,
                      .note = of.wait_note});
  }
}

} // namespace weir::check::detail
