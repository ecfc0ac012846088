// SPDX-License-Identifier: Apache-2.0
// Test 58, rules C41 and C42: contexts of every size, in every way to end.
#include "sched/test_support.hpp"

#include <array>
#include <stdexcept>
#include <tuple>

namespace weir::testing {
namespace {

/// Notes where it is and that it is destroyed; may throw then.
template <std::size_t Bytes> class occupant {
public:
  occupant(detail::atomic<int>& destroyed, bool throws) noexcept : destroyed_(&destroyed), throws_(throws) {}
  occupant(const occupant&) = delete;
  occupant& operator=(const occupant&) = delete;
  ~occupant() noexcept(false) {
    EXPECT_EQ(self_, this);
    destroyed_->fetch_add(1);
    if (throws_) throw std::logic_error("destructor");
  }
  bool is_where_it_was() const noexcept { return self_ == this; }

private:
  detail::atomic<int>* destroyed_;
  const occupant* self_ = this;
  bool throws_;
  std::array<std::byte, Bytes> bytes_{};
};

struct way_to_end {
  bool completes;         // else it is stopped while it waits
  bool poll_throws;       // instead of its end
  bool destructor_throws; // that of a local
};

template <std::size_t Bytes>
task<int> body(detail::atomic<int>& destroyed, detail::atomic<bool>& waits, way_to_end how) {
  occupant<Bytes> here(destroyed, how.destructor_throws);
  for (int poll = 0; poll != 3; ++poll) {
    co_await yield();
    EXPECT_TRUE(here.is_where_it_was());
  }
  if (!how.completes) {
    waits.store(true);
    detail::waker waker;
    detail::atomic<bool> is_parked{false};
    co_await park_here{waker, is_parked};
  }
  if (how.poll_throws) throw std::runtime_error("poll");
  co_return 42;
}

std::string end_of(join_result<int> outcome) {
  if (outcome.is_stopped()) return "stopped";
  try {
    return std::to_string(outcome.value());
  } catch (const std::exception& why) {
    return why.what();
  }
}

// A destructor that throws makes the outcome an error, after a value, and after a stop; the poll's own exception cannot be
// replaced, since a destructor that throws while it is under way ends the program.
std::string expected_end(way_to_end how) {
  if (how.completes && how.poll_throws) return "poll";
  if (how.destructor_throws) return "destructor";
  return how.completes ? "42" : "stopped";
}

class task_matrix : public ::testing::TestWithParam<std::tuple<std::size_t, bool, bool, bool>> {
public:
  template <std::size_t Bytes> void run() {
    auto [permits, completes, poll_throws, destructor_throws] = GetParam();
    way_to_end how{completes, poll_throws, destructor_throws};
    if (how.completes && how.poll_throws && how.destructor_throws) return; // std::terminate, by the language
    manual_runtime rt({.permits = permits});
    for (int round = 0; round != 4; ++round) {
      SCOPED_TRACE(Bytes);
      detail::atomic<int> destroyed{0};
      detail::atomic<bool> waits{false};
      auto handle = rt->spawn(body<Bytes>(destroyed, waits, how));
      if (!how.completes) {
        EXPECT_TRUE(eventually([&] { return waits.load(); }));
        handle.abort();
      }
      EXPECT_EQ(end_of(handle.wait()), expected_end(how));
      EXPECT_EQ(destroyed.load(), 1);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(permits, task_matrix,
                         ::testing::Combine(tested_permits, ::testing::Bool(), ::testing::Bool(), ::testing::Bool()));

TEST_P(task_matrix, context_stays_in_its_place_and_ends_once_with_its_outcome) { // test 58, C41, C42
  run<1>();
  run<64>();
  run<65>();
  run<1024>();
  run<4096>();
}

} // namespace
} // namespace weir::testing
