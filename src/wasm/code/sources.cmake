# SPDX-License-Identifier: Apache-2.0
set(code_sources
  assemble.cpp
  module_code.cpp
  op.cpp
  operand_stack.cpp
  pinned_local.cpp
  printer.cpp
  translate_calls.cpp
  translate_control.cpp
  translate_locals.cpp
  translate_memory.cpp
  translate_numeric.cpp
  translator.cpp
  )
set(code_tests
  )
