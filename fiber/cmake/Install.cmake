# Installs fiber by itself: headers, libfiber.a, libfiber_main.a, fiber.pc, fiber-main.pc, the CMake package `fiber`
# (targets fiber::fiber and fiber::main) and the program fiberize. In the whole tree: cmake --install <build>
# --component fiber.
include(CMakePackageConfigHelpers)
set(fiber_component COMPONENT fiber)
if(NOT PROJECT_IS_TOP_LEVEL)
  list(APPEND fiber_component EXCLUDE_FROM_ALL)  # `make install` of the database installs its own parts
endif()

install(TARGETS fiber fiber_main EXPORT fiber-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} ${fiber_component})
install(DIRECTORY include/fiber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${fiber_component}
  FILES_MATCHING PATTERN "*.h")

if(WIN32)
  set(FIBER_PC_REQUIRES "")
  list(TRANSFORM fiber_system PREPEND " -l" OUTPUT_VARIABLE FIBER_PC_SYSTEM)
  string(REPLACE ";" "" FIBER_PC_SYSTEM "${FIBER_PC_SYSTEM}")
else()
  set(FIBER_PC_REQUIRES liburing)
  set(FIBER_PC_SYSTEM "")
endif()
list(TRANSFORM fiber_probes PREPEND " " OUTPUT_VARIABLE FIBER_PC_PROBES)
string(REPLACE ";" "" FIBER_PC_PROBES "${FIBER_PC_PROBES}")
file(RELATIVE_PATH FIBER_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
foreach(name IN ITEMS fiber fiber-main)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig ${fiber_component})
endforeach()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/fiber)
install(EXPORT fiber-targets NAMESPACE fiber:: DESTINATION ${package} ${fiber_component})
configure_package_config_file(cmake/fiber-config.cmake.in fiber-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(fiber-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fiber-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/fiber-config-version.cmake
  DESTINATION ${package} ${fiber_component})

set(tools ${CMAKE_CURRENT_SOURCE_DIR}/../tools)
install(PROGRAMS ${tools}/fiberize DESTINATION ${CMAKE_INSTALL_BINDIR} ${fiber_component})
install(DIRECTORY ${tools}/fiberize_lib DESTINATION ${CMAKE_INSTALL_DATADIR}/fiber ${fiber_component}
  FILES_MATCHING PATTERN "*.py")
