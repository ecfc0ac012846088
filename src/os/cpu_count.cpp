// SPDX-License-Identifier: Apache-2.0
#include "os/cpu_count.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sched.h>
#include <vector>

namespace weir::rt::os {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view blank = " \t\r\n";
  auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::optional<std::int64_t> parse_number(std::string_view text) {
  text = trim(text);
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::size_t> whole_cpus(std::optional<std::int64_t> quota, std::optional<std::int64_t> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<std::size_t>((*quota - 1) / *period + 1);
}

std::string parent_of(const std::string& path) {
  auto slash = path.rfind('/');
  return slash == std::string::npos || slash == 0 ? "" : path.substr(0, slash);
}

void lower(std::optional<std::size_t>& limit, std::optional<std::size_t> other) {
  if (other) limit = limit ? std::min(*limit, *other) : *other;
}

// A container sees the path of the host's hierarchy but mounts its own group as the root; groups that are not there
// have no limit here, and the root is always asked.
template <class LimitOf>
void lower_on_the_way_up(std::optional<std::size_t>& limit, std::string path, LimitOf&& limit_of) {
  if (path == "/") path.clear();
  for (;; path = parent_of(path)) {
    lower(limit, limit_of(path));
    if (path.empty()) return;
  }
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

} // namespace

std::optional<std::size_t> parse_cpu_max(std::string_view text) {
  text = trim(text);
  auto space = text.find(' ');
  if (space == std::string_view::npos)
    return whole_cpus(parse_number(text), 100'000); // the kernel's own default period
  return whole_cpus(parse_number(text.substr(0, space)), parse_number(text.substr(space + 1)));
}

std::optional<std::size_t> parse_cfs_quota(std::string_view quota, std::string_view period) {
  return whole_cpus(parse_number(quota), parse_number(period));
}

cgroup_paths parse_proc_cgroup(std::string_view text) {
  cgroup_paths paths;
  while (!text.empty()) {
    auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    auto first = line.find(':');
    auto second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    std::string path(line.substr(second + 1));
    if (line.substr(0, first) == "0" && controllers == ",,") paths.unified = path;
    if (controllers.find(",cpu,") != std::string::npos) paths.cpu = path;
  }
  return paths;
}

std::optional<std::size_t> cgroup_cpu_limit(const std::function<std::optional<std::string>(const std::string&)>& read) {
  auto text = read("/proc/self/cgroup");
  if (!text) return std::nullopt;
  cgroup_paths paths = parse_proc_cgroup(*text);
  std::optional<std::size_t> limit;
  if (paths.unified) {
    lower_on_the_way_up(limit, *paths.unified, [&](const std::string& group) -> std::optional<std::size_t> {
      auto max = read("/sys/fs/cgroup" + group + "/cpu.max");
      return max ? parse_cpu_max(*max) : std::nullopt;
    });
  }
  if (paths.cpu) {
    for (const char* mount : {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"}) {
      lower_on_the_way_up(limit, *paths.cpu, [&](const std::string& group) -> std::optional<std::size_t> {
        auto quota = read(mount + group + "/cpu.cfs_quota_us");
        auto period = read(mount + group + "/cpu.cfs_period_us");
        return quota && period ? parse_cfs_quota(*quota, *period) : std::nullopt;
      });
    }
  }
  return limit;
}

std::size_t affinity_cpu_count() noexcept {
  // The kernel refuses a mask smaller than its own; sizes double until it accepts.
  for (std::size_t cpus = 1024; cpus <= (std::size_t{1} << 20); cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (set == nullptr) return 1;
    std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    int error = ::sched_getaffinity(0, bytes, set);
    int count = error == 0 ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) return static_cast<std::size_t>(count);
  }
  return 1;
}

std::size_t available_cpus() {
  std::size_t count = affinity_cpu_count();
  if (auto limit = cgroup_cpu_limit(read_file)) count = std::min(count, *limit);
  return std::max<std::size_t>(count, 1);
}

} // namespace weir::rt::os
