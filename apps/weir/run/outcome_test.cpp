// SPDX-License-Identifier: Apache-2.0
#include "run/outcome.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace weir::cli {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::StartsWith;

wasm::error error_of(wasm::errc code) { return {.code = code, .message = "because"}; }

TEST(outcome, an_exit_status_is_the_guests_own) {
  wasm::error exited = error_of(wasm::errc::exited);
  exited.exit_status = 7;
  EXPECT_EQ(failed(exited, stop_reason::none, 0s).status, 7);
  EXPECT_EQ(failed(exited, stop_reason::none, 0s).message, "");
  EXPECT_EQ(finished(0).result, "exit 0");
}

TEST(outcome, a_trap_is_134_with_its_reason_and_backtrace) {
  wasm::error trap = error_of(wasm::errc::trap);
  trap.trap = wasm::trap_code::unreachable;
  trap.backtrace = {{3, "inner", "m"}, {9, "", ""}};
  const guest_outcome outcome = failed(trap, stop_reason::none, 0s);
  EXPECT_EQ(outcome.status, 134);
  EXPECT_THAT(outcome.message, StartsWith("trap: unreachable\n    at inner in m\n    at function 9"));
}

TEST(outcome, an_uncaught_exception_is_134_too) {
  EXPECT_EQ(failed(error_of(wasm::errc::uncaught_exception), stop_reason::none, 0s).status, 134);
}

TEST(outcome, who_asked_decides_between_time_out_and_interrupt) {
  const wasm::error interrupted = error_of(wasm::errc::interrupted);
  EXPECT_EQ(failed(interrupted, stop_reason::timeout, 5s).status, 124);
  EXPECT_THAT(failed(interrupted, stop_reason::timeout, 5s).message, HasSubstr("timed out after 5.000 s"));
  EXPECT_EQ(failed(interrupted, stop_reason::interrupt, 5s).status, 130);
  EXPECT_EQ(stuck(stop_reason::timeout, 5s).status, 124);
  EXPECT_THAT(stuck(stop_reason::timeout, 5s).message, HasSubstr("stuck in a host call"));
}

TEST(outcome, what_cannot_be_started_is_no_program) {
  EXPECT_EQ(failed(error_of(wasm::errc::unlinkable), stop_reason::none, 0s).status, 126);
  EXPECT_THAT(failed(error_of(wasm::errc::limit_exceeded), stop_reason::none, 0s).message, HasSubstr("--max-memory"));
}

TEST(outcome, a_long_backtrace_is_cut_and_counted) {
  const std::vector<wasm::stack_frame> frames(1000);
  EXPECT_THAT(format_backtrace(frames), HasSubstr("and 968 callers more"));
}

TEST(outcome, the_first_failing_guest_decides_unless_a_signal_came) {
  EXPECT_EQ(choose_exit_status(std::array{0, 0}, 0), 0);
  EXPECT_EQ(choose_exit_status(std::array{0, 3, 134}, 0), 3);
  EXPECT_EQ(choose_exit_status(std::array{0, 3}, 2), 130);
  EXPECT_EQ(choose_exit_status(std::array{0, 0}, 15), 143);
  EXPECT_EQ(choose_exit_status({}, 0), 0);
}

} // namespace
} // namespace weir::cli
