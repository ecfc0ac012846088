// SPDX-License-Identifier: Apache-2.0
#include "wasm/runtime/exception_heap.hpp"

#include <algorithm>
#include <functional>

namespace weir::wasm::detail {

namespace {
std::uint64_t address_of(const std::unique_ptr<exception_object>& object) { return reference_to(object.get()); }
} // namespace

exception_object& exception_heap::add(tag_object& tag, const std::uint64_t* values, std::size_t count) {
  objects_.push_back(std::make_unique<exception_object>());
  exception_object& made = *objects_.back();
  made.tag = &tag;
  made.values.assign(values, values + count);
  return made;
}

void exception_heap::begin() {
  std::ranges::sort(objects_, std::less<>{}, address_of);
  for (const auto& object : objects_) object->is_marked = false;
  for (const auto& object : objects_) {
    if (object->is_pinned) mark(address_of(object));
  }
}

void exception_heap::mark(std::uint64_t bits) {
  if (objects_.empty() || bits < address_of(objects_.front()) || bits > address_of(objects_.back())) return;
  const auto found = std::ranges::lower_bound(objects_, bits, std::less<>{}, address_of);
  if (found == objects_.end() || address_of(*found) != bits || (*found)->is_marked) return;
  (*found)->is_marked = true;
  pending_.push_back(found->get());
}

void exception_heap::finish() {
  while (!pending_.empty()) {
    const exception_object& object = *pending_.back();
    pending_.pop_back();
    for (const std::uint64_t bits : object.values) mark(bits);
  }
  std::erase_if(objects_, [](const auto& object) { return !object->is_marked; });
  threshold_ = std::max(least_threshold, 2 * objects_.size());
}

} // namespace weir::wasm::detail
