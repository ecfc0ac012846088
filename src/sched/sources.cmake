# SPDX-License-Identifier: Apache-2.0
set(sched_sources
  block_on.cpp
  crew.cpp
  join.cpp
  monitor.cpp
  preempt.cpp
  region.cpp
  runtime.cpp
  runtime_core.cpp
  thread_context.cpp
  worker.cpp
  )
set(sched_tests
  region_test.cpp
  runtime_test.cpp
  )
