// SPDX-License-Identifier: Apache-2.0
#include "check/arena.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include <weir/config.hpp>

namespace weir::check::detail {

namespace {

constexpr std::uint64_t live_mark = 0x6c697665626c6f63;
constexpr std::uint64_t free_mark = 0x6672656564626c6b;
constexpr auto fresh_pattern = static_cast<unsigned char>(arena_set::fresh_bytes);
constexpr auto freed_pattern = static_cast<unsigned char>(arena_set::freed_bytes);

struct block_header { // stands directly below the block
  std::uint64_t mark;
  std::uint64_t bytes;
};

constinit thread_local allocation_source source;

} // namespace

allocation_source& current_allocation_source() noexcept { return source; }

arena_set::arena_set() {
  auto range = weir::rt::os::address_range::reserve(bytes_per_thread * max_threads);
  if (!range || !range->commit(0, range->size())) throw std::bad_alloc();
  range_ = std::move(*range);
}

void* arena_set::allocate(unsigned thread, std::size_t bytes, std::size_t alignment) {
  alignment = std::max(alignment, alignof(std::max_align_t));
  const std::size_t at = (used_[thread] + sizeof(block_header) + alignment - 1) / alignment * alignment;
  if (bytes > bytes_per_thread || at + bytes > bytes_per_thread) throw std::bad_alloc();
  used_[thread] = at + bytes;
  std::byte* const block = range_.data() + thread * bytes_per_thread + at;
  const block_header header{live_mark, bytes};
  std::memcpy(block - sizeof header, &header, sizeof header);
  std::memset(block, fresh_pattern, bytes);
  ++live_;
  return block;
}

void arena_set::free(void* block) noexcept {
  auto* const header = reinterpret_cast<block_header*>(static_cast<std::byte*>(block) - sizeof(block_header));
  if (header->mark != live_mark) {
    saw_double_free_ = true;
    return;
  }
  header->mark = free_mark;
  std::memset(block, freed_pattern, header->bytes);
  --live_;
}

void arena_set::reset() noexcept {
  used_ = {};
  live_ = 0;
  saw_double_free_ = false;
}

namespace {

thread_local std::unique_ptr<model_memory> spare_memory;

} // namespace

std::span<std::byte> model_memory::stack_of(unsigned thread) {
  weir::rt::os::address_range& stack = stacks[thread];
  if (stack.empty()) {
    const std::size_t page = weir::rt::os::page_bytes();
    auto range = weir::rt::os::address_range::reserve(stack_bytes + page);
    if (!range || !range->commit(page, stack_bytes)) throw std::bad_alloc();
    stack = std::move(*range);
  }
  return {stack.data() + (stack.size() - stack_bytes), stack_bytes};
}

bool model_memory::holds(std::uint64_t address) const noexcept {
  if (arenas.owns(reinterpret_cast<const void*>(address))) return true; // NOLINT(performance-no-int-to-ptr)
  return std::any_of(stacks.begin(), stacks.end(), [address](const weir::rt::os::address_range& stack) {
    const auto first = reinterpret_cast<std::uintptr_t>(stack.data());
    return address >= first && address < first + stack.size();
  });
}

std::unique_ptr<model_memory> model_memory::take() {
  return spare_memory != nullptr ? std::move(spare_memory) : std::make_unique<model_memory>();
}

void model_memory::give_back(std::unique_ptr<model_memory> memory) noexcept { spare_memory = std::move(memory); }

} // namespace weir::check::detail

namespace {

void* allocate(std::size_t bytes, std::size_t alignment) {
  auto& source = weir::check::detail::current_allocation_source();
  if (source.is_model_code) return source.arenas->allocate(source.thread, bytes, alignment);
  void* block = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    block = std::malloc(bytes == 0 ? 1 : bytes);
  } else {
    block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void release(void* block) noexcept {
  if (block == nullptr) return;
  auto& source = weir::check::detail::current_allocation_source();
  if (source.arenas != nullptr && source.arenas->owns(block)) {
    source.arenas->free(block);
  } else {
    std::free(block);
  }
}

} // namespace

#if WEIR_HAS_ASAN
// Frames that the sanitizer moves to the heap would have other addresses in each execution.
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }
#endif

// The array and nothrow forms of the standard library end in these.
void* operator new(std::size_t bytes) { return allocate(bytes, 1); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete(void* block, std::align_val_t) noexcept { release(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { release(block); }
