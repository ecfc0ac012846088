# SPDX-License-Identifier: Apache-2.0
set(check_sources
  explorer.cpp
  graph.cpp
  litmus_program.cpp
  litmus_run.cpp
  revisit.cpp
  sequential_order.cpp)
set(check_tests
  brute_force.cpp
  explorer_test.cpp
  litmus_run_test.cpp
  sequential_order_test.cpp)
