// SPDX-License-Identifier: Apache-2.0
// A closed loop: as many outside threads as permits, each of which has one request in flight.
#include "join.hpp"

#include <thread>

namespace bench {
namespace {

constexpr unsigned request_steps = 1000; // of work(): some microseconds

weir::task<std::uint64_t> serve(std::uint64_t request) { co_return work(request, request_steps); }

std::uint64_t drive(weir::runtime& runtime, std::size_t lanes, std::uint64_t requests, latencies* into) {
  std::vector<std::thread> threads;
  std::vector<std::uint64_t> sums(lanes * 8);
  for (std::size_t lane = 0; lane != lanes; ++lane)
    threads.emplace_back([&, lane] {
      std::uint64_t sum = 0;
      for (std::uint64_t i = 0; i != requests; ++i) {
        std::uint64_t begin = now_ns();
        sum += runtime.spawn(serve(lane * requests + i)).wait().value();
        if (into != nullptr) into->set(lane * requests + i, now_ns() - begin);
      }
      sums[lane * 8] = sum;
    });
  std::uint64_t sum = 0;
  for (std::size_t lane = 0; lane != lanes; ++lane) {
    threads[lane].join();
    sum += sums[lane * 8];
  }
  return sum;
}

report closed_loop(const request& asked) { // size: requests of each lane
  weir::runtime runtime({.permits = asked.permits});
  drive(runtime, asked.permits, asked.size / 10 + 1, nullptr);
  latencies spans(asked.permits * asked.size);
  report found = measure_rounds(asked, asked.permits * asked.size,
                                [&] { return drive(runtime, asked.permits, asked.size, &spans); });
  spans.add_to(found);
  return found;
}

constexpr workload all[] = {{"closed_loop", 5000, closed_loop}};

const family registered(all);

} // namespace
} // namespace bench
