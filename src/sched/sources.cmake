# SPDX-License-Identifier: Apache-2.0
set(sched_sources
  )
set(sched_tests
  )
