#include "kv_bench/library.h"

#include "kv_bench/process.h"

namespace kv_bench {

Library::Library(const std::string& name) : name_(name), handle_(OpenLibrary(name, &error_)) {}

void* Library::Look(const char* name) const {
  return handle_ == nullptr ? nullptr : FindFunction(handle_, name);
}

}  // namespace kv_bench
