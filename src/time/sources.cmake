# SPDX-License-Identifier: Apache-2.0
set(time_sources
  sleep.cpp
  timer_set.cpp
  )
set(time_tests
  interval_test.cpp
  sleep_test.cpp
  timeout_test.cpp
  timer_store_test.cpp
  timer_stress_test.cpp
  timer_wheel_test.cpp
  )
