// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/reservation_pool.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace weir::wasm::detail {

namespace {
std::unexpected<error> no_room(const char* what, std::uint64_t bytes, const std::error_code& why) {
  return std::unexpected(error{.code = errc::limit_exceeded,
                               .message = std::string{"there is no "} + what + " for a memory of " +
                                          std::to_string(bytes / page_bytes) + " pages (" + why.message() +
                                          "); raise the process's limits or run fewer guests"});
}
} // namespace

result<reservation> reservation_pool::take(std::uint64_t bytes, std::uint64_t max_bytes) {
  auto found = find(bytes, max_bytes);
  if (!found || bytes == 0) return found;
  if (auto committed = found->range.commit(0, bytes); !committed) {
    give_back(*found, 0);
    return no_room("memory", bytes, committed.error());
  }
  return found;
}

result<reservation> reservation_pool::find(std::uint64_t bytes, std::uint64_t max_bytes) {
  {
    const std::scoped_lock guard{lock_};
    if (!idle_.empty()) {
      reservation again = std::move(idle_.back());
      idle_.pop_back();
      return again;
    }
  }
  if (auto whole = rt::os::address_range::reserve(whole_))
    return reservation{std::move(*whole), memory_pages_limit * page_bytes};
  const std::uint64_t least = std::max(bytes, page_bytes);
  for (std::uint64_t size = std::max(max_bytes, least);; size = std::max(least, size / 2 / page_bytes * page_bytes)) {
    auto part = rt::os::address_range::reserve(size);
    if (part) return reservation{std::move(*part), size};
    if (size == least) return no_room("address space", bytes, part.error());
  }
}

void reservation_pool::give_back(reservation& old, std::uint64_t bytes) noexcept {
  if (old.range.size() >= whole_ && (bytes == 0 || old.range.decommit(0, bytes))) {
    const std::scoped_lock guard{lock_};
    if (idle_.size() < most_idle) {
      idle_.push_back(std::move(old));
      return;
    }
  }
  old.range.release();
}

std::size_t reservation_pool::idle() const {
  const std::scoped_lock guard{lock_};
  return idle_.size();
}

} // namespace weir::wasm::detail
