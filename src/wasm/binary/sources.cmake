# SPDX-License-Identifier: Apache-2.0
set(binary_sources
  )
set(binary_tests
  )
