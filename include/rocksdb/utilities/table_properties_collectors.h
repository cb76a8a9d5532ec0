// A collector that has tables with many tombstones compacted soon: those slow down scans, and keep
// the space of what they hide.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/table_properties.h"

namespace ROCKSDB_NAMESPACE {

// Marks a table for compaction if any `sliding_window_size` entries in a row have at least
// `deletion_trigger` tombstones, or if the tombstones are at least `deletion_ratio` of its entries.
// Tombstones are those of Delete and SingleDelete; of DeleteRange they count as other entries. No
// table is marked that is smaller than `min_file_size`: of bytes those count that were written when
// its last entry came.
//
// The setters are for tables that are begun afterwards. Thread-safe.
class CompactOnDeletionCollectorFactory : public TablePropertiesCollectorFactory {
 public:
  // The window moves in steps of a 128th, so its size is rounded up to a multiple of 128; 0: there
  // is no window. A ratio of 0 or less, or of more than 1: none.
  CompactOnDeletionCollectorFactory(size_t sliding_window_size, size_t deletion_trigger,
                                    double deletion_ratio, uint64_t min_file_size = 0);
  ~CompactOnDeletionCollectorFactory() override = default;

  TablePropertiesCollector* CreateTablePropertiesCollector(
      TablePropertiesCollectorFactory::Context context) override;

  void SetWindowSize(size_t sliding_window_size) {
    sliding_window_size_.store(sliding_window_size);
  }
  size_t GetWindowSize() const { return sliding_window_size_.load(); }
  void SetDeletionTrigger(size_t deletion_trigger) { deletion_trigger_.store(deletion_trigger); }
  size_t GetDeletionTrigger() const { return deletion_trigger_.load(); }
  void SetDeletionRatio(double deletion_ratio) { deletion_ratio_.store(deletion_ratio); }
  double GetDeletionRatio() const { return deletion_ratio_.load(); }
  void SetMinFileSize(uint64_t min_file_size) { min_file_size_.store(min_file_size); }
  uint64_t GetMinFileSize() const { return min_file_size_.load(); }

  static const char* kClassName() { return "CompactOnDeletionCollector"; }
  const char* Name() const override { return kClassName(); }
  std::string ToString() const override;

 private:
  std::atomic<size_t> sliding_window_size_;
  std::atomic<size_t> deletion_trigger_;
  std::atomic<double> deletion_ratio_;
  std::atomic<uint64_t> min_file_size_;
};

extern std::shared_ptr<CompactOnDeletionCollectorFactory> NewCompactOnDeletionCollectorFactory(
    size_t sliding_window_size, size_t deletion_trigger, double deletion_ratio = 0,
    uint64_t min_file_size = 0);

}  // namespace ROCKSDB_NAMESPACE
