// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory of model threads. Each thread allocates from its own range, front to back, and nothing is reused within an
// execution: an address depends on the thread's own history only, so every execution that repeats the history sees the
// same pointers, and two objects of one execution never have the same address. reset() forgets everything at once,
// which is how the memory of an execution that was cut off is given back.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "check/clock.hpp"
#include "os/virtual_memory.hpp"

namespace weir::check::detail {

class arena_set {
public:
  static constexpr std::size_t bytes_per_thread = std::size_t{16} << 20U;

  arena_set();
  arena_set(const arena_set&) = delete;
  arena_set& operator=(const arena_set&) = delete;

  /// Throws bad_alloc when the thread's range is used up.
  void* allocate(unsigned thread, std::size_t bytes, std::size_t alignment);
  /// Fills the block with a pattern. A second free of it is noted.
  void free(void* block) noexcept;
  [[nodiscard]] bool owns(const void* address) const noexcept {
    const auto* const at = static_cast<const std::byte*>(address);
    return at >= range_.data() && at < range_.data() + range_.size();
  }

  /// What four bytes of freed memory and of memory that nobody has written yet hold.
  static constexpr std::uint32_t freed_bytes = 0xdddddddd;
  static constexpr std::uint32_t fresh_bytes = 0xcdcdcdcd;

  void reset() noexcept;
  [[nodiscard]] std::size_t live_blocks() const noexcept { return live_; }
  [[nodiscard]] bool saw_double_free() const noexcept { return saw_double_free_; }

private:
  weir::rt::os::address_range range_;
  std::array<std::size_t, max_threads> used_{};
  std::size_t live_ = 0;
  bool saw_double_free_ = false;
};

/// What model threads run on. A thread that explores keeps the set of its last model for the next one, because mapping it
/// takes longer than many a model.
struct model_memory {
  static constexpr std::size_t stack_bytes = std::size_t{256} * 1024;

  arena_set arenas;
  std::array<weir::rt::os::address_range, max_threads> stacks; // each with a guard page below; empty until it is used

  /// The usable part of a thread's stack. Throws bad_alloc.
  [[nodiscard]] std::span<std::byte> stack_of(unsigned thread);
  [[nodiscard]] bool holds(std::uint64_t address) const noexcept;

  [[nodiscard]] static std::unique_ptr<model_memory> take();
  static void give_back(std::unique_ptr<model_memory> memory) noexcept;
};

/// Where `operator new` of this thread takes memory from: a model thread's arena, or the heap when `arenas` is null.
struct allocation_source {
  arena_set* arenas = nullptr; ///< set while a model runs on this thread, even in the checker's own code
  unsigned thread = 0;
  bool is_model_code = false;
};

[[nodiscard]] allocation_source& current_allocation_source() noexcept;

/// While it lives, allocations are the checker's own.
class host_allocation {
public:
  host_allocation() noexcept : source_(current_allocation_source()), was_model_code_(source_.is_model_code) {
    source_.is_model_code = false;
  }
  ~host_allocation() { source_.is_model_code = was_model_code_; }
  host_allocation(const host_allocation&) = delete;
  host_allocation& operator=(const host_allocation&) = delete;

private:
  allocation_source& source_;
  bool was_model_code_;
};

} // namespace weir::check::detail
