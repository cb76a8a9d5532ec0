// The performance contexts: what is counted, at which level, and for whom.
#include "conformance.h"
#include "rocksdb/iostats_context.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/slice_transform.h"

namespace conformance {
namespace {

constexpr int kKeys = 1000;

class PerfTest : public DBTest {
 protected:
  void SetUp() override {
    table_.block_size = 1024;
    table_.filter_policy.reset(NewBloomFilterPolicy(10));
    table_.block_cache = NewLRUCache(4 << 20);
    options_.disable_auto_compactions = true;
    SetPerfLevel(kEnableCount);
    Start();
  }
  void TearDown() override {
    SetPerfLevel(kEnableCount);
    perf().ClearPerLevelPerfContext();
    perf().Reset();
  }

  static PerfContext& perf() { return *get_perf_context(); }
  static IOStatsContext& io() { return *get_iostats_context(); }
  static void Start() {
    perf().Reset();
    io().Reset();
  }
  void OpenWithTable() {
    options_.table_factory.reset(NewBlockBasedTableFactory(table_));
    Open();
  }
  // One table of kKeys keys, opened anew: only its index and filter have been read.
  void MakeTable() {
    OpenWithTable();
    for (int i = 0; i < kKeys; ++i) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
    ASSERT_OK(Flush());
    Open();
    ASSERT_EQ(std::string(100, 'v'), Get(Key(kKeys - 1)));
  }

  BlockBasedTableOptions table_;
};

// Three tables of one block each, one behind another. The first key of a block in its index is
// enough to know that it comes later, or that it lies beyond a bound.
TEST_F(PerfTest, FirstKeysInTheIndexSpareBlocks) {
  for (const bool first_keys : {false, true}) {
    table_.no_block_cache = true;
    table_.block_cache = nullptr;
    table_.filter_policy = nullptr;
    table_.index_type = first_keys ? BlockBasedTableOptions::kBinarySearchWithFirstKey
                                   : BlockBasedTableOptions::kBinarySearch;
    Shut();
    RemoveTree(dir_);
    OpenWithTable();
    for (int run = 0; run < 3; ++run) {
      for (int i = 0; i < 3; ++i) ASSERT_OK(Put(Key(10 * run + i), std::to_string(run)));
      ASSERT_OK(Flush());
    }
    Contents();  // opens all
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    Start();
    it->Seek(Key(0));
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ("0", it->value());
    EXPECT_EQ(first_keys ? 1u : 3u, perf().block_read_count);
    for (int i = 1; i < 3; ++i) it->Next();
    EXPECT_EQ(Key(2), it->key());
    EXPECT_EQ(first_keys ? 1u : 3u, perf().block_read_count);
    it->Next();
    EXPECT_EQ(Key(10), it->key());
    EXPECT_EQ("1", it->value());
    EXPECT_EQ(first_keys ? 2u : 3u, perf().block_read_count);

    const std::string bound = Key(9);
    const Slice upper(bound);
    ReadOptions bounded;
    bounded.iterate_upper_bound = &upper;
    it.reset(db_->NewIterator(bounded));
    Start();
    it->Seek(Key(5));
    EXPECT_FALSE(it->Valid());
    EXPECT_OK(it->status());
    if (first_keys) {
      EXPECT_EQ(0u, perf().block_read_count);
    }
  }
}

TEST_F(PerfTest, ABlockIsReadOnceAndThenCached) {
  MakeTable();
  Start();
  ASSERT_EQ(std::string(100, 'v'), Get(Key(3)));
  EXPECT_EQ(1u, perf().block_read_count);
  EXPECT_GE(perf().block_read_byte, 900u);
  EXPECT_LE(perf().block_read_byte, 1500u);
  EXPECT_EQ(0u, perf().block_cache_hit_count);
  EXPECT_GE(io().bytes_read, 900u);
  Start();
  ASSERT_EQ(std::string(100, 'v'), Get(Key(3)));
  EXPECT_EQ(0u, perf().block_read_count);
  EXPECT_EQ(1u, perf().block_cache_hit_count);
  EXPECT_EQ(0u, io().bytes_read);
  EXPECT_EQ(100u, perf().get_read_bytes);
  EXPECT_GE(perf().user_key_comparison_count, 3u);
  EXPECT_LE(perf().user_key_comparison_count, 60u);
}

TEST_F(PerfTest, FiltersSayNo) {
  MakeTable();
  Start();
  int no = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ("NOT_FOUND", Get(Key(i) + "x"));
  }
  no = static_cast<int>(perf().bloom_sst_miss_count);
  EXPECT_GE(no, 90);
  EXPECT_EQ(100u, perf().bloom_sst_hit_count + perf().bloom_sst_miss_count);
  Start();
  ASSERT_EQ(std::string(100, 'v'), Get(Key(3)));
  EXPECT_EQ(1u, perf().bloom_sst_hit_count);
  EXPECT_EQ(0u, perf().bloom_sst_miss_count);
}

TEST_F(PerfTest, CountsByLevel) {
  OpenWithTable();
  for (int i = 0; i < kKeys; ++i) ASSERT_OK(Put(Key(i), std::string(100, 'v')));
  ASSERT_OK(Flush());
  CompactRangeOptions to_level;
  to_level.change_level = true;
  to_level.target_level = 2;
  ASSERT_OK(db_->CompactRange(to_level, nullptr, nullptr));
  ASSERT_OK(Put(Key(0), "new"));
  ASSERT_OK(Flush());
  Open();
  ASSERT_EQ("new", Get(Key(0)));
  ASSERT_EQ(std::string(100, 'v'), Get(Key(5)));
  EXPECT_EQ(nullptr, perf().level_to_perf_context);
  perf().EnablePerLevelPerfContext();
  Start();
  ASSERT_EQ("new", Get(Key(0)));
  ASSERT_EQ(std::string(100, 'v'), Get(Key(5)));
  ASSERT_EQ("NOT_FOUND", Get(Key(5) + "x"));
  ASSERT_NE(nullptr, perf().level_to_perf_context);
  std::map<uint32_t, PerfContextByLevel>& levels = *perf().level_to_perf_context;
  EXPECT_EQ(1u, levels[0].user_key_return_count);
  EXPECT_EQ(1u, levels[2].user_key_return_count);
  EXPECT_EQ(1u, levels[0].bloom_filter_full_positive);
  EXPECT_EQ(1u, levels[0].bloom_filter_full_true_positive);
  EXPECT_EQ(1u, levels[2].bloom_filter_full_true_positive);
  EXPECT_GE(levels[0].block_cache_hit_count, 1u);
  EXPECT_GE(levels[2].block_cache_hit_count, 1u);
  EXPECT_EQ(0u, levels[2].block_cache_miss_count);
  const std::string text = perf().ToString(true);
  EXPECT_NE(std::string::npos, text.find("bloom_filter_useful = 1@level2")) << text;
  perf().DisablePerLevelPerfContext();
  ASSERT_EQ("new", Get(Key(0)));
  EXPECT_EQ(1u, levels[0].user_key_return_count);
  EXPECT_EQ(std::string::npos, perf().ToString(true).find("bloom_filter_useful"));
  perf().ClearPerLevelPerfContext();
  EXPECT_EQ(nullptr, perf().level_to_perf_context);
}

TEST_F(PerfTest, IteratorsCountWhatTheyStepOver) {
  OpenWithTable();
  for (int i = 0; i < 10; ++i) ASSERT_OK(Put(Key(i), "old"));
  for (int i = 0; i < 10; ++i) ASSERT_OK(Put(Key(i), "new"));
  for (int i = 4; i < 8; ++i) ASSERT_OK(Delete(Key(i)));
  const Snapshot* const snapshot = db_->GetSnapshot();
  for (int i = 0; i < 3; ++i) ASSERT_OK(Put(Key(i), "newer"));
  ReadOptions options;
  options.snapshot = snapshot;
  std::unique_ptr<Iterator> it(db_->NewIterator(options));
  Start();
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(1u, perf().internal_recent_skipped_count);
  EXPECT_EQ(0u, perf().internal_key_skipped_count);
  Start();
  int shown = 0;
  for (; it->Valid(); it->Next()) ++shown;
  EXPECT_EQ(6, shown);
  // Each of the six shown and the one older of each, and the two that each deletion hides.
  EXPECT_EQ(6u + 6u + 8u, perf().internal_key_skipped_count);
  EXPECT_EQ(4u, perf().internal_delete_skipped_count);
  EXPECT_EQ(2u, perf().internal_recent_skipped_count);
  EXPECT_GE(perf().next_on_memtable_count, 20u);
  it.reset();
  db_->ReleaseSnapshot(snapshot);
}

TEST_F(PerfTest, SeeksOnMemtables) {
  OpenWithTable();
  for (int i = 0; i < 100; ++i) ASSERT_OK(Put(Key(i), "value"));
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  Start();
  it->Seek(Key(50));
  it->Seek(Key(20));
  EXPECT_EQ(2u, perf().seek_on_memtable_count);
  EXPECT_EQ(0u, perf().seek_on_memtable_time);
  EXPECT_GE(perf().user_key_comparison_count, 2u);
  it->Next();
  EXPECT_EQ(1u, perf().next_on_memtable_count);
  EXPECT_EQ(1u, perf().internal_key_skipped_count);
  SetPerfLevel(kEnableTimeExceptForMutex);
  it->Seek(Key(70));
  EXPECT_EQ(3u, perf().seek_on_memtable_count);
  EXPECT_GT(perf().seek_on_memtable_time, 0u);
  EXPECT_GT(perf().seek_internal_seek_time, 0u);
}

TEST_F(PerfTest, ChildrenOfAMerge) {
  OpenWithTable();
  for (int run = 0; run < 3; ++run) {
    for (int i = run; i < 30; i += 3) ASSERT_OK(Put(Key(i), "value"));
    ASSERT_OK(Flush());
  }
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  SetPerfLevel(kEnableTimeExceptForMutex);
  Start();
  it->Seek(Key(7));
  ASSERT_TRUE(it->Valid());
  EXPECT_GE(perf().seek_child_seek_count, 3u);
  EXPECT_GT(perf().seek_child_seek_time, 0u);
  EXPECT_GT(perf().seek_min_heap_time, 0u);
  EXPECT_GT(perf().find_next_user_entry_time, 0u);
  EXPECT_GT(perf().block_seek_nanos, 0u);
}

TEST_F(PerfTest, MemtablesAsked) {
  OpenWithTable();
  ASSERT_OK(Put("a", "value"));
  Start();
  ASSERT_EQ("value", Get("a"));
  EXPECT_EQ(1u, perf().get_from_memtable_count);
  EXPECT_EQ(5u, perf().get_read_bytes);
  ASSERT_EQ("NOT_FOUND", Get("b"));
  EXPECT_EQ(2u, perf().get_from_memtable_count);
  EXPECT_EQ(0u, perf().get_from_memtable_time);
  SetPerfLevel(kEnableTimeExceptForMutex);
  ASSERT_EQ("value", Get("a"));
  EXPECT_GT(perf().get_from_memtable_time, 0u);
  EXPECT_GT(perf().get_snapshot_time, 0u);
  EXPECT_GT(perf().get_post_process_time, 0u);
}

TEST_F(PerfTest, MemtableFilters) {
  options_.memtable_prefix_bloom_size_ratio = 0.1;
  options_.memtable_whole_key_filtering = true;
  options_.prefix_extractor.reset(NewFixedPrefixTransform(4));
  OpenWithTable();
  ASSERT_OK(Put("aaaa1", "value"));
  Start();
  ASSERT_EQ("value", Get("aaaa1"));
  EXPECT_EQ(1u, perf().bloom_memtable_hit_count);
  ASSERT_EQ("NOT_FOUND", Get("bbbb1"));
  EXPECT_EQ(1u, perf().bloom_memtable_miss_count);
}

TEST_F(PerfTest, TimesOnlyWhereTheyAreAskedFor) {
  MakeTable();
  SetPerfLevel(kEnableCount);
  Start();
  ASSERT_EQ(std::string(100, 'v'), Get(Key(500)));
  EXPECT_EQ(0u, perf().block_read_time);
  EXPECT_EQ(0u, perf().get_from_output_files_time);
  EXPECT_EQ(0u, io().read_nanos);
  SetPerfLevel(kEnableTime);
  Start();
  ASSERT_EQ(std::string(100, 'v'), Get(Key(600)));
  EXPECT_GT(perf().block_read_time, 0u);
  EXPECT_GT(perf().block_checksum_time, 0u);
  EXPECT_GE(perf().get_from_output_files_time, perf().block_read_time);
  EXPECT_GT(perf().new_table_block_iter_nanos, 0u);
  // A thread's clock may go by ticks, one in many calls.
  while (perf().get_cpu_nanos == 0) ASSERT_EQ(std::string(100, 'v'), Get(Key(600)));
  EXPECT_GT(io().read_nanos, 0u);
}

TEST_F(PerfTest, NothingIsCountedWhenDisabled) {
  MakeTable();
  SetPerfLevel(kDisable);
  EXPECT_EQ(kDisable, GetPerfLevel());
  Start();
  ASSERT_EQ(std::string(100, 'v'), Get(Key(700)));
  ASSERT_OK(Put("x", "y"));
  EXPECT_EQ("", perf().ToString(/*exclude_zero_counters=*/true));
  EXPECT_GT(io().bytes_read, 0u);  // bytes are counted all the same
  EXPECT_GT(io().bytes_written, 0u);
}

TEST_F(PerfTest, MultiGetCounts) {
  MakeTable();
  const std::vector<std::string> texts = {Key(1), Key(300), Key(600), "nowhere"};
  const std::vector<Slice> keys(texts.begin(), texts.end());
  std::vector<PinnableSlice> values(keys.size());
  std::vector<Status> statuses(keys.size());
  Start();
  db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), keys.size(), keys.data(), values.data(),
                statuses.data());
  for (size_t i = 0; i < 3; ++i) ASSERT_OK(statuses[i]);
  EXPECT_EQ(300u, perf().multiget_read_bytes);
  EXPECT_EQ(0u, perf().get_read_bytes);
  EXPECT_EQ(3u, perf().block_read_count);
  Start();
  db_->MultiGet(ReadOptions(), db_->DefaultColumnFamily(), keys.size(), keys.data(), values.data(),
                statuses.data());
  EXPECT_EQ(0u, perf().block_read_count);
  EXPECT_EQ(3u, perf().block_cache_hit_count);
}

TEST_F(PerfTest, WritesAreTimed) {
  OpenWithTable();
  SetPerfLevel(kEnableTimeExceptForMutex);
  Start();
  WriteOptions sync;
  sync.sync = true;
  ASSERT_OK(db_->Put(sync, "key", "value"));
  EXPECT_GT(perf().write_wal_time, 0u);
  EXPECT_GT(perf().write_memtable_time, 0u);
  EXPECT_GT(perf().write_pre_and_post_process_time, 0u);
  EXPECT_GT(io().bytes_written, 8u);
  EXPECT_GT(io().write_nanos, 0u);
  EXPECT_GT(io().fsync_nanos, 0u);
  EXPECT_EQ(0u, perf().write_delay_time);
}

TEST_F(PerfTest, IndexAndFilterInTheCache) {
  table_.cache_index_and_filter_blocks = true;
  MakeTable();
  Start();
  ASSERT_EQ(std::string(100, 'v'), Get(Key(kKeys - 1)));
  EXPECT_EQ(1u, perf().block_cache_index_hit_count);
  EXPECT_EQ(1u, perf().block_cache_filter_hit_count);
  EXPECT_EQ(3u, perf().block_cache_hit_count);
  SetPerfLevel(kEnableTimeExceptForMutex);
  ASSERT_EQ(std::string(100, 'v'), Get(Key(kKeys - 1)));
  EXPECT_GT(perf().read_index_block_nanos, 0u);
  EXPECT_GT(perf().read_filter_block_nanos, 0u);
}

TEST_F(PerfTest, EachThreadHasItsOwn) {
  OpenWithTable();
  ASSERT_OK(Put("a", "value"));
  SetPerfLevel(kDisable);
  Start();
  Thread other([this] {
    EXPECT_EQ(kEnableCount, GetPerfLevel());
    ASSERT_EQ("value", Get("a"));
    EXPECT_EQ(1u, perf().get_from_memtable_count);
  });
  other.join();
  EXPECT_EQ(kDisable, GetPerfLevel());
  EXPECT_EQ(0u, perf().get_from_memtable_count);
}

// Appends with commas.
class Append final : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result = (existing == nullptr ? "" : existing->ToString() + ",") + value.ToString();
    return true;
  }
  const char* Name() const override { return "Append"; }
};

TEST_F(PerfTest, MergesAreCountedAndTimed) {
  options_.merge_operator = std::make_shared<Append>();
  OpenWithTable();
  for (const char* operand : {"1", "2", "3"}) {
    ASSERT_OK(db_->Merge(WriteOptions(), "key", operand));
  }
  SetPerfLevel(kEnableTimeExceptForMutex);
  Start();
  ASSERT_EQ("1,2,3", Get("key"));
  EXPECT_GT(perf().merge_operator_time_nanos, 0u);
  EXPECT_EQ(0u, perf().internal_merge_count);  // of iterators only
  Start();
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ("1,2,3", it->value().ToString());
  EXPECT_GE(perf().internal_merge_count, 2u);  // 7.8 does not count the first
  EXPECT_GT(perf().merge_operator_time_nanos, 0u);
}

TEST_F(PerfTest, CompressedBlocks) {
  options_.compression = kSnappyCompression;
  MakeTable();
  SetPerfLevel(kEnableTimeExceptForMutex);
  Start();
  ASSERT_EQ(std::string(100, 'v'), Get(Key(3)));
  EXPECT_EQ(1u, perf().block_read_count);
  EXPECT_GT(perf().block_decompress_time, 0u);
  EXPECT_LT(perf().block_read_byte, 900u);
}

TEST_F(PerfTest, CopiesAndText) {
  Start();
  EXPECT_EQ("", perf().ToString(true));
  EXPECT_NE(std::string::npos, perf().ToString().find("user_key_comparison_count = 0, "));
  OpenWithTable();
  ASSERT_OK(Put("a", "value"));
  Start();
  ASSERT_EQ("value", Get("a"));
  const PerfContext copy = perf();
  perf().Reset();
  EXPECT_EQ(0u, perf().get_read_bytes);
  EXPECT_EQ(5u, copy.get_read_bytes);
  EXPECT_NE(std::string::npos, copy.ToString(true).find("get_read_bytes = 5, "));
  EXPECT_NE(std::string::npos, io().ToString(false).find("bytes_read = "));
}

}  // namespace
}  // namespace conformance
