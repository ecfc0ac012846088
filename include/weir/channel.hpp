// SPDX-License-Identifier: Apache-2.0
#pragma once

// channel<T>: values from many senders to many receivers, in order.
//
//   weir::channel<std::string> lines(16);
//   co_await lines.send("first");                                  // waits while it is full
//   while (auto line = co_await lines.receive()) use(*line);       // until it is closed and empty
#include <weir/detail/channel_state.hpp>
#include <weir/detail/wait_operation.hpp>
#include <weir/result.hpp>
#include <weir/sync_errc.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace weir {
namespace detail {

template <class T> class send_wait : public sending {
public:
  template <class U>
  send_wait(channel_state<T>& to, U&& from) noexcept(std::is_nothrow_constructible_v<T, U&&>)
      : to_(to), kept_(std::forward<U>(from)) {}

  bool try_now() noexcept {
    outcome = to_.try_send(kept_);
    return outcome != transfer::none;
  }
  bool enqueue() noexcept {
    value = &kept_;
    return to_.send_or_wait(*this);
  }
  bool withdraw(wake_list* wakes) noexcept { return to_.withdraw(*this, wakes); }
  void give_back() noexcept {} // the value has been sent
  result<void> take() const noexcept {
    if (outcome == transfer::done) return {};
    return std::unexpected(make_error_code(sync_errc::closed));
  }

private:
  channel_state<T>& to_;
  T kept_;
};

template <class T> class receive_wait : public receiving {
public:
  explicit receive_wait(channel_state<T>& from) noexcept : from_(from) {}

  bool try_now() noexcept {
    outcome = from_.try_receive(keep());
    return outcome != transfer::none;
  }
  bool enqueue() noexcept { return from_.receive_or_wait(*this, keep()); }
  bool withdraw(wake_list* wakes) noexcept { return from_.withdraw(*this, wakes); }
  void give_back() noexcept {
    if (outcome == transfer::done && !kept_.has_value()) from_.give_back();
  }
  result<T> take() noexcept {
    if (outcome != transfer::done) return std::unexpected(make_error_code(sync_errc::closed));
    if (!kept_.has_value()) from_.take_reserved(keep());
    return std::move(*kept_);
  }

private:
  auto keep() noexcept {
    return [this](T&& value) noexcept { kept_.emplace(std::move(value)); };
  }

  channel_state<T>& from_;
  std::optional<T> kept_;
};

} // namespace detail

/// Carries values from any number of senders to any number of receivers.
///
/// Thread:   any; tasks, fibers and threads alike.
/// Order:    values arrive in the order in which they were sent; senders and receivers are served first come first
///           served.
/// Lifetime: it must outlive those who wait at it. What is left inside is destroyed with it.
/// Cost:     one allocation, when it is made. Values are moved under a lock and must move without an exception.
template <class T> class channel {
public:
  /// With room for `capacity` values; 0: a rendezvous, where a send ends when a receiver is there for it.
  explicit channel(std::size_t capacity = 0) : state_(capacity) {}

  /// Sends a value, waiting while there is no room.
  ///
  /// Suspends: a task or any other coroutine; one that is no weir task is resumed on the thread that makes room. In plain
  ///           code .wait() suspends a fiber and blocks a thread.
  /// Cancels:  a value that is not in the channel yet is destroyed unsent.
  /// Errors:   sync_errc::closed; the value is destroyed.
  template <class U = T>
    requires std::is_constructible_v<T, U&&>
  auto send(U&& value) noexcept(std::is_nothrow_constructible_v<T, U&&>) {
    return detail::wait_operation<detail::send_wait<T>>(state_, std::forward<U>(value));
  }
  /// Sends a value if there is room now and nobody waits for it; else `value` keeps it.
  ///
  /// Errors: sync_errc::closed, sync_errc::would_block.
  result<void> try_send(T&& value) noexcept { return as_result(state_.try_send(value)); }
  result<void> try_send(const T& value)
    requires std::is_copy_constructible_v<T>
  {
    T copy(value);
    return as_result(state_.try_send(copy));
  }

  /// Receives the oldest value, waiting while there is none.
  ///
  /// Suspends: a task or any other coroutine; one that is no weir task is resumed on the thread that sends. In plain code
  ///           .wait() suspends a fiber and blocks a thread.
  /// Cancels:  no value is lost: one that was meant for this receiver goes to the next.
  /// Errors:   sync_errc::closed when it is closed and nothing is left.
  auto receive() noexcept { return detail::wait_operation<detail::receive_wait<T>>(state_); }
  /// Receives a value if one is there that nobody has been promised.
  ///
  /// Errors: sync_errc::closed, sync_errc::would_block.
  result<T> try_receive() noexcept {
    detail::receive_wait<T> attempt(state_);
    if (attempt.try_now()) return attempt.take();
    return std::unexpected(make_error_code(sync_errc::would_block));
  }

  /// Refuses values from now on, also those whose senders wait; what is inside can still be received.
  void close() noexcept { state_.close(); }
  bool is_closed() noexcept { return state_.is_closed(); }
  /// How many values can be received at the moment.
  std::size_t size() noexcept { return state_.size(); }
  std::size_t capacity() const noexcept { return state_.capacity(); }

private:
  static result<void> as_result(detail::transfer outcome) noexcept {
    if (outcome == detail::transfer::done) return {};
    bool is_closed = outcome == detail::transfer::closed;
    return std::unexpected(make_error_code(is_closed ? sync_errc::closed : sync_errc::would_block));
  }

  detail::channel_state<T> state_;
};

} // namespace weir
