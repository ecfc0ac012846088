// SPDX-License-Identifier: Apache-2.0
#pragma once

// A large piece of memory for the blocks of a permit that has very many tasks: its owner cuts it up from the front, and it
// goes back to the system as a whole when all that was cut has been given back.
//
//   left    the blocks that may still be given back; at first far more than can be cut
//
// Who writes  R1 next_, cut_: the owner, until it closes the chunk and forgets it. R2 left: everybody subtracts the blocks
//             it gives back; the owner, at closing, those that it has not cut.
// Who frees   who brings `left` to zero. That is after the closing, since until then more is left than was cut.
// Orderings   O1 the subtractions (acquire and release): who frees comes after everybody who used a block.
// Huge pages  a heap grows by a page of 4 KiB at a time, each with a fault and, in a thread's own heap, a system call: most
//             of the cost of a million tasks. A chunk is one huge page, where the system has them.
// Rejected    reusing a chunk's blocks one by one through a list in the chunk (the caches' lists do that for as many as are
//             worth keeping); an aligned piece of the heap (it would not be a huge page).
#include "os/virtual_memory.hpp"

#include <weir/detail/atomic.hpp>

#include <cstddef>
#include <cstdint>
#include <new>

namespace weir::rt {

/// How many blocks of a chunk are not given back.
class blocks_left {
public:
  /// Gives back `count` blocks; true when they were the last. Thread: any.
  bool give_back(std::uint32_t count) noexcept {
    return left_.fetch_sub(count, detail::memory_order::acq_rel) == count; // O1
  }
  /// Says how many there were; true when none is left. Thread: the owner, once.
  bool close(std::uint32_t cut) noexcept { return give_back(more_than_any - cut); }

private:
  static constexpr std::uint32_t more_than_any = std::uint32_t{1} << 30;
  detail::atomic<std::uint32_t> left_{more_than_any};
};

class frame_chunk {
public:
  static constexpr std::size_t bytes = std::size_t{2} << 20;

  /// A new chunk, or null when there is no memory.
  static frame_chunk* make() noexcept {
    void* memory = os::map_huge(bytes);
    return memory != nullptr ? new (memory) frame_chunk : nullptr;
  }
  frame_chunk(const frame_chunk&) = delete;
  frame_chunk& operator=(const frame_chunk&) = delete;

  /// The next `size` bytes, aligned as malloc aligns; null when so many are not left. Thread: the owner.
  void* cut(std::size_t size) noexcept {
    if (size > bytes - next_) return nullptr;
    void* block = reinterpret_cast<std::byte*>(this) + next_;
    next_ += size;
    ++cut_;
    return block;
  }
  /// Ends the cutting. Thread: the owner, which must not use the chunk any more.
  void close() noexcept {
    if (left_.close(cut_)) free();
  }
  /// Gives back a block of some chunk, which is not used again. Thread: any.
  static void give_back(void* block) noexcept {
    frame_chunk* chunk = of(block);
    if (chunk->left_.give_back(1)) chunk->free();
  }
  /// The chunk of a block of one.
  static frame_chunk* of(void* block) noexcept {
    std::size_t offset = reinterpret_cast<std::uintptr_t>(block) & (bytes - 1); // a chunk is aligned to its size
    return reinterpret_cast<frame_chunk*>(static_cast<std::byte*>(block) - offset);
  }

private:
  frame_chunk() = default;
  void free() noexcept { os::unmap(this, bytes); }

  blocks_left left_;
  std::uint32_t cut_ = 0;
  std::size_t next_ = 64;
};

static_assert(sizeof(frame_chunk) <= 64);

} // namespace weir::rt
