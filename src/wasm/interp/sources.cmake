# SPDX-License-Identifier: Apache-2.0
set(interp_sources
  )
set(interp_tests
  )
