#include "support/shared_library.h"

#include <dlfcn.h>

namespace bench {

void* OpenLibrary(const std::string& name, std::string* error) {
  void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) *error = dlerror();
  return library;
}

void* FindFunction(void* library, const char* name) { return dlsym(library, name); }

}  // namespace bench
