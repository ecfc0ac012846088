// SPDX-License-Identifier: Apache-2.0

// Each element is taken once, with what its pusher wrote, and exactly one pusher of a batch rings.

#include "base/mpsc_stack.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;

namespace {

struct element : weir::rt::stack_link<> {
  check::cell<int> value;
};

} // namespace

WEIR_MODEL(mpsc_stack_two_pushers) {
  weir::rt::mpsc_stack<element> stack;
  element elements[2];
  check::atomic<int> rings{0};
  const auto push = [&](int at) {
    elements[at].value.set(at + 1);
    if (stack.push(elements[at])) rings.fetch_add(1, std::memory_order::relaxed);
  };
  m.spawn("one", [&] { push(0); });
  m.spawn("two", [&] { push(1); });
  int batches = 0;
  const auto take = [&] {
    auto chain = stack.take_all();
    if (!chain.empty()) ++batches;
    while (element* taken = chain.pop()) m.got(taken->value.get());
  };
  take();
  m.sometimes("the first batch holds one", m.has_got(0, 1) != m.has_got(0, 2));
  m.sometimes("the first batch holds both", m.has_got(0, 1) && m.has_got(0, 2));
  m.join_all();
  take();
  m.expect_each_once({1, 2});
  m.require(rings.load(std::memory_order::relaxed) == batches, "each batch rings once");
}

WEIR_MODEL(mpsc_stack_taker_waits) {
  weir::rt::mpsc_stack<element> stack;
  element elements[2];
  for (int at = 0; at < 2; ++at)
    m.spawn("pusher", [&, at] {
      elements[at].value.set(at + 1);
      stack.push(elements[at]);
    });
  for (int taken = 0; taken < 2;) {
    auto chain = stack.take_all();
    if (chain.empty()) check::spin_hint();
    for (; element* one = chain.pop(); ++taken) m.got(one->value.get());
  }
  m.expect_each_once({1, 2});
  m.join_all();
}
