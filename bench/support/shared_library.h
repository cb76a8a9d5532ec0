// A shared library that is opened at run time. The bodies are in posix/ and windows/.
#pragma once

#include <string>

namespace bench {

// One that is loaded until the process ends; null: *error says why. `name`: UTF-8, a path or what
// the dynamic linker finds.
void* OpenLibrary(const std::string& name, std::string* error);

// Null where the library has none of that name. `library`: of OpenLibrary().
void* FindFunction(void* library, const char* name);

}  // namespace bench
