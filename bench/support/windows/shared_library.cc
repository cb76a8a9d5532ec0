#include "support/shared_library.h"

#include "support/windows/system_types.h"

namespace bench {

void* OpenLibrary(const std::string& name, std::string* error) {
  const HMODULE library = LoadLibraryW(Wide(name).c_str());
  if (library == nullptr) *error = name + ": error " + std::to_string(GetLastError());
  return library;
}

void* FindFunction(void* library, const char* name) {
  return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

}  // namespace bench
