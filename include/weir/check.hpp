// SPDX-License-Identifier: Apache-2.0
#pragma once

// Checks of contracts. A broken contract is a bug in the caller; the program ends with what was expected, where, with
// which values, and in which task. An expected outcome is never a check: it is a std::expected.
#include <weir/config.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string_view>
#include <type_traits>

namespace weir::detail {

/// One value printed by a failed check.
class check_value {
public:
  enum class kind : std::uint8_t { boolean, signed_integer, unsigned_integer, real, text, pointer };

  constexpr check_value(bool value) noexcept : kind_(kind::boolean), unsigned_(value) {}
  template <std::signed_integral T>
  constexpr check_value(T value) noexcept : kind_(kind::signed_integer), signed_(value) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  constexpr check_value(T value) noexcept : kind_(kind::unsigned_integer), unsigned_(value) {}
  template <std::floating_point T>
  constexpr check_value(T value) noexcept : kind_(kind::real), real_(static_cast<double>(value)) {}
  template <class T>
    requires std::is_enum_v<T>
  constexpr check_value(T value) noexcept : kind_(kind::signed_integer), signed_(static_cast<std::int64_t>(value)) {}
  constexpr check_value(std::string_view value) noexcept : kind_(kind::text), text_(value) {}
  constexpr check_value(const char* value) noexcept
      : kind_(kind::text), text_(value == nullptr ? std::string_view("(null)") : std::string_view(value)) {}
  constexpr check_value(const void* value) noexcept : kind_(kind::pointer), pointer_(value) {}

  constexpr kind which() const noexcept { return kind_; }
  constexpr std::int64_t as_signed() const noexcept { return signed_; }
  constexpr std::uint64_t as_unsigned() const noexcept { return unsigned_; }
  constexpr double as_real() const noexcept { return real_; }
  constexpr std::string_view as_text() const noexcept { return text_; }
  constexpr const void* as_pointer() const noexcept { return pointer_; }

private:
  kind kind_;
  union {
    std::int64_t signed_;
    std::uint64_t unsigned_;
    double real_;
    std::string_view text_;
    const void* pointer_;
  };
};

/// The task a check fails in. An empty name means that no task runs on this thread.
struct task_description {
  std::string_view name;
  std::source_location spawned_at{};
};

/// Sets the function that a failed check asks for the current task; the scheduler installs its own.
///
/// Thread: any; the last call wins. The function may be called on any thread at any time and must not allocate.
void set_task_describer(task_description (*describe)() noexcept) noexcept;

/// Sets the function that sees a check fail before anything is printed. It may leave the thread instead of returning, as
/// the model checker does, for which a failed check is a failed execution.
///
/// Thread: any; the last call wins. The function may be called on any thread at any time.
void set_check_observer(void (*observe)(std::string_view what, const std::source_location& where) noexcept) noexcept;

[[noreturn]] WEIR_NOINLINE void check_failed(const char* condition, std::string_view what,
                                             const std::source_location& where, const char* names,
                                             std::initializer_list<check_value> values) noexcept;

} // namespace weir::detail

/// Ends the program unless `condition` holds: WEIR_CHECK(size > 0, "a ring needs room", size).
#define WEIR_CHECK(condition, what, ...)                                                                               \
  (static_cast<bool>(condition) ? static_cast<void>(0)                                                                 \
                                : ::weir::detail::check_failed(#condition, what, ::std::source_location::current(),    \
                                                               #__VA_ARGS__, {__VA_ARGS__}))

/// As WEIR_CHECK in builds with debug checks, or where WEIR_KEEPS_DEBUG_CHECKS is defined; nothing, and `condition` is not
/// evaluated, in others.
#if WEIR_HAS_DEBUG_CHECKS || defined(WEIR_KEEPS_DEBUG_CHECKS)
#define WEIR_DEBUG_CHECK(condition, what, ...) WEIR_CHECK(condition, what __VA_OPT__(, ) __VA_ARGS__)
#else
#define WEIR_DEBUG_CHECK(condition, what, ...) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif
