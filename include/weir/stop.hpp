// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asking for a stop. A stop is an outcome of its own: a wait that is stopped has neither a value nor an error.
//
//   weir::stop_source source;
//   auto next = co_await weir::with_stop(source.get_token(), channel.receive());   // a join_result: next.is_stopped()
//
// Nobody's code runs inside request_stop(): it wakes what waits, and that runs where it always does.
#include <weir/detail/stop_state.hpp>
#include <weir/detail/wait_operation.hpp>
#include <weir/join_result.hpp>

#include <concepts>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>

namespace weir {

/// Shows whether a stop was requested. A pointer: cheap to copy, and not to be used after its source is gone.
///
/// Thread: any.
class stop_token {
public:
  stop_token() noexcept = default;
  explicit stop_token(detail::stop_state& state) noexcept : state_(&state) {}

  bool stop_requested() const noexcept { return state_ != nullptr && state_->is_requested(); }
  bool stop_possible() const noexcept { return state_ != nullptr; }

  /// Waits until a stop is requested. There must be a source.
  ///
  /// Suspends: a task.
  /// Cancels:  the wait is withdrawn.
  auto operator co_await() const noexcept { return detail::wait_operation<detail::stop_wait>(state_->requested()); }
  /// The same wait as a value; .wait() in plain code.
  auto waiting() const noexcept { return detail::wait_operation<detail::stop_wait>(state_->requested()); }

  detail::stop_state* state() const noexcept { return state_; }

private:
  detail::stop_state* state_ = nullptr;
};

/// Where a stop is requested. It must outlive its tokens and whatever waits with them.
///
/// Thread: any. Cost: no allocation.
class stop_source {
public:
  /// Ends all waits that are tied to this source. True for the first request.
  bool request_stop() noexcept { return state_.request(); }
  bool stop_requested() const noexcept { return state_.is_requested(); }
  stop_token get_token() noexcept { return stop_token(state_); }

private:
  detail::stop_state state_;
};

/// Passes the stop of a std::stop_token on to a source while it lives. The std::stop_callback inside only wakes.
class stop_link {
public:
  stop_link(const std::stop_token& from, stop_source& to) : callback_(from, forward{&to}) {}

private:
  struct forward {
    stop_source* to;
    void operator()() const noexcept { to->request_stop(); }
  };
  std::stop_callback<forward> callback_;
};

/// A std::stop_token that follows a weir::stop_token while this object lives. Its callbacks, which are user code, run in a task of
/// their own on the runtime of the task that made it.
///
/// Errors: throws std::system_error with errc::no_runtime on a thread that runs no task; std::bad_alloc.
class std_stop {
public:
  explicit std_stop(stop_token from);
  std_stop(const std_stop&) = delete;
  std_stop& operator=(const std_stop&) = delete;
  ~std_stop();
  std::stop_token get_token() const noexcept { return source_.get_token(); }

private:
  struct relay;
  std::stop_source source_;
  std::shared_ptr<relay> relay_; // shared with the task, which may outlive this
  detail::stop_registration registration_;
};

namespace this_task {

/// True when the calling task has been asked to stop; it will end at its next suspension. For loops and blocking calls that
/// can end early. Outside of a task: false.
bool stop_requested() noexcept;

} // namespace this_task

namespace detail {

/// Ends a wait when a stop is requested.
class stop_trigger {
public:
  explicit stop_trigger(stop_token token) noexcept : token_(token) {}
  /// False when it is too late: `fire` is not called.
  bool arm(void (*fire)(void*) noexcept, void* argument) noexcept {
    return !token_.stop_possible() || registration_.attach(*token_.state(), fire, argument);
  }
  /// After this `fire` does not run and will not.
  void disarm() noexcept { registration_.detach(); }

private:
  stop_token token_;
  stop_registration registration_;
};

/// A wait that a Trigger may end before its time; the outcome is a join_result. Only for tasks, fibers and threads, since the
/// trigger must not resume anybody itself.
template <class Wait, class Trigger> class [[nodiscard]] triggered_operation {
public:
  using value_type = typename Wait::result_type;

  template <class... Args>
  explicit triggered_operation(Wait& wait, Args&&... args) noexcept
      : wait_(wait), trigger_(std::forward<Args>(args)...) {}
  triggered_operation(const triggered_operation&) = delete;
  triggered_operation& operator=(const triggered_operation&) = delete;
  ~triggered_operation() { trigger_.disarm(); }

  bool await_ready() noexcept { return wait_.await_ready(); }
  template <class Promise> bool await_suspend(std::coroutine_handle<Promise> self) noexcept {
    static_assert(is_part_of_task<Promise>, "only a task's wait can be stopped from outside");
    return wait_.await_suspend(self) && (trigger_.arm(fire, &wait_) || !wait_.take_back());
  }
  join_result<value_type> await_resume() {
    trigger_.disarm();
    join_result<value_type> outcome;
    if (wait_.is_withdrawn()) {
      wait_.forget();
    } else if constexpr (std::is_void_v<value_type>) {
      wait_.await_resume();
      outcome.set_value();
    } else {
      outcome.set_value(wait_.await_resume());
    }
    return outcome;
  }

  /// Waits in plain code.
  ///
  /// Suspends: a fiber; a thread blocks, as in a blocking region when it is a worker.
  /// Cancels:  a stopped fiber unwinds; the wait is withdrawn.
  join_result<value_type> wait() {
    if (!wait_.await_ready()) wait_.wait_with(enqueue, this);
    return await_resume();
  }

private:
  static void fire(void* wait) noexcept { static_cast<Wait*>(wait)->stop(); }
  static bool enqueue(void* self) noexcept {
    auto& mine = *static_cast<triggered_operation*>(self);
    return mine.wait_.enqueue() && (mine.trigger_.arm(fire, &mine.wait_) || !mine.wait_.take_back());
  }

  Wait& wait_;
  Trigger trigger_;
};

template <class Wait>
concept stoppable_wait = requires(Wait& wait) {
  { wait.take_back() } -> std::same_as<bool>;
  { wait.stop() } noexcept;
};

} // namespace detail

/// Ties one wait to a token: co_await with_stop(token, channel.receive()), or .wait() in plain code. Gives a join_result, stopped
/// when the stop came before what was waited for; then nothing was taken. A wait that need not wait succeeds in spite of a stop.
///
/// Suspends: as the wait does; tasks, fibers and threads only.
/// Cancels:  as the wait does.
/// Lifetime: in one full expression with the wait.
template <class Wait>
  requires detail::stoppable_wait<Wait>
auto with_stop(stop_token token, Wait&& wait) noexcept {
  return detail::triggered_operation<std::remove_reference_t<Wait>, detail::stop_trigger>(wait, token);
}

} // namespace weir
