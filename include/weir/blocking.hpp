// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace weir {
namespace detail {

/// Marks the calling thread as blocked while it lives. Constructed and destroyed on one thread, with no suspension
/// between.
class blocking_region {
public:
  blocking_region() noexcept;
  ~blocking_region();
  blocking_region(const blocking_region&) = delete;
  blocking_region& operator=(const blocking_region&) = delete;
};

} // namespace detail

/// Calls `f`, which may block, and returns what it returns.
///
/// The call runs on this thread and stack. While it runs, the runtime may give the caller's permit to other work; the
/// caller then waits for a permit before blocking() returns or an exception leaves it. Regions nest; only the outermost
/// counts.
///
/// Suspends: no; the thread blocks. Inside, code does not hold a permit and must not suspend its task.
/// Cancels:  no; a stopped task ends at the next poll boundary after the call.
/// Thread:   any; outside a runtime it is a plain call.
/// Order:    callers that return get their permits first come first served, before fresh work.
/// Cost:     one clock read, one store and one compare-exchange when the call is shorter than the grace.
template <class F> decltype(auto) blocking(F&& f) {
  detail::blocking_region region;
  return std::forward<F>(f)();
}

} // namespace weir
