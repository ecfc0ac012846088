// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/when_all.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace weir {

/// What when_any() gives: the first value, whose it is, and what left the losers.
template <class Value> struct when_any_result {
  std::size_t index;
  Value value;
  std::vector<std::exception_ptr> loser_errors;
};

namespace detail {

/// Several tasks of which the first that ends decides.
class race {
public:
  /// True for the first; the others are stopped then.
  bool win(std::size_t index) noexcept {
    if (is_won_.exchange(true, memory_order::acq_rel)) return false;
    winner_ = index;
    scope_.request_stop();
    return true;
  }
  void fail(std::exception_ptr why) noexcept { failure_ = std::move(why); } // of the winner
  task_scope& scope() noexcept { return scope_; }

  /// When all are gone: the index of the winner.
  std::size_t winner() const {
    if (failure_ != nullptr) std::rethrow_exception(failure_);
    if (!is_won_.load(memory_order::relaxed)) throw task_stopped(); // the runtime is closed
    return winner_;
  }

private:
  atomic<bool> is_won_{false};
  std::size_t winner_ = 0;
  std::exception_ptr failure_;
  task_scope scope_; // goes first, and with it those who use the rest
};

template <class T> task<> run_racer(race& all, std::size_t index, std::optional<value_of<T>>& place, task<T> body) {
  std::exception_ptr failure;
  try {
    std::optional<value_of<T>> value;
    if constexpr (std::is_void_v<T>) {
      co_await std::move(body);
      value.emplace();
    } else {
      value.emplace(co_await std::move(body));
    }
    if (all.win(index)) place = std::move(value);
  } catch (...) {
    failure = std::current_exception();
  }
  if (failure == nullptr) co_return;
  if (all.win(index)) {
    all.fail(std::move(failure));
  } else {
    std::rethrow_exception(std::move(failure)); // the scope keeps it
  }
}

template <class... Ts, std::size_t... At>
void start_race(race& all, std::tuple<std::optional<value_of<Ts>>...>& places, std::index_sequence<At...>,
                task<Ts>&... tasks) {
  (static_cast<void>(all.scope().spawn(run_racer<Ts>(all, At, std::get<At>(places), std::move(tasks)))), ...);
}

template <class... Ts, std::size_t... At>
std::variant<value_of<Ts>...> winner_of(std::tuple<std::optional<value_of<Ts>>...>& places,
                                        std::index_sequence<At...>) {
  std::optional<std::variant<value_of<Ts>...>> found;
  ((std::get<At>(places).has_value()
        ? static_cast<void>(found.emplace(std::in_place_index<At>, std::move(*std::get<At>(places))))
        : static_cast<void>(0)),
   ...);
  return std::move(*found);
}

} // namespace detail

/// Runs the tasks at the same time. The first that ends decides; the others are stopped, and are gone when this ends.
///
/// The value is a variant with one alternative for each task, std::monostate for a task without a value.
///
/// Cancels:  all are stopped and waited for.
/// Errors:   rethrows the winner's exception. What leaves the losers is in loser_errors.
template <class... Ts>
  requires(sizeof...(Ts) != 0)
task<when_any_result<std::variant<detail::value_of<Ts>...>>> when_any(task<Ts>... tasks) {
  std::tuple<std::optional<detail::value_of<Ts>>...> places;
  detail::race all; // after the places: its children write there
  detail::start_race<Ts...>(all, places, std::index_sequence_for<Ts...>(), tasks...);
  co_await all.scope().wait_for_children();
  std::size_t winner = all.winner();
  co_return when_any_result<std::variant<detail::value_of<Ts>...>>{
      winner, detail::winner_of<Ts...>(places, std::index_sequence_for<Ts...>()), all.scope().errors()};
}

/// The same for any number of tasks of one kind, at least one.
template <class T> task<when_any_result<detail::value_of<T>>> when_any(std::vector<task<T>> tasks) {
  WEIR_CHECK(!tasks.empty(), "when_any() needs a task that can end");
  std::vector<std::optional<detail::value_of<T>>> places(tasks.size());
  detail::race all;
  for (std::size_t at = 0; at != tasks.size(); ++at)
    all.scope().spawn(detail::run_racer<T>(all, at, places[at], std::move(tasks[at])));
  co_await all.scope().wait_for_children();
  std::size_t winner = all.winner();
  co_return when_any_result<detail::value_of<T>>{winner, std::move(*places[winner]), all.scope().errors()};
}

} // namespace weir
