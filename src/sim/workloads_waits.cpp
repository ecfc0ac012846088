// SPDX-License-Identifier: Apache-2.0
// Timers, channels, locks, scopes.
#include "sim/workloads.hpp"

#include <weir/channel.hpp>
#include <weir/checkpoint.hpp>
#include <weir/event.hpp>
#include <weir/mutex.hpp>
#include <weir/runtime.hpp>
#include <weir/semaphore.hpp>
#include <weir/sim/run.hpp>
#include <weir/spawn.hpp>
#include <weir/task_scope.hpp>
#include <weir/timeout.hpp>

#include <stdexcept>
#include <vector>

// NOLINTBEGIN(cppcoreguidelines-avoid-reference-coroutine-parameters): each workload joins its tasks before its objects go
namespace weir::sim::workloads {
namespace {

using namespace std::chrono_literals;

int small(std::uint64_t bound) { return static_cast<int>(choose(bound)); }
std::chrono::nanoseconds some_time(std::uint64_t most) { return std::chrono::nanoseconds(choose(most)); }

task<void> naps(int count) {
  for (int i = 0; i != count; ++i) {
    const auto span = some_time(5'000'000);
    const time_point begin = now();
    co_await sleep_for(span);
    require(now() - begin >= span, "a sleep is never early");
  }
}

task<int> nap_once(std::chrono::nanoseconds span) {
  co_await sleep_for(span);
  co_return 1;
}

task<void> impatient(int count) {
  for (int i = 0; i != count; ++i) {
    const auto patience = some_time(300'000);
    const time_point begin = now();
    task<result<int>> timed = with_timeout(patience, nap_once(some_time(300'000)));
    const result<int> got = co_await std::move(timed);
    if (!got) require(now() - begin >= patience, "a time-out is never early");
  }
}

task<int> receive_one(channel<int>& from) {
  auto receiving = from.receive();
  const result<int> got = co_await receiving;
  co_return got ? *got : -1;
}

task<int> receive_all(channel<int>& from, bool is_impatient) {
  int sum = 0;
  for (;;) {
    if (is_impatient) {
      task<result<int>> timed = with_timeout(some_time(200'000), receive_one(from));
      const result<int> got = co_await std::move(timed);
      if (got && *got < 0) co_return sum;
      if (got) sum += *got;
    } else {
      task<int> one = receive_one(from);
      const int got = co_await std::move(one);
      if (got < 0) co_return sum;
      sum += got;
    }
  }
}

task<int> send_some(channel<int>& to, int count) {
  int sent = 0;
  for (int i = 1; i <= count; ++i) {
    auto sending = to.send(i);
    const result<void> done = co_await sending;
    if (done) sent += i;
    if (choose(8) == 0) co_await sleep_for(some_time(100'000));
  }
  co_return sent;
}

task<void> use(semaphore& of, std::size_t count, int& inside, int most) {
  auto acquiring = of.acquire(count);
  const result<void> got = co_await acquiring;
  if (!got) co_return;
  inside += static_cast<int>(count);
  require(inside <= most, "no more permits are taken than there are");
  inside -= static_cast<int>(count);
  of.release(count);
}

task<void> hold_for(semaphore& of, std::size_t count, std::chrono::nanoseconds span) {
  auto acquiring = of.acquire(count);
  const result<void> got = co_await acquiring;
  if (!got) co_return;
  co_await sleep_for(span);
  of.release(count);
}

task<void> give_up_after(semaphore& of, std::size_t count, std::chrono::nanoseconds patience) {
  task<result<void>> timed = with_timeout(patience, hold_for(of, count, 1ms));
  const result<void> got = co_await std::move(timed);
  static_cast<void>(got); // when it gives up while it holds them, they are lost; the caller leaves enough
}

task<void> wait_for(event& ready) { co_await ready; }

task<void> count_under(mutex& guard, int& count) {
  for (int i = 0; i != 3; ++i) {
    auto locking = guard.scoped_lock();
    auto lock = co_await locking;
    const int seen = count;
    if (choose(2) == 0) co_await yield();
    count = seen + 1;
  }
}

task<void> work_until_stopped(int turns) {
  for (int i = 0; i != turns; ++i) co_await sleep_for(some_time(1'000'000));
}

task<void> fail_after(int turns) {
  task<void> working = work_until_stopped(turns);
  co_await std::move(working);
  throw std::runtime_error("a child fails");
}

task<bool> scope_that_fails() {
  task_scope scope;
  const int children = 1 + small(4);
  for (int i = 0; i != children; ++i) scope.spawn(work_until_stopped(1'000'000));
  scope.spawn(fail_after(small(3)));
  for (int i = small(3); i != 0; --i) {
    co_await yield();
    scope.spawn(work_until_stopped(1'000'000));
  }
  bool has_thrown = false;
  try {
    auto joining = scope.join();
    co_await joining;
  } catch (const std::runtime_error&) {
    has_thrown = true;
  }
  co_return has_thrown;
}

} // namespace

void timers() {
  runtime pool({.permits = 1 + choose(3)});
  std::vector<join_handle<void>> handles;
  const int count = 1 + small(5);
  for (int i = 0; i != count; ++i) {
    handles.push_back(pool.spawn(naps(1 + small(4))));
    handles.push_back(pool.spawn(impatient(1 + small(6))));
  }
  pool.block_on(naps(2));
  for (auto& each : handles) each.wait().value();
  if (choose(3) == 0) { // everything sleeps deeply between
    block_for(1s);
    pool.spawn(naps(1)).wait().value();
  }
  auto stopped = pool.spawn(naps(1000));
  block_for(some_time(10'000'000));
  stopped.abort();
  static_cast<void>(stopped.wait());
  pool.shutdown();
}

void channels() {
  runtime pool({.permits = 1 + choose(3)});
  channel<int> lines(choose(4));
  std::vector<join_handle<int>> senders;
  std::vector<join_handle<int>> receivers;
  const int count = 1 + small(3);
  for (int i = 0; i != count; ++i) {
    senders.push_back(pool.spawn(send_some(lines, 1 + small(10))));
    receivers.push_back(pool.spawn(receive_all(lines, choose(2) == 0)));
  }
  receivers.push_back(pool.spawn(receive_all(lines, false)));
  std::vector<join_handle<int>> stopped;
  for (int i = small(7); i != 0; --i) {
    stopped.push_back(pool.spawn(receive_one(lines)));
    block_for(some_time(4'000));
    stopped.back().abort();
  }
  int sent = 0;
  int received = 0;
  for (auto& each : stopped) {
    if (join_result<int> got = each.wait(); got.has_value() && got.value() > 0) received += got.value();
  }
  const bool closes_early = choose(3) == 0;
  if (closes_early) {
    block_for(some_time(300'000));
    lines.close();
  }
  for (auto& each : senders) sent += each.wait().value();
  lines.close();
  for (auto& each : receivers) received += each.wait().value();
  require(lines.size() == 0, "receivers leave nothing in a closed channel");
  require(received <= sent, "nothing is received twice");
  pool.shutdown();
}

void locks_and_events() {
  runtime pool({.permits = 1 + choose(3)});
  constexpr int permits = 3;
  semaphore places(permits);
  int inside = 0;
  mutex guard;
  int count = 0;
  event ready;
  std::vector<join_handle<void>> handles;
  const int rounds = 1 + small(4);
  for (int i = 0; i != rounds; ++i) {
    handles.push_back(pool.spawn(hold_for(places, 1 + choose(2), some_time(500'000))));
    handles.push_back(pool.spawn(use(places, 1 + choose(permits), inside, permits)));
    auto aborted = pool.spawn(use(places, permits, inside, permits));
    handles.push_back(pool.spawn(wait_for(ready)));
    handles.push_back(pool.spawn(count_under(guard, count)));
    handles.push_back(pool.spawn(use(places, 1, inside, permits)));
    if (choose(2) == 0) block_for(some_time(50'000));
    aborted.abort();
    static_cast<void>(aborted.wait());
  }
  start_thread("setter", [&ready] { ready.set(); });
  if (choose(2) == 0) block_for(some_time(50'000));
  for (auto& each : handles) each.wait().value();
  require(count == 3 * rounds, "what a mutex protects is not lost");
  for (int i = small(6); i != 0; --i) {
    auto holder = pool.spawn(hold_for(places, permits, 1us));
    auto stopped = pool.spawn(use(places, permits, inside, permits));
    block_for(some_time(150'000));
    stopped.abort();
    static_cast<void>(stopped.wait());
    holder.wait().value();
  }
  for (int i = small(12); i != 0; --i) { // set while the wait begins
    event soon;
    auto waiter = pool.spawn(wait_for(soon));
    block_for(some_time(20'000));
    soon.set();
    waiter.wait().value();
  }
  require(places.available() == permits, "every permit comes back");
  pool.block_on(give_up_after(places, permits, some_time(2'000'000)));
  pool.shutdown();
}

void scopes_and_stops() {
  runtime pool({.permits = 1 + choose(3)});
  std::vector<join_handle<bool>> handles;
  const int count = 1 + small(3);
  for (int i = 0; i != count; ++i) handles.push_back(pool.spawn(scope_that_fails()));
  for (auto& each : handles) require(each.wait().value(), "the scope throws what its child threw");
  pool.shutdown();
}

} // namespace weir::sim::workloads
// NOLINTEND(cppcoreguidelines-avoid-reference-coroutine-parameters)
