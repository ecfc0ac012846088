// SPDX-License-Identifier: Apache-2.0
#include "run/supervisor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;

class supervisor_test : public testing::Test {
protected:
  /// A guest that ends as soon as it is asked to, or one that never does.
  supervisor::watched polite(std::size_t index, std::optional<std::chrono::nanoseconds> timeout = {}) {
    return {[this, index] {
              stops_.push_back(index);
              watching_->report_end(index);
            },
            timeout};
  }
  supervisor::watched deaf(std::size_t index, std::optional<std::chrono::nanoseconds> timeout = {}) {
    return {[this, index] { stops_.push_back(index); }, timeout};
  }
  void watch(std::vector<supervisor::watched> guests, std::chrono::nanoseconds grace = 1h) {
    watching_.emplace(std::move(guests), grace);
  }
  void wait() {
    watching_->wait([this](const supervisor::end& one) { ends_.push_back(one); });
  }

  std::optional<supervisor> watching_;
  std::vector<std::size_t> stops_;
  std::vector<supervisor::end> ends_;
};

TEST_F(supervisor_test, guests_that_end_on_their_own_are_not_asked) {
  watch({polite(0, 1h), polite(1)});
  watching_->report_end(1);
  watching_->report_end(0);
  wait();
  ASSERT_EQ(ends_.size(), 2u);
  EXPECT_EQ(ends_[0].guest, 1u);
  EXPECT_EQ(ends_[1].guest, 0u);
  EXPECT_EQ(ends_[0].asked, stop_reason::none);
  EXPECT_TRUE(stops_.empty());
}

TEST_F(supervisor_test, a_guest_is_asked_when_its_time_is_over_and_others_are_not) {
  watch({polite(0, 0s), polite(1, 1h)});
  watching_->report_end(1);
  wait();
  EXPECT_THAT(stops_, testing::ElementsAre(0));
  ASSERT_EQ(ends_.size(), 2u);
  for (const auto& one : ends_) {
    EXPECT_EQ(one.asked, one.guest == 0 ? stop_reason::timeout : stop_reason::none);
    EXPECT_FALSE(one.is_stuck);
  }
}

TEST_F(supervisor_test, a_signal_asks_every_guest_that_runs) {
  watch({polite(0), polite(1), polite(2)});
  watching_->report_end(1);
  watching_->report_signal(2);
  watching_->report_signal(15);
  wait();
  EXPECT_THAT(stops_, testing::ElementsAre(0, 2));
  EXPECT_EQ(watching_->signal(), 2);
  EXPECT_EQ(ends_.size(), 3u);
}

TEST_F(supervisor_test, a_guest_that_does_not_come_back_is_given_up_on_after_the_grace) {
  watch({deaf(0, 0s)}, 1ms);
  wait();
  ASSERT_EQ(ends_.size(), 1u);
  EXPECT_TRUE(ends_[0].is_stuck);
  EXPECT_EQ(ends_[0].asked, stop_reason::timeout);
  watching_->report_end(0); // too late, and without effect
  wait();
  EXPECT_EQ(ends_.size(), 1u);
}

TEST_F(supervisor_test, without_guests_there_is_nothing_to_wait_for) {
  watch({});
  wait();
  EXPECT_TRUE(ends_.empty());
}

} // namespace
} // namespace weir::cli
