// SPDX-License-Identifier: Apache-2.0
#pragma once

// The exception objects of a store, and their collection.
//
// A guest makes an exception object at each throw and drops it at the catch, so most live very briefly. When their
// number has doubled since the last collection, the heap marks those that something may still name and frees the rest.
// Marking is conservative: any live slot, global or table element whose bits are the address of an exception keeps it.
// A slot that holds such a number by chance keeps one object too long, nothing worse.
#include "wasm/runtime/objects.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace weir::wasm::detail {

class exception_heap {
public:
  exception_object& add(tag_object& tag, const std::uint64_t* values, std::size_t count);
  bool is_due() const { return objects_.size() >= threshold_; }
  std::size_t size() const { return objects_.size(); }

  /// A collection: begin(), then mark() for every root, then finish().
  void begin();
  void mark(std::uint64_t bits);
  void finish();

private:
  static constexpr std::size_t least_threshold = 1024;
  std::size_t threshold_ = least_threshold;
  std::vector<std::unique_ptr<exception_object>> objects_; // sorted by address during a collection
  std::vector<exception_object*> pending_;                 // marked, with values not looked at
};

} // namespace weir::wasm::detail
