// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a task ended: with a value, with an exception, or stopped before either.
#include <weir/errc.hpp>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace weir {

template <class T> class join_result {
  using stored = std::conditional_t<std::is_void_v<T>, std::monostate,
                                    std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<T>, T>>;

public:
  /// The outcome of a task that was stopped.
  join_result() noexcept = default;

  bool has_value() const noexcept { return outcome_.index() == 1; }
  explicit operator bool() const noexcept { return has_value(); }
  bool is_stopped() const noexcept { return outcome_.index() == 0; }
  /// The exception that ended the task; null when none did.
  std::exception_ptr exception() const noexcept { return outcome_.index() == 2 ? std::get<2>(outcome_) : nullptr; }

  /// Returns the value.
  ///
  /// Errors: rethrows the task's exception; throws task_stopped.
  decltype(auto) value() & { return get(*this); }
  decltype(auto) value() && { return get(std::move(*this)); }

  template <class... Args> void set_value(Args&&... args) { outcome_.template emplace<1>(std::forward<Args>(args)...); }
  void set_exception(std::exception_ptr why) noexcept { outcome_.template emplace<2>(std::move(why)); }
  void reset() noexcept { outcome_.template emplace<0>(); }

private:
  template <class Self>
  static auto get(Self&& self)
      -> std::conditional_t<std::is_void_v<T>, void,
                            std::conditional_t<std::is_lvalue_reference_v<Self>, std::add_lvalue_reference_t<T>, T>> {
    if (self.outcome_.index() == 2) std::rethrow_exception(std::get<2>(self.outcome_));
    if (self.outcome_.index() == 0) throw task_stopped();
    if constexpr (std::is_void_v<T>) {
      return;
    } else if constexpr (std::is_reference_v<T>) {
      return static_cast<T>(*std::get<1>(self.outcome_));
    } else {
      return std::get<1>(std::forward<Self>(self).outcome_);
    }
  }

  std::variant<std::monostate, stored, std::exception_ptr> outcome_;
};

} // namespace weir
