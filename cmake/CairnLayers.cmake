# The layers, low to high. cairn_layer() refuses a dependency that is not below; scripts/check_layers.py, run before a
# layer compiles, refuses an include of a layer that is not below.
set(CAIRN_LAYER_ORDER base fs cache memtable batch trace wal table blob options manifest commit read compaction db repair utilities async c toolkit)
# Those of the server: folders of one library, whose includes are checked in the same way.
set(CAIRN_SERVER_LAYER_ORDER resp host keyspace auth state commands net admin)

# The folder, of a layer that has it, with what only this system's port compiles.
set(CAIRN_PORT posix)
if(WIN32)
  set(CAIRN_PORT windows)
endif()

# cairn_layer(<name> DEPS <layer>... LIBS <library>...)
# Globs src/<name>/*.cc, and those of its port (src/<name>/posix or src/<name>/windows), into the object library cairn_<name>; src/<name>/*_test.cc (with src/<name>/testing/*.cc) into
# the test program <name>_test, which links only this layer and its dependencies. Without sources there is no target.
function(cairn_layer name)
  cmake_parse_arguments(ARG "" "" "DEPS;LIBS" ${ARGN})
  list(FIND CAIRN_LAYER_ORDER ${name} rank)
  if(rank LESS 0)
    message(FATAL_ERROR "cairn_layer(${name}): not a declared layer")
  endif()
  foreach(dep IN LISTS ARG_DEPS)
    list(FIND CAIRN_LAYER_ORDER ${dep} dep_rank)
    if(NOT dep_rank LESS rank)
      message(FATAL_ERROR "cairn_layer(${name}): depends upward on ${dep}")
    endif()
  endforeach()
  set(dir ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${dir}/*.cc ${dir}/${CAIRN_PORT}/*.cc)
  file(GLOB tests CONFIGURE_DEPENDS ${dir}/*_test.cc ${dir}/${CAIRN_PORT}/*_test.cc)
  file(GLOB testing CONFIGURE_DEPENDS ${dir}/testing/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(NOT sources)
    return()
  endif()
  add_library(cairn_${name} OBJECT ${sources})
  target_link_libraries(cairn_${name} PUBLIC cairn_flags fiber)
  cairn_check_includes(cairn_${name} src/${name})
  foreach(dep IN LISTS ARG_DEPS)
    if(TARGET cairn_${dep})
      target_link_libraries(cairn_${name} PUBLIC cairn_${dep})
    endif()
  endforeach()
  target_link_libraries(cairn_${name} PUBLIC ${ARG_LIBS})
  set_property(GLOBAL APPEND PROPERTY CAIRN_LAYERS ${name})
  set_property(GLOBAL APPEND PROPERTY CAIRN_LAYER_LIBS ${ARG_LIBS})
  if(tests AND CAIRN_BUILD_TESTS)
    add_executable(${name}_test ${tests} ${testing})
    cairn_test_in_batches(${name}_test)
    cairn_link_layers(${name}_test ${name} ${ARG_DEPS})
    target_link_libraries(${name}_test PRIVATE GTest::gtest GTest::gmock GTest::gtest_main)
    cairn_add_gtest(${name} ${name}_test)
  endif()
endfunction()

# Object libraries hand on their objects only to direct dependents: list every layer needed.
function(cairn_link_layers target)
  foreach(layer IN LISTS ARGN)
    if(TARGET cairn_${layer})
      target_link_libraries(${target} PRIVATE cairn_${layer})
    endif()
  endforeach()
endfunction()

# Before <target> compiles, check the includes of <folder> against the layers (again only when a file changed).
function(cairn_check_includes target folder)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.h ${CMAKE_SOURCE_DIR}/${folder}/*.cc)
  string(REPLACE "/" "_" name ${folder})
  set(stamp ${CMAKE_BINARY_DIR}/layers/${name}.stamp)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/check_layers.py --stamp ${stamp} ${folder}
    DEPENDS ${CMAKE_SOURCE_DIR}/scripts/check_layers.py ${files}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMENT "Checking the includes of ${folder}" VERBATIM)
  add_custom_target(${target}_includes DEPENDS ${stamp})
  add_dependencies(${target} ${target}_includes)
endfunction()
