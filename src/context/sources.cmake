# SPDX-License-Identifier: Apache-2.0
set(context_sources
  fiber.cpp
  fiber_stack.cpp
  )
set(context_tests
  fiber_stack_test.cpp
  fiber_test.cpp
  )
