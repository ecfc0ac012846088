// SPDX-License-Identifier: Apache-2.0

// A stop reaches each registration once or is known when it registers; who has detached is not called any more, and who has
// learned of the stop may destroy its state. The shipped source is sync/stop_state.cpp.

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>
#include <weir/detail/stop_state.hpp>

#include <memory>

namespace check = weir::check;
using weir::detail::stop_registration;
using weir::detail::stop_state;

namespace {

struct listener {
  stop_registration on;
  check::cell<int> calls{0};

  bool attach(stop_state& to) { return on.attach(to, note, this); }
  static void note(void* self) noexcept {
    check::cell<int>& calls = static_cast<listener*>(self)->calls;
    calls.set(calls.get() + 1);
  }
};

} // namespace

WEIR_MODEL(stop_calls_or_is_known) {
  stop_state state;
  check::cell<int> data{0};
  listener one;
  m.spawn("requester", [&] {
    data.set(1);
    state.request();
  });
  if (state.is_requested()) m.require(data.get() == 1, "who sees the stop sees what came before it");
  const bool is_attached = one.attach(state);
  one.on.detach();
  const int calls = one.calls.get(); // nobody calls any more
  m.require(is_attached || calls == 0, "who was refused is not called");
  if (!is_attached || calls == 1) m.require(data.get() == 1, "what came before the request is seen");
  m.sometimes("it is refused", !is_attached);
  m.sometimes("it is called", calls == 1);
  m.sometimes("it has detached before", is_attached && calls == 0);
  m.join_all();
}

WEIR_MODEL(stop_is_requested_once) {
  stop_state state;
  listener one;
  m.require(one.attach(state), "no stop has been requested");
  bool firsts[2] = {false, false};
  for (bool& is_first : firsts) m.spawn("requester", [&] { is_first = state.request(); });
  m.join_all();
  m.require(firsts[0] != firsts[1], "one of the requests is the first");
  m.require(one.calls.get() == 1, "it is called once");
  one.on.detach();
}

WEIR_MODEL(stop_state_is_destroyed_by_who_learns_of_it) {
  auto state = std::make_unique<stop_state>();
  struct flag_setter {
    stop_registration on;
    check::atomic<bool> is_set{false};
    static void set(void* self) noexcept {
      static_cast<flag_setter*>(self)->is_set.store(true, std::memory_order::relaxed);
    }
  } learns;
  m.require(learns.on.attach(*state, flag_setter::set, &learns), "no stop has been requested");
  m.spawn("requester", [to = state.get()] { to->request(); });
  while (!learns.is_set.load(std::memory_order::relaxed)) check::spin_hint();
  learns.on.detach();
  state.reset();
  m.join_all();
}

// Each passes its stop on to the other, and both are requested at once.
WEIR_MODEL(stop_states_in_a_circle_do_not_wait_for_each_other) {
  stop_state states[2];
  stop_registration links[2];
  const auto pass_on = [](void* to) noexcept { static_cast<stop_state*>(to)->request(); };
  for (int at = 0; at != 2; ++at)
    m.require(links[at].attach(states[at], pass_on, &states[1 - at]), "no stop has been requested");
  m.spawn("other", [&] { states[1].request(); });
  states[0].request();
  m.join_all();
  m.require(states[0].is_requested() && states[1].is_requested(), "the stop reaches both");
  for (stop_registration& each : links) each.detach();
}
