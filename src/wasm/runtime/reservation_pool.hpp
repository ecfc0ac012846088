// SPDX-License-Identifier: Apache-2.0
#pragma once

// Address ranges for linear memories, kept for reuse: to reserve and to release one costs two system calls and a walk
// of page tables, and every instance needs one.
//
// A whole range is 4 GiB for the memory, 4 GiB for what a 32-bit index plus a 32-bit offset can reach beyond it, and a
// guard. Only what the memory has grown to is committed. Where the address space is limited a range covers the memory's
// maximum, or as much of it as there is, and the memory cannot grow beyond that. No range ever moves.
//
// R1  `idle_` is touched with `lock_` held; a range is in it only after its pages were given back.
#include "os/virtual_memory.hpp"

#include <weir/wasm/error.hpp>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace weir::wasm::detail {

inline constexpr std::uint64_t page_bytes = 65536;
inline constexpr std::uint64_t memory_pages_limit = 65536;

struct reservation {
  rt::os::address_range range;
  std::uint64_t usable = 0; // bytes that a memory may commit
};

class reservation_pool {
public:
  static constexpr std::size_t whole_bytes = (std::size_t{8} << 30) + page_bytes;

  /// `whole` is the size of a whole range; tests make it impossible to get.
  explicit reservation_pool(std::size_t whole = whole_bytes) : whole_{whole} {}
  reservation_pool(const reservation_pool&) = delete;
  reservation_pool& operator=(const reservation_pool&) = delete;

  /// A range with its first `bytes` committed and zero, for a memory that may grow to `max_bytes`.
  ///
  /// Errors: errc::limit_exceeded when there is no address space or no memory for `bytes`.
  /// Thread: any.
  result<reservation> take(std::uint64_t bytes, std::uint64_t max_bytes);
  /// Takes a range back of which `bytes` are committed. Thread: any.
  void give_back(reservation& old, std::uint64_t bytes) noexcept;

  /// Ranges that wait for reuse. Thread: any.
  std::size_t idle() const;

private:
  static constexpr std::size_t most_idle = 64;
  result<reservation> find(std::uint64_t bytes, std::uint64_t max_bytes);

  std::size_t whole_;
  mutable std::mutex lock_;
  std::vector<reservation> idle_;
};

} // namespace weir::wasm::detail
