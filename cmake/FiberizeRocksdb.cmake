# What makes building RocksDB's own test programs cheap, included into its project by scripts/fiberize_rocksdb; no source is
# changed. The library is compiled as usual, some sources at a time; its about 190 test programs, each one source, without
# optimisation and with one precompiled header, which has what nearly all of them include.
file(WRITE ${CMAKE_BINARY_DIR}/test_headers.cc "")

function(cheap_tests)
  get_property(targets DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
  list(FILTER targets INCLUDE REGEX "_test$")
  list(REMOVE_ITEM targets c_test) # in C
  if(NOT TARGET testharness OR NOT targets)
    return()
  endif()
  add_library(test_headers OBJECT ${CMAKE_BINARY_DIR}/test_headers.cc)
  target_precompile_headers(test_headers PRIVATE ${PROJECT_SOURCE_DIR}/db/db_test_util.h)
  foreach(target test_headers ${targets})
    target_compile_options(${target} PRIVATE -O0)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
    if(NOT target STREQUAL test_headers)
      target_precompile_headers(${target} REUSE_FROM test_headers)
    endif()
  endforeach()
endfunction()

cmake_language(DEFER CALL cheap_tests)
