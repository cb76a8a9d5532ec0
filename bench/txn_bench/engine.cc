#include "txn_bench/engine.h"

#include <dlfcn.h>

namespace txn_bench {

bool Load(const std::string& library, Transactions* transactions, std::string* error) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    *error = dlerror();
    return false;
  }
#define TXN_BENCH_REQUIRE(name)                                                              \
  transactions->name = reinterpret_cast<decltype(transactions->name)>(dlsym(handle, #name)); \
  if (transactions->name == nullptr) {                                                       \
    *error = library + ": no function " + std::string(#name);                                \
    return false;                                                                            \
  }
  TXN_BENCH_FUNCTIONS(TXN_BENCH_REQUIRE)
#undef TXN_BENCH_REQUIRE
  return true;
}

}  // namespace txn_bench
