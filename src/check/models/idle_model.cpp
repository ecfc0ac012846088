// SPDX-License-Identifier: Apache-2.0

// The steps of idle.hpp over its shipped set: nobody sleeps while there is work that nobody looks for. A queue is a
// counter and a grant a flag, as both have models of their own; runtime_core::wake_one(), worker::go_idle() and
// worker::stop_searching() take the same steps in the same order.

#include "sched/idle.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/cell.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using weir::rt::idle_set;
using enum std::memory_order;

namespace {

template <std::size_t Permits> struct world {
  idle_set idle{Permits};
  check::atomic<int> queue{0};
  check::atomic<int> grants[Permits];
  check::cell<int> owned[Permits]; // by whoever owns the permit

  void use(std::size_t permit) { owned[permit].set(1); }

  [[nodiscard]] bool has_demand() const { return queue.load(relaxed) != 0; }

  void wake_one() { // publisher (3) and (4)
    if (!idle.has_free() || idle.searching() != 0) return;
    const auto claimed = idle.claim_any();
    if (!claimed) return;
    use(*claimed);
    idle.begin_search();
    grants[*claimed].store(1, release);
  }

  void publish() {
    queue.fetch_add(1, relaxed);
    if (!check::is_mutated("the publisher has no fence")) check::fence(seq_cst);
    wake_one();
  }

  bool take() {
    int seen = queue.load(relaxed);
    while (seen != 0)
      if (queue.compare_exchange_strong(seen, seen - 1, relaxed)) return true;
    return false;
  }

  void sleep(std::size_t permit) {
    while (grants[permit].load(acquire) == 0) check::spin_hint();
    grants[permit].store(0, relaxed);
    use(permit);
  }

  // Returns when the caller holds its permit again and is counted as searching.
  void go_idle(std::size_t permit, bool& is_searching) {
    use(permit);
    const bool looks_early = check::is_mutated("the parker looks before it frees its permit");
    const bool saw = looks_early && has_demand();
    idle.set_free(permit);                                                           // (a)
    if (is_searching && !check::is_mutated("a parker counts on")) idle.end_search(); // (b)
    is_searching = true;
    if (!check::is_mutated("the parker has no fence")) check::fence(seq_cst); // (c)
    if (looks_early ? !saw : !has_demand()) return sleep(permit);             // (d)
    if (!idle.claim(permit)) {
      wake_one();
      return sleep(permit);
    }
    use(permit);
    idle.begin_search();
  }

  void stop_searching() {
    idle.end_search(); // finder (f)
    if (check::is_mutated("a finder does not look again")) return;
    if (!check::is_mutated("the finder has no fence")) check::fence(seq_cst); // (g)
    if (has_demand()) wake_one();                                             // (h)
  }

  // Looks for a task until there is one; the worker holds its permit before and after.
  void find(std::size_t permit, bool is_searching) {
    while (!take()) go_idle(permit, is_searching);
    if (is_searching) stop_searching();
  }
};

} // namespace

WEIR_MODEL(idle_one_parker) {
  world<1> w;
  static_cast<void>(w.idle.claim(0));
  m.spawn("worker", [&] { w.find(0, false); });
  w.publish();
  m.join_all();
  m.sometimes("the worker finds the task awake", w.idle.searching() == 0 && !w.idle.has_free());
}
WEIR_MUTATIONS(idle_one_parker, "the publisher has no fence", "the parker has no fence",
               "the parker looks before it frees its permit");

// A worker that searches goes idle while work comes.
WEIR_MODEL(idle_searching_parker) {
  world<1> w;
  static_cast<void>(w.idle.claim(0));
  w.idle.begin_search();
  m.spawn("worker", [&] { w.find(0, true); });
  w.publish();
  m.join_all();
}
WEIR_MUTATIONS(idle_searching_parker, "the publisher has no fence", "the parker has no fence", "a parker counts on",
               "the parker looks before it frees its permit");

// The first task runs until the second has run, so it takes two workers: a searcher who finds work wakes another.
WEIR_MODEL(idle_two_sleepers) {
  world<2> w;
  check::atomic<int> running{0};
  for (std::size_t permit = 0; permit < 2; ++permit)
    m.spawn("worker", [&w, &running, permit] {
      w.sleep(permit);
      w.find(permit, true);
      running.fetch_add(1, relaxed);
      while (running.load(relaxed) != 2) check::spin_hint();
    });
  w.publish();
  w.publish();
  m.join_all();
}
WEIR_MUTATIONS(idle_two_sleepers, "a finder does not look again", "the finder has no fence",
               "the publisher has no fence");
