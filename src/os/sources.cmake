# SPDX-License-Identifier: Apache-2.0
set(os_sources
  cpu_count.cpp
  futex.cpp
  signal_wait.cpp
  thread.cpp
  virtual_memory.cpp
  )
set(os_tests
  cpu_count_test.cpp
  futex_test.cpp
  signal_wait_test.cpp
  thread_test.cpp
  virtual_memory_test.cpp
  )
