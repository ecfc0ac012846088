# SPDX-License-Identifier: Apache-2.0
# Installs the libraries with a package file, so that find_package(weir) gives weir::core, weir::wasm, weir::wasi.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
get_property(weir_libraries GLOBAL PROPERTY WEIR_LIBRARIES)
if(WEIR_SANITIZE)
  list(APPEND weir_libraries weir_sanitize)
endif()
install(TARGETS ${weir_libraries} EXPORT weir-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT weir-targets NAMESPACE weir:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/weir-config.cmake
  "include(CMakeFindDependencyMacro)\nfind_dependency(Threads)\ninclude(\${CMAKE_CURRENT_LIST_DIR}/weir-targets.cmake)\n")
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/weir-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/weir-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/weir-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
if(WEIR_BUILD_COMMAND)
  install(TARGETS weir RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
