#include "kv_bench/engine.h"

#include "kv_bench/library.h"

namespace kv_bench {

bool Load(const std::string& name, bool sync, Engine* engine, std::string* error) {
  Library library(name);
  void (*fill)(Engine*, bool) = nullptr;
  library.Find("kv_bench_fill_engine", &fill);
  if (fill != nullptr) {
    fill(engine, sync);
    return true;
  }
#define KV_BENCH_FIND(function) library.Find(#function, &engine->function);
#define KV_BENCH_REQUIRE(function) &&library.Require(#function, &engine->function)
  const bool complete = true KV_BENCH_FUNCTIONS(KV_BENCH_REQUIRE);
  KV_BENCH_LATER_FUNCTIONS(KV_BENCH_FIND)
  KV_BENCH_FIBER_FUNCTIONS(KV_BENCH_FIND)
#undef KV_BENCH_REQUIRE
#undef KV_BENCH_FIND
  *error = library.error();
  return complete;
}

}  // namespace kv_bench
