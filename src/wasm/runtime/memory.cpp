// SPDX-License-Identifier: Apache-2.0
#include <weir/wasm/memory.hpp>

#include "wasm/runtime/access.hpp"

#include <string>

namespace weir::wasm {

namespace detail {

// The range is committed before the size says so: whoever reads the new size may touch all of it.
std::uint64_t memory_grow(memory_object& memory, std::uint64_t pages) {
  const std::uint64_t old = memory.size / page_bytes;
  if (pages == 0) return old;
  if (pages > memory.max_pages || old > memory.max_pages - pages) return ~std::uint64_t{0};
  const std::uint64_t bytes = pages * page_bytes;
  if (!memory.store->charge_memory(bytes)) return ~std::uint64_t{0};
  if (!memory.range->range.commit(memory.size, bytes)) {
    memory.store->refund_memory(bytes);
    return ~std::uint64_t{0};
  }
  memory.size += bytes;
  return old;
}

} // namespace detail

using detail::access;

result<memory> memory::create(store& owner, memory_type type) {
  auto made = access::of(owner).add_memory(type);
  if (!made) return std::unexpected(std::move(made).error());
  return access::make(**made);
}

memory_type memory::type() const { return {{pages(), object_->type.pages.max}}; }
std::span<std::byte> memory::bytes() const { return {object_->base, object_->size}; }
std::uint64_t memory::pages() const { return object_->size / page_bytes; }

result<std::uint64_t> memory::grow(std::uint64_t pages) const {
  const std::uint64_t old = detail::memory_grow(*object_, pages);
  if (old != ~std::uint64_t{0}) return old;
  return std::unexpected(error{.code = errc::limit_exceeded,
                               .message = "a memory of " + std::to_string(this->pages()) + " pages cannot grow by " +
                                          std::to_string(pages) + "; its own maximum is " +
                                          std::to_string(object_->max_pages) + " pages, and the store's limit is " +
                                          std::to_string(object_->store->limits().max_memory_bytes) + " bytes"});
}

} // namespace weir::wasm
