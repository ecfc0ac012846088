// SPDX-License-Identifier: Apache-2.0
// SIGQUIT: what each guest is doing, on standard error, and the guests go on.
#include "process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <vector>

namespace weir::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

/// Asks for dumps until one contains `text`; false when the process has ended.
bool dump_shows(process& run, const std::string& text) {
  for (;;) {
    const std::size_t before = run.error_so_far().size();
    run.signal(SIGQUIT);
    // A dump ends with the counters.
    while (run.error_so_far().find(" polls\n", before) == std::string::npos) {
      if (!run.read_more_error()) return false;
    }
    if (run.error_so_far().find(text, before) != std::string::npos) return true;
  }
}

TEST(weir_run_dump, a_guest_that_spins_and_one_that_waits_in_a_host_call_are_listed_and_go_on) {
  const scratch_folder folder;
  process run{weir_command({"run", "--permits", "1", "--dir", folder.path() + "::/box", example_guest("reader"), "---",
                            example_guest("spin-until"), "/box/flag"})};
  run.write("up\n");
  ASSERT_TRUE(run.wait_for_output("reader|    2 up\n"));
  // A spinning guest gives way at checkpoints; sooner or later a dump finds it between two of them.
  EXPECT_TRUE(dump_shows(run, "task \"spin-until\": running on weir-"));
  EXPECT_TRUE(dump_shows(run, "task \"reader\": blocking on weir-"));
  folder.write("flag", "");
  run.write("late\n");
  const ended left = run.finish();
  EXPECT_EQ(left.status, 0);
  EXPECT_THAT(left.output, HasSubstr("reader|    4 late\n"));
  EXPECT_THAT(left.error, HasSubstr("weir: 2 tasks: "));
  EXPECT_THAT(left.error,
              ContainsRegex("task \"reader\": blocking on weir-[0-9]+(, in a blocking region for [0-9]+ m?u?s)?"
                            ", [0-9]+ polls?, spawned at .*run.cpp:[0-9]+"));
  EXPECT_THAT(left.error, ContainsRegex("weir: [01] of 1 permits held, [01] of them in blocking regions, "
                                        "[0-9]+ threads, [0-9]+ polls"));
}

TEST(weir_run_dump, guests_that_are_stuck_in_a_host_call_are_listed_and_go_on_when_they_can) {
  process run{weir_command({"run", example_guest("reader"), "---", example_guest("reader")})};
  std::string many;
  while (many.size() < 60'000) many += "x\n";
  run.write(many);
  ASSERT_TRUE(run.wait_for_output("reader.1|    1 x\n")); // it listens to signals by now
  // Nobody reads more of the output, so the first guest stays in a write; it may not be there yet at the first dump.
  EXPECT_TRUE(dump_shows(run, "task \"reader.1\": blocking on weir-"));
  const ended left = run.finish(); // reads the output
  EXPECT_EQ(left.status, 0);
  EXPECT_THAT(left.output, HasSubstr("reader.1| 30000 lines, 30000 bytes without line ends"));
}

} // namespace
} // namespace weir::test
