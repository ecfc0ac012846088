// SPDX-License-Identifier: Apache-2.0
#include "program.hpp"

#include "process.hpp"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>

namespace bench {
namespace {

family* first_family = nullptr;

bool read_number(const char* text, std::uint64_t& number) {
  const char* end = text + std::strlen(text);
  auto [rest, error] = std::from_chars(text, end, number);
  return error == std::errc() && rest == end;
}

int usage(std::string_view peer) {
  std::fprintf(stderr, "usage: %.*s WORKLOAD --permits N [--size N] [--rounds N]\n       %.*s --list\n",
               static_cast<int>(peer.size()), peer.data(), static_cast<int>(peer.size()), peer.data());
  return 2;
}

bool read_options(request& asked, int count, char** arguments) {
  for (int at = 2; at < count; at += 2) {
    std::uint64_t number = 0;
    if (at + 1 == count || !read_number(arguments[at + 1], number) || number == 0) return false;
    std::string_view option = arguments[at];
    if (option == "--permits")
      asked.permits = static_cast<std::size_t>(number);
    else if (option == "--size")
      asked.size = number;
    else if (option == "--rounds")
      asked.rounds = number;
    else
      return false;
  }
  return true;
}

void print(std::string_view peer, const request& asked, const report& found) {
  std::printf("{\"peer\": \"%.*s\", \"workload\": \"%.*s\", \"permits\": %zu, \"size\": %llu, \"rounds\": %llu, "
              "\"ops\": %llu, \"wall_ns\": %llu, \"cpu_ns\": %llu, \"peak_rss\": %lld, \"peak_threads\": %ld, "
              "\"checksum\": %llu",
              static_cast<int>(peer.size()), peer.data(), static_cast<int>(asked.workload.size()),
              asked.workload.data(), asked.permits, static_cast<unsigned long long>(asked.size),
              static_cast<unsigned long long>(asked.rounds), static_cast<unsigned long long>(found.operations),
              static_cast<unsigned long long>(found.wall_ns), static_cast<unsigned long long>(found.cpu_ns),
              static_cast<long long>(process_status("VmHWM:")) * 1024, found.threads,
              static_cast<unsigned long long>(found.checksum));
  for (const auto& [name, value] : found.figures)
    std::printf(", \"%.*s\": %.3f", static_cast<int>(name.size()), name.data(), value);
  std::puts("}");
}

} // namespace

family::family(workload_list workloads) noexcept : workloads_(workloads), next_(first_family) { first_family = this; }

int run_program(std::string_view peer, int count, char** arguments) {
  if (count < 2) return usage(peer);
  request asked{.workload = arguments[1]};
  bool lists = asked.workload == "--list";
  if (!lists && !read_options(asked, count, arguments)) return usage(peer);
  for (const family* of = first_family; of != nullptr; of = of->next_) {
    for (const workload& each : of->workloads_) {
      if (lists) std::printf("%.*s\n", static_cast<int>(each.name.size()), each.name.data());
      if (lists || each.name != asked.workload) continue;
      if (asked.size == 0) asked.size = each.default_size;
      try {
        print(peer, asked, each.run(asked));
      } catch (const std::exception& failure) {
        std::fprintf(stderr, "%s: %s\n", arguments[1], failure.what());
        return 1;
      }
      return 0;
    }
  }
  if (lists) return 0;
  std::fprintf(stderr, "no workload %s; --list names them\n", arguments[1]);
  return 2;
}

} // namespace bench
