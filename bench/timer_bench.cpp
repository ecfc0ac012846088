// SPDX-License-Identifier: Apache-2.0
// What timers cost: arming, cancelling and firing one, and many tasks that sleep at once.
//
//   timer_bench [SLEEPERS [PERMITS]]
#include "time/timer_store.hpp"

#include <weir/spawn.hpp>
#include <weir/timeout.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <vector>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

double nanoseconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::nano>(clock_type::now() - begin).count();
}

// The wheel and its cells alone, without tasks.
void measure_wheel(std::size_t count) {
  weir::rt::timer_store store;
  std::vector<std::pair<weir::rt::timer_cell*, std::uint64_t>> armed(count);
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> ticks(count);
  for (auto& tick : ticks) tick = 1 + random() % 15'259; // a second
  weir::rt::cell_chain due;
  auto arm_all = [&](std::uint64_t from) {
    for (std::size_t i = 0; i != count; ++i) {
      weir::rt::timer_cell& cell = store.take_cell();
      cell.tick = from + ticks[i];
      armed[i] = {&cell, cell.arm()};
      store.wheel.place(cell, due);
    }
  };
  arm_all(0); // makes the slabs
  for (std::uint64_t round = 0; round != 2; ++round) {
    auto begin = clock_type::now();
    static_cast<void>(store.wheel.try_begin_advance());
    store.wheel.advance((round + 1) * 20'000, due, ~std::size_t{0});
    store.wheel.end_advance();
    std::size_t fired = 0;
    weir::rt::cell_chain done;
    while (weir::rt::timer_cell* cell = due.pop_front()) {
      fired += cell->claim() ? 1 : 0;
      done.push_back(*cell);
    }
    double fire = nanoseconds_since(begin);
    store.give_back(done);
    begin = clock_type::now();
    arm_all((round + 1) * 20'000);
    double arm = nanoseconds_since(begin);
    if (fired != count) std::abort();
    std::printf("wheel, %zu timers over a second: arm %.1f ns, fire %.1f ns each\n", count,
                arm / static_cast<double>(count), fire / static_cast<double>(count));
  }
  auto begin = clock_type::now();
  for (auto& each : armed) {
    if (!each.first->cancel(each.second)) std::abort();
    store.note_cancelled();
  }
  std::printf("wheel, %zu timers over a second: cancel %.1f ns each\n", count,
              nanoseconds_since(begin) / static_cast<double>(count));
}

weir::task<> sleep_one(std::chrono::nanoseconds span, double& late) {
  weir::time_point begin = weir::now();
  co_await weir::sleep_for(span);
  late = std::chrono::duration<double, std::micro>(weir::now() - begin - span).count();
}

weir::task<> sleep_in_many(std::size_t count, std::vector<double>& late) {
  std::mt19937_64 random(1);
  std::vector<weir::join_handle<void>> handles;
  handles.reserve(count);
  for (std::size_t i = 0; i != count; ++i)
    handles.push_back(weir::spawn(sleep_one(std::chrono::microseconds(1000 + random() % 999'000), late[i])));
  for (auto& each : handles) (co_await each).value();
}

void measure_sleepers(std::size_t count, std::size_t permits) {
  weir::runtime rt({.permits = permits});
  std::vector<double> late(count);
  std::clock_t cpu_begin = std::clock();
  auto begin = clock_type::now();
  rt.spawn(sleep_in_many(count, late)).wait().value();
  double wall = nanoseconds_since(begin) / 1e9;
  double cpu = static_cast<double>(std::clock() - cpu_begin) / CLOCKS_PER_SEC;
  std::sort(late.begin(), late.end());
  std::printf("%zu tasks that sleep 1 to 1000 ms, permits %zu: %.3f s, CPU %.3f s (%.0f ns a task); late p50 %.0f us, "
              "p99 %.0f us, earliest %.1f us\n",
              count, permits, wall, cpu, cpu * 1e9 / static_cast<double>(count), late[count / 2],
              late[count * 99 / 100], late.front());
}

} // namespace

int main(int count, char** arguments) {
  std::size_t sleepers = count > 1 ? static_cast<std::size_t>(std::atol(arguments[1])) : 1'000'000;
  if (count <= 2) measure_wheel(sleepers);
  for (std::size_t permits : {1u, 2u}) {
    if (count > 2 && static_cast<std::size_t>(std::atoi(arguments[2])) != permits) continue;
    measure_sleepers(sleepers, permits);
  }
  return 0;
}
