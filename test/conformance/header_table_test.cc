// rocksdb/table.h alone brings options, and what these bring. (No other header of the library
// before this.)
#include "rocksdb/table.h"

#include <gtest/gtest.h>

#include <memory>

namespace {

TEST(HeaderTest, OfTablesAlone) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(1 << 20);
  rocksdb::Options options;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  options.memtable_factory = std::make_shared<rocksdb::SkipListFactory>();
  options.statistics = rocksdb::CreateDBStatistics();
  EXPECT_EQ(rocksdb::BytewiseComparator(), options.comparator);
  EXPECT_NE(nullptr, rocksdb::Env::Default());
  EXPECT_EQ(nullptr, options.file_checksum_gen_factory);
  EXPECT_NE(nullptr, rocksdb::GetFileChecksumGenCrc32cFactory());
  const rocksdb::TableProperties properties;
  EXPECT_EQ(0u, properties.num_entries);
  const rocksdb::CompactionOptionsUniversal universal;
  EXPECT_EQ(1u, universal.size_ratio);
}

}  // namespace
