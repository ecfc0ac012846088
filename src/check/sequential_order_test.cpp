// SPDX-License-Identifier: Apache-2.0
#include "check/sequential_order.hpp"

#include <algorithm>

#include <gtest/gtest.h>

using namespace weir::check::detail;

namespace {

// A graph built by hand, consistent or not.
struct builder {
  graph g;

  explicit builder(int locations) {
    for (int at = 0; at < locations; ++at) g.add_location(0);
  }
  event_id store(unsigned thread, int at, memory_order order) {
    const operation op{.kind = operation_kind::store, .order = order, .location = at, .operand = 1};
    const event_id id = g.append(thread, event_kind::write, op, write_strength(order));
    g[id].value = 1;
    g.set_clocks(id);
    g.insert_write(id, g.newest_write(at));
    return id;
  }
  event_id load(unsigned thread, int at, event_id source, memory_order order) {
    const operation op{.kind = operation_kind::load, .order = order, .location = at};
    const event_id id = g.append(thread, event_kind::read, op, read_strength(order));
    g.set_source(id, source);
    return id;
  }
  event_id fence(unsigned thread) {
    const operation op{.kind = operation_kind::fence};
    const event_id id = g.append(thread, event_kind::fence, op,
                                 static_cast<std::uint8_t>(read_strength(op.order) | write_strength(op.order)));
    g.set_clocks(id);
    return id;
  }
};

// Store buffering in which both threads read the initial value.
builder both_read_zero(memory_order order, bool first_fence, bool second_fence) {
  builder b(2);
  b.store(0, 0, order);
  if (first_fence) b.fence(0);
  b.load(0, 1, initial_write(1), order);
  b.store(1, 1, order);
  if (second_fence) b.fence(1);
  b.load(1, 0, initial_write(0), order);
  return b;
}

} // namespace

TEST(sequential_order, a_cycle_needs_seq_cst_on_both_sides) {
  sequential_order check;
  EXPECT_FALSE(check.is_acyclic(both_read_zero(memory_order::seq_cst, false, false).g));
  EXPECT_FALSE(check.is_acyclic(both_read_zero(memory_order::relaxed, true, true).g));
  EXPECT_TRUE(check.is_acyclic(both_read_zero(memory_order::relaxed, true, false).g));
  EXPECT_TRUE(check.is_acyclic(both_read_zero(memory_order::acq_rel, false, false).g));
  EXPECT_FALSE(check.is_acyclic(both_read_zero(memory_order::seq_cst, true, false).g));
}

TEST(sequential_order, the_cycle_it_names_is_made_of_the_two_fences) {
  sequential_order check;
  const builder b = both_read_zero(memory_order::relaxed, true, true);
  std::vector<event_id> cycle = check.find_cycle(b.g);
  std::sort(cycle.begin(), cycle.end());
  EXPECT_EQ(cycle, (std::vector<event_id>{1, 4}));
  EXPECT_TRUE(check.find_cycle(both_read_zero(memory_order::relaxed, true, false).g).empty());
}

TEST(sequential_order, an_event_that_sees_the_newest_write_breaks_nothing) {
  builder b(2);
  const event_id old = b.store(0, 0, memory_order::seq_cst);
  b.store(0, 0, memory_order::seq_cst);
  EXPECT_FALSE(sequential_order::can_break(b.g, b.load(1, 0, b.g.newest_write(0), memory_order::seq_cst)));
  EXPECT_TRUE(sequential_order::can_break(b.g, b.load(2, 0, old, memory_order::seq_cst)));
  EXPECT_FALSE(sequential_order::can_break(b.g, b.load(2, 0, old, memory_order::relaxed))) << "no fence before it";
  b.fence(3);
  EXPECT_TRUE(sequential_order::can_break(b.g, b.load(3, 0, old, memory_order::relaxed)));
}
