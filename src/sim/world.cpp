// SPDX-License-Identifier: Apache-2.0
// Simulated threads: how they start, how one leaves the processor to another, and how they end.
#include "sim/world.hpp"

#include "sim/locals.hpp"

#include <weir/check.hpp>
#include <weir/detail/atomic.hpp>

#if WEIR_HAS_ASAN
#include <sanitizer/lsan_interface.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <limits>
#include <new>
#include <utility>

namespace weir::sim::detail {

std::int64_t points_left = std::numeric_limits<std::int64_t>::max();
std::uint64_t active_mutant = 0;
std::uint64_t run_number = 0;
unsigned threads_go_on = 1;

namespace {

constexpr std::size_t stack_bytes = std::size_t{512} * 1024;

constinit world* running_world = nullptr;

std::vector<rt::os::address_range>& spare_stacks() {
  static std::vector<rt::os::address_range> stacks;
  return stacks;
}

rt::os::address_range take_stack() {
  auto& spare = spare_stacks();
  if (!spare.empty()) {
    rt::os::address_range stack = std::move(spare.back());
    spare.pop_back();
    return stack;
  }
  const std::size_t page = rt::os::page_bytes();
  auto range = rt::os::address_range::reserve(stack_bytes + page);
  if (!range || !range->commit(page, stack_bytes)) throw std::bad_alloc();
  return std::move(*range);
}

std::span<std::byte> usable(const rt::os::address_range& stack) {
  return {stack.data() + (stack.size() - stack_bytes), stack_bytes};
}

void observe_check(std::string_view what, const std::source_location& where) noexcept {
  world* const here = world::current();
  if (here == nullptr) return;
  here->fail(failure_kind::requirement,
             std::string(what) + " (" + where.file_name() + ":" + std::to_string(where.line()) + ")");
}

std::string text_of(const std::exception_ptr& thrown) {
  if (thrown == nullptr) return "std::terminate was called";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& known) {
    return std::string("an exception ended the program: ") + known.what();
  } catch (...) {
    return "an exception of an unknown type ended the program";
  }
}

[[noreturn]] void on_terminate() {
  world* const here = world::current();
  if (here == nullptr) std::abort();
  here->fail(failure_kind::exception, text_of(std::current_exception()));
}

std::uint64_t mutant_number(const std::string& name) noexcept {
  std::uint64_t id = 0xcbf29ce484222325U; // as mutant_id()
  for (const char c : name) id = (id ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return name.empty() ? 0 : id;
}

void run_body(void* body) { (*static_cast<const std::function<void()>*>(body))(); }

} // namespace

world* world::current() noexcept { return running_world; }

world::world(const run_options& options, const std::function<void()>& body)
    : options_(options),
      body_(body),
      random_(options.seed),
      exceptions_(reinterpret_cast<rt::exception_globals*>(abi::__cxa_get_globals())),
      error_number_(&errno) {
  WEIR_CHECK(running_world == nullptr, "a simulation is run inside of another one");
  set_up_by_seed();
  host_.name = "outside";
  host_.locals.resize(locals_section().size());
}

world::~world() {
  for (auto& thread : threads_) {
    if (thread->stack.empty()) continue;
    rt::forget_frames_on(usable(thread->stack));
    thread->own_notes.destroy();
    spare_stacks().push_back(std::move(thread->stack));
  }
}

#if WEIR_HAS_ASAN
void world::show_stacks_to_leak_checker() const {
  for (const auto& thread : threads_)
    if (!thread->stack.empty()) __lsan_register_root_region(usable(thread->stack).data(), stack_bytes);
}
#endif

outcome world::run() {
  running_world = this;
  ++run_number;
  weir::detail::set_check_observer(&observe_check); // stays: it does nothing where no simulation runs
  const std::terminate_handler outer_handler = std::set_terminate(&on_terminate);
  running_ = &host_;
  active_mutant = mutant_number(options_.mutant);
  if (options_.copies != 0) {
    copies_ = std::make_unique<kept_copies>();
    copies_->most = options_.copies;
    next_look_ = 1;
  }
  start("main", &run_body, const_cast<std::function<void()>*>(&body_)); // run_body reads it only
  next_point();
  switch_to(*threads_.front());
  points_left = std::numeric_limits<std::int64_t>::max();
  active_mutant = 0;
  std::set_terminate(outer_handler);
  running_world = nullptr;
  if (copies_ != nullptr && copies_->is_branch) end_branch();
  if (copies_ != nullptr) result_.way = std::make_shared<history>(std::move(copies_));
  result_.hash = trace_.hash();
  result_.steps = steps_;
  result_.time = now_ - begin_;
  result_.threads = threads_.size();
  return std::move(result_);
}

std::uint32_t world::start(std::string name, void (*entry)(void*), void* argument) {
  reap();
  auto& made = *threads_.emplace_back(std::make_unique<sim_thread>());
  made.number = static_cast<std::uint32_t>(threads_.size() - 1);
  made.name = std::move(name);
  made.entry = entry;
  made.argument = argument;
  made.priority = (std::uint64_t{1} << 40U) + random_.below(stream::schedule, std::uint64_t{1} << 20U);
  const std::span<const char> image = initial_locals();
  made.locals.assign(image.begin(), image.end());
  made.stack = take_stack();
  made.own_notes.create(usable(made.stack));
  made.notes = made.own_notes;
  rt::prepare_machine(made, usable(made.stack), &world::enter);
  ++live_;
  made.place = ready_.size();
  ready_.push_back(&made);
  note(event_kind::starts, made.number);
  return made.number;
}

void world::enter(rt::machine_state* machine) {
  auto& self = static_cast<sim_thread&>(*machine);
  world& here = *running_world;
  self.notes.arrive(here.left_->notes);
  try {
    self.entry(self.argument);
  } catch (...) {
    here.fail(failure_kind::exception, text_of(std::current_exception()));
  }
  here.end_running();
}

void world::end_running() {
  sim_thread& self = *running_;
  note(event_kind::ends, self.number);
  leave(ready_, self);
  self.phase = thread_phase::ended;
  ended_.push_back(&self);
  for (std::size_t at = waiting_.size(); at-- != 0;) {
    sim_thread& other = *waiting_[at];
    if (other.phase == thread_phase::joining && other.joins == self.number) make_ready(other);
  }
  if (--live_ == 0) switch_to(host_, true);
  while (ready_.empty()) advance();
  next_point();
  switch_to(pick(), true);
  std::abort(); // nobody goes back to a thread that has ended
}

void world::reap() {
  for (sim_thread* thread : std::exchange(ended_, {})) {
    thread->own_notes.destroy();
    spare_stacks().push_back(std::exchange(thread->stack, {}));
    thread->locals = {};
  }
}

WEIR_NOINLINE void world::switch_to(sim_thread& next, bool ends) {
  sim_thread& from = *running_;
  if (&from == &next) return;
  note(event_kind::runs, next.number);
  const std::span<char> locals = locals_section();
  std::memcpy(from.locals.data(), locals.data(), locals.size());
  std::memcpy(locals.data(), next.locals.data(), locals.size());
  from.library.exceptions = *exceptions_;
  from.library.error_number = *error_number_;
  *exceptions_ = next.library.exceptions;
  *error_number_ = next.library.error_number;
  if (!next.is_monitor()) only_monitors_ = 0;
  from.busy += now_ - switched_at_;
  switched_at_ = now_;
  left_ = &from;
  running_ = &next;
  from.notes.note_running();
  from.notes.leave(next.notes, ends);
  rt::switch_machine(from, next);
  from.notes.arrive(left_->notes);
}

void world::fail(failure_kind kind, const std::string& what) {
  if (result_.failure == failure_kind::none) {
    hold_still(true);
    result_.failure = kind;
    result_.report = describe(what);
  }
  running_world = nullptr; // what is left of the run decides nothing any more
  switch_to(host_, true);
  std::abort();
}

void world::look_at_each(const std::function<void(const sim_thread&)>& look) {
  const bool was_still = hold_still(true);
  const unsigned went_on = std::exchange(threads_go_on, 0);
  const std::span<char> locals = locals_section();
  const std::vector<char> own(locals.begin(), locals.end());
  for (const auto& thread : threads_) {
    if (thread->phase == thread_phase::ended) continue;
    std::ranges::copy(thread.get() == running_ ? own : thread->locals, locals.begin());
    look(*thread);
  }
  std::ranges::copy(own, locals.begin());
  threads_go_on = went_on;
  hold_still(was_still);
}

bool world::hold_still(bool stills) noexcept {
  if (stills) points_left = std::numeric_limits<std::int64_t>::max();
  const bool before = std::exchange(is_still_, stills);
  if (!stills) next_point();
  return before;
}

void world::set_calm(bool is_calm) noexcept {
  is_calm_ = is_calm;
  next_point();
}

} // namespace weir::sim::detail
