# What is different where the target is Windows: which compilers take the code, where libraries come from, what is defined.

# Refuses, with the reason, a compiler that would build something that fails later.
function(cairn_check_windows_compiler)
  if(NOT CMAKE_SIZEOF_VOID_P EQUAL 8 OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    message(FATAL_ERROR "Windows: only x86-64 has a context switch (fiber/), and this compiler is for ${CMAKE_SYSTEM_PROCESSOR}")
  endif()
  if(MINGW AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
      message(FATAL_ERROR "Windows: GCC ${CMAKE_CXX_COMPILER_VERSION} lacks parts of C++20 that are used here; GCC 12 or newer")
    endif()
    # The flavour "win32" of mingw-w64's GCC has none of the standard library's threads, which tests and examples use.
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -v ERROR_VARIABLE about OUTPUT_QUIET)
    if(NOT about MATCHES "Thread model: (posix|mcf)")
      message(FATAL_ERROR "Windows: ${CMAKE_CXX_COMPILER} has the thread model win32, without std::thread; "
        "the flavour with POSIX threads is wanted (x86_64-w64-mingw32-g++-posix)")
    endif()
  elseif(MSVC AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    if(MSVC_VERSION LESS 1936)
      message(FATAL_ERROR "Windows: cl.exe ${MSVC_VERSION} lacks integers of 128 bits; Visual Studio 2022 17.6 or newer, or clang-cl")
    endif()
  elseif(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "Windows: ${CMAKE_CXX_COMPILER_ID} was never tried; mingw-w64's GCC, clang-cl or cl.exe")
  endif()
endfunction()

# cairn_find_library(<PREFIX> <pkg-config's name> <library's names> <a header>): PkgConfig::<PREFIX>, by pkg-config where a .pc
# file is, else by the library and the header themselves (vcpkg has no .pc for all).
function(cairn_find_library prefix pc names header)
  if(PkgConfig_FOUND)
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET GLOBAL ${pc})
  endif()
  if(TARGET PkgConfig::${prefix})
    return()
  endif()
  find_library(${prefix}_FILE NAMES ${names})
  find_path(${prefix}_FOLDER NAMES ${header})
  if(NOT ${prefix}_FILE OR NOT ${prefix}_FOLDER)
    message(FATAL_ERROR "Windows: ${pc} was not found; with mingw: scripts/windows_deps.py, else vcpkg (vcpkg.json)")
  endif()
  add_library(PkgConfig::${prefix} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(PkgConfig::${prefix} PROPERTIES IMPORTED_LOCATION ${${prefix}_FILE}
    INTERFACE_INCLUDE_DIRECTORIES ${${prefix}_FOLDER})
endfunction()

cairn_check_windows_compiler()
find_package(PkgConfig QUIET)
cairn_find_library(ISAL libisal "isal;isa-l" isa-l/crc.h)
cairn_find_library(XXHASH libxxhash xxhash xxhash.h)
cairn_find_library(LZ4 liblz4 lz4 lz4.h)
cairn_find_library(ZSTD libzstd "zstd;zstd_static" zstd.h)
cairn_find_library(SNAPPY snappy snappy snappy.h)
# In its place what fiber asks of the system; Linux's liburing is nothing here.
add_library(PkgConfig::LIBURING INTERFACE IMPORTED GLOBAL)
set_target_properties(PkgConfig::LIBURING PROPERTIES INTERFACE_LINK_LIBRARIES "ws2_32;iphlpapi;bcrypt;synchronization")

# Windows 10 and newer; names of the system in UTF-16 only; none of its macros min and max.
add_compile_definitions(_WIN32_WINNT=0x0A00 WINVER=0x0A00 NTDDI_VERSION=0x0A000007 WIN32_LEAN_AND_MEAN NOMINMAX UNICODE _UNICODE)
if(MINGW)
  # The formats of C99 (%zu), and off_t as wide as a file.
  add_compile_definitions(__USE_MINGW_ANSI_STDIO=1 _FILE_OFFSET_BITS=64)
  # An object file has more sections than the old format counts.
  add_compile_options(-Wa,-mbig-obj)
endif()
if(MSVC)
  add_compile_options(/utf-8 /bigobj /EHsc $<$<COMPILE_LANGUAGE:CXX>:/Zc:__cplusplus> $<$<COMPILE_LANGUAGE:CXX>:/Zc:preprocessor>)
  add_compile_definitions(_CRT_SECURE_NO_WARNINGS)
  # Shadow stacks refuse a switch of stacks that is not the system's.
  add_link_options(/CETCOMPAT:NO)
endif()
