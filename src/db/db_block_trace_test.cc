// A trace of the block cache: what Cairn tells beyond what both libraries do (the rest is in
// test/conformance/block_cache_trace_test.cc).
#include <map>
#include <set>
#include <string>
#include <vector>

#include "db/testing/db_fixture.h"
#include "rocksdb/block_cache_trace_writer.h"

namespace cairn {
namespace {

using testing::DbTest;
using testing::Key;

class ListingWriter final : public BlockCacheTraceWriter {
 public:
  explicit ListingWriter(std::vector<BlockCacheTraceRecord>* records) : records_(records) {}
  Status WriteBlockAccess(const BlockCacheTraceRecord& record, const Slice& block_key,
                          const Slice& cf_name, const Slice& referenced_key) override {
    records_->push_back(record);
    records_->back().block_key = block_key.ToString();
    records_->back().cf_name = cf_name.ToString();
    records_->back().referenced_key = referenced_key.ToString();
    return Status::OK();
  }
  Status WriteHeader() override { return Status::OK(); }

 private:
  std::vector<BlockCacheTraceRecord>* const records_;
};

class DbBlockTraceTest : public DbTest {
 protected:
  // One table with some hundred blocks, in an empty cache.
  void FillAndReopen(bool partitioned) {
    Options options = SmallOptions();
    BlockBasedTableOptions table;
    table.block_size = 512;
    table.metadata_block_size = 512;
    table.filter_policy.reset(NewBloomFilterPolicy(10));
    table.cache_index_and_filter_blocks = partitioned;
    table.pin_top_level_index_and_filter = false;
    if (partitioned) {
      table.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table.partition_filters = true;
    }
    table.block_cache = NewLRUCache(8 << 20);
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    options.write_buffer_size = 1 << 20;
    options.disable_auto_compactions = true;
    Open(options);
    PutRange(0, 400, 1);
    Flush();
    table.block_cache = NewLRUCache(8 << 20);
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    Open(options);
    EXPECT_NE("NOT_FOUND", Get(Key(399)));  // opens the table
  }
  void StartListing() {
    const Status s = db_->StartBlockCacheTrace(BlockCacheTraceOptions(),
                                               std::make_unique<ListingWriter>(&records_));
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void EndListing() { ASSERT_TRUE(db_->EndBlockCacheTrace().ok()); }
  std::vector<BlockCacheTraceRecord> Of(TableReaderCaller caller, TraceType type) const {
    std::vector<BlockCacheTraceRecord> found;
    for (const BlockCacheTraceRecord& record : records_) {
      if (record.caller == caller && record.block_type == type) found.push_back(record);
    }
    return found;
  }
  // A MultiGet of present keys, and one that a block has not.
  void LookUpTogether(bool async_io) {
    ReadOptions options;
    options.async_io = async_io;
    const std::string names[] = {Key(0), Key(1), Key(1) + "x", Key(150), Key(390)};
    const Slice keys[] = {names[0], names[1], names[2], names[3], names[4]};
    PinnableSlice values[5];
    Status statuses[5];
    db_->MultiGet(options, db_->DefaultColumnFamily(), 5, keys, values, statuses);
    for (const int i : {0, 1, 3, 4}) EXPECT_TRUE(statuses[i].ok()) << statuses[i].ToString();
    EXPECT_TRUE(statuses[2].IsNotFound());
  }

  std::vector<BlockCacheTraceRecord> records_;
};

TEST_F(DbBlockTraceTest, KeysOfAMultiGetAreTold) {
  for (const bool async_io : {false, true}) {
    SCOPED_TRACE(async_io);
    records_.clear();
    FillAndReopen(/*partitioned=*/false);
    StartListing();
    LookUpTogether(async_io);
    EndListing();
    std::map<std::string, bool> exists;
    std::set<std::string> blocks;
    for (const BlockCacheTraceRecord& record : Of(kUserMultiGet, kBlockTraceDataBlock)) {
      EXPECT_EQ(records_.back().get_id, record.get_id);
      exists[record.referenced_key.substr(0, record.referenced_key.size() - 8)] =
          record.referenced_key_exist_in_block;
      EXPECT_EQ(record.referenced_key_exist_in_block ? 9u + 8 + 100 : 0u,
                record.referenced_data_size);
      EXPECT_LT(0u, record.num_keys_in_block);
      blocks.insert(record.block_key);
    }
    // (The filter kept the other key from them.)
    EXPECT_EQ((std::map<std::string, bool>{
                  {Key(0), true}, {Key(1), true}, {Key(150), true}, {Key(390), true}}),
              exists);
    EXPECT_EQ(3u, blocks.size());
    // Where several of them wait for one block, all blocks are read before, each once.
    std::set<std::string> prefetched;
    for (const BlockCacheTraceRecord& record : Of(kPrefetch, kBlockTraceDataBlock)) {
      EXPECT_EQ(BlockCacheTraceRecord::kReservedGetId, record.get_id);
      if (!record.is_cache_hit) {
        EXPECT_TRUE(prefetched.insert(record.block_key).second);
      }
    }
    EXPECT_EQ(async_io ? blocks : std::set<std::string>(), prefetched);
    size_t misses = 0;
    for (const BlockCacheTraceRecord& record : records_) misses += record.is_cache_hit ? 0 : 1;
    EXPECT_EQ(blocks.size(), misses);
  }
}

TEST_F(DbBlockTraceTest, PartitionsAndTheirTopsAreTold) {
  FillAndReopen(/*partitioned=*/true);
  StartListing();
  EXPECT_NE("NOT_FOUND", Get(Key(7)));
  EndListing();
  EXPECT_EQ(2u, Of(kUserGet, kBlockTraceFilterBlock).size());
  EXPECT_EQ(2u, Of(kUserGet, kBlockTraceIndexBlock).size());
  EXPECT_EQ(1u, Of(kUserGet, kBlockTraceDataBlock).size());
  EXPECT_EQ(5u, records_.size());
  for (const BlockCacheTraceRecord& record : records_) {
    EXPECT_EQ(Key(7), record.referenced_key.substr(0, 9));
    EXPECT_LT(0u, record.block_size);
  }
}

TEST_F(DbBlockTraceTest, OpeningsSizesAndChecksSayWhoTheyAre) {
  FillAndReopen(/*partitioned=*/true);
  StartListing();
  const std::string begin = Key(10), end = Key(300);
  const Range range(begin, end);
  uint64_t size = 0;
  SizeApproximationOptions of_files;
  of_files.files_size_error_margin = -1;
  ASSERT_TRUE(
      db_->GetApproximateSizes(of_files, db_->DefaultColumnFamily(), &range, 1, &size).ok());
  EXPECT_LT(0u, size);
  EXPECT_FALSE(Of(kUserApproximateSize, kBlockTraceIndexBlock).empty());
  ASSERT_TRUE(db_->VerifyChecksum().ok());
  EXPECT_FALSE(Of(kUserVerifyChecksum, kBlockTraceIndexBlock).empty());
  PutRange(0, 10, 2);
  Flush();
  EXPECT_NE("NOT_FOUND", Get(Key(7)));
  EndListing();
  EXPECT_FALSE(Of(kPrefetch, kBlockTraceIndexBlock).empty());
  EXPECT_FALSE(Of(kPrefetch, kBlockTraceFilterBlock).empty());
}

TEST_F(DbBlockTraceTest, WhatOnlyMemoryMayAnswerIsToldWhereItDoes) {
  FillAndReopen(/*partitioned=*/false);
  ReadOptions in_memory;
  in_memory.read_tier = kBlockCacheTier;
  std::string value;
  StartListing();
  EXPECT_TRUE(db_->Get(in_memory, Key(7), &value).IsIncomplete());
  EXPECT_EQ(0u, records_.size());
  EXPECT_NE("NOT_FOUND", Get(Key(7)));
  EXPECT_TRUE(db_->Get(in_memory, Key(7), &value).ok());
  EndListing();
  ASSERT_EQ(2u, records_.size());
  EXPECT_FALSE(records_[0].is_cache_hit);
  EXPECT_TRUE(records_[1].is_cache_hit);
}

TEST_F(DbBlockTraceTest, BlocksThatCannotBeReadHaveNoSize) {
  FillAndReopen(/*partitioned=*/false);
  StartListing();
  disk_.faults->FailNthOperation(1, fault::kReads, IOStatus::IOError("injected"), UINT32_MAX);
  std::string value;
  EXPECT_FALSE(db_->Get(ReadOptions(), Key(7), &value).ok());
  disk_.faults->Heal();
  EndListing();
  ASSERT_EQ(1u, records_.size());
  EXPECT_FALSE(records_[0].is_cache_hit);
  EXPECT_EQ(0u, records_[0].block_size);
  EXPECT_FALSE(records_[0].referenced_key_exist_in_block);
}

}  // namespace
}  // namespace cairn
