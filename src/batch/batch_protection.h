// The checksums of a WriteBatch's entries (protection_bytes_per_key): made from what a caller hands
// in, before it is copied, and compared when the batch is logged and when its entries are in a
// memtable, so that what memory, or a stray pointer, changes on the way is not written. Thread
// safety: that of the WriteBatch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/namespace.h"
#include "batch/batch_reader.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

class BatchProtection {
 public:
  static constexpr size_t kBytesPerKey = 8;  // the only number that there is, as in RocksDB

  // MemoryLimit: there is no memory for one more.
  Status Reserve();
  // Of the batch's next counted record, with its family. REQUIRES: Reserve() was OK since the last
  // one.
  void Add(uint64_t checksum) { entries_.push_back(checksum); }
  size_t count() const { return entries_.size(); }
  // Of the counted record `index`; anything if there is none.
  uint64_t entry(size_t index) const { return index < entries_.size() ? entries_[index] : 0; }
  void Set(size_t index, uint64_t checksum) { entries_[index] = checksum; }
  // Those of the first `count` records stay.
  void Truncate(size_t count) {
    entries_.resize(count < entries_.size() ? count : entries_.size());
  }

  // Reads the next `count` counted records, which are the batch's first ones, and what lies before
  // each. Corruption: one is not what its checksum was made of; or what the reader says.
  Status Verify(BatchReader* reader, size_t count) const;
  // Of a whole batch.
  Status Verify(const Slice& rep) const;

 private:
  std::vector<uint64_t> entries_;
};

uint64_t RecordChecksum(const BatchRecord& record);
// Corruption, in the same words wherever an entry is looked at.
Status EntryChanged(size_t index);

}  // namespace cairn
