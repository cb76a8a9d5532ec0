// Reads a cuckoo table (cuckoo_table_format.h), whose bytes are all at hand: mapped, or in memory.
//
// Opened by the factory, kept by the TableCache. Thread-safe: after Open everything is constant but
// the order of the buckets, which the first iterator makes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "table/cuckoo_table_format.h"
#include "table/flat_table.h"

namespace cairn {

class CuckooTable final : public FlatTable {
 public:
  [[nodiscard]] static Status Open(const TableReaderOptions& options,
                                   std::unique_ptr<RandomAccessFileReader>&& file,
                                   uint64_t file_size, std::unique_ptr<TableReader>* table);

  InternalIterator* NewIterator(const ReadOptions& options, bool skip_filters,
                                size_t compaction_readahead, bool for_compaction) override;
  Status Get(const ReadOptions& options, const Slice& internal_key, GetContext* context,
             bool skip_filters) override;
  bool HasFilter() const override { return false; }
  // 0: keys that lie near each other do not in the file.
  uint64_t ApproximateOffsetOf(const ReadOptions& /*options*/,
                               const Slice& /*internal_key*/) override {
    return 0;
  }

 private:
  friend class CuckooTableIterator;

  using FlatTable::FlatTable;
  // The numbers of the buckets with entries, in the order of their keys.
  using Order = std::vector<uint32_t>;

  Status TakeProperties();
  const char* BucketAt(uint64_t number) const { return buckets_ + number * bucket_size_; }
  bool IsEmpty(const char* bucket) const { return Slice(bucket, key_size_) == unused_key_; }
  ParsedInternalKey KeyOf(const char* bucket) const;
  Slice ValueOf(const char* bucket) const {
    return Slice(bucket + key_size_, bucket_size_ - key_size_);
  }
  // Sorts them at the first call. MemoryLimit: there is no memory for that. May wait for another
  // caller who does so.
  Status GetOrder(std::shared_ptr<const Order>* order);
  size_t IndexMemory() const override;

  CuckooHash hash_;
  uint32_t num_hashes_ = 0;
  uint32_t block_size_ = 1;
  uint64_t num_buckets_ = 0;
  size_t key_size_ = 0;  // in a bucket
  size_t user_key_size_ = 0;
  size_t bucket_size_ = 0;
  std::string unused_key_;
  const char* buckets_ = nullptr;
  mutable fiber::Mutex order_mutex_;
  std::shared_ptr<const Order> order_;  // null: not made yet
};

}  // namespace cairn
