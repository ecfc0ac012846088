# SPDX-License-Identifier: Apache-2.0
set(task_sources
  )
set(task_tests
  task_test.cpp
  )
