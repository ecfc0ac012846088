# SPDX-License-Identifier: Apache-2.0
set(code_sources
  )
set(code_tests
  )
