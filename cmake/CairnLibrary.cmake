include(${CMAKE_CURRENT_LIST_DIR}/CairnAllocator.cmake)
# What all programs of the tree have, apart from tests: the allocator that was chosen; on Windows, arguments in UTF-8 whatever the code page is, as paths are in the
# API. (From Windows 10 1903 on; before, only what the code page has.)
if(WIN32 AND NOT MSVC)
  enable_language(RC)
endif()
function(cairn_program target)
  target_link_libraries(${target} PRIVATE cairn_allocator)
  if(MSVC)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/utf8.manifest)
  elseif(WIN32)
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/utf8.rc)
  endif()
endfunction()

# libcairn.a and libcairn.so: the objects of fiber and of every layer.
get_property(layers GLOBAL PROPERTY CAIRN_LAYERS)
get_property(layer_libs GLOBAL PROPERTY CAIRN_LAYER_LIBS)
list(REMOVE_DUPLICATES layer_libs)
set(objects $<TARGET_OBJECTS:fiber_objects>)
foreach(layer IN LISTS layers)
  list(APPEND objects $<TARGET_OBJECTS:cairn_${layer}>)
endforeach()

add_library(cairn STATIC ${objects})
add_library(cairn_shared SHARED ${objects})
set(exports ${CMAKE_SOURCE_DIR}/cmake/libcairn.map)
set_target_properties(cairn_shared PROPERTIES OUTPUT_NAME cairn VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINK_DEPENDS ${exports} EXPORT_NAME cairn_shared)
if(NOT WIN32)
  # nodelete: threads that are never joined, signal handlers and thread-local objects outlive a dlclose().
  target_link_options(cairn_shared PRIVATE -Wl,--version-script=${exports} -Wl,-z,nodelete)
elseif(MINGW)
  # There the script says which of all symbols are exported.
  target_link_options(cairn_shared PRIVATE -Wl,--export-all-symbols -Wl,--version-script=${exports})
else()
  set_target_properties(cairn_shared PROPERTIES WINDOWS_EXPORT_ALL_SYMBOLS ON)
endif()
foreach(library IN ITEMS cairn cairn_shared)
  set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/fiber/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} PRIVATE ${layer_libs} PkgConfig::LIBURING PUBLIC Threads::Threads)
endforeach()
if(NOT CAIRN_SANITIZE AND NOT WIN32)
  target_link_options(cairn_shared PRIVATE -Wl,-z,defs)
endif()
