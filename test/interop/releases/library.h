// What releases_driver asks of the operating system. The bodies are in posix/ and windows/.
#pragma once

#include <string>

namespace interop {

// A library that is loaded until the process ends; null: *error says why.
void* OpenLibrary(const std::string& path, std::string* error);

// Null where the library has none of that name. `library`: of OpenLibrary().
void* FindFunction(void* library, const char* name);

// As a kill: no destructor runs, in no library, and no other thread runs on.
[[noreturn]] void EndAtOnce();

}  // namespace interop
