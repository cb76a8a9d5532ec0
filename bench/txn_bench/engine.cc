#include "txn_bench/engine.h"

#include "kv_bench/library.h"

namespace txn_bench {

bool Load(const std::string& name, Transactions* transactions, std::string* error) {
  kv_bench::Library library(name);
#define TXN_BENCH_REQUIRE(function) &&library.Require(#function, &transactions->function)
  const bool complete = true TXN_BENCH_FUNCTIONS(TXN_BENCH_REQUIRE);
#undef TXN_BENCH_REQUIRE
  *error = library.error();
  return complete;
}

}  // namespace txn_bench
