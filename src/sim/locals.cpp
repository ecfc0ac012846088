// SPDX-License-Identifier: Apache-2.0
#include "sim/locals.hpp"

#include <weir/detail/atomic.hpp>

#include <cstdint>
#include <vector>

// The linker gives the bounds of a section whose name is an identifier.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming): the linker's names
[[gnu::visibility("hidden")]] extern char __start_weir_thread_locals[];
[[gnu::visibility("hidden")]] extern char __stop_weir_thread_locals[];
[[gnu::visibility("hidden")]] extern char __executable_start[];
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
}

namespace weir::sim::detail {

std::uint64_t program_start() noexcept { return reinterpret_cast<std::uintptr_t>(__executable_start); }

std::span<char> locals_section() noexcept { return {__start_weir_thread_locals, __stop_weir_thread_locals}; }

std::span<const char> initial_locals() noexcept {
  // The first caller is the first simulation, or this file's initialisation if that comes before.
  static const std::vector<char> image(__start_weir_thread_locals, __stop_weir_thread_locals);
  return image;
}

namespace {

[[maybe_unused]] const std::size_t taken_before_main = initial_locals().size();

} // namespace
} // namespace weir::sim::detail
