# SPDX-License-Identifier: Apache-2.0
set(wasi_sources
  )
set(wasi_tests
  )
