// SPDX-License-Identifier: Apache-2.0

// A chunk is freed once, by somebody who comes after all users of its blocks.

#include "sched/frame_chunk.hpp"

#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;

WEIR_MODEL(frame_chunk_is_freed_once_and_after_its_last_block) {
  weir::rt::blocks_left left;
  check::cell<int> blocks[2];
  check::cell<int> freed{0};
  const auto free_when = [&](bool is_last) {
    if (!is_last) return;
    for (check::cell<int>& each : blocks) each.set(-1);
    freed.set(freed.get() + 1);
  };
  for (check::cell<int>& block : blocks) {
    m.spawn("user", [&] {
      block.set(1);
      free_when(left.give_back(1));
    });
  }
  const bool is_last = left.close(2);
  free_when(is_last);
  m.sometimes("the owner is the last", is_last);
  m.join_all();
  m.require(freed.get() == 1, "it is freed once");
}
