// SPDX-License-Identifier: Apache-2.0
#pragma once

// The blocks of memory that a permit keeps for frames and tasks to come, by size. A block is the system allocator's own, or
// part of a chunk that is not freed before all its blocks are given back; so anybody who cannot reach the cache any more may
// simply free it.
//
// Who writes  R1 the lists, the counts of bytes and the chunk: the permit's holder. R2 returned_: anybody who runs for the same
//             runtime pushes; the holder takes all.
// Orderings   O1 a push (release) → take-all (acquire): the holder may use what the other has finished with.
// Bounds      the lists keep at most `most_bytes`; what is more goes back to the system. What others return waits until
//             a list is empty, or the holder comes to a checkpoint.
// Chunks      are for permits that have missed `chunks_from` bytes, all in all. Of their blocks the lists keep only those of the
//             last two chunks: one block would keep a whole chunk, and the tasks of a burst that end in any order would
//             leave some in each. A block that outlives its runtime in a join handle keeps its chunk.
// Rejected    caches of threads (a thread without a permit would strand its blocks).
#include "sched/frame_chunk.hpp"

#include <weir/config.hpp>
#include <weir/detail/task_block.hpp>

#include <array>
#include <cstddef>
#include <new>
#include <utility>

namespace weir::rt {

class frame_cache {
public:
  static constexpr std::size_t most_bytes = std::size_t{4} << 20;
  static constexpr std::size_t chunks_from = std::size_t{1} << 20;
  /// A sanitizer that watches the heap must see each block freed.
  static constexpr bool is_used = !WEIR_HAS_ASAN;

  frame_cache() = default;
  frame_cache(const frame_cache&) = delete;
  frame_cache& operator=(const frame_cache&) = delete;
  ~frame_cache() {
    collect();
    for (free_block*& list : lists_) {
      while (list != nullptr) {
        free_block* block = std::exchange(list, list->next);
        free(block, block->in_chunk);
      }
    }
    if (chunk_ != nullptr) chunk_->close();
  }

  /// A block of the size class that `origin` has, or null; notes in `origin` what it is of. Thread: the permit's holder.
  void* take(detail::block_origin& origin) noexcept {
    free_block*& list = lists_[origin.size_class];
    if (list == nullptr) {
      if (returned_.load(detail::memory_order::relaxed) != nullptr) collect();
      if (list == nullptr) return miss(origin);
    }
    bytes_ -= origin.size_class * detail::block_unit;
    origin.in_chunk = list->in_chunk;
    return std::exchange(list, list->next);
  }

  /// Keeps a block, or frees it. Thread: the permit's holder.
  void put(void* block, unsigned size_class, bool in_chunk) noexcept {
    if (!is_used || bytes_ >= most_bytes || (in_chunk && !is_recent(frame_chunk::of(block)))) {
      free(block, in_chunk);
      return;
    }
    bytes_ += size_class * detail::block_unit;
    lists_[size_class] = new (block) free_block{lists_[size_class], size_class, in_chunk};
  }

  /// Gives a block back to the cache it came from. Thread: any that runs for the same runtime.
  void put_back(void* block, unsigned size_class, bool in_chunk) noexcept {
    if (!is_used) {
      free(block, in_chunk);
      return;
    }
    auto* returned = new (block) free_block{returned_.load(detail::memory_order::relaxed), size_class, in_chunk};
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
      put(block, block->size_class, block->in_chunk);
      block = rest;
    }
  }

  /// Frees a block without keeping it. Thread: any.
  static void free(void* block, bool in_chunk) noexcept {
    if (in_chunk) {
      frame_chunk::give_back(block);
    } else {
      ::operator delete(block);
    }
  }

private:
  struct free_block {
    free_block* next;
    unsigned size_class;
    bool in_chunk;
  };

  bool is_recent(const frame_chunk* chunk) const noexcept { return chunk == chunk_ || chunk == previous_chunk_; }

  void* miss(detail::block_origin& origin) noexcept {
    std::size_t size = origin.size_class * detail::block_unit;
    if (!is_used || missed_ < chunks_from) {
      missed_ += size;
      return nullptr;
    }
    void* block = chunk_ != nullptr ? chunk_->cut(size) : nullptr;
    if (block == nullptr) {
      previous_chunk_ = chunk_;
      if (chunk_ != nullptr) chunk_->close();
      chunk_ = frame_chunk::make();
      if (chunk_ == nullptr) {
        missed_ = 0; // the next try after as much again
        return nullptr;
      }
      block = chunk_->cut(size);
    }
    origin.in_chunk = true;
    return block;
  }

  std::array<free_block*, detail::largest_class + 1> lists_{};
  std::size_t bytes_ = 0;
  std::size_t missed_ = 0;
  frame_chunk* chunk_ = nullptr;
  const frame_chunk* previous_chunk_ = nullptr; // an address; it may be gone, and another one be there
  alignas(64) detail::atomic<free_block*> returned_{nullptr};
};

} // namespace weir::rt
