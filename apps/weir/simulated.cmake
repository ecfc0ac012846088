# SPDX-License-Identifier: Apache-2.0
# What runs guests, as the simulated variant (src/sim/CMakeLists.txt). It shares no symbol with the other variant, so one program has both.
# Everybody compiles it and few use it: it is compiled in few pieces where headers are precompiled, and optimised no more than it needs.
set(engine ${PROJECT_SOURCE_DIR}/src/wasm)
foreach(part binary code interp runtime)
  include(${engine}/${part}/sources.cmake)
  list(TRANSFORM ${part}_sources PREPEND ${engine}/${part}/)
  list(APPEND simulated_engine ${${part}_sources})
  list(FILTER ${part}_sources EXCLUDE REGEX "(_handlers|slow_tables).cpp$") # their tables and helpers have the names of others
  set_property(SOURCE ${${part}_sources} PROPERTY UNITY_GROUP ${part})
endforeach()
include(${PROJECT_SOURCE_DIR}/src/wasi/sources.cmake)
list(TRANSFORM wasi_sources PREPEND ${PROJECT_SOURCE_DIR}/src/wasi/)
set_property(SOURCE ${wasi_sources} PROPERTY UNITY_GROUP wasi)
set_source_files_properties(${engine}/interp/float_handlers.cpp PROPERTIES # as src/wasm/interp has it
  COMPILE_OPTIONS "-fno-math-errno" SKIP_PRECOMPILE_HEADERS ON)
add_library(weir_simulated_engine STATIC ${simulated_engine} ${wasi_sources})
target_link_libraries(weir_simulated_engine PUBLIC weir::sim PRIVATE weir_warnings weir_sanitize)
target_compile_options(weir_simulated_engine PRIVATE $<$<CONFIG:Release>:-O1>)
weir_precompile(weir_simulated_engine)

set(simulated_run
  run/args.cpp run/guest.cpp run/guest_output.cpp run/guest_streams_simulated.cpp run/outcome.cpp run/plan.cpp run/prefixed_lines.cpp run/preparation.cpp run/program.cpp
  run/run_simulated.cpp run/stats.cpp support/console.cpp support/program_file.cpp support/units.cpp support/value_text.cpp)
set_property(SOURCE ${simulated_run} PROPERTY UNITY_GROUP run)
add_library(weir_simulated_run STATIC ${simulated_run})
target_include_directories(weir_simulated_run PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(weir_simulated_run SYSTEM PRIVATE ${CLI11_INCLUDE_DIR})
target_link_libraries(weir_simulated_run PUBLIC weir_simulated_engine PRIVATE fmt::fmt nlohmann_json::nlohmann_json weir_warnings weir_sanitize)
target_compile_options(weir_simulated_run PRIVATE $<$<CONFIG:Release>:-O0>)

foreach(library weir_simulated_engine weir_simulated_run)
  target_include_directories(${library} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  set_target_properties(${library} PROPERTIES UNITY_BUILD ${WEIR_PRECOMPILE} UNITY_BUILD_MODE GROUP)
endforeach()
target_compile_definitions(weir_command PRIVATE WEIR_HAS_SIMULATED_RUN=1)
# Not by target_link_libraries(): what compiles the command must not see the definitions of the other variant.
target_link_libraries(weir_command PRIVATE $<LINK_ONLY:weir_simulated_run>)
