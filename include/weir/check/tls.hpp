// SPDX-License-Identifier: Apache-2.0
#pragma once

// A variable that each thread of a model has for itself, as thread_local is one for threads of the system: model threads
// share one of those, so thread_local variables are shared by all of them.

#include <array>

#include <weir/check/detail/hooks.hpp>

namespace weir::check {

/// One T for each model thread; the body has one, too. All are made and destroyed with this object, not with the threads.
///
/// Thread: model threads; outside of a model there is the body's.
template <class T> class tls {
public:
  tls() = default;
  explicit tls(const T& start) { values_.fill(start); }
  tls(const tls&) = delete;
  tls& operator=(const tls&) = delete;

  /// The calling thread's own.
  [[nodiscard]] T& get() noexcept { return values_[detail::running_thread()]; }
  T& operator*() noexcept { return get(); }
  T* operator->() noexcept { return &get(); }

private:
  std::array<T, detail::most_threads> values_{};
};

} // namespace weir::check
