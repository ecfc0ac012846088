// SPDX-License-Identifier: Apache-2.0
// Messages between two tasks, and between four producers and four consumers.
#include "join.hpp"

#include <weir/channel.hpp>

namespace bench {
namespace {

using weir::task;
using numbers = weir::channel<std::uint64_t>;

struct exchange { // two channels without room
  numbers there, back;
};

task<std::uint64_t> ask(exchange* with, std::uint64_t rounds) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != rounds; ++i) {
    (co_await with->there.send(i)).value();
    sum += (co_await with->back.receive()).value();
  }
  co_return sum;
}

task<std::uint64_t> answer(exchange* with, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i != rounds; ++i) {
    std::uint64_t value = (co_await with->there.receive()).value();
    (co_await with->back.send(value + 1)).value();
  }
  co_return 0;
}

task<std::uint64_t> exchange_messages(std::uint64_t messages) {
  exchange with;
  auto make = [&](std::uint64_t i) { return i == 0 ? ask(&with, messages / 2) : answer(&with, messages / 2); };
  co_return co_await sum_of_tasks(2, make);
}

report ping_pong(const request& asked) { // size: messages, both directions counted
  return measure_roots(asked, asked.size / 10 + 2, asked.size, exchange_messages);
}

task<std::uint64_t> produce(numbers* into, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t i = 0; i != count; ++i) (co_await into->send(first + i)).value();
  co_return 0;
}

task<std::uint64_t> consume(numbers* from) {
  std::uint64_t sum = 0;
  for (;;) {
    auto item = co_await from->receive();
    if (!item) co_return sum;
    sum += *item;
  }
}

task<std::uint64_t> close_after_producers(numbers* items_of, std::uint64_t each) {
  auto make = [&](std::uint64_t p) { return produce(items_of, p * each, each); };
  co_await sum_of_tasks(4, make);
  items_of->close();
  co_return 0;
}

task<std::uint64_t> produce_and_consume(std::uint64_t items) {
  numbers items_of(1024);
  auto make = [&](std::uint64_t i) {
    return i == 0 ? close_after_producers(&items_of, items / 4) : consume(&items_of);
  };
  co_return co_await sum_of_tasks(5, make);
}

report mpmc(const request& asked) { // size: items
  return measure_roots(asked, asked.size / 10 + 4, asked.size, produce_and_consume);
}

constexpr workload all[] = {{"ping_pong", 1'000'000, ping_pong}, {"mpmc", 1'000'000, mpmc}};

const family registered(all);

} // namespace
} // namespace bench
