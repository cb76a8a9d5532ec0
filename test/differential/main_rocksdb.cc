// RocksDB has threads alone.
#include <cstdio>
#include <cstdlib>

#include "main.h"

namespace differential {

int Run(bool on_a_fiber, const std::function<int()>& function) {
  if (on_a_fiber) {
    std::fprintf(stderr, "--fibers: RocksDB has none\n");
    std::exit(2);
  }
  return function();
}

bool ReadsAsynchronously() { return false; }

}  // namespace differential
