// SPDX-License-Identifier: Apache-2.0
#include <weir/check/tls.hpp>

#include <gtest/gtest.h>
#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/model.hpp>

namespace check = weir::check;
using enum std::memory_order;

namespace {

check::exploration locked_by_a_flag(std::memory_order unlock) {
  return check::explore("flag", [unlock](check::model& m) {
    check::atomic_flag held;
    check::cell<int> count{0};
    const auto add = [&] {
      while (held.test_and_set(acquire)) check::spin_hint();
      count.set(count.get() + 1);
      held.clear(unlock);
    };
    m.spawn("other", add);
    add();
    m.join_all();
    m.require(count.get() == 2 && !held.test(relaxed), "nothing is lost, and the flag is clear");
  });
}

} // namespace

TEST(types, a_flag_is_a_lock_when_clearing_it_releases) {
  EXPECT_TRUE(locked_by_a_flag(release).passed());
  EXPECT_EQ(locked_by_a_flag(relaxed).failure, check::failure_kind::data_race);
}

TEST(types, each_thread_has_a_tls_value_of_its_own) {
  const check::exploration found = check::explore("tls", [](check::model& m) {
    check::tls<int> own(5);
    check::atomic<int> order{0};
    for (int at = 0; at < 2; ++at)
      m.spawn("thread", [&] {
        *own += order.fetch_add(1, relaxed);
        m.got(*own);
        m.require(*own == own.get(), "it stays");
      });
    m.join_all();
    m.require(*own == 5, "the body has one, too");
    m.expect_each_once({5, 6});
  });
  EXPECT_TRUE(found.passed()) << found.report;
}
