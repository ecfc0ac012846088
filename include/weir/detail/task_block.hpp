// SPDX-License-Identifier: Apache-2.0
#pragma once

// The memory of a task: one block with the scheduler's header before the coroutine's frame.
//
//   with a header     | task_header, the end of which is block_origin | frame, later the result |
//   without           | block_origin | frame |
//
// The header is before the frame and not inside it, so that the frame can be destroyed when the coroutine ends, while
// state, result and references live on. The result takes the frame's place.
// Room        is left where a frame of that size and result type was spawned before: operator new cannot know whether a
//             coroutine will be spawned or awaited, and an awaited one has no use for a header. The first spawn makes
//             a header of its own (two allocations), and marks the size; from the second on there is one allocation.
// Elision     a compiler may put a frame into its caller's and never call operator new. Then there is nothing before
//             the frame, which its address does not tell. So operator new leaves the address in a thread-local that
//             the promise takes; a frame that is not announced is one that the block's owner does not free.
//             Between the two only the copies of the parameters run. If one of them makes a coroutine, the frame
//             counts as not announced, which costs a header of its own and nothing else.
// Who frees   operator delete frees a block whose header was never made. If there is one, the last reference does.
// Throwing    a parameter whose destructor throws lets GCC 12 skip operator delete and clang not; so that is noted in
// destructors a thread-local as well, and who destroys a frame makes up for it (destroy_frame()).
// Caches      worker threads take blocks from and give them to the cache of the permit they hold (frame_cache.hpp).
// Rejected    the header inside the promise (parameters would live until the last abort handle is gone); room before
//             every frame (an awaited frame of 64 bytes becomes one of 176).
#include <weir/config.hpp>
#include <weir/detail/task_header.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

namespace weir::detail {

inline constexpr std::size_t block_unit = 16; // sizes of blocks are multiples of it, as are malloc's
inline constexpr std::uint8_t largest_class = 63;
inline constexpr std::uint8_t class_bits = 0x3f;   // of block_origin::size_class; 0: from and to the system
inline constexpr std::uint8_t header_lives = 0x40; // the block is a task's, whose last reference frees it
inline constexpr std::uint8_t header_fits = 0x80;  // there is room for a header

/// A coroutine's frame with or without room for a header. Errors: std::bad_alloc.
WEIR_NOINLINE void* allocate_frame(std::size_t bytes, bool with_header);
/// Frees it, or leaves that to the references of the task it belongs to.
WEIR_NOINLINE void release_frame(void* frame) noexcept;
/// A header that is no frame's neighbour; `bytes` with what its owner puts behind it. Errors: std::bad_alloc.
void* allocate_header(std::size_t bytes, block_origin& origin);
/// Frees the block of a header that was destroyed.
void free_block(void* block, const block_origin& origin) noexcept;

// The two thread-locals are behind functions that are not inlined: a fiber's code goes on on another thread, and a compiler
// keeps the address of a thread-local across that.
/// True when operator new made this frame last on this thread, and nobody has asked; the promise asks.
WEIR_NOINLINE bool take_announced(void* frame) noexcept;
/// Forgets which frame was released last on this thread.
WEIR_NOINLINE void forget_released() noexcept;
WEIR_NOINLINE bool was_released_last(const void* frame) noexcept;

inline block_origin& origin_of(void* frame) noexcept { return static_cast<block_origin*>(frame)[-1]; }
/// Where the header of a frame is that has room for one.
inline void* header_place(void* frame) noexcept { return static_cast<std::byte*>(frame) - sizeof(task_header); }

/// Which frames of coroutines with result T have been spawned: a bit for each size.
#if WEIR_SIMULATED
template <class T> inline constinit program_atomic<std::uint64_t> spawned_sizes{0};
#else
template <class T> inline constinit atomic<std::uint64_t> spawned_sizes{0};
#endif

constexpr unsigned size_bit(std::size_t frame_bytes) noexcept {
  return static_cast<unsigned>(std::min<std::size_t>((frame_bytes + block_unit - 1) / block_unit, largest_class));
}
/// The same for a frame without room for a header, of which only the class is known.
constexpr unsigned size_bit_of(const block_origin& origin) noexcept {
  unsigned of_block = origin.size_class & class_bits;
  return of_block == 0 ? largest_class : of_block - unsigned{sizeof(block_origin) / block_unit};
}

} // namespace weir::detail
