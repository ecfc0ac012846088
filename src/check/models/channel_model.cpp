// SPDX-License-Identifier: Apache-2.0

// A channel is a bounded queue with an end, whoever sends, receives and closes; a close wakes those who wait. The shipped
// source is detail/channel_state.hpp with its lock and its lists; waits are those of threads.

#include <deque>
#include <string_view>

#include "sync/decide.hpp"

#include <weir/check/history.hpp>
#include <weir/check/registry.hpp>
#include <weir/detail/channel_state.hpp>

namespace check = weir::check;
using weir::detail::channel_state;
using weir::detail::transfer;

namespace {

constexpr int closed = -1;
constexpr int nothing = 0;

// The sequential channel, with one place.
struct plain_channel {
  std::deque<int> items;
  bool is_closed = false;

  friend bool operator==(const plain_channel&, const plain_channel&) = default;

  std::string_view send(int value) {
    if (is_closed) return "closed";
    if (items.size() == 1) return "full";
    items.push_back(value);
    return "sent";
  }
  int receive() {
    if (items.empty()) return is_closed ? closed : nothing;
    const int first = items.front();
    items.pop_front();
    return first;
  }
};

struct recorded_channel {
  check::history<plain_channel> calls;
  channel_state<int> state{1};

  void send(int value) {
    calls.call(
        value == 1 ? "send(1)" : "send(2)",
        [&]() -> std::string_view {
          int kept = value;
          const transfer outcome = state.try_send(kept);
          return outcome == transfer::done ? "sent" : outcome == transfer::closed ? "closed" : "full";
        },
        [value](plain_channel& plain) { return plain.send(value); });
  }
  int receive() {
    return calls.call(
        "receive()",
        [&] {
          int got = nothing;
          const transfer outcome = state.try_receive([&](int&& value) noexcept { got = value; });
          if (got != nothing && check::is_mutated("a receive that puts its value back")) {
            state.try_send(got);
            got = nothing;
          }
          return outcome == transfer::closed ? closed : got;
        },
        [](plain_channel& plain) { return plain.receive(); });
  }
  void close() {
    calls.call("close()", [&] { state.close(); }, [](plain_channel& plain) { plain.is_closed = true; });
  }
  // Waits as a thread does.
  int wait_to_receive() {
    return calls.call(
        "receive()",
        [&] {
          int got = nothing;
          const auto take = [&](int&& value) noexcept { got = value; };
          weir::detail::receiving node;
          weir::rt::parker sleeper;
          node.how = weir::detail::waiter::kind::thread;
          node.who = &sleeper;
          if (state.receive_or_wait(node, take)) {
            while (!weir::rt::is_decided(&node)) sleeper.park();
            while ((node.state.load(std::memory_order::acquire) & weir::detail::waiter::let_go) == 0)
              check::spin_hint();
            if (node.outcome == transfer::done) state.take_reserved(take);
          }
          return node.outcome == transfer::closed ? closed : got;
        },
        [](plain_channel& plain, const int& got) {
          const bool has_to_wait = plain.items.empty() && !plain.is_closed;
          return !has_to_wait && plain.receive() == got;
        });
  }
};

} // namespace

WEIR_MODEL(channel_is_a_queue) {
  recorded_channel channel;
  m.spawn("sender", [&] { channel.send(1); });
  channel.send(2);
  const int first = channel.receive();
  m.join_all();
  const int second = channel.receive();
  m.sometimes("both are sent", first != nothing && second != nothing);
  m.sometimes("one finds it full", second == nothing);
  channel.calls.require_linearizable();
}
WEIR_MUTATIONS(channel_is_a_queue, "a receive that puts its value back");

WEIR_MODEL(channel_that_is_closed) {
  recorded_channel channel;
  m.spawn("sender", [&] { channel.send(1); });
  m.spawn("closer", [&] { channel.close(); });
  const int first = channel.receive();
  m.sometimes("a value comes before the end", first == 1);
  m.sometimes("the end comes first", first == closed);
  m.join_all();
  channel.receive();
  channel.calls.require_linearizable();
}

WEIR_MODEL(channel_whose_receiver_waits) {
  recorded_channel channel;
  const unsigned receiver = m.spawn("receiver", [&] { m.got(channel.wait_to_receive()); });
  channel.send(1);
  channel.close();
  m.join_all();
  m.require(m.has_got(receiver, 1), "a value that is there comes before the end");
  channel.calls.require_linearizable();
}

WEIR_MODEL(channel_close_wakes_who_waits) {
  recorded_channel channel;
  const unsigned receiver = m.spawn("receiver", [&] { m.got(channel.wait_to_receive()); });
  channel.close();
  m.join_all();
  m.require(m.has_got(receiver, closed), "the end wakes a receiver");
  channel.calls.require_linearizable();
}
