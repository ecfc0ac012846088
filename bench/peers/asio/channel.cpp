// SPDX-License-Identifier: Apache-2.0
// Messages between two tasks, and between four producers and four consumers.
#include "join.hpp"

namespace bench {
namespace {

struct exchange { // two channels without room; `messages` counts both directions
  exchange(asio::any_io_executor executor) : there(executor, 0), back(executor, 0) {}
  channel<std::uint64_t> there, back;
};

awaitable<std::uint64_t> ask(exchange* with, std::uint64_t rounds) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != rounds; ++i) {
    co_await with->there.async_send(error_code{}, i, use_awaitable);
    sum += co_await with->back.async_receive(use_awaitable);
  }
  co_return sum;
}

awaitable<std::uint64_t> answer(exchange* with, std::uint64_t rounds) {
  for (std::uint64_t i = 0; i != rounds; ++i) {
    std::uint64_t value = co_await with->there.async_receive(use_awaitable);
    co_await with->back.async_send(error_code{}, value + 1, use_awaitable);
  }
  co_return 0;
}

awaitable<std::uint64_t> exchange_messages(std::uint64_t messages) {
  exchange with(co_await asio::this_coro::executor);
  co_return co_await sum_of_tasks(
      2, [&](std::uint64_t i) { return i == 0 ? ask(&with, messages / 2) : answer(&with, messages / 2); });
}

report ping_pong(const request& asked) {
  return measure_roots(asked, asked.size / 10 + 2, asked.size, exchange_messages);
}

awaitable<void> produce(channel<std::uint64_t>* into, std::uint64_t first, std::uint64_t count, join_count* left) {
  for (std::uint64_t i = 0; i != count; ++i) co_await into->async_send(error_code{}, first + i, use_awaitable);
  left->done();
}

// The consumers know how many items there are: closing the channel drops what is still in it.
awaitable<std::uint64_t> consume(channel<std::uint64_t>* from, std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i != count; ++i) sum += co_await from->async_receive(use_awaitable);
  co_return sum;
}

awaitable<std::uint64_t> produce_and_consume(std::uint64_t items) {
  auto executor = co_await asio::this_coro::executor;
  channel<std::uint64_t> items_of(executor, 1024);
  join_count producing(executor, 4);
  std::uint64_t each = items / 4;
  for (std::uint64_t p = 0; p != 4; ++p)
    asio::co_spawn(executor, produce(&items_of, p * each, each, &producing), asio::detached);
  std::uint64_t sum = co_await sum_of_tasks(4, [&](std::uint64_t) { return consume(&items_of, each); });
  co_await producing.wait();
  co_return sum;
}

report mpmc(const request& asked) { return measure_roots(asked, asked.size / 10 + 4, asked.size, produce_and_consume); }

constexpr workload all[] = {{"ping_pong", 1'000'000, ping_pong}, {"mpmc", 1'000'000, mpmc}};

const family registered(all);

} // namespace
} // namespace bench
