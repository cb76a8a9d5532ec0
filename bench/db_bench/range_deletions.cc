#include "db_bench/range_deletions.h"

#include <cinttypes>
#include <cstdio>

#include "db_bench/flags.h"

namespace db_bench {

RangeDeletions::~RangeDeletions() {
  if (added_ > 0) std::printf("Number of range deletions: %" PRId64 "\n", added_);
}

bool RangeDeletions::Add(uint64_t number, rocksdb::WriteBatch* batch) {
  if (FLAGS_writes_per_range_tombstone == 0) return false;
  const int64_t since = ++written_ - FLAGS_writes_before_delete_range;
  if (since <= 0 || since % FLAGS_writes_per_range_tombstone != 0 ||
      since / FLAGS_writes_per_range_tombstone > FLAGS_max_num_range_tombstones) {
    return false;
  }
  added_++;
  const auto width = static_cast<uint64_t>(FLAGS_range_tombstone_width);
  rocksdb::Status s;
  if (FLAGS_expand_range_tombstones) {
    for (uint64_t i = 0; s.ok() && i < width; i++) {
      s = target_->Delete(batch, number + i, begin_.Set(number + i));
    }
  } else {
    s = target_->DeleteRange(batch, begin_.Set(number), end_.Set(number + width));
  }
  if (!s.ok()) Fail("deleterange", s);
  return true;
}

}  // namespace db_bench
