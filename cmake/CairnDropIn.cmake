# Libraries that stand for RocksDB's own, by its names: a program that was built for RocksDB's C interface runs on them as it is.
# Each has the functions of one release (src/c/c_releases.cc) and shows nothing else, so that what is in C++ does not start on it; it is
# whole, so that nothing of libcairn.so, which has the C++ interface, comes with it.
# make install-dropin: below lib/cairn/dropin, with a folder for each that has the link for the linker (doc/languages.md).
# Not with a sanitizer, whose programs alone can load it.
if(NOT UNIX OR APPLE OR CAIRN_SANITIZE OR CAIRN_BUILD_FUZZ)
  return()
endif()
set(dropins ${CMAKE_BINARY_DIR}/dropin)
set(objects $<TARGET_OBJECTS:fiber_objects>)
foreach(layer IN LISTS layers)
  if(layer STREQUAL "c")
    # All but the functions that each release has in a form of its own.
    list(APPEND objects $<FILTER:$<TARGET_OBJECTS:cairn_c>,EXCLUDE,c_releases>)
  elseif(NOT layer STREQUAL "toolkit")
    list(APPEND objects $<TARGET_OBJECTS:cairn_${layer}>)
  endif()
endforeach()

# cairn_dropin(<release> <CAIRN_C_RELEASE> <name by which programs load it> [<other name of it>...])
function(cairn_dropin release c_release name)
  set(target cairn_dropin_${c_release})
  add_library(${target} SHARED ${objects} ${CMAKE_SOURCE_DIR}/src/c/c_releases.cc ${CMAKE_SOURCE_DIR}/src/c/dropin/missing_names.cc)
  # A name for the symbols' version: what is linked with one release's does not start on another's. What was linked with RocksDB's, which
  # has no versions, takes any.
  set(exports ${dropins}/${release}.map)
  file(CONFIGURE OUTPUT ${exports} CONTENT "ROCKSDB_${release} { global: rocksdb_*; local: *; };\n")
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} SUFFIX "" NO_SONAME ON LINKER_LANGUAGE CXX
    LIBRARY_OUTPUT_DIRECTORY ${dropins} LINK_DEPENDS ${exports} UNITY_BUILD OFF)
  target_compile_definitions(${target} PRIVATE CAIRN_C_DROPIN CAIRN_C_RELEASE=${c_release} CAIRN_C_DROPIN_NAME="${name}")
  target_link_options(${target} PRIVATE -Wl,-soname,${name} -Wl,--version-script=${exports} -Wl,-z,nodelete -Wl,-z,defs -Wl,-Bsymbolic)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/fiber/include)
  target_link_libraries(${target} PRIVATE cairn_flags ${layer_libs} PkgConfig::LIBURING Threads::Threads)
  set(folder ${CMAKE_INSTALL_LIBDIR}/cairn/dropin)
  install(TARGETS ${target} LIBRARY DESTINATION ${folder} COMPONENT dropin EXCLUDE_FROM_ALL)
  foreach(other IN LISTS ARGN)
    file(CREATE_LINK ${name} ${dropins}/${other} SYMBOLIC)
    install(FILES ${dropins}/${other} DESTINATION ${folder} COMPONENT dropin EXCLUDE_FROM_ALL)
  endforeach()
  file(MAKE_DIRECTORY ${dropins}/${release})
  file(CREATE_LINK ../${name} ${dropins}/${release}/librocksdb.so SYMBOLIC)
  install(FILES ${dropins}/${release}/librocksdb.so DESTINATION ${folder}/${release} COMPONENT dropin EXCLUDE_FROM_ALL)
endfunction()

# RocksDB's Makefile names a library by two numbers, its CMakeLists.txt by one; Debian's is by the former.
cairn_dropin(7.8 7 librocksdb.so.7.8)
cairn_dropin(10 10 librocksdb.so.10 librocksdb.so.10.4)
cairn_dropin(11 11 librocksdb.so.11 librocksdb.so.11.8)
