// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs for simulations of the library itself: each uses a part of it in many ways, by the seed, and requires what must hold.
#include <array>
#include <ostream>

namespace weir::sim::workloads {

void spawn_and_join();
void bursts();
void regions();
void thread_shortage();
void timers();
void channels();
void locks_and_events();
void scopes_and_stops();
void forks();
void views();
void steals();
void driving();
void priorities();

struct workload {
  const char* name;
  void (*body)();
  // NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
  friend void PrintTo(const workload& one, std::ostream* to) { *to << one.name; }
};

inline constexpr std::array<workload, 13> all{{{"spawn_and_join", spawn_and_join},
                                               {"bursts", bursts},
                                               {"regions", regions},
                                               {"thread_shortage", thread_shortage},
                                               {"timers", timers},
                                               {"channels", channels},
                                               {"locks_and_events", locks_and_events},
                                               {"scopes_and_stops", scopes_and_stops},
                                               {"forks", forks},
                                               {"views", views},
                                               {"steals", steals},
                                               {"driving", driving},
                                               {"priorities", priorities}}};

} // namespace weir::sim::workloads
