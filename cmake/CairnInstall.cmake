# make install PREFIX=...: headers, libraries, cairn.pc, the CMake package; tools install beside their targets.
include(CMakePackageConfigHelpers)
install(TARGETS cairn cairn_shared EXPORT cairn-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(folder IN ITEMS include/rocksdb include/cairn fiber/include/fiber)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
endforeach()
set(CAIRN_PC_RPATH_FLAG "")
if(CAIRN_PC_RPATH)
  set(CAIRN_PC_RPATH_FLAG " -Wl,-rpath,\${libdir}")
endif()
file(RELATIVE_PATH CAIRN_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/cairn.pc.in cairn.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
install(EXPORT cairn-targets NAMESPACE cairn:: DESTINATION ${package})
configure_package_config_file(cmake/cairn-config.cmake.in cairn-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(cairn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cairn-config.cmake ${CMAKE_BINARY_DIR}/cairn-config-version.cmake
  DESTINATION ${package})
