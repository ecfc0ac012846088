# SPDX-License-Identifier: Apache-2.0
set(runtime_sources
  )
set(runtime_tests
  )
