#include "../library.h"

#include <windows.h>

#include <cstdlib>

namespace interop {

void* OpenLibrary(const std::string& path, std::string* error) {
  const HMODULE library = LoadLibraryA(path.c_str());
  if (library == nullptr) *error = path + ": error " + std::to_string(GetLastError());
  return library;
}

void* FindFunction(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

void EndAtOnce() {
  TerminateProcess(GetCurrentProcess(), 0);
  std::abort();
}

}  // namespace interop
