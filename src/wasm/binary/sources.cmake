# SPDX-License-Identifier: Apache-2.0
set(binary_sources
  body_validator.cpp bulk_validator.cpp component_modules.cpp const_decoder.cpp control_validator.cpp decoder.cpp error.cpp name_section.cpp operand_stack.cpp
  section_decoder.cpp type_reader.cpp summary.cpp type_registry.cpp types.cpp validator.cpp
  reader.cpp
  )
set(binary_tests
  )
