// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a benchmark reads from the system and asks of it: clocks, /proc, one blocking millisecond, one socket wait.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// Steady time.
std::uint64_t now_ns() noexcept;
/// User and system time of all threads of this process.
std::uint64_t process_cpu_ns() noexcept;
/// A number of /proc/self/status: "VmHWM:" and "VmRSS:" in KiB, "Threads:". -1 where there is none.
long process_status(const char* key) noexcept;

/// Keeps the core busy.
void spin_for_ns(std::uint64_t span) noexcept;
/// A call of the system that does nothing and never blocks; returns 1.
std::uint64_t short_system_call() noexcept;
/// Blocks the thread in the system.
void sleep_1ms() noexcept;
void sleep_for_ns(std::uint64_t span) noexcept;

/// A socket on which nothing ever arrives.
class silent_socket {
public:
  silent_socket();
  ~silent_socket();
  silent_socket(const silent_socket&) = delete;
  silent_socket& operator=(const silent_socket&) = delete;

  /// Blocks in ppoll until `span` is over; true if that is how it ended.
  bool wait_for_ns(std::uint64_t span) const noexcept;

private:
  int ends_[2] = {-1, -1};
};

/// Reads a whole file. Errors: throws std::system_error.
std::vector<unsigned char> read_file(const std::string& path);

/// A hash of one word (the finaliser of splitmix64), for inputs that are the same in every program.
constexpr std::uint64_t mix(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// `steps` dependent hashes: a few nanoseconds each of work that nothing can skip.
constexpr std::uint64_t work(std::uint64_t seed, unsigned steps) noexcept {
  for (unsigned i = 0; i != steps; ++i) seed = mix(seed);
  return seed;
}

} // namespace bench
