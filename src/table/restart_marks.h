// Marks of a data block's restart points: four bytes of the keys of some of them, and where these
// begin, in the block's header.
//
// A search in a block that lies in the cache mostly waits for memory: the restart points behind
// the entries and each key that the binary search compares are a cache line of their own. The
// header's line is there already, and its marks name the interval, or a few of them, without
// another one. Made once, when a block goes into the cache; blocks that are read once have none.
//
// For bytewise orders. Immutable once made: thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

class RestartMarks {
 public:
  // Of internal keys in [data, limit), behind which the restart points are listed. None where a
  // restart point is not as it should be, for the search to find that.
  void Make(const char* data, const char* limit, uint32_t num_restarts);

  // The search's range, of indexes of restart points: all of them by default.
  struct Range {
    uint32_t low = 0;
    uint32_t high = 0;
    uint32_t offset = kUnknown;  // of `low`, where there is no other
  };
  static constexpr uint32_t kUnknown = UINT32_MAX;

  // The last restart point whose key is less than any of `user_key` (or the first, where there is
  // none) lies in [low, high]. `data`, `num_restarts`: as in Make().
  Range Narrow(const char* data, uint32_t num_restarts, const Slice& user_key) const;

 private:
  static constexpr uint32_t kMarks = 6;

  uint32_t prefixes_[kMarks];  // of keys behind what all restart points' keys begin with
  uint16_t offsets_[kMarks];   // if step_ is 1 and none is larger
  uint16_t common_ = 0;        // bytes that all restart points' keys begin with
  uint8_t count_ = 0;
  uint8_t first_key_at_ = 0;  // the first entry's key, from `data`
  // The mark i is of the restart point (i + 1) * step_. 0: there are no marks, and no offsets.
  uint32_t step_ = 0;
  bool has_offsets_ = false;
};

}  // namespace cairn
