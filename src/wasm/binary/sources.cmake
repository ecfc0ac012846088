# SPDX-License-Identifier: Apache-2.0
set(binary_sources
  reader.cpp
  )
set(binary_tests
  )
