# SPDX-License-Identifier: Apache-2.0
set(os_sources
  )
set(os_tests
  )
