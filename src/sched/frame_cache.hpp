// SPDX-License-Identifier: Apache-2.0
#pragma once

// The blocks of memory that a permit keeps for frames and tasks to come, by size. Each block is the system allocator's
// own, so that anybody who cannot reach the cache any more may simply free it.
//
// Who writes  R1 the lists and the count of bytes: the permit's holder. R2 returned_: anybody who runs for the same
//             runtime pushes; the holder takes all.
// Orderings   O1 a push (release) → take-all (acquire): the holder may use what the other has finished with.
// Bounds      the lists keep at most `most_bytes`; what is more goes back to the system. What others return waits until
//             a list is empty, or the holder comes to a checkpoint.
// Rejected    caches of threads (a thread without a permit would strand its blocks); chunks that are cut up (a block that
//             outlives its runtime, in a join handle, would keep the chunk).
#include <weir/config.hpp>
#include <weir/detail/task_block.hpp>

#include <array>
#include <cstddef>
#include <new>

namespace weir::rt {

class frame_cache {
public:
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;
  /// A sanitizer that watches the heap must see each block freed.
  static constexpr bool is_used = !WEIR_HAS_ASAN;

  frame_cache() = default;
  frame_cache(const frame_cache&) = delete;
  frame_cache& operator=(const frame_cache&) = delete;
  ~frame_cache() {
    collect();
    for (free_block*& list : lists_) {
      while (list != nullptr) ::operator delete(std::exchange(list, list->next));
    }
  }

  /// A block of `size_class` units, or null. Thread: the permit's holder.
  void* take(unsigned size_class) noexcept {
    free_block*& list = lists_[size_class];
    if (list == nullptr) {
      if (returned_.load(detail::memory_order::relaxed) == nullptr) return nullptr;
      collect();
      if (list == nullptr) return nullptr;
    }
    bytes_ -= size_class * detail::block_unit;
    return std::exchange(list, list->next);
  }

  /// Keeps a block, or frees it. Thread: the permit's holder.
  void put(void* block, unsigned size_class) noexcept {
    if (!is_used || bytes_ >= most_bytes) {
      ::operator delete(block);
      return;
    }
    bytes_ += size_class * detail::block_unit;
    lists_[size_class] = new (block) free_block{lists_[size_class], size_class};
  }

  /// Gives a block back to the cache it came from. Thread: any that runs for the same runtime.
  void put_back(void* block, unsigned size_class) noexcept {
    if (!is_used) {
      ::operator delete(block);
      return;
    }
    auto* returned = new (block) free_block{returned_.load(detail::memory_order::relaxed), size_class};
    while (!returned_.compare_exchange_weak(returned->next, returned, detail::memory_order::release, // O1
                                            detail::memory_order::relaxed)) {
    }
  }

  /// Takes in what others have returned. Thread: the permit's holder.
  void collect() noexcept {
    if (returned_.load(detail::memory_order::relaxed) == nullptr) return;
    free_block* block = returned_.exchange(nullptr, detail::memory_order::acquire); // O1
    while (block != nullptr) {
      free_block* rest = block->next;
      put(block, block->size_class);
      block = rest;
    }
  }

private:
  struct free_block {
    free_block* next;
    unsigned size_class;
  };

  std::array<free_block*, detail::largest_class + 1> lists_{};
  std::size_t bytes_ = 0;
  alignas(64) detail::atomic<free_block*> returned_{nullptr};
};

} // namespace weir::rt
