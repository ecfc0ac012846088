// SPDX-License-Identifier: Apache-2.0
#pragma once

// Address space apart from memory: a range is reserved first, and parts of it become memory when they are committed.
// Touching a reserved part that is not committed ends in a segmentation fault.
#include <cstddef>
#include <expected>
#include <span>
#include <system_error>
#include <utility>

namespace weir::rt::os {

/// The size of a page in bytes.
std::size_t page_bytes() noexcept;

/// `bytes` rounded up to whole pages; 0 when that would not fit.
std::size_t round_up_to_pages(std::size_t bytes) noexcept;

/// Memory that is zero and aligned to its size, a power of two of at least a page; in huge pages where the system has them
/// and they fit. Null when there is none. unmap() frees it.
void* map_huge(std::size_t bytes) noexcept;
void unmap(void* memory, std::size_t bytes) noexcept;

/// A reserved range of addresses, given back by the destructor. Move only. Offsets and sizes are multiples of the page.
///
/// Thread: calls that overlap in their ranges need a lock; others do not.
class address_range {
public:
  /// Reserves `bytes`, rounded up to pages; at least one page.
  ///
  /// Errors: not_enough_memory when the address space has no such gap or a limit forbids it.
  static std::expected<address_range, std::error_code> reserve(std::size_t bytes) noexcept;

  address_range() noexcept = default;
  address_range(address_range&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  address_range& operator=(address_range&& other) noexcept;
  ~address_range() { release(); }

  std::byte* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return data_ == nullptr; }

  /// Makes a part readable and writable; what was not committed reads as zero, what was keeps its content.
  ///
  /// Errors: not_enough_memory.
  std::expected<void, std::error_code> commit(std::size_t offset, std::size_t bytes) noexcept;

  /// Gives the memory of a part back; its content is lost, and touching it is a fault until it is committed again.
  ///
  /// Errors: not_enough_memory when the kernel cannot split the mapping; the part is unchanged then.
  std::expected<void, std::error_code> decommit(std::size_t offset, std::size_t bytes) noexcept;

  /// Gives the memory of a committed part back but leaves it committed: it reads as zero again.
  void discard(std::size_t offset, std::size_t bytes) noexcept;

  /// Makes a committed part fault when it is touched, where possible without splitting the kernel's mapping, so that a
  /// process can have far more guard pages than mappings. The part stays so until it is released.
  ///
  /// Errors: not_enough_memory.
  std::expected<void, std::error_code> guard(std::size_t offset, std::size_t bytes) noexcept;

  /// Gives everything back; the range is empty afterwards.
  void release() noexcept;

private:
  std::byte* at(std::size_t offset, std::size_t bytes) const noexcept;

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace weir::rt::os
