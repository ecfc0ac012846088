# SPDX-License-Identifier: Apache-2.0
set(binary_sources
  body_validator.cpp bulk_validator.cpp component_modules.cpp const_decoder.cpp control_validator.cpp decoder.cpp
  error.cpp name_section.cpp operand_stack.cpp reader.cpp section_decoder.cpp segment_decoder.cpp summary.cpp type_reader.cpp
  type_registry.cpp types.cpp validator.cpp)
set(binary_tests
  component_modules_test.cpp decoder_test.cpp instruction_test.cpp module_rules_test.cpp reader_test.cpp
  summary_test.cpp type_registry_test.cpp types_test.cpp validator_test.cpp)
