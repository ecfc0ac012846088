// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

namespace weir {

/// Names a place that blocks, so that what is learned there stays there. Its address is the name: define it once, with
/// static storage duration.
struct alignas(16) call_site {};

/// Tells blocking() that a call mostly takes longer than the grace.
struct expect_long_t {
  explicit constexpr expect_long_t() = default;
};
inline constexpr expect_long_t expect_long{};

/// Tells blocking() that a call mostly takes less than the grace.
struct expect_short_t {
  explicit constexpr expect_short_t() = default;
};
inline constexpr expect_short_t expect_short{};

namespace detail {

enum class expected_wait : std::uint8_t { learned, long_wait, short_wait };

/// Marks the calling thread as blocked while it lives. Constructed and destroyed on one thread, with no suspension
/// between.
class blocking_region {
public:
  explicit blocking_region(const call_site& site, expected_wait expects = expected_wait::learned) noexcept;
  ~blocking_region();
  blocking_region(const blocking_region&) = delete;
  blocking_region& operator=(const blocking_region&) = delete;

private:
  void* worker_;
};

template <class F> inline constexpr call_site site_of{};

} // namespace detail

/// Calls `f`, which may block, and returns what it returns.
///
/// The call runs on this thread and stack. While it runs, the runtime may give the caller's permit to other work; the
/// caller then waits for a permit before blocking() returns or an exception leaves it. Regions nest; only the outermost
/// counts. Where calls have lost their permit by age before, a call gives it away at entry when other work waits for
/// one; each type F is a place of its own.
///
/// Suspends: no; the thread blocks. Inside, code does not hold a permit and must not suspend its task.
/// Cancels:  no; a stopped task ends at the next poll boundary after the call.
/// Thread:   any; outside a runtime it is a plain call.
/// Order:    callers that return get their permits first come first served, before fresh work.
/// Cost:     one store and one compare-exchange when the call is shorter than the grace; no clock is read.
template <class F> decltype(auto) blocking(F&& f) {
  detail::blocking_region region(detail::site_of<std::remove_cvref_t<F>>);
  return std::forward<F>(f)();
}

/// As blocking(f); what is learned is kept under `site`, whatever the type of `f`.
template <class F> decltype(auto) blocking(const call_site& site, F&& f) {
  detail::blocking_region region(site);
  return std::forward<F>(f)();
}

/// As blocking(f), and gives the permit away at entry when other work waits for one.
template <class F> decltype(auto) blocking(expect_long_t, F&& f) {
  detail::blocking_region region(detail::site_of<std::remove_cvref_t<F>>, detail::expected_wait::long_wait);
  return std::forward<F>(f)();
}

/// As blocking(f), and keeps the permit until the grace has passed.
template <class F> decltype(auto) blocking(expect_short_t, F&& f) {
  detail::blocking_region region(detail::site_of<std::remove_cvref_t<F>>, detail::expected_wait::short_wait);
  return std::forward<F>(f)();
}

} // namespace weir
