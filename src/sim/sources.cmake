# SPDX-License-Identifier: Apache-2.0
set(sim_sources
  api.cpp
  boundary.cpp
  locals.cpp
  poll.cpp
  report.cpp
  scenario.cpp
  search.cpp
  threads.cpp
  world.cpp
  world_schedule.cpp)
set(sim_tests
  scenario_test.cpp
  search_test.cpp
  seeded_bugs_test.cpp
  workloads.cpp
  workloads_waits.cpp
  world_test.cpp)
# What stands for the system in a simulation; the rest of os/ is the same.
set(sim_replaced
  os/cpu_count.cpp
  os/fork_mark.cpp
  os/futex.cpp
  os/poll.cpp
  os/random.cpp
  os/thread.cpp)
