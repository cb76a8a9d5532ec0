// rocksdb/options.h and rocksdb/file_system.h alone bring what they name. (No other header of the
// library before these.)
#include "rocksdb/options.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

class Listener final : public rocksdb::EventListener {};

TEST(HeaderTest, OfOptionsAlone) {
  rocksdb::Options options;
  options.listeners.push_back(std::make_shared<Listener>());
  options.write_buffer_manager = std::make_shared<rocksdb::WriteBufferManager>(1 << 20);
  options.statistics = rocksdb::CreateDBStatistics();
  EXPECT_EQ(size_t{1} << 20, options.write_buffer_manager->buffer_size());
  const rocksdb::TableProperties properties;
  EXPECT_EQ(0u, properties.data_size);
  EXPECT_TRUE(rocksdb::IOStatus::OK().ok());
}

// What releases of long ago had, and RocksDB 7.8.3 still knows.
TEST(OldDefaultsTest, AreThoseOfTheRelease) {
  struct Expected {
    int major, minor;
    size_t write_buffer_size;
    int stop_trigger;
    rocksdb::CompactionPri pri;
    uint64_t delayed_write_rate;
    int shard_bits;
  };
  const rocksdb::Options now;
  constexpr size_t kMiB = 1 << 20;
  for (const Expected& e : {Expected{3, 0, 4 * kMiB, 24, rocksdb::kByCompensatedSize, 2 * kMiB, 4},
                            {4, 6, 4 * kMiB, 24, rocksdb::kByCompensatedSize, 2 * kMiB, 4},
                            {4, 7, 64 * kMiB, 24, rocksdb::kByCompensatedSize, 2 * kMiB, 6},
                            {5, 0, 64 * kMiB, 30, rocksdb::kByCompensatedSize, 2 * kMiB, 6},
                            {5, 2, 64 * kMiB, 36, rocksdb::kByCompensatedSize, 16 * kMiB, 6},
                            {5, 6, 64 * kMiB, 36, rocksdb::kByCompensatedSize, 0, 6},
                            {5, 18, 64 * kMiB, 36, rocksdb::kByCompensatedSize, 0, 6},
                            {5, 19, 64 * kMiB, 36, rocksdb::kMinOverlappingRatio, 0, 6},
                            {7, 8, 64 * kMiB, 36, rocksdb::kMinOverlappingRatio, 0, 6}}) {
    SCOPED_TRACE(std::to_string(e.major) + "." + std::to_string(e.minor));
    rocksdb::Options old;
    EXPECT_EQ(&old, old.OldDefaults(e.major, e.minor));
    EXPECT_EQ(e.write_buffer_size, old.write_buffer_size);
    EXPECT_EQ(e.stop_trigger, old.level0_stop_writes_trigger);
    EXPECT_EQ(e.pri, old.compaction_pri);
    EXPECT_EQ(e.delayed_write_rate, old.delayed_write_rate);
    EXPECT_EQ(e.shard_bits, old.table_cache_numshardbits);
    EXPECT_EQ(5000, old.max_open_files);
    EXPECT_EQ(rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords, old.wal_recovery_mode);
    const bool small = e.shard_bits == 4;
    EXPECT_EQ(small ? 2 * kMiB : now.target_file_size_base, old.target_file_size_base);
    EXPECT_EQ(small ? 10 * kMiB : now.max_bytes_for_level_base, old.max_bytes_for_level_base);
    EXPECT_EQ(small ? 0 : now.soft_pending_compaction_bytes_limit,
              old.soft_pending_compaction_bytes_limit);
    EXPECT_EQ(small ? 0 : now.hard_pending_compaction_bytes_limit,
              old.hard_pending_compaction_bytes_limit);
    EXPECT_EQ(small ? 1 : now.max_file_opening_threads, old.max_file_opening_threads);
  }
  rocksdb::DBOptions db;
  EXPECT_EQ(&db, db.OldDefaults());
  EXPECT_EQ(1, db.max_file_opening_threads);
  rocksdb::ColumnFamilyOptions family;
  EXPECT_EQ(&family, family.OldDefaults());
  EXPECT_EQ(4 * kMiB, family.write_buffer_size);
}

}  // namespace
