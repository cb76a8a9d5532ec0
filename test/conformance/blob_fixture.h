// What the conformance tests of blob files share: a database with small blobs, and what it counts.
#pragma once

#include <string>
#include <vector>

#include "conformance.h"
#include "rocksdb/metadata.h"

namespace conformance {

class BlobTest : public DBTest {
 protected:
  BlobTest() {
    options_.enable_blob_files = true;
    options_.min_blob_size = 10;
    options_.disable_auto_compactions = true;
    options_.statistics = CreateDBStatistics();
  }
  void Fill(int begin, int end, char c, size_t size = 100) {
    for (int i = begin; i < end; i++) ASSERT_OK(Put(Key(i), std::string(size, c)));
  }
  std::vector<std::string> Blobs() { return FilesEndingIn(".blob"); }
  uint64_t Ticks(uint32_t ticker) { return options_.statistics->getTickerCount(ticker); }
  Status CompactWith(BlobGarbageCollectionPolicy policy, double cutoff = -1) {
    CompactRangeOptions options;
    options.bottommost_level_compaction = BottommostLevelCompaction::kForceOptimized;
    options.blob_garbage_collection_policy = policy;
    options.blob_garbage_collection_age_cutoff = cutoff;
    return db_->CompactRange(options, nullptr, nullptr);
  }
  // "total/garbage" blobs of each file.
  std::string Accounts() {
    ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(&metadata);
    std::string text;
    for (const BlobMetaData& file : metadata.blob_files) {
      text += (text.empty() ? "" : " ") + std::to_string(file.total_blob_count) + "/" +
              std::to_string(file.garbage_blob_count);
    }
    return text;
  }
};

}  // namespace conformance
