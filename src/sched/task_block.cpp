// SPDX-License-Identifier: Apache-2.0
// Where blocks come from and go to: the cache of the permit that the calling thread holds, or the system.
#include <weir/detail/task_block.hpp>

#include "sched/runtime_core.hpp"

namespace weir::detail {

namespace {

WEIR_THREAD_LOCAL void* announced_frame = nullptr; // by operator new, until its promise takes it
WEIR_THREAD_LOCAL void* released_frame = nullptr;  // the last one

rt::worker* caching_worker() noexcept {
  rt::thread_context* context = rt::current_context();
  return context != nullptr && context->on != nullptr && context->on->can_queue() ? context->on : nullptr;
}

void* allocate_block(std::size_t bytes, block_origin& origin) {
  std::size_t units = (bytes + block_unit - 1) / block_unit;
  if (units > largest_class) return ::operator new(bytes);
  origin.size_class = static_cast<std::uint8_t>(units);
  if (rt::worker* here = caching_worker()) {
    rt::permit& held = here->held();
    origin.core = &here->core();
    origin.permit = static_cast<std::uint16_t>(held.index);
    if (void* block = held.frames.take(origin)) return block;
  }
  return ::operator new(units * block_unit);
}

} // namespace

bool take_announced(void* frame) noexcept {
  asm volatile("" ::: "memory"); // not pure, as current_context()
  if (announced_frame != frame) return false;
  announced_frame = nullptr;
  return true;
}

void forget_released() noexcept {
  asm volatile("" ::: "memory");
  released_frame = nullptr;
}

bool was_released_last(const void* frame) noexcept {
  asm volatile("" ::: "memory");
  return released_frame == frame;
}

void* allocate_frame(std::size_t bytes, bool with_header) {
  std::size_t prefix = with_header ? sizeof(task_header) : sizeof(block_origin);
  block_origin origin;
  void* frame = static_cast<std::byte*>(allocate_block(prefix + bytes, origin)) + prefix;
  if (with_header) origin.size_class |= header_fits;
  new (&origin_of(frame)) block_origin(origin);
  announced_frame = frame;
  return frame;
}

void release_frame(void* frame) noexcept {
  if (announced_frame == frame) announced_frame = nullptr; // the promise was never made
  released_frame = frame;
  block_origin origin = origin_of(frame);
  if ((origin.size_class & header_lives) != 0) return;
  bool fits = (origin.size_class & header_fits) != 0;
  free_block(static_cast<std::byte*>(frame) - (fits ? sizeof(task_header) : sizeof(block_origin)), origin);
}

void* allocate_header(std::size_t bytes, block_origin& origin) { return allocate_block(bytes, origin); }

void free_block(void* block, const block_origin& origin) noexcept {
  unsigned size_class = origin.size_class & class_bits;
  rt::worker* here = size_class != 0 && origin.permit != block_origin::no_permit ? caching_worker() : nullptr;
  // The runtime it came from may be gone and another one be at its address. Then the block just changes hands.
  if (here == nullptr || &here->core() != origin.core || origin.permit >= here->core().permit_count()) {
    rt::frame_cache::free(block, origin.in_chunk);
  } else if (rt::permit& held = here->held(); origin.permit == held.index) {
    held.frames.put(block, size_class, origin.in_chunk);
  } else {
    here->core().permit_at(origin.permit).frames.put_back(block, size_class, origin.in_chunk);
  }
}

} // namespace weir::detail
