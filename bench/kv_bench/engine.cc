#include "kv_bench/engine.h"

#include <dlfcn.h>

namespace kv_bench {

bool Load(const std::string& library, Engine* engine, std::string* error) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    *error = dlerror();
    return false;
  }
#define KV_BENCH_LOOK_UP(name) \
  engine->name = reinterpret_cast<decltype(engine->name)>(dlsym(handle, #name));
#define KV_BENCH_REQUIRE(name)                                \
  KV_BENCH_LOOK_UP(name)                                      \
  if (engine->name == nullptr) {                              \
    *error = library + ": no function " + std::string(#name); \
    return false;                                             \
  }
  KV_BENCH_FUNCTIONS(KV_BENCH_REQUIRE)
  KV_BENCH_LATER_FUNCTIONS(KV_BENCH_LOOK_UP)
  KV_BENCH_FIBER_FUNCTIONS(KV_BENCH_LOOK_UP)
#undef KV_BENCH_REQUIRE
#undef KV_BENCH_LOOK_UP
  return true;
}

}  // namespace kv_bench
