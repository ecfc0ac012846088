# SPDX-License-Identifier: Apache-2.0
set(interp_sources
  activation.cpp
  backtrace.cpp
  compare32_handlers.cpp
  compare64_handlers.cpp
  control_handlers.cpp
  convert_handlers.cpp
  count_handlers.cpp
  float_compare_handlers.cpp
  float_handlers.cpp
  int32_handlers.cpp
  int64_handlers.cpp
  int_other_handlers.cpp
  machine.cpp
  memory_handlers.cpp
  memory_sum_handlers.cpp
  move_handlers.cpp
  slow_calls.cpp
  slow_exceptions.cpp
  slow_handlers.cpp
  slow_host.cpp
  slow_memory.cpp
  slow_tables.cpp
  )
set(interp_tests
  activation_test.cpp
  differential_test.cpp
  )
# A square root is one instruction when nobody asks for errno.
set_source_files_properties(interp/float_handlers.cpp PROPERTIES COMPILE_OPTIONS "-fno-math-errno"
  SKIP_PRECOMPILE_HEADERS ON) # its other options do not go with a common precompiled header
