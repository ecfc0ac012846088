// SPDX-License-Identifier: Apache-2.0
#pragma once

// How many processors this process may really use: the affinity mask says on which it may run, a control group's quota
// says how much time it gets. hardware_concurrency() knows neither quota.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weir::rt::os {

/// Reads cgroup v2's `cpu.max`: "150000 100000" is 2 processors, "max 100000" is no limit.
std::optional<std::size_t> parse_cpu_max(std::string_view text);

/// Reads cgroup v1's `cpu.cfs_quota_us` and `cpu.cfs_period_us`; a quota of -1 is no limit.
std::optional<std::size_t> parse_cfs_quota(std::string_view quota, std::string_view period);

/// The places of this process in /proc/self/cgroup, each an absolute path inside the hierarchy.
struct cgroup_paths {
  std::optional<std::string> unified; ///< v2
  std::optional<std::string> cpu;     ///< v1, the hierarchy with the cpu controller
};
cgroup_paths parse_proc_cgroup(std::string_view text);

/// The smallest quota on the way from the process's group to the root, in processors rounded up; none where there is no
/// limit. `read` gives the content of a file, or nothing when there is none.
std::optional<std::size_t> cgroup_cpu_limit(const std::function<std::optional<std::string>(const std::string&)>& read);

/// The number of processors in the affinity mask; at least 1.
std::size_t affinity_cpu_count() noexcept;

/// The smaller of affinity mask and quota; at least 1.
std::size_t available_cpus();

} // namespace weir::rt::os
