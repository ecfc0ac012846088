# SPDX-License-Identifier: Apache-2.0
set(base_sources
  )
set(base_tests
  )
