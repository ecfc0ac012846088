// SPDX-License-Identifier: Apache-2.0

// A snapshot of counters in several places is a state that all of them were in together.

#include "sched/ledger.hpp"

#include <weir/check/atomic.hpp>
#include <weir/check/registry.hpp>

namespace check = weir::check;
using enum std::memory_order;

namespace {

constexpr std::size_t spawned = 0;
constexpr std::size_t finished = 1;
using two_counts = weir::rt::ledger<2>;

} // namespace

// A chain of tasks over two places: each is counted as spawned before it is counted as finished elsewhere.
WEIR_MODEL(ledger_cause_and_effect) {
  weir::rt::ledger_clock clock;
  two_counts here;
  two_counts there;
  check::atomic<bool> is_spawned{false};
  m.spawn("spawner", [&] {
    here.add(spawned, clock);
    is_spawned.store(true, release);
  });
  m.spawn("finisher", [&] {
    if (is_spawned.load(acquire)) there.add(finished, clock);
  });
  const std::uint64_t period = clock.advance();
  // The cause is read first: without the period it would be missed while its effect is seen.
  const std::uint64_t causes = here.at(period)[spawned];
  const std::uint64_t effects = there.at(period)[finished];
  m.require(effects <= causes, "what has finished was spawned");
  m.sometimes("both are seen", effects == 1);
  m.sometimes("the cause is seen alone", causes == 1 && effects == 0);
  m.sometimes("neither is seen", causes == 0);
  m.join_all();
}

WEIR_EXPLAINED(ledger_cause_and_effect, "ledger_model.cpp",
               "the light fence, which is a full one here, orders as much");

// Two counts of one writer, and a second snapshot, which finds what the first one left out.
WEIR_MODEL(ledger_two_snapshots) {
  weir::rt::ledger_clock clock;
  two_counts counts;
  m.spawn("writer", [&] {
    counts.add(spawned, clock);
    counts.add(finished, clock);
  });
  const two_counts::values first = counts.at(clock.advance());
  const two_counts::values second = counts.at(clock.advance());
  for (const two_counts::values& each : {first, second})
    m.require(each[finished] <= each[spawned], "a task is spawned first");
  m.require(first[spawned] <= second[spawned] && first[finished] <= second[finished], "counts do not go back");
  m.sometimes("the snapshots differ", first[spawned] != second[spawned]);
  m.sometimes("the second one falls between the counts", second[spawned] == 1 && second[finished] == 0);
  m.join_all();
  m.require(counts.at(clock.advance()) == two_counts::values{1, 1}, "nothing is lost");
}

// The ledger's writer changes, as with a permit that is handed over.
WEIR_MODEL(ledger_next_writer) {
  weir::rt::ledger_clock clock;
  two_counts counts;
  check::atomic<bool> is_free{false};
  m.spawn("first", [&] {
    counts.add(spawned, clock);
    is_free.store(true, release);
  });
  const unsigned second = m.spawn("second", [&] {
    if (!is_free.load(relaxed)) return; // the fence in add() makes an acquire of it
    counts.add(spawned, clock);
    m.got(1);
  });
  const std::uint64_t seen = counts.at(clock.advance())[spawned];
  m.join_all();
  const std::uint64_t all = counts.at(clock.advance())[spawned];
  m.require(all == (m.has_got(second, 1) ? 2u : 1u), "each count is in the end");
  m.require(seen <= all, "counts do not go back");
  m.sometimes("the snapshot is between the writers", seen == 1 && all == 2);
}
