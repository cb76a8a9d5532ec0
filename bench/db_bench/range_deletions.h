// Deletions of ranges among what a workload writes: --writes_per_range_tombstone and its flags.
// Each client has its own; not thread-safe.
#pragma once

#include <cstdint>

#include "db_bench/key.h"
#include "db_bench/support.h"
#include "rocksdb/write_batch.h"

namespace db_bench {

class RangeDeletions {
 public:
  explicit RangeDeletions(Target* target) : target_(target) {}
  // Prints how many there were, if any.
  ~RangeDeletions();
  RangeDeletions(const RangeDeletions&) = delete;
  RangeDeletions& operator=(const RangeDeletions&) = delete;

  // After each entry that was written. True: the keys from `number` on are deleted in the batch.
  bool Add(uint64_t number, rocksdb::WriteBatch* batch);

 private:
  Target* const target_;
  int64_t written_ = 0;
  int64_t added_ = 0;
  Key begin_, end_;
};

}  // namespace db_bench
