// SPDX-License-Identifier: Apache-2.0

// A futex out of what models have. Each word has a hidden lock, as the kernel's hash bucket has, and a queue of
// sleepers that the lock protects; each sleeper has a flag of its own. The queue is plain data: whoever holds the lock
// comes after everybody who held it before, so each replay of an execution builds the same queue.

#include <algorithm>

#include "check/checker.hpp"

#include <weir/check/futex.hpp>

namespace weir::check {

namespace {

using namespace detail;

// Holds the lock of a word's queue. A thread that finds it taken ends its part of the execution; the release revisits
// its read.
class queue_lock {
public:
  queue_lock(checker& running, std::int32_t word, const std::source_location& where)
      : running_(running), lock_(running.hidden_location(word, 0)), where_(where) {
    const operation take{.kind = operation_kind::compare_exchange,
                         .order = memory_order::acquire,
                         .failure = memory_order::relaxed,
                         .location = lock_,
                         .operand = 1,
                         .expected = 0};
    for (int from = running.position(); running.access_hidden(take, where) != 0; from = running.position())
      running.wait("waits for a wake to finish", from, where);
  }
  ~queue_lock() {
    running_.access_hidden(
        {.kind = operation_kind::store, .order = memory_order::release, .location = lock_, .operand = 0}, where_);
  }
  queue_lock(const queue_lock&) = delete;
  queue_lock& operator=(const queue_lock&) = delete;

private:
  checker& running_;
  std::int32_t lock_;
  std::source_location where_;
};

void leave_queue(std::vector<checker::sleeper>& queue, std::int32_t flag) {
  std::erase_if(queue, [flag](const checker::sleeper& at) { return at.flag == flag; });
}

} // namespace

bool futex_wait(const atomic<std::uint32_t>& word, std::uint32_t expected, bool may_time_out,
                std::source_location where) {
  checker* const running = checker::current();
  if (running == nullptr) return true;
  const host_allocation host;
  const std::int32_t location = running->locate(word.base());
  const std::int32_t flag = running->fresh_location(0, where, true);
  {
    const queue_lock lock(*running, location, where);
    const operation look{
        .kind = operation_kind::load, .bytes = 4, .order = memory_order::relaxed, .location = location};
    if (running->access_hidden(look, where) != expected) return true;
    running->sleepers_of(location).push_back({flag, running->self()});
  }
  if (may_time_out && running->take_timeout()) {
    const queue_lock lock(*running, location, where);
    leave_queue(running->sleepers_of(location), flag);
    take_time_out(*running, where);
    return false;
  }
  running->sleep_on(location, expected);
  const operation wake{.kind = operation_kind::load, .bytes = 1, .order = memory_order::acquire, .location = flag};
  for (int from = running->position(); running->access_hidden(wake, where) == 0; from = running->position())
    running->wait("sleeps", from, where);
  running->sleep_on(-1, 0);
  return true;
}

void futex_wake(const atomic<std::uint32_t>& word, unsigned count, std::source_location where) {
  checker* const running = checker::current();
  if (running == nullptr) return;
  const host_allocation host;
  const std::int32_t location = running->locate(word.base());
  const queue_lock lock(*running, location, where);
  std::vector<checker::sleeper>& queue = running->sleepers_of(location);
  for (; count != 0 && !queue.empty(); --count) {
    const std::int32_t flag = queue.front().flag;
    queue.erase(queue.begin());
    running->access_hidden(
        {.kind = operation_kind::store, .bytes = 1, .order = memory_order::release, .location = flag, .operand = 1},
        where);
  }
}

} // namespace weir::check
