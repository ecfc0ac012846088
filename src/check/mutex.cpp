// SPDX-License-Identifier: Apache-2.0

// A mutex of a model: a thread that finds it taken waits for the word to change, without turns of a loop.

#include <weir/check/mutex.hpp>

#include "check/checker.hpp"

namespace weir::check {

namespace {

using namespace detail;

constexpr operation taking{.kind = operation_kind::compare_exchange,
                           .bytes = 4,
                           .order = memory_order::acquire,
                           .failure = memory_order::relaxed,
                           .operand = 1,
                           .expected = 0};

} // namespace

void mutex::lock(std::source_location where) {
  checker* const running = checker::current();
  if (running == nullptr) return;
  for (int from = running->position(); running->access(is_held_.base(), taking, where) != 0; from = running->position())
    running->wait("waits for a lock", from, where);
}

bool mutex::try_lock(std::source_location where) {
  checker* const running = checker::current();
  return running == nullptr || running->access(is_held_.base(), taking, where) == 0;
}

void mutex::unlock(std::source_location where) { is_held_.store(0, memory_order::release, where); }

} // namespace weir::check
