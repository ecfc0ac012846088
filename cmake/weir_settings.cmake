# SPDX-License-Identifier: Apache-2.0
# What every weir target is compiled with. Users of the library inherit only the language level and the include path.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
find_package(Threads REQUIRED)
find_program(WEIR_CCACHE ccache)
if(WEIR_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEIR_CCACHE})
  if(WEIR_PRECOMPILE) # without the setting every compilation would be a miss
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${WEIR_CCACHE})
  endif()
endif()

add_library(weir_warnings INTERFACE)
target_compile_options(weir_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow $<$<BOOL:${PROJECT_IS_TOP_LEVEL}>:-Werror>)
# GCC 12 sees writes past the short buffer of a moved std::string where there are none (its bug 105651 and kin).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(weir_warnings INTERFACE -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
endif()

# The sanitizers change the ABI of the coroutine and fiber hooks, so they reach users of an instrumented build too.
add_library(weir_sanitize INTERFACE)
if(WEIR_SANITIZE)
  target_compile_options(weir_sanitize INTERFACE -fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(weir_sanitize INTERFACE -fsanitize=${WEIR_SANITIZE})
  if(WEIR_SANITIZE STREQUAL "thread")
    target_sources(weir_sanitize INTERFACE
      $<BUILD_INTERFACE:$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${CMAKE_CURRENT_LIST_DIR}/tsan_suppressions.cpp>>)
  endif()
endif()
