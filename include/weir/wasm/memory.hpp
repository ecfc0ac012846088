// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weir/wasm/store.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace weir::wasm {

namespace detail {
struct memory_object;
} // namespace detail

/// A linear memory of a store. A copy names the same memory.
///
/// Thread:   the store's.
/// Lifetime: of the store.
class memory {
public:
  static constexpr std::uint64_t page_bytes = 65536;

  /// Makes a memory of the host's, zeroed, to be imported by guests.
  ///
  /// Errors: errc::limit_exceeded when the store's limit or the address space is used up.
  static result<memory> create(store& owner, memory_type type);

  /// The type with the current size as its minimum, as an import check sees it.
  memory_type type() const;
  /// All bytes of the memory now.
  ///
  /// Lifetime: the address stays the same while the store lives; the size is stale after the memory grows.
  std::span<std::byte> bytes() const;
  std::uint64_t pages() const;
  /// Grows by `pages` and returns the old size in pages.
  ///
  /// Errors: errc::limit_exceeded; the memory is unchanged.
  result<std::uint64_t> grow(std::uint64_t pages) const;

  friend bool operator==(memory, memory) = default;

private:
  friend struct detail::access;
  explicit memory(detail::memory_object* object) : object_{object} {}
  detail::memory_object* object_;
};

} // namespace weir::wasm
