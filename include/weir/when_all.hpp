// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/task_scope.hpp>

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace weir {
namespace detail {

/// What stands for T among several values.
template <class T> using value_of = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

template <class T> task<> fill(std::optional<value_of<T>>& place, task<T> body) {
  if constexpr (std::is_void_v<T>) {
    co_await std::move(body);
    place.emplace();
  } else {
    place.emplace(co_await std::move(body));
  }
}

template <class T> std::vector<T> taken(std::vector<std::optional<T>>& places) {
  std::vector<T> values;
  values.reserve(places.size());
  for (auto& each : places) values.push_back(std::move(*each));
  return values;
}

} // namespace detail

/// Runs the tasks at the same time and gives all their values, std::monostate for a task without one.
///
/// Cancels:  all are stopped and waited for.
/// Errors:   rethrows the first exception that leaves one, after the others have been stopped and are gone.
template <class... Ts> task<std::tuple<detail::value_of<Ts>...>> when_all(task<Ts>... tasks) {
  std::tuple<std::optional<detail::value_of<Ts>>...> places;
  task_scope scope; // after the places: its children write there
  std::apply([&](auto&... place) { (static_cast<void>(scope.spawn(detail::fill<Ts>(place, std::move(tasks)))), ...); },
             places);
  co_await scope.join();
  co_return std::apply([](auto&... place) { return std::tuple<detail::value_of<Ts>...>(std::move(*place)...); },
                       places);
}

/// The same for any number of tasks of one kind; the values are in the order of the tasks.
template <class T> task<std::vector<detail::value_of<T>>> when_all(std::vector<task<T>> tasks) {
  std::vector<std::optional<detail::value_of<T>>> places(tasks.size());
  task_scope scope;
  for (std::size_t at = 0; at != tasks.size(); ++at) scope.spawn(detail::fill<T>(places[at], std::move(tasks[at])));
  co_await scope.join();
  co_return detail::taken(places);
}

} // namespace weir
