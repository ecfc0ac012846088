// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/types.hpp>

#include <cstdint>
#include <expected>
#include <string>
#include <system_error>
#include <vector>

namespace weir::wasm {

/// Why a module, an instance or a call failed.
enum class errc {
  malformed = 1,       ///< the bytes are not a module
  invalid,             ///< a module that breaks a validation rule
  unsupported_feature, ///< needs a proposal that this engine does not run
  unlinkable,          ///< an import is missing or of another type
  limit_exceeded,      ///< more memory, table elements or instances than the store allows
  type_mismatch,       ///< a call or a definition with values of other types
  not_found,           ///< no export of that name and kind
  trap,                ///< the guest trapped; `error::trap` says which
  uncaught_exception,  ///< the guest threw and nobody caught
  interrupted,         ///< cancelled at a checkpoint
  would_suspend,       ///< a synchronous call reached a host coroutine
  host_error,          ///< a host function failed with a message
  exited,              ///< a host function ended the guest; `error::exit_status` says with what
};

const std::error_category& category() noexcept;
inline std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), category()}; }

/// The reasons of core WebAssembly for a trap.
enum class trap_code : std::uint8_t {
  none,
  unreachable,
  integer_divide_by_zero,
  integer_overflow,
  invalid_conversion_to_integer,
  out_of_bounds_memory_access,
  out_of_bounds_table_access,
  undefined_element,
  uninitialized_element,
  indirect_call_type_mismatch,
  call_stack_exhausted,
  null_reference,
  null_exception,
};

/// The text of the reference interpreter, such as `out of bounds memory access`.
const char* to_string(trap_code code);

/// One guest function on the stack at a trap, innermost first.
struct stack_frame {
  std::uint32_t function_index = 0;
  std::string function_name; ///< from the name section or an export; empty when neither has one
  std::string module_name;
};

/// What went wrong, where, and in which function.
struct error {
  errc code = errc::malformed;
  std::string message{};
  std::uint64_t offset = 0; ///< byte offset in the module's file, for malformed, invalid and unsupported modules
  std::int64_t function_index = -1;     ///< the function being validated, or -1
  trap_code trap = trap_code::none;     ///< for errc::trap
  int exit_status = 0;                  ///< for errc::exited
  std::vector<stack_frame> backtrace{}; ///< for traps and uncaught exceptions
  feature_set lacking{};                ///< for errc::unsupported_feature: the feature that the module needs

  /// One line for people: the message with the byte offset and the function, where there are any.
  std::string to_string() const;
  std::error_code error_code() const noexcept { return make_error_code(code); }
};

template <class T> using result = std::expected<T, error>;

} // namespace weir::wasm

template <> struct std::is_error_code_enum<weir::wasm::errc> : std::true_type {};
