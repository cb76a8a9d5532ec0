# How tests enter ctest.

# cairn_add_gtest(<prefix> <target> [TOGETHER <filter>])
# Each case of a GoogleTest program is a test named <prefix>.<Suite>.<Case>, found when ctest starts. On Windows, where a program
# starts slowly (under Wine in a second), the program is one test. Under a sanitizer, where a start and an end take longer than
# most cases, it is as many as ctest runs side by side well, <prefix>.part_<I>; with TOGETHER only the cases that match the filter
# (names with * and ?, between colons) are in these, and the others, which look at what a new process has, run in one each.
function(cairn_add_gtest prefix target)
  cmake_parse_arguments(ARG "" "TOGETHER" "" ${ARGN})
  # Compiling the tests takes longer than compiling the library and than running them; the time is in what the macros of
  # GoogleTest expand to. (Halves it: 28 s to 15 s for the longest file under asan.)
  target_compile_options(${target} PRIVATE $<IF:$<CONFIG:Release>,-O1,-O0>)
  if(WIN32)
    add_test(NAME ${target} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${target} PROPERTIES TIMEOUT 3600 LABELS ${prefix})
    return()
  endif()
  set(apart)
  if(CAIRN_SANITIZE)
    get_target_property(sources ${target} SOURCES)
    set(together "*")
    if(ARG_TOGETHER)
      set(together "${ARG_TOGETHER}")
      set(apart TEST_FILTER "-${ARG_TOGETHER}")
    endif()
    list(LENGTH sources parts)
    math(EXPR parts "${parts} / 5 + 1")
    math(EXPR last "${parts} - 1")
    foreach(part RANGE ${last})
      add_test(NAME ${prefix}.part_${part} COMMAND ${target} --gtest_brief=1 "--gtest_filter=${together}")
      set_tests_properties(${prefix}.part_${part} PROPERTIES TIMEOUT 900 LABELS ${prefix}
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part}")
    endforeach()
    if(NOT ARG_TOGETHER)
      return()
    endif()
  endif()
  gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60 TEST_PREFIX "${prefix}." NO_PRETTY_VALUES ${apart}
    PROPERTIES TIMEOUT 900 LABELS ${prefix})
endfunction()

# The style of the sources is a test like any other, and the scripts that check it are tested on bad examples.
function(cairn_script_tests)
  foreach(script IN ITEMS check_layers check_style)
    add_test(NAME scripts.${script} COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/${script}.py
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  endforeach()
  add_test(NAME scripts.self_test COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/scripts/checks_test.py
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(scripts.check_layers scripts.check_style scripts.self_test PROPERTIES LABELS scripts)
endfunction()
