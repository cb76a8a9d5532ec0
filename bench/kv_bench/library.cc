#include "kv_bench/library.h"

#include "support/shared_library.h"

namespace kv_bench {

Library::Library(const std::string& name)
    : name_(name), handle_(bench::OpenLibrary(name, &error_)) {}

void* Library::Look(const char* name) const {
  return handle_ == nullptr ? nullptr : bench::FindFunction(handle_, name);
}

}  // namespace kv_bench
