// SPDX-License-Identifier: Apache-2.0

// A block that anybody gives back is its permit's again, with all that was done with it before; none is lost or given out
// twice. The checker knows each allocation, so a block that is freed twice, never, or used afterwards is reported, too.

#include "sched/frame_cache.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::rt::frame_cache;

namespace {

constexpr unsigned size_class = 2;

// As a task's block is got (task_block.cpp): from the cache, else from the system.
int* get(frame_cache& cache) {
  weir::detail::block_origin origin{};
  origin.size_class = size_class;
  void* block = cache.take(origin);
  if (block == nullptr) block = ::operator new(size_class * weir::detail::block_unit);
  return static_cast<int*>(block);
}

} // namespace

WEIR_MODEL(frame_cache_takes_back_what_others_return) {
  int* blocks[2] = {nullptr, nullptr};
  {
    frame_cache cache;
    int* const lent = get(cache);
    *lent = 1;
    m.spawn("other", [&] {
      *lent = 2;
      cache.put_back(lent, size_class, false);
    });
    for (int*& each : blocks) {
      each = get(cache);
      *each = 3;
    }
    m.require(blocks[0] != blocks[1], "each block is given out once");
    m.sometimes("the block comes back in time", blocks[0] == lent || blocks[1] == lent);
    m.sometimes("it comes back later", blocks[0] != lent && blocks[1] != lent);
    m.join_all();
    for (int* each : blocks) cache.put(each, size_class, false);
  }
}

WEIR_MODEL(frame_cache_takes_back_from_two) {
  frame_cache cache;
  int* const lent[2] = {get(cache), get(cache)};
  for (int* each : lent) {
    m.spawn("other", [&cache, each] {
      *each = 2;
      cache.put_back(each, size_class, false);
    });
  }
  int* const block = get(cache);
  *block = 3;
  m.sometimes("the first comes back", block == lent[0]);
  m.sometimes("the second comes back", block == lent[1]);
  m.join_all();
  cache.put(block, size_class, false);
}
