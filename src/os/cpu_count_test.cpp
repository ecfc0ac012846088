// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_count.hpp"

#include <gtest/gtest.h>

#include <map>

namespace {

using namespace weir::rt::os;

std::optional<std::size_t> limit_with(const std::map<std::string, std::string>& files) {
  return cgroup_cpu_limit([&](const std::string& path) -> std::optional<std::string> {
    auto found = files.find(path);
    return found == files.end() ? std::nullopt : std::optional(found->second);
  });
}

TEST(cpu_count, quotas_of_version_two_round_up) { // test 3
  EXPECT_EQ(parse_cpu_max("150000 100000\n"), 2u);
  EXPECT_EQ(parse_cpu_max("200000 100000\n"), 2u);
  EXPECT_EQ(parse_cpu_max("200001 100000"), 3u);
  EXPECT_EQ(parse_cpu_max("1000 100000"), 1u);
  EXPECT_EQ(parse_cpu_max("50000"), 1u);
}

TEST(cpu_count, no_limit_and_nonsense_are_no_limit) {
  for (const char* text : {"max 100000\n", "max", "", "\n", "x y", "-1 100000", "0 100000", "100 0", "100 x"})
    EXPECT_EQ(parse_cpu_max(text), std::nullopt) << text;
  EXPECT_EQ(parse_cfs_quota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(parse_cfs_quota("150000\n", "100000\n"), 2u);
}

TEST(cpu_count, the_process_is_found_in_both_kinds_of_hierarchy) {
  cgroup_paths paths = parse_proc_cgroup("12:cpuset:/a\n4:cpu,cpuacct:/b/c\n1:name=systemd:/d\n0::/e\n");
  EXPECT_EQ(paths.unified, "/e");
  EXPECT_EQ(paths.cpu, "/b/c");
  EXPECT_EQ(parse_proc_cgroup("12:cpuset:/a\ngarbage\n").cpu, std::nullopt);
}

TEST(cpu_count, the_tightest_group_on_the_way_up_counts) {
  EXPECT_EQ(limit_with({{"/proc/self/cgroup", "0::/a/b\n"},
                        {"/sys/fs/cgroup/a/b/cpu.max", "max 100000"},
                        {"/sys/fs/cgroup/a/cpu.max", "300000 100000"},
                        {"/sys/fs/cgroup/cpu.max", "800000 100000"}}),
            3u);
  EXPECT_EQ(limit_with({{"/proc/self/cgroup", "3:cpu,cpuacct:/docker/x\n0::/\n"},
                        {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "150000"},
                        {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000"}}),
            2u);
  EXPECT_EQ(limit_with({{"/proc/self/cgroup", "0::/a\n"}}), std::nullopt);
  EXPECT_EQ(limit_with({}), std::nullopt);
}

TEST(cpu_count, available_processors_are_between_one_and_the_affinity_mask) {
  EXPECT_GE(available_cpus(), 1u);
  EXPECT_LE(available_cpus(), affinity_cpu_count());
}

} // namespace
