# SPDX-License-Identifier: Apache-2.0
set(context_sources
  context.cpp
  fiber.cpp
  fiber_stack.cpp
  )
set(context_tests
  context_test.cpp
  fiber_stack_test.cpp
  fiber_test.cpp
  )
