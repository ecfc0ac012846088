// SPDX-License-Identifier: Apache-2.0
#include <weir/runtime.hpp>

#include "sched/finish.hpp"
#include "sched/runtime_core.hpp"
#include "sched/task_state.hpp"

#include <weir/check.hpp>

#include <string>

namespace weir {
namespace {

class category final : public std::error_category {
public:
  const char* name() const noexcept override { return "weir"; }
  std::string message(int code) const override {
    switch (static_cast<errc>(code)) {
    case errc::invalid_config:
      return "invalid runtime_options: permits must be at most 1024, max_threads more than permits and at most 65535, "
             "grace and slice "
             "more than zero";
    case errc::thread_creation_failed:
      return "the system refused a thread that the runtime starts with; allow more threads or ask for fewer permits";
    case errc::called_from_worker:
      return "called on one of the runtime's own workers, which it would wait for; call it from another thread, or "
             "drop the runtime";
    case errc::called_inside_region:
      return "called inside weir::blocking(), where no permit is held; call it outside, where it waits like a blocking "
             "region itself";
    case errc::left_out_of_order:
      return "an entered context must be left on its own thread, after those that were entered inside it";
    case errc::used_after_fork:
      return "the runtime belongs to the parent of this process; its threads do not exist here: call "
             "abandon_after_fork() and make another one";
    case errc::no_runtime: return "the calling thread runs no task of a runtime; use the runtime object";
    case errc::timed_out: return "the deadline came before the task had ended";
    }
    return "unknown";
  }
};

detail::task_description describe_current_task() noexcept {
  detail::task_header* task = detail::current_task();
  if (task == nullptr) return {};
  std::string_view name = task->name();
  return {name.empty() ? std::string_view("unnamed task") : name, task->site()};
}

rt::runtime_core* build_core(runtime_options options, std::error_code& failure) {
  detail::set_task_describer(describe_current_task);
  auto built = rt::runtime_core::build({.options = std::move(options)});
  if (!built) failure = built.error();
  return built ? *built : nullptr;
}

} // namespace

const std::error_category& sched_category() noexcept {
  static const category instance;
  return instance;
}

const char* task_stopped::what() const noexcept { return "the task was stopped before it had a result"; }

std::expected<runtime, std::error_code> runtime::build(runtime_options options) {
  std::error_code failure;
  rt::runtime_core* core = build_core(std::move(options), failure);
  if (core == nullptr) return std::unexpected(failure);
  return runtime(*core);
}

runtime::runtime(runtime_options options) {
  std::error_code failure;
  core_ = build_core(std::move(options), failure);
  if (core_ == nullptr) throw std::system_error(failure, "weir::runtime");
}

runtime& runtime::operator=(runtime&& other) noexcept {
  if (this != &other) {
    if (core_ != nullptr) core_->drop();
    core_ = std::exchange(other.core_, nullptr);
  }
  return *this;
}

runtime::~runtime() {
  if (core_ != nullptr) core_->drop();
}

entered runtime::enter() const noexcept { return entered(*core_); }
std::vector<blocked_call> runtime::blocked_calls() const { return core_->blocked_calls(); }
void runtime::abandon_after_fork() noexcept { core_ = nullptr; }
metrics runtime::snapshot() const noexcept { return core_->snapshot(); }
task_dump runtime::dump_tasks() const { return core_->dump_tasks(); }
void runtime::shutdown() { core_->shut_down(rt::instant::never()); }
bool runtime::shutdown_for(std::chrono::nanoseconds limit) { return core_->shut_down(rt::now() + limit); }

namespace detail {

void launch(rt::runtime_core& core, task_header& task, spawn_options options, const std::source_location& site) {
  task.set_site(site);
  task.block.accounts_cpu = options.accounts_cpu;
  task.block.priority = options.priority;
  rt::task_state::init(task);
  if (!options.name.empty() || options.accounts_cpu || core.is_in_forked_child()) {
    try {
      if (core.is_in_forked_child()) throw std::system_error(errc::used_after_fork, "weir::spawn");
      task.need_extras().name = options.name;
    } catch (...) { // no memory, or no thread: the task ends here, and its spawner hears of it
      rt::task_state::start(task);
      task.operations->cancel(task);
      rt::complete_task(task);
      throw;
    }
  }
  core.launch(task);
}

rt::runtime_core& current_core() {
  rt::thread_context* context = rt::current_context();
  if (context == nullptr || context->core == nullptr) throw std::system_error(errc::no_runtime, "weir::spawn");
  return *context->core;
}

} // namespace detail
} // namespace weir
