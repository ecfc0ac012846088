// SPDX-License-Identifier: Apache-2.0
// A coroutine that suspends leaves its task's address with whoever will wake it. A host coroutine under a synchronous
// call must not leave that of the task which this thread polls, so it gets a root of its own: polled once, and stopped
// if that was not enough. A wake that comes later finds a completed task and does nothing.
#include "wasm/runtime/inline_run.hpp"

#include "base/parker.hpp"
#include "sched/task_state.hpp"
#include "sched/thread_context.hpp"

#include <weir/join_handle.hpp>

#include <memory>
#include <utility>

namespace weir::wasm::detail {

namespace {

// Makes `task` the one that this thread polls.
class polling {
public:
  explicit polling(weir::detail::task_header& task)
      : outer_{rt::current_context()},
        context_{outer_ != nullptr ? *outer_ : mine_},
        before_{std::exchange(context_.task, &task)} {
    if (outer_ == nullptr) rt::set_current_context(&mine_);
  }
  polling(const polling&) = delete;
  polling& operator=(const polling&) = delete;
  ~polling() {
    context_.task = before_;
    if (outer_ == nullptr) rt::set_current_context(nullptr);
  }

private:
  rt::thread_context mine_;
  rt::thread_context* outer_;
  rt::thread_context& context_;
  weir::detail::task_header* before_;
};

} // namespace

std::optional<host_values> run_inline(task<host_values> body) {
  namespace state = rt::task_state;
  using weir::detail::poll_outcome;
  weir::detail::task_header& root =
      weir::detail::coroutine_task<host_values>::adopt(body, weir::detail::task_kind::root);
  join_handle<host_values> handle{root};
  state::init(root);
  root.need_extras().host = std::make_shared<rt::parker>();
  bool has_ended = false;
  {
    const polling here{root};
    state::start(root);
    has_ended = root.operations->poll(root) == poll_outcome::completed;
    if (!has_ended) root.operations->cancel(root);
  }
  state::set_complete(root);
  weir::detail::drop_reference(root);
  if (!has_ended) return std::nullopt;
  return handle.wait().value();
}

} // namespace weir::wasm::detail
