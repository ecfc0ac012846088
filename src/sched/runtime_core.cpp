// SPDX-License-Identifier: Apache-2.0
#include "sched/runtime_core.hpp"

#include "os/cpu_count.hpp"
#include "sched/finish.hpp"

#include <algorithm>

namespace weir::rt {
namespace {

runtime_options with_defaults(runtime_options options) {
  if (options.permits == 0) options.permits = os::available_cpus();
  if (options.max_threads == 0) options.max_threads = std::max<std::size_t>(512, options.permits + 1);
  if (options.eager_limit == 0) options.eager_limit = 4 * options.permits + 112;
  return options;
}

// A spare thread that is awake needs a processor that no permit's holder does.
std::size_t hot_threads(std::size_t permits) noexcept {
  std::size_t processors = os::available_cpus();
  return processors > permits ? std::min<std::size_t>(8, processors - permits) : 0;
}

bool is_valid(const runtime_options& options) noexcept {
  return options.permits != 0 && options.permits <= 1024 && options.grace.count() > 0 && options.slice.count() > 0 &&
         options.keep_alive.count() >= 0 && options.slow_poll.count() > 0 && options.max_threads > options.permits &&
         options.max_threads < call_word::max_workers;
}

} // namespace

runtime_core::runtime_core(core_config config)
    : config_(std::move(config)),
      permit_count_(config_.options.permits),
      uses_next_(permit_count_ > 1 && config_.has_monitor_thread),
      permits_(std::make_unique<permit[]>(permit_count_)),
      idle_(permit_count_),
      registry_(permit_count_),
      crew_(*this, config_.options.max_threads, hot_threads(permit_count_), config_.make_thread),
      monitor_(*this, permit_count_),
      timers_(*this, config_.now_argument != nullptr) {
  for (std::size_t index = 0; index != permit_count_; ++index) {
    permits_[index].index = index;
    idle_.claim(index); // free once its worker is attached
  }
  if (config_.options.on_unhandled)
    on_unhandled_ = std::make_shared<const detail::unhandled_handler>(config_.options.on_unhandled);
}

std::expected<runtime_core*, std::error_code> runtime_core::build(core_config config) {
  config.options = with_defaults(std::move(config.options));
  if (!is_valid(config.options)) return std::unexpected(make_error_code(errc::invalid_config));
  auto* core = new runtime_core(std::move(config));
  if (std::error_code failure = core->start()) {
    core->close();
    core->watch().join();
    core->threads().wait_for_end(instant::never());
    core->threads().join(instant::never());
    core->release();
    return std::unexpected(failure);
  }
  return core;
}

std::error_code runtime_core::start() {
  for (std::size_t number = 0; number <= permit_count_; ++number) {
    auto started = crew_.start_worker();
    if (!started && started.error() == no_thread::runtime_ends) return {}; // a start hook failed, so it is closed
    if (!started) return errc::thread_creation_failed;
    if (number < permit_count_) {
      permits_[number].set(permit_phase::free, (*started)->number());
      idle_.set_free(number);
    } else {
      crew_.put_back(**started);
    }
  }
  if (config_.has_monitor_thread && monitor_.start()) return errc::thread_creation_failed;
  detail::seq_cst_fence();         // idle.hpp, parker (c)
  if (has_stealable()) wake_one(); // (d): a start hook may have spawned before there was a permit
  return {};
}

void runtime_core::release() noexcept {
  if (references_.fetch_sub(1, detail::memory_order::acq_rel) == 1) delete this;
}

void runtime_core::launch(task_header& task) noexcept {
  if (task.block.core != this) {
    task.block.core = this;
    task.block.permit = detail::block_origin::no_permit;
  }
  bool is_closure = task.block.kind == detail::task_kind::closure; // ends on a thread without a permit
  worker* here = is_closure ? nullptr : current_worker();
  bool is_admitted = here != nullptr ? registry_.add_here(task, here->held().index)
                                     : registry_.add(task, next_list_.fetch_add(1, detail::memory_order::relaxed));
  if (task.block.priority != task_priority::normal && !uses_priorities())
    uses_priorities_.store(true, detail::memory_order::relaxed);
  if (is_admitted) {
    if (is_closure) {
      hold(); // as in schedule()
      closures_.push(task);
      publish_closure();
      release();
    } else {
      schedule(task);
    }
  } else {
    task_state::start(task);
    task.operations->cancel(task);
    complete_task(task);
  }
}

worker* runtime_core::current_worker() const noexcept {
  thread_context* context = current_context();
  worker* here = context != nullptr ? context->on : nullptr;
  return here != nullptr && &here->core() == this && here->can_queue() ? here : nullptr;
}

void runtime_core::schedule(task_header& task) noexcept {
  if (worker* here = current_worker()) {
    here->queue_here(task);
    publish();
    return;
  }
  if (is_in_forked_child()) return; // a late wake; nobody is there to run the task
  hold();                           // the task may run and be the last one before publish() is through
  injectors_.of(task.block.priority).push(task);
  if (!WEIR_MUTANT("injector: a push from outside is not published")) publish();
  release();
}

void runtime_core::schedule_next(task_header& task) noexcept {
  worker* here = uses_next_ && task.block.priority == task_priority::normal ? current_worker() : nullptr;
  if (here == nullptr) return schedule(task);
  if (task_header* behind = here->held().next.put(task)) return schedule(*behind);
  detail::seq_cst_fence(); // deep_sleep.hpp O1
  monitor_.wake_if_asleep();
}

void runtime_core::schedule(task_chain tasks) noexcept {
  if (tasks.size == 0) return;
  if (worker* here = current_worker()) {
    while (task_header* task = tasks.pop_front()) here->queue_here(*task);
  } else if (!uses_priorities()) {
    injectors_.normal().push(tasks);
  } else {
    while (task_header* task = tasks.pop_front()) injectors_.of(task->block.priority).push(*task);
  }
  publish();
}

void runtime_core::finish(task_header& task, permit& held) noexcept {
  registry_.count_finished(held.index);
  if (registry_.is_near(task, held.index)) {
    if (registry_.remove(task, held.index)) terminate();
    complete_task(task);
    return;
  }
  if (held.leaving.size != 0 && held.leaving_list != task.block.list) flush_leaving(held);
  held.leaving_list = task.block.list;
  set_task_complete(task);
  held.leaving.push_back(task);
  if (held.leaving.size >= task_list::many) flush_leaving(held);
}

void runtime_core::finish_closure(task_header& task) noexcept {
  if (registry_.remove_outside(task)) terminate();
  complete_task(task);
}

void runtime_core::flush_leaving(permit& held) noexcept {
  if (held.leaving.size == 0) return;
  auto left = registry_.at(held.leaving_list).leave(std::exchange(held.leaving, {}));
  if (left.is_closed || (left.have_gathered && permits_[held.leaving_list].word().phase != permit_phase::run))
    collect_list(held.leaving_list, false);
}

void runtime_core::collect_list(std::size_t list, bool as_owner) noexcept {
  if (!registry_.at(list).has_leaving()) return;
  std::size_t counted = 0;
  task_chain gone = registry_.at(list).collect(as_owner, counted);
  while (task_header* task = gone.pop_front()) detail::drop_reference(*task);
  if (registry_.count_removed(counted)) terminate();
}

void runtime_core::tidy(permit& held) noexcept {
  flush_leaving(held);
  collect_list(held.index, true);
  held.frames.collect();
}

std::size_t runtime_core::stealable() const noexcept {
  std::size_t total = 0;
  auto add = [&](task_priority of) {
    total += injectors_.of(of).size();
    for (std::size_t index = 0; index != permit_count_; ++index)
      total += permits_[index].queues.of(of).size() + permits_[index].overflow.of(of).size();
  };
  add(task_priority::normal);
  if (!uses_priorities()) return total;
  add(task_priority::high);
  add(task_priority::background);
  return total;
}

std::size_t runtime_core::queued() const noexcept {
  std::size_t total = stealable();
  for (std::size_t index = 0; index != permit_count_; ++index) total += permits_[index].next.is_occupied() ? 1 : 0;
  return total;
}

bool runtime_core::has_demand() const noexcept {
  if (has_stealable()) return true;
  for (std::size_t index = 0; index != permit_count_; ++index) {
    if (permits_[index].next.is_occupied()) return true;
  }
  return false;
}

bool runtime_core::has_stealable() const noexcept {
  if (returners_.size() != 0) return true;
  auto has = [&](task_priority of) {
    if (injectors_.of(of).size() != 0) return true;
    for (std::size_t index = 0; index != permit_count_; ++index) {
      if (permits_[index].has_queued(of)) return true;
    }
    return false;
  };
  if (has(task_priority::normal)) return true;
  if (uses_priorities() && !WEIR_MUTANT("priorities: only normal tasks are looked for") &&
      (has(task_priority::high) || has(task_priority::background)))
    return true;
  return has_fork();
}

void runtime_core::publish() noexcept {
  detail::seq_cst_fence(); // idle.hpp, publisher (2)
  wake_one();
}

void runtime_core::wake_one() noexcept {
  if (idle_.has_free()) {
    if (idle_.searching() != 0) return;
    if (auto index = idle_.claim_any()) {
      permit& claimed = permits_[*index];
      worker& attached = crew_.at(claimed.word().worker);
      idle_.begin_search();
      attached.grant(claimed, true);
      detail::seq_cst_fence(); // deep_sleep.hpp O1
      monitor_.note_busy();
      return;
    }
  }
  if (long_calls.size() != 0) {
    take_long_call(); // long_calls.hpp O1
  } else {
    monitor_.wake_if_asleep();
  }
}

void runtime_core::close() noexcept {
  if (closing_.exchange(true, detail::memory_order::acq_rel)) return;
  task_chain stopped;
  bool is_drained = registry_.close(stopped);
  for (std::size_t list = 0; list != permit_count_; ++list) collect_list(list, false); // task_list.hpp O3
  if (stopped.size != 0) {
    injectors_.normal().push(stopped);
    publish();
  }
  if (is_drained) terminate();
}

void runtime_core::terminate() noexcept {
  crew_.end();
  if (!WEIR_MUTANT("shutdown: the monitor is not woken")) monitor_.wake();
}

void runtime_core::drop() noexcept {
  if (is_in_forked_child()) return; // locks may be held by threads that are not here
  close();
  crew_.detach();
  monitor_.detach();
  release();
}

bool runtime_core::shut_down(instant deadline) {
  if (is_in_forked_child()) throw std::system_error(errc::used_after_fork, "runtime::shutdown");
  thread_context* context = current_context();
  bool is_own = context != nullptr && context->on != nullptr && &context->on->core() == this;
  if (is_own || (context != nullptr && context->serves == this))
    throw std::system_error(errc::called_from_worker, "runtime::shutdown");
  close();
  if (!crew_.wait_for_end(deadline)) return false;
  std::lock_guard guard(end_lock_);
  monitor_.join();
  return crew_.join(deadline);
}

void runtime_core::run_hook(const std::function<void()>& hook) noexcept {
  if (!hook) return;
  try {
    hook();
  } catch (...) {
    hook_failures.fetch_add(1, detail::memory_order::relaxed);
    close();
  }
}

std::vector<blocked_call> runtime_core::blocked_calls() {
  std::vector<blocked_call> calls;
  crew_.for_each([&](worker& each) {
    blocked_call call{.task_name = {}, .spawned_at = {}, .worker = each.number()};
    if (each.is_in_region() && each.describe(call.task_name, call.spawned_at)) calls.push_back(std::move(call));
  });
  return calls;
}

} // namespace weir::rt
