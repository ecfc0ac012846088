// SPDX-License-Identifier: Apache-2.0
#pragma once

// Linearizability: what the calls of all threads returned must be what one sequential object would have returned, called
// in some order that keeps the order which happens-before gives the calls.
//
//   check::history<std::deque<int>> calls;                       // in the body; the sequential object, empty
//   m.spawn("producer", [&] {
//     calls.call("push(1)", [&] { queue.push(1); }, [](std::deque<int>& items) { items.push_back(1); });
//   });
//   calls.call("pop()", [&] { return queue.pop(); }, [](std::deque<int>& items) -> std::optional<int> {
//     if (items.empty()) return std::nullopt;
//     int first = items.front();
//     items.pop_front();
//     return first;
//   });
//   m.join_all();
//   calls.require_linearizable();
//
// An execution without such an order fails with the calls as columns. A call that may return more than one thing (a try
// that may fail although it could have succeeded) takes a rule with a second parameter, the result, and says whether the
// object allows it.

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace weir::check {

namespace detail {

/// A sequential object whose type the search for an order does not know.
class sequential_object {
public:
  sequential_object() = default;
  sequential_object(const sequential_object&) = delete;
  sequential_object& operator=(const sequential_object&) = delete;
  virtual ~sequential_object() = default;

  [[nodiscard]] virtual std::unique_ptr<sequential_object> clone() const = 0;
  /// False when the type has no comparison: then states are not recognised again, which costs time only.
  [[nodiscard]] virtual bool equals(const sequential_object& other) const = 0;
  [[nodiscard]] virtual void* get() noexcept = 0;
};

template <class Spec> class sequential_object_of final : public sequential_object {
public:
  explicit sequential_object_of(const Spec& from) : object_(from) {}

  [[nodiscard]] std::unique_ptr<sequential_object> clone() const override {
    return std::make_unique<sequential_object_of>(object_);
  }
  [[nodiscard]] bool equals(const sequential_object& other) const override {
    if constexpr (std::equality_comparable<Spec>) {
      return object_ == static_cast<const sequential_object_of&>(other).object_;
    } else {
      return false;
    }
  }
  [[nodiscard]] void* get() noexcept override { return &object_; }

private:
  Spec object_;
};

/// Whether the object allows the call and its result; changes the object.
using call_rule = std::function<bool(void*)>;

std::size_t begin_call(const void* history, std::string_view what, const std::source_location& where);
void end_call(std::size_t call, std::string_view result, const call_rule& rule, const std::source_location& where);
void require_linearizable(const void* history, const sequential_object& initial, const std::source_location& where);

template <class T> std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_arithmetic_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string(std::string_view(value));
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    return value.has_value() ? text_of(*value) : "none";
  } else {
    return "a value";
  }
}

} // namespace detail

/// The calls of one execution on one object, and the sequential object that they are compared with.
///
/// Thread:   model threads; made, and asked, in the body.
/// Lifetime: it must outlive the calls.
template <class Spec> class history {
public:
  explicit history(Spec initial = {}) : initial_(std::move(initial)) {}

  /// Calls `real` and returns what it returns. `sequential` is the same call on a Spec: it returns what `real` should, or,
  /// given the result as a second parameter, whether that is allowed.
  template <class Real, class Sequential>
  auto call(std::string_view what, Real&& real, Sequential sequential,
            std::source_location where = std::source_location::current()) {
    using result = std::invoke_result_t<Real>;
    const std::size_t at = detail::begin_call(this, what, where);
    if constexpr (std::is_void_v<result>) {
      std::forward<Real>(real)();
      detail::end_call(
          at, {},
          [sequential](void* object) {
            sequential(*static_cast<Spec*>(object));
            return true;
          },
          where);
    } else {
      result got = std::forward<Real>(real)();
      const std::string text = detail::text_of(got);
      detail::end_call(
          at, text,
          [sequential, got](void* object) -> bool {
            auto& spec = *static_cast<Spec*>(object);
            if constexpr (std::is_invocable_v<Sequential, Spec&, const result&>) {
              return sequential(spec, got);
            } else {
              return sequential(spec) == got;
            }
          },
          where);
      return got;
    }
  }

  /// Fails the execution unless some order of the calls so far explains all their results. Every call must have returned.
  ///
  /// Cost: exponential in the calls that overlap; at most 64 calls.
  void require_linearizable(std::source_location where = std::source_location::current()) const {
    detail::require_linearizable(this, detail::sequential_object_of<Spec>(initial_), where);
  }

private:
  Spec initial_;
};

} // namespace weir::check
