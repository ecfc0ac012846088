# SPDX-License-Identifier: Apache-2.0
set(base_sources
  check.cpp
  lock_depth.cpp
  )
set(base_tests
  check_test.cpp
  clock_test.cpp
  intrusive_list_test.cpp
  mpsc_stack_test.cpp
  parker_test.cpp
  spin_lock_test.cpp
  )
