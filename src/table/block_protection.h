// BlockProtection: checksums of a block's entries in memory, which cursors compare with what they
// read (ColumnFamilyOptions::block_protection_bytes_per_key). The block's own checksum is looked at
// when it is read from the file; this one finds what changes after that.
//
// Nothing of it is trusted to the block: where the entries and the restart points are is noted
// here, too. Immutable once it is made: thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

class BlockProtection {
 public:
  // `bytes_per_key`: 1, 2, 4 or 8 bytes of checksum for each entry. `end`: where the block's
  // entries end.
  BlockProtection(uint8_t bytes_per_key, uint32_t end)
      : bytes_(std::min<uint8_t>(bytes_per_key, sizeof(uint64_t))), end_(end) {}

  // The next entry, in the order of the block. `checksum`: of what it means to those who read it.
  void Add(uint32_t offset, bool is_restart, uint64_t checksum);

  uint32_t end() const { return end_; }
  const std::vector<uint32_t>& entries() const { return entries_; }    // their offsets
  const std::vector<uint32_t>& restarts() const { return restarts_; }  // likewise
  // False: no entry begins at `offset`, or it is not what it was.
  bool Matches(uint32_t offset, uint64_t checksum) const;
  // The last restart point before `end`. REQUIRES: end > 0
  uint32_t LastRestartBefore(uint32_t end) const;
  size_t memory_usage() const;

 private:
  const uint8_t bytes_;
  const uint32_t end_;
  std::vector<uint32_t> entries_;
  std::vector<uint32_t> restarts_;
  std::string sums_;  // bytes_ of each entry
};

}  // namespace cairn
