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

void PrepareToIngest(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::FlushOptions how;
  how.allow_write_stall = true;
  if (!db->Flush(how, family).ok()) std::abort();
}

}  // namespace differential
