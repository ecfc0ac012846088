# SPDX-License-Identifier: Apache-2.0
set(context_sources
  )
set(context_tests
  )
