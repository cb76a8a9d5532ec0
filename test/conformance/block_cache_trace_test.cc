// Traces of the block cache: what is told of each lookup, and the bytes of the file.
#include <map>

#include "rocksdb/block_cache_trace_writer.h"
#include "rocksdb/system_clock.h"
#include "trace_fixture.h"

namespace conformance {
namespace {

// What a writer is told, with the strings in their places.
struct BlocksTold {
  std::vector<BlockCacheTraceRecord> records;
  int headers = 0;
  bool header_fails = false;
  bool deleted = false;
};

class TellingWriter : public BlockCacheTraceWriter {
 public:
  explicit TellingWriter(BlocksTold* told) : told_(told) {}
  ~TellingWriter() override { told_->deleted = true; }
  Status WriteBlockAccess(const BlockCacheTraceRecord& record, const Slice& block_key,
                          const Slice& cf_name, const Slice& referenced_key) override {
    told_->records.push_back(record);
    told_->records.back().block_key = block_key.ToString();
    told_->records.back().cf_name = cf_name.ToString();
    told_->records.back().referenced_key = referenced_key.ToString();
    return Status::IOError("which nobody hears of");
  }
  Status WriteHeader() override {
    ++told_->headers;
    return told_->header_fails ? Status::IOError("of the header") : Status::OK();
  }

 private:
  BlocksTold* const told_;
};

class BlockCacheTraceTest : public TraceFixture {
 protected:
  // A table of 400 entries, four to a block, in an empty cache. The index and the filter are there,
  // too, if `cached`, else with the table, where nobody looks them up.
  void FillAndReopen(bool cached = false, bool with_filter = false) {
    BlockBasedTableOptions table;
    table.block_cache = NewLRUCache(8 << 20);
    table.block_size = 400;
    table.cache_index_and_filter_blocks = cached;
    if (with_filter) table.filter_policy.reset(NewBloomFilterPolicy(10));
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    options_.compression = kNoCompression;
    options_.disable_auto_compactions = true;
    Open();
    for (int i = 0; i < 400; i++) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
    ASSERT_OK(db_->Flush(FlushOptions()));
    Shut();
    table.block_cache = NewLRUCache(8 << 20);
    options_.table_factory.reset(NewBlockBasedTableFactory(table));
    Open();
    EXPECT_EQ(std::string(100, 'v'), Get(Key(399)));  // opens the table
  }
  void StartTelling(BlocksTold* told, uint64_t sampling = 1) {
    BlockCacheTraceOptions options;
    options.sampling_frequency = sampling;
    ASSERT_OK(db_->StartBlockCacheTrace(options, std::make_unique<TellingWriter>(told)));
  }
  // The records of that type of block, and of nobody else than `caller`.
  static std::vector<BlockCacheTraceRecord> Of(const BlocksTold& told, TraceType type,
                                               TableReaderCaller caller) {
    std::vector<BlockCacheTraceRecord> found;
    for (const BlockCacheTraceRecord& record : told.records) {
      if (record.block_type == type && record.caller == caller) found.push_back(record);
    }
    return found;
  }
};

TEST_F(BlockCacheTraceTest, GetsTellOfTheirDataBlocks) {
  FillAndReopen();
  const uint64_t before = TheEnv()->NowMicros();
  BlocksTold told;
  StartTelling(&told);
  EXPECT_EQ(std::string(100, 'v'), Get(Key(0)));
  EXPECT_EQ("NOT_FOUND", Get(Key(0) + "x"));
  EXPECT_EQ(std::string(100, 'v'), Get(Key(200)));
  ASSERT_OK(db_->EndBlockCacheTrace());
  const uint64_t after = TheEnv()->NowMicros();
  EXPECT_EQ(std::string(100, 'v'), Get(Key(300)));
  EXPECT_TRUE(told.deleted);
  EXPECT_EQ(1, told.headers);

  ASSERT_EQ(3u, told.records.size());
  std::set<uint64_t> ids;
  for (const BlockCacheTraceRecord& record : told.records) {
    EXPECT_EQ(kBlockTraceDataBlock, record.block_type);
    EXPECT_EQ(kUserGet, record.caller);
    EXPECT_EQ("default", record.cf_name);
    EXPECT_EQ(0u, record.cf_id);
    EXPECT_EQ(0u, record.level);
    EXPECT_LE(before, record.access_timestamp);
    EXPECT_GE(after, record.access_timestamp);
    EXPECT_FALSE(record.no_insert);
    EXPECT_FALSE(record.get_from_user_specified_snapshot);
    EXPECT_LT(400u, record.block_size);
    EXPECT_GT(2000u, record.block_size);
    EXPECT_LE(1u, record.num_keys_in_block);
    EXPECT_GE(16u, record.num_keys_in_block);
    EXPECT_NE(BlockCacheTraceRecord::kReservedGetId, record.get_id);
    ids.insert(record.get_id);
  }
  EXPECT_EQ(3u, ids.size());
  EXPECT_FALSE(told.records[0].is_cache_hit);
  EXPECT_TRUE(told.records[1].is_cache_hit);
  EXPECT_FALSE(told.records[2].is_cache_hit);
  EXPECT_EQ(told.records[0].block_key, told.records[1].block_key);
  EXPECT_NE(told.records[0].block_key, told.records[2].block_key);
  EXPECT_EQ(told.records[0].sst_fd_number, told.records[2].sst_fd_number);
  // As it is stored, with 8 bytes more.
  EXPECT_TRUE(told.records[0].referenced_key_exist_in_block);
  EXPECT_EQ(9u + 8 + 100, told.records[0].referenced_data_size);
  EXPECT_EQ(Key(0), told.records[0].referenced_key.substr(0, 9));
  EXPECT_EQ(9u + 8, told.records[0].referenced_key.size());
  EXPECT_FALSE(told.records[1].referenced_key_exist_in_block);
  EXPECT_EQ(0u, told.records[1].referenced_data_size);
  EXPECT_EQ(Key(0) + "x", told.records[1].referenced_key.substr(0, 10));
}

TEST_F(BlockCacheTraceTest, IndexAndFilterInTheCacheAreLookedUpToo) {
  FillAndReopen(/*cached=*/true, /*with_filter=*/true);
  BlocksTold told;
  StartTelling(&told);
  EXPECT_EQ(std::string(100, 'v'), Get(Key(7)));
  EXPECT_EQ("NOT_FOUND", Get(Key(5) + "a"));
  ASSERT_OK(db_->EndBlockCacheTrace());
  // The filter refuses the second (these bytes are what they are).
  ASSERT_EQ(2u, Of(told, kBlockTraceFilterBlock, kUserGet).size());
  ASSERT_EQ(1u, Of(told, kBlockTraceIndexBlock, kUserGet).size());
  ASSERT_EQ(1u, Of(told, kBlockTraceDataBlock, kUserGet).size());
  EXPECT_EQ(4u, told.records.size());
  EXPECT_TRUE(told.records[0].is_cache_hit);  // since the opening
  EXPECT_EQ(told.records[0].get_id, told.records[1].get_id);
  EXPECT_EQ(told.records[0].get_id, told.records[2].get_id);
  EXPECT_NE(told.records[0].get_id, told.records[3].get_id);
}

TEST_F(BlockCacheTraceTest, KeysOfAMultiGetHaveOneId) {
  FillAndReopen();
  BlocksTold told;
  StartTelling(&told);
  const std::string names[] = {Key(3), Key(100), Key(100) + "x", Key(250)};
  const Slice keys[] = {names[0], names[1], names[2], names[3]};
  PinnableSlice values[4];
  Status statuses[4];
  db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), 4, keys, values, statuses);
  EXPECT_EQ(std::string(100, 'v'), Get(Key(3)));
  ASSERT_OK(db_->EndBlockCacheTrace());
  // (RocksDB 7.8.3 does not say what kind of block it was, and nothing of the third.)
  std::vector<BlockCacheTraceRecord> records;
  std::set<std::string> of;
  for (const BlockCacheTraceRecord& record : told.records) {
    if (record.caller != kUserMultiGet) continue;
    records.push_back(record);
    EXPECT_EQ(records[0].get_id, record.get_id);
    ASSERT_LT(8u, record.referenced_key.size());
    of.insert(record.referenced_key.substr(0, record.referenced_key.size() - 8));
  }
  ASSERT_LE(3u, records.size());
  EXPECT_EQ(1u, of.count(names[0]));
  EXPECT_EQ(1u, of.count(names[1]));
  EXPECT_EQ(1u, of.count(names[3]));
  const auto after = Of(told, kBlockTraceDataBlock, kUserGet);
  ASSERT_EQ(1u, after.size());
  EXPECT_NE(records[0].get_id, after[0].get_id);
  EXPECT_TRUE(after[0].is_cache_hit);
}

TEST_F(BlockCacheTraceTest, SnapshotsAreTold) {
  FillAndReopen();
  ReadOptions at;
  at.snapshot = db_->GetSnapshot();
  BlocksTold told;
  StartTelling(&told);
  std::string value;
  ASSERT_OK(db_->Get(at, Key(7), &value));
  at.fill_cache = false;
  ASSERT_OK(db_->Get(at, Key(300), &value));
  ASSERT_OK(db_->EndBlockCacheTrace());
  db_->ReleaseSnapshot(at.snapshot);
  ASSERT_EQ(2u, told.records.size());
  EXPECT_TRUE(told.records[0].get_from_user_specified_snapshot);
  EXPECT_FALSE(told.records[0].no_insert);
  EXPECT_TRUE(told.records[1].no_insert);
}

TEST_F(BlockCacheTraceTest, IteratorsAndCompactionsTellWhoTheyAre) {
  FillAndReopen();
  BlocksTold told;
  StartTelling(&told);
  {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    int entries = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) entries++;
    EXPECT_EQ(400, entries);
  }
  const size_t of_iterator = Of(told, kBlockTraceDataBlock, kUserIterator).size();
  EXPECT_EQ(told.records.size(), of_iterator);
  EXPECT_LE(100u, of_iterator);
  for (const BlockCacheTraceRecord& record : told.records) {
    EXPECT_EQ(BlockCacheTraceRecord::kReservedGetId, record.get_id);
    EXPECT_EQ("", record.referenced_key);
  }
  ASSERT_OK(Put(Key(0), "new"));
  CompactRangeOptions all;
  all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_OK(db_->CompactRange(all, nullptr, nullptr));
  ASSERT_OK(db_->EndBlockCacheTrace());
  EXPECT_LE(of_iterator, Of(told, kBlockTraceDataBlock, kCompaction).size());
}

TEST_F(BlockCacheTraceTest, SampleHasBlocksWithAllTheirLookups) {
  FillAndReopen();
  BlocksTold told;
  StartTelling(&told, /*sampling=*/4);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 400; i += 4) EXPECT_EQ(std::string(100, 'v'), Get(Key(i)));
  }
  ASSERT_OK(db_->EndBlockCacheTrace());
  std::map<std::string, int> lookups;
  for (const BlockCacheTraceRecord& record : told.records) lookups[record.block_key]++;
  // About a quarter of 100.
  EXPECT_LE(3u, lookups.size());
  EXPECT_GE(70u, lookups.size());
  for (const auto& [key, count] : lookups) EXPECT_EQ(0, count % 3);
}

TEST_F(BlockCacheTraceTest, OneAtATime) {
  Open();
  BlocksTold first, second;
  first.header_fails = true;
  EXPECT_CODE(IOError, db_->StartBlockCacheTrace(BlockCacheTraceOptions(),
                                                 std::make_unique<TellingWriter>(&first)));
  // It runs nevertheless.
  EXPECT_CODE(Busy, db_->StartBlockCacheTrace(BlockCacheTraceOptions(),
                                              std::make_unique<TellingWriter>(&second)));
  EXPECT_FALSE(first.deleted);
  EXPECT_TRUE(second.deleted);
  ASSERT_OK(db_->EndBlockCacheTrace());
  EXPECT_TRUE(first.deleted);
  ASSERT_OK(db_->EndBlockCacheTrace());
  BlocksTold third;
  StartTelling(&third);
  Shut();
  EXPECT_TRUE(third.deleted);
}

TEST_F(BlockCacheTraceTest, FileHasTheBytesOfTheFormat) {
  FillAndReopen();
  std::unique_ptr<TraceWriter> writer;
  ASSERT_OK(NewFileTraceWriter(TheEnv(), EnvOptions(), trace_, &writer));
  ASSERT_OK(db_->StartBlockCacheTrace(
      BlockCacheTraceOptions(),
      NewBlockCacheTraceWriter(TheEnv()->GetSystemClock().get(), BlockCacheTraceWriterOptions(),
                               std::move(writer))));
  EXPECT_EQ(std::string(100, 'v'), Get(Key(0)));
  {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
  }
  ASSERT_OK(db_->EndBlockCacheTrace());
  const std::vector<RawRecord> records = Parse(TraceBytes());
  ASSERT_EQ(3u, records.size());
  EXPECT_EQ(kTraceBegin, records[0].type);
  EXPECT_EQ(Prefixed("feedcafedeadbeef"), records[0].payload.substr(0, 17));
  EXPECT_EQ(17u + 8, records[0].payload.size());

  const std::string& of_get = records[1].payload;
  EXPECT_EQ(kBlockTraceDataBlock, records[1].type);
  size_t at = 1 + static_cast<size_t>(of_get[0]);  // behind the block's key
  EXPECT_LT(400u, NumberAt(of_get, at, 8));        // its size
  EXPECT_EQ(0u, NumberAt(of_get, at + 8, 8));      // the family
  EXPECT_EQ(Prefixed("default"), of_get.substr(at + 16, 8));
  EXPECT_EQ(0u, NumberAt(of_get, at + 24, 4));  // the level
  at += 24 + 4 + 8;                             // behind the file's number
  EXPECT_EQ(std::string("\x01\0\0", 3), of_get.substr(at, 3));
  EXPECT_NE(0u, NumberAt(of_get, at + 3, 8));  // the id
  EXPECT_EQ('\0', of_get[at + 11]);
  EXPECT_EQ(17, of_get[at + 12]);
  EXPECT_EQ(Key(0), of_get.substr(at + 13, 9));
  EXPECT_EQ(9u + 8 + 100, NumberAt(of_get, at + 30, 8));
  EXPECT_EQ('\x01', of_get[at + 46]);
  EXPECT_EQ(of_get.size(), at + 47);

  const std::string& of_iterator = records[2].payload;
  EXPECT_EQ(at + 3, of_iterator.size());
  EXPECT_EQ(of_get.substr(0, at), of_iterator.substr(0, at));  // the same block
  EXPECT_EQ(std::string("\x03\x01\0", 3), of_iterator.substr(at, 3));
}

TEST_F(BlockCacheTraceTest, OptionsOfATraceOfOperationsLimitIt) {
  FillAndReopen();
  std::unique_ptr<TraceWriter> writer;
  ASSERT_OK(NewFileTraceWriter(TheEnv(), EnvOptions(), trace_, &writer));
  TraceOptions options;
  options.max_trace_file_size = 100;  // the header has 38 bytes
  ASSERT_OK(db_->StartBlockCacheTrace(options, std::move(writer)));
  for (int i = 0; i < 5; i++) EXPECT_EQ(std::string(100, 'v'), Get(Key(i)));
  ASSERT_OK(db_->EndBlockCacheTrace());
  EXPECT_EQ(2u, Parse(TraceBytes()).size());
}

}  // namespace
}  // namespace conformance
