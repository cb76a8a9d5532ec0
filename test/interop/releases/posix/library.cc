#include "../library.h"

#include <dlfcn.h>
#include <unistd.h>

namespace interop {

void* OpenLibrary(const std::string& path, std::string* error) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) *error = dlerror();
  return library;
}

void* FindFunction(void* library, const char* name) { return dlsym(library, name); }

void EndAtOnce() { _exit(0); }

}  // namespace interop
