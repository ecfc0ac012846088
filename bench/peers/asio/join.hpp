// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the families of workloads of Boost.Asio's program share, with the join that Asio does not have.
#include "../../measure/rounds.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <numeric>

namespace bench {

namespace asio = boost::asio;
using asio::awaitable;
using asio::use_awaitable;
using boost::system::error_code;

template <class T> using channel = asio::experimental::concurrent_channel<void(error_code, T)>;
using signal_channel = asio::experimental::concurrent_channel<void(error_code)>;

/// A coroutine waits until a count of others is done.
class join_count {
public:
  join_count(asio::any_io_executor executor, std::uint64_t count) : left_(count), over_(executor, 1) {}
  void done() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) over_.try_send(error_code{});
  }
  awaitable<void> wait() { co_await over_.async_receive(use_awaitable); }

private:
  std::atomic<std::uint64_t> left_;
  signal_channel over_;
};

template <class Make> awaitable<void> run_counted(Make make, std::uint64_t i, std::uint64_t* result, join_count* left) {
  *result = co_await make(i);
  left->done();
}

/// Spawns `make(0)` to `make(count - 1)`, awaits them all and adds their results.
template <class Make> awaitable<std::uint64_t> sum_of_tasks(std::uint64_t count, Make make) {
  auto executor = co_await asio::this_coro::executor;
  std::vector<std::uint64_t> results(count);
  join_count left(executor, count);
  for (std::uint64_t i = 0; i != count; ++i)
    asio::co_spawn(executor, run_counted(make, i, &results[i], &left), asio::detached);
  co_await left.wait();
  co_return std::accumulate(results.begin(), results.end(), std::uint64_t{0});
}

/// Warms up with `make(warm_size)`, then measures `make(asked.size)`.
template <class Make>
report measure_roots(const request& asked, std::uint64_t warm_size, std::uint64_t operations, Make make) {
  asio::thread_pool pool(asked.permits);
  asio::co_spawn(pool, make(warm_size), asio::use_future).get();
  return measure_rounds(asked, operations,
                        [&] { return asio::co_spawn(pool, make(asked.size), asio::use_future).get(); });
}

} // namespace bench
