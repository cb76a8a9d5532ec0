// FilterBuilder: the filter of a table being written, whole or in partitions.
//
// Used by the table builder and nobody else; not thread-safe. What it holds are hashes: of whole
// keys, of prefixes, or of both, in one filter. A partition ends where a data block ends, so that
// the index's separators divide the keys among the partitions, too; its bytes are made at once, so
// that not all hashes of a large table are held together.
//
// Before a prefix is sought, the partition is found by the sought key. The first key at or behind
// that one, or the last one before it, may begin or end the neighbouring partition: so each
// partition has the prefix of the key behind it as well, and of the key before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "cache/cache_reservation.h"
#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"
#include "table/filter_policy.h"
#include "table/format.h"
#include "table/index_builder.h"

namespace cairn {

class FilterBuilder {
 public:
  // `whole_keys`, `prefixes` (null: none): what the filter holds. Both pointed-to outlive this.
  // `options.partition_filters` says whether it is partitioned. `memory` (null: not) is charged for
  // the hashes and the filters; a filter is made even if that has no room.
  FilterBuilder(const BlockBasedTableOptions& options, const FilterRecipe& recipe, bool whole_keys,
                const SliceTransform* prefixes, CacheReservation* memory);

  // Ascending.
  void Add(const Slice& user_key);

  // A partition should end after the present data block.
  bool PartitionIsFull() const { return hashes_.size() >= hashes_per_partition_; }
  // Ends it, behind the index's separator of that number. `next_key` is the user key that follows.
  void EndPartition(size_t separator, const Slice& next_key);

  // Hashes: a key that is added twice in a row counts once.
  size_t num_entries() const { return entries_ + hashes_.size(); }
  size_t EstimatedSize() const;

  // Gives the filter's blocks to `write`, in the order of the file; the last one is where a reader
  // begins. Returns their bytes. REQUIRES: at least one key was added; `index` has all separators.
  uint64_t Finish(const IndexBuilder& index, const IndexBuilder::WriteFn& write,
                  BlockHandle* handle);
  // Corruption, with detect_filter_construct_corruption: hashes or filters changed in memory, or a
  // filter lacks a hash.
  const Status& status() const { return status_; }

 private:
  friend class FilterBuilderPeer;  // tests
  struct Partition {
    size_t separator;
    std::string bytes;
    uint64_t checksum;  // of the bytes; only if the table's options ask for it
  };
  void AddHash(const Slice& bytes, uint64_t* last, bool* has_last);
  void AddPrefix(const Slice& user_key);
  std::string MakeBits();
  uint64_t ChecksumOf(const std::string& bits) const;
  // All hashes are those that were added, and in the filter.
  void Verify(const std::string& bits);
  // For the hashes, the partitions that wait, and `more` bytes.
  void Charge(size_t more = 0) {
    (void)charge_.Set(hashes_.capacity() * sizeof(uint64_t) + bytes_ + more);
  }

  const BlockBasedTableOptions& options_;
  const FilterRecipe recipe_;
  const bool whole_keys_;
  const SliceTransform* const prefixes_;
  const size_t hashes_per_partition_;  // SIZE_MAX: one filter

  std::vector<uint64_t> hashes_;  // of the present partition
  uint64_t hash_sum_ = 0;         // of them, by exclusive or
  uint64_t last_key_ = 0;         // the hash added last of either kind, in this partition
  uint64_t last_prefix_ = 0;
  bool has_last_key_ = false;
  bool has_last_prefix_ = false;
  std::string last_user_key_;  // with partitions and prefixes
  std::vector<Partition> partitions_;
  size_t entries_ = 0;  // of partitions_
  size_t bytes_ = 0;
  CacheCharge charge_;
  Status status_;
};

}  // namespace cairn
