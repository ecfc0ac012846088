// SPDX-License-Identifier: Apache-2.0
#pragma once

// Timing of rounds, and what several workloads collect: latencies, a count that a plain thread waits for.
#include "process.hpp"
#include "program.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace bench {

inline std::uint64_t middle_of(std::vector<std::uint64_t>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Runs `round` as often as asked; it returns its checksum. The caller has warmed up before.
template <class Round> report measure_rounds(const request& asked, std::uint64_t operations, Round round) {
  report found{.operations = operations};
  std::vector<std::uint64_t> walls, cpus;
  for (std::uint64_t i = 0; i != asked.rounds; ++i) {
    std::uint64_t cpu = process_cpu_ns(), begin = now_ns();
    found.checksum = round();
    walls.push_back(now_ns() - begin);
    cpus.push_back(process_cpu_ns() - cpu);
  }
  found.wall_ns = middle_of(walls);
  found.cpu_ns = middle_of(cpus);
  found.threads = process_status("Threads:");
  return found;
}

/// One latency for each operation, at most 4.29 s each; each slot has one writer.
class latencies {
public:
  explicit latencies(std::size_t count) : values_(count) {}
  void set(std::size_t at, std::uint64_t span) noexcept {
    values_[at] = static_cast<std::uint32_t>(std::min<std::uint64_t>(span, 0xFFFF'FFFFu));
  }
  void add_to(report& found) {
    std::sort(values_.begin(), values_.end());
    for (auto [name, share] : {std::pair{"p50_ns", 0.5}, {"p99_ns", 0.99}, {"p999_ns", 0.999}}) {
      auto at = static_cast<std::size_t>(share * static_cast<double>(values_.size()));
      found.figures.emplace_back(name, values_[std::min(at, values_.size() - 1)]);
    }
  }

private:
  std::vector<std::uint32_t> values_;
};

/// A thread waits until a count of events has happened on other threads.
class countdown {
public:
  explicit countdown(std::uint64_t count) : left_(count) {}
  void done() noexcept {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_over_; });
  }

private:
  std::atomic<std::uint64_t> left_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_over_ = false;
};

} // namespace bench
