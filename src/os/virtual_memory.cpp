// SPDX-License-Identifier: Apache-2.0
#include "os/virtual_memory.hpp"

#include <weir/check.hpp>

#include <cerrno>
#include <cstdint>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

namespace weir::rt::os {
namespace {

#ifdef MADV_GUARD_INSTALL
constexpr int guard_advice = MADV_GUARD_INSTALL;
#else
constexpr int guard_advice = 102; // Linux 6.13; older kernels answer EINVAL
#endif

std::unexpected<std::error_code> last_error() noexcept {
  return std::unexpected(std::error_code(errno, std::generic_category()));
}

} // namespace

std::size_t page_bytes() noexcept {
  static const std::size_t size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t round_up_to_pages(std::size_t bytes) noexcept {
  std::size_t mask = page_bytes() - 1;
  if (bytes > std::numeric_limits<std::size_t>::max() - mask) return 0;
  return (bytes + mask) & ~mask;
}

void* map_huge(std::size_t bytes) noexcept {
  int kept = errno;
  void* data = ::mmap(nullptr, 2 * bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  errno = kept;
  if (data == MAP_FAILED) return nullptr;
  auto* begin = static_cast<std::byte*>(data);
  std::size_t before = -reinterpret_cast<std::uintptr_t>(data) & (bytes - 1);
  if (before != 0) ::munmap(begin, before);
  ::munmap(begin + before + bytes, bytes - before);
  ::madvise(begin + before, bytes, MADV_HUGEPAGE);
  errno = kept;
  return begin + before;
}

void unmap(void* memory, std::size_t bytes) noexcept {
  int kept = errno;
  // Neighbours are one mapping to the kernel, which cannot be split any more when there are too many.
  if (::munmap(memory, bytes) != 0) ::madvise(memory, bytes, MADV_DONTNEED);
  errno = kept;
}

std::expected<address_range, std::error_code> address_range::reserve(std::size_t bytes) noexcept {
  std::size_t size = round_up_to_pages(bytes == 0 ? 1 : bytes);
  if (size == 0) return std::unexpected(std::make_error_code(std::errc::not_enough_memory));
  void* data = ::mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return last_error();
  address_range range;
  range.data_ = static_cast<std::byte*>(data);
  range.size_ = size;
  return range;
}

address_range& address_range::operator=(address_range&& other) noexcept {
  if (this != &other) {
    release();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

std::byte* address_range::at(std::size_t offset, std::size_t bytes) const noexcept {
  WEIR_CHECK(offset <= size_ && bytes <= size_ - offset, "the part must lie inside the reserved range", offset, bytes,
             size_);
  WEIR_CHECK(offset % page_bytes() == 0 && bytes % page_bytes() == 0, "offset and size must be whole pages", offset,
             bytes);
  return data_ + offset;
}

std::expected<void, std::error_code> address_range::commit(std::size_t offset, std::size_t bytes) noexcept {
  std::byte* part = at(offset, bytes);
  if (bytes != 0 && ::mprotect(part, bytes, PROT_READ | PROT_WRITE) != 0) return last_error();
  return {};
}

std::expected<void, std::error_code> address_range::decommit(std::size_t offset, std::size_t bytes) noexcept {
  std::byte* part = at(offset, bytes);
  if (bytes == 0) return {};
  // A fresh mapping in the same place drops the pages and the access in one step.
  void* again = ::mmap(part, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (again == MAP_FAILED) return last_error();
  return {};
}

void address_range::discard(std::size_t offset, std::size_t bytes) noexcept {
  std::byte* part = at(offset, bytes);
  if (bytes != 0) ::madvise(part, bytes, MADV_DONTNEED);
}

std::expected<void, std::error_code> address_range::guard(std::size_t offset, std::size_t bytes) noexcept {
  std::byte* part = at(offset, bytes);
  if (bytes == 0 || ::madvise(part, bytes, guard_advice) == 0) return {};
  if (::mprotect(part, bytes, PROT_NONE) != 0) return last_error();
  return {};
}

void address_range::release() noexcept {
  if (data_ != nullptr) ::munmap(data_, size_);
  data_ = nullptr;
  size_ = 0;
}

} // namespace weir::rt::os
