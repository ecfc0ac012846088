// SPDX-License-Identifier: Apache-2.0
// Roots: coroutines that the calling thread polls itself until they end. A thread from outside polls beside the
// permits. A worker polls under its permit, inside the poll of its own task, and waits as in a blocking region.
#include "sched/finish.hpp"
#include "sched/runtime_core.hpp"
#include "sched/task_state.hpp"

#include <weir/runtime.hpp>

#include <optional>

namespace weir::detail {
namespace {

using rt::parker;
using rt::thread_context;
using rt::worker;
namespace state = rt::task_state;

bool is_notified(void* root) noexcept {
  return (static_cast<task_header*>(root)->state.load(memory_order::acquire) & state::notified) != 0;
}

// Makes a thread look like one of `core` while it polls roots, and undoes that.
class borrowed_thread {
public:
  borrowed_thread(rt::runtime_core& core, task_header& root, thread_context* present) noexcept
      : core_(core),
        context_(present != nullptr && present->on != nullptr ? *present : mine_),
        outer_(present),
        task_(context_.task),
        outer_core_(context_.core),
        listed_(core.roots(), root, context_.on) {
    core_.hold();
    context_.core = &core;
    if (present != nullptr) mine_.serves = present->serves;
    if (&context_ != &mine_) return;
    core.set_up_forks(mine_);
    rt::set_current_context(&mine_);
  }
  borrowed_thread(const borrowed_thread&) = delete;
  borrowed_thread& operator=(const borrowed_thread&) = delete;
  ~borrowed_thread() {
    context_.task = task_;
    context_.core = outer_core_;
    if (&context_ == &mine_) rt::set_current_context(outer_);
    core_.release();
  }

  /// Polls once; true when the root has ended.
  bool poll(task_header& root, bool& wakes_itself) {
    state::start(root);
    rt::poll_budget budget(context_);
    wakes_itself = false;
    if (!root.is_wait_over()) return false;
    root.count_poll();
    context_.task = &root;
    bool has_ended = root.operations->poll(root) == poll_outcome::completed;
    context_.task = task_;
    wakes_itself = root.take_self_wake();
    return has_ended;
  }

private:
  rt::runtime_core& core_;
  thread_context mine_;
  thread_context& context_;
  thread_context* outer_;
  task_header* task_;
  rt::runtime_core* outer_core_;
  rt::root_list::node listed_;
};

} // namespace

void schedule_root(task_header& root) noexcept { static_cast<parker*>(root.extras()->host.get())->unpark(); }

void drive_root(rt::runtime_core& core, task_header& root, const std::source_location& site) {
  thread_context* present = rt::current_context();
  worker* here = present != nullptr ? present->on : nullptr;
  if (root.block.core != &core) root.block.permit = block_origin::no_permit;
  root.block.core = &core;
  root.set_site(site);
  state::init(root);
  bool is_in_child = core.is_in_forked_child();
  if (is_in_child || (here != nullptr && here->is_in_region())) {
    state::start(root);
    root.operations->cancel(root);
    rt::complete_task(root);
    throw std::system_error(is_in_child ? errc::used_after_fork : errc::called_inside_region, "weir::block_on");
  }
  auto sleeper = std::make_shared<parker>();
  root.need_extras().host = sleeper;
  std::optional<borrowed_thread> thread(std::in_place, core, root, present);
  for (bool has_ended = false; !has_ended;) {
    bool wakes_itself = false;
    has_ended = thread->poll(root, wakes_itself);
    if (has_ended) break;
    if (state::suspend(root, wakes_itself) == state::after_poll::requeue) {
      if (here != nullptr) here->offer_permit();
    } else if (here != nullptr) {
      here->wait_blocked(*sleeper, is_notified, &root);
    } else {
      while (!is_notified(&root)) core.timers().park_root(*sleeper);
    }
  }
  thread.reset();
  rt::complete_task(root);
}

} // namespace weir::detail
