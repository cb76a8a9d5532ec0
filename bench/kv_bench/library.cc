#include "kv_bench/library.h"

#include <dlfcn.h>

namespace kv_bench {

Library::Library(const std::string& name)
    : name_(name), handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) error_ = dlerror();
}

void* Library::Look(const char* name) const {
  return handle_ == nullptr ? nullptr : dlsym(handle_, name);
}

}  // namespace kv_bench
