# SPDX-License-Identifier: Apache-2.0
# The standard headers that nearly every source includes, parsed once a target where WEIR_PRECOMPILE is on.
function(weir_precompile target)
  if(WEIR_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <expected> <functional> <memory> <optional> <span> <string>
      <string_view> <system_error> <utility> <vector> ${ARGN})
  endif()
endfunction()

# weir_library(core SOURCES ... LINKS ...): a static library target `weir_core`, known to users as `weir::core`.
function(weir_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(weir_${name} STATIC ${arg_SOURCES})
  add_library(weir::${name} ALIAS weir_${name})
  set_target_properties(weir_${name} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME weir_${name} POSITION_INDEPENDENT_CODE ON)
  target_compile_features(weir_${name} PUBLIC cxx_std_23)
  target_include_directories(weir_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(weir_${name}
    PUBLIC ${arg_LINKS}
    PRIVATE ${arg_PRIVATE_LINKS} $<BUILD_INTERFACE:weir_warnings> $<BUILD_INTERFACE:weir_sanitize>)
  set_property(GLOBAL APPEND PROPERTY WEIR_LIBRARIES weir_${name})
  weir_precompile(weir_${name})
endfunction()

# weir_test(core SOURCES x_test.cpp ... LINKS ... OPTIMISED y_test.cpp ... TIMEOUT seconds): one GoogleTest program, each of its cases a CTest test.
# OPTIMISED names sources, or says ALL, whose tests are about what an optimiser makes of the code: WEIR_QUICK_TESTS leaves them.
function(weir_test name)
  if(NOT WEIR_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINKS;ARGS;OPTIMISED" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  add_executable(${name}_test ${arg_SOURCES})
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name}_test PRIVATE ${arg_LINKS} GTest::gtest GTest::gmock GTest::gtest_main weir_warnings weir_sanitize)
  weir_precompile(${name}_test <gtest/gtest.h>)
  if(WEIR_QUICK_TESTS AND NOT arg_OPTIMISED STREQUAL "ALL")
    target_compile_options(${name}_test PRIVATE -O0)
    foreach(source ${arg_OPTIMISED})
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
    endforeach()
  endif()
  gtest_discover_tests(${name}_test EXTRA_ARGS ${arg_ARGS} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${arg_TIMEOUT})
endfunction()

# weir_guide_program(check_guide doc/guide/x.md x_test.cpp LINKS ...): the first program of a guide, as it stands there, as a target.
function(weir_guide_program name guide source)
  cmake_parse_arguments(arg "" "" "LINKS" ${ARGN})
  set(guide "${PROJECT_SOURCE_DIR}/${guide}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${guide}")
  file(READ "${guide}" text)
  string(FIND "${text}" "```cpp\n" start)
  math(EXPR start "${start} + 7")
  string(SUBSTRING "${text}" ${start} -1 text)
  string(FIND "${text}" "```" end)
  string(SUBSTRING "${text}" 0 ${end} text)
  file(CONFIGURE OUTPUT guide/${source} CONTENT "${text}" @ONLY)
  add_executable(${name} "${CMAKE_CURRENT_BINARY_DIR}/guide/${source}")
  target_link_libraries(${name} PRIVATE ${arg_LINKS})
endfunction()
