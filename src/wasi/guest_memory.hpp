// SPDX-License-Identifier: Apache-2.0
#pragma once

// A guest's linear memory as the functions of WASI see it: every access is checked, in 64 bits, and none needs
// alignment.
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

namespace weir::wasi {

static_assert(std::endian::native == std::endian::little, "guest memory is little-endian and is read in place");

class guest_memory {
public:
  guest_memory() = default;
  explicit guest_memory(std::span<std::byte> bytes) : bytes_{bytes} {}

  /// The bytes at an address, or nothing when they are not all inside the memory.
  std::optional<std::span<std::byte>> slice(std::uint64_t address, std::uint64_t size) const {
    if (size > bytes_.size() || address > bytes_.size() - size) return std::nullopt;
    return bytes_.subspan(static_cast<std::size_t>(address), static_cast<std::size_t>(size));
  }

  bool contains(std::uint64_t address, std::uint64_t size) const { return slice(address, size).has_value(); }

  template <std::integral T> std::optional<T> load(std::uint64_t address) const {
    const auto from = slice(address, sizeof(T));
    if (!from) return std::nullopt;
    T value;
    std::memcpy(&value, from->data(), sizeof value);
    return value;
  }

  template <std::integral T> [[nodiscard]] bool store(std::uint64_t address, T value) const {
    const auto to = slice(address, sizeof(T));
    if (!to) return false;
    std::memcpy(to->data(), &value, sizeof value);
    return true;
  }

private:
  std::span<std::byte> bytes_;
};

/// Puts a field of a record that slice() gave, at an offset inside it.
template <std::integral T> void put(std::span<std::byte> record, std::uint32_t offset, T value) {
  std::memcpy(record.subspan(offset, sizeof value).data(), &value, sizeof value);
}

template <std::integral T> T get(std::span<const std::byte> record, std::uint32_t offset) {
  T value;
  std::memcpy(&value, record.subspan(offset, sizeof value).data(), sizeof value);
  return value;
}

} // namespace weir::wasi
