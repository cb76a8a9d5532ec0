# CAIRN_UNITY: the files of a target are compiled in batches, as one file each. The sanitizers' presets do so: what each file
# includes is read an eighth as often. The other presets compile file by file, so that a file that forgets an include is found.
option(CAIRN_UNITY "Compile the files of a target in batches" OFF)
set(CMAKE_UNITY_BUILD ${CAIRN_UNITY})
# The same for test programs alone, of presets that compile the library file by file: CI's release does so.
option(CAIRN_UNITY_TESTS "Compile the files of test programs in batches" OFF)
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

# cairn_test_in_batches(<target>)
function(cairn_test_in_batches target)
  if(CAIRN_UNITY_TESTS)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  endif()
endfunction()

# cairn_apart(<file below the folder of this CMakeLists.txt>...)
# Files of one batch share their unnamed namespaces. Where a name there means two things, the better cure is another name, or one
# place for both; these files stay apart, because their names read best as they are.
function(cairn_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
