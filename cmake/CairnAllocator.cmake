# CAIRN_ALLOCATOR: the allocator that the tree's programs (cairn-server, the tools, the benchmarks) are linked with in place of the
# system's. The library is not: it takes the allocator of the program that embeds it.
#
# On Linux it has malloc() and operator new. On Windows, where a static library cannot replace the C runtime's malloc(), mimalloc has
# operator new; jemalloc is refused there.
set(CAIRN_ALLOCATOR "" CACHE STRING "allocator of the programs: empty (the system's), jemalloc or mimalloc")
set_property(CACHE CAIRN_ALLOCATOR PROPERTY STRINGS "" jemalloc mimalloc)

add_library(cairn_allocator INTERFACE)
if(CAIRN_ALLOCATOR STREQUAL "")
  return()
elseif(NOT CAIRN_ALLOCATOR MATCHES "^(jemalloc|mimalloc)$")
  message(FATAL_ERROR "CAIRN_ALLOCATOR=${CAIRN_ALLOCATOR}: jemalloc, mimalloc or empty")
elseif(CAIRN_SANITIZE)
  message(FATAL_ERROR "CAIRN_ALLOCATOR=${CAIRN_ALLOCATOR}: a sanitizer has an allocator of its own; leave one of the two")
elseif(WIN32 AND CAIRN_ALLOCATOR STREQUAL "jemalloc")
  message(FATAL_ERROR "CAIRN_ALLOCATOR=jemalloc: on Windows mimalloc alone")
endif()

if(CAIRN_ALLOCATOR STREQUAL "jemalloc")
  pkg_check_modules(JEMALLOC QUIET IMPORTED_TARGET jemalloc)
  if(NOT JEMALLOC_FOUND)
    message(FATAL_ERROR "CAIRN_ALLOCATOR=jemalloc: it was not found (Debian: apt-get install libjemalloc-dev)")
  endif()
  set(library PkgConfig::JEMALLOC)
else()
  find_package(mimalloc 2 QUIET)
  if(NOT mimalloc_FOUND)
    message(FATAL_ERROR "CAIRN_ALLOCATOR=mimalloc: it was not found (Debian: apt-get install libmimalloc-dev; mingw: "
      "scripts/windows_deps.py mimalloc; else vcpkg install --x-feature=mimalloc)")
  endif()
  set(library $<IF:$<TARGET_EXISTS:mimalloc>,mimalloc,mimalloc-static>)
endif()
if(WIN32)
  target_link_libraries(cairn_allocator INTERFACE ${library})
  target_sources(cairn_allocator INTERFACE ${CMAKE_SOURCE_DIR}/cmake/mimalloc_new_delete.cc)
else()
  # No program calls it by name.
  target_link_libraries(cairn_allocator INTERFACE -Wl,--push-state,--no-as-needed ${library} -Wl,--pop-state)
endif()
