// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fork and join for work that computes: two calls that may run at the same time, and loops and reductions made of them.
//
//   long fib(int n) {
//     if (n < 2) return n;
//     auto [a, b] = weir::fork_join([&] { return fib(n - 1); }, [&] { return fib(n - 2); });
//     return a + b;
//   }
//   rt.block_on([]() -> weir::task<long> { co_return fib(30); }());
#include <weir/detail/fork.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace weir {

/// Calls `f()` here and `g()` here or, when a permit is idle, on another worker; returns both results as a pair, with
/// std::monostate for void, and nothing when both are void.
///
/// A fork that nobody takes costs a few stores and loads. Now and then, and only while a permit is idle, the oldest
/// fork of the stack is offered. Works on any thread that runs something for a runtime: in a coroutine's poll, on a
/// fiber, in block_on from outside. Elsewhere it calls `f` and then `g`.
///
/// Suspends: a fiber, when the other side is still running elsewhere at the join; a thread blocks then, as a blocking
///           region that gives its permit away at once.
/// Cancels:  a fiber that is stopped while it waits unwinds after both sides have ended.
/// Errors:   what either side throws, after both have ended; of two exceptions the first. Both sides always run.
/// Order:    `f` and `g` may run at the same time, in either order of ends.
/// Lifetime: captures by reference are fine: both sides end before it returns.
/// Cost:     about 60 instructions when nobody takes the fork; no allocation.
template <class F, class G>
auto fork_join(F&& f, G&& g) ->
    typename detail::fork_results<std::invoke_result_t<F&>, std::invoke_result_t<G&>>::type {
  detail::fork_list* forks = detail::current_forks();
  if (forks != nullptr) [[likely]]
    return detail::fork_on(*forks, f, g);
  static constexpr detail::atomic<std::uint64_t> nobody{0};
  detail::fork_list alone;
  alone.idle_permits = &nobody;
  return detail::fork_on(alone, f, g);
}

/// Calls `body(i)` for each i of [first, last), on as many workers as are idle.
///
/// The range is halved only while a permit is idle, so a loop that runs alone costs what a plain loop does. `grain` is
/// how many calls are made between two looks for one.
///
/// Suspends, Cancels, Errors: as fork_join(); after an exception, calls that have not begun may be left out.
/// Order: none between calls.
template <class Index, class Body>
void parallel_for(Index first, Index last, Body&& body, std::type_identity_t<Index> grain = 1) {
  detail::fork_list* forks = detail::current_forks();
  if (grain < 1) grain = 1;
  while (first < last) {
    bool has_helper = forks != nullptr && forks->idle_permits->load(detail::memory_order::relaxed) != 0;
    if (has_helper && last - first > grain) {
      Index middle = static_cast<Index>(first + (last - first) / 2);
      fork_join([&] { parallel_for(first, middle, body, grain); }, [&] { parallel_for(middle, last, body, grain); });
      return;
    }
    Index stop = static_cast<Index>(last - first > grain ? first + grain : last);
    for (; first != stop; ++first) body(first);
  }
}

/// Combines `map(i)` for each i of [first, last) in order; an empty range gives `identity`.
///
/// The range is halved down to `grain`, whoever runs the halves, so the same range and grain combine in the same shape
/// every time: an associative `combine` gives the result of a loop, and one that is not quite (of floating-point
/// numbers) the same result in each run. grain 0: a thousandth of the range.
///
/// Suspends, Cancels, Errors: as fork_join().
template <class Index, class T, class Map, class Combine>
T parallel_reduce(Index first, Index last, T identity, Map&& map, Combine&& combine,
                  std::type_identity_t<Index> grain = 0) {
  if (grain < 1) grain = static_cast<Index>((last - first) / 1000 + 1);
  if (last - first <= grain) {
    T total = std::move(identity);
    for (; first < last; ++first) total = combine(std::move(total), map(first));
    return total;
  }
  Index middle = static_cast<Index>(first + (last - first) / 2);
  auto [left, right] = fork_join([&] { return parallel_reduce(first, middle, identity, map, combine, grain); },
                                 [&] { return parallel_reduce(middle, last, identity, map, combine, grain); });
  return combine(std::move(left), std::move(right));
}

} // namespace weir
