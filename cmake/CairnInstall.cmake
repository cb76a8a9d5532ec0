# make install PREFIX=...: headers, libraries, cairn.pc, the CMake package, all of the component `library`; tools install beside their
# targets.
include(CMakePackageConfigHelpers)
install(TARGETS cairn cairn_shared EXPORT cairn-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT library)
foreach(folder IN ITEMS include/rocksdb include/cairn fiber/include/fiber)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
    FILES_MATCHING PATTERN "*.h")
endforeach()
set(CAIRN_PC_RPATH_FLAG "")
if(CAIRN_PC_RPATH)
  set(CAIRN_PC_RPATH_FLAG " -Wl,-rpath,\${libdir}")
endif()
file(RELATIVE_PATH CAIRN_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/cairn.pc.in cairn.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)

# For bindings that have the linker look for `rocksdb` in a folder that they are told (doc/languages.md): Cairn under that name, where
# no RocksDB of the system is hidden by it.
if(UNIX)
  set(as_rocksdb ${CMAKE_BINARY_DIR}/as_rocksdb)
  file(MAKE_DIRECTORY ${as_rocksdb})
  foreach(ending IN ITEMS a so)
    file(CREATE_LINK ../../libcairn.${ending} ${as_rocksdb}/librocksdb.${ending} SYMBOLIC)
  endforeach()
  install(DIRECTORY ${as_rocksdb} DESTINATION ${CMAKE_INSTALL_LIBDIR}/cairn COMPONENT library)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
install(EXPORT cairn-targets NAMESPACE cairn:: DESTINATION ${package} COMPONENT library)
configure_package_config_file(cmake/cairn-config.cmake.in cairn-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(cairn-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cairn-config.cmake ${CMAKE_BINARY_DIR}/cairn-config-version.cmake
  DESTINATION ${package} COMPONENT library)
