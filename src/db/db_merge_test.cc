// Merge on a disk that can be watched: reads of many levels in one round, compaction, recovery.
#include <gtest/gtest.h>

#include "db/testing/db_fixture.h"
#include "rocksdb/convenience.h"
#include "rocksdb/memtablerep.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/write_batch.h"

namespace cairn::testing {
namespace {

class DbMergeTest : public DbTest {
 protected:
  Options MergeOptions() {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    EXPECT_TRUE(
        MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
            .ok());
    return options;
  }
  void Merge(const std::string& key, const std::string& operand) {
    ASSERT_TRUE(db_->Merge(WriteOptions(), key, operand).ok());
  }
  void Flush() { ASSERT_TRUE(db_->Flush(FlushOptions()).ok()); }
  std::string Get(const std::string& key, const ReadOptions& options = ReadOptions()) {
    std::string value;
    const Status s = db_->Get(options, key, &value);
    return s.ok() ? value : s.ToString();
  }
};

TEST_F(DbMergeTest, AnAsyncMultiGetMergesWhatSeveralFilesHold) {
  ASSERT_TRUE(TryOpen(MergeOptions()).ok());
  for (uint64_t i = 0; i < 300; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Value(i, 40)).ok());
  }
  Flush();
  for (int round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < 300; i += 3) Merge(Key(i), std::to_string(round));
    if (round < 2) Flush();
  }
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < 300; i += 7) keys.push_back(Key(i));
  const std::vector<Slice> slices(keys.begin(), keys.end());
  for (const bool together : {true, false}) {
    // Cold: nothing of the tables is in memory.
    ASSERT_TRUE(TryOpen(MergeOptions()).ok());
    ReadOptions options;
    options.async_io = true;
    options.optimize_multiget_for_io = together;
    std::vector<std::string> values;
    const std::vector<Status> statuses = db_->MultiGet(options, slices, &values);
    for (size_t k = 0; k < keys.size(); ++k) {
      const uint64_t i = k * 7;
      ASSERT_TRUE(statuses[k].ok()) << statuses[k].ToString();
      EXPECT_EQ(values[k], Value(i, 40) + (i % 3 == 0 ? ",0,1,2" : "")) << keys[k];
    }
    EXPECT_EQ(Get(Key(3), options), Value(3, 40) + ",0,1,2");
  }
}

TEST_F(DbMergeTest, WhatIsNotInMemoryIsIncompleteAndNotHalfMerged) {
  ASSERT_TRUE(TryOpen(MergeOptions()).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), "k", "v").ok());
  Flush();
  ASSERT_TRUE(TryOpen(MergeOptions()).ok());
  Merge("k", "1");
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  std::string value;
  EXPECT_TRUE(db_->Get(cached, "k", &value).IsIncomplete());
  EXPECT_EQ(Get("k"), "v,1");
  EXPECT_EQ(Get("k", cached), "v,1");
}

TEST_F(DbMergeTest, WithoutTheOperatorNothingIsLost) {
  ASSERT_TRUE(TryOpen(MergeOptions()).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), "k", "v").ok());
  Flush();
  Merge("k", "1");
  Options without = MergeOptions();
  without.merge_operator = nullptr;
  ASSERT_TRUE(TryOpen(without).ok()) << "the log holds an operand";
  std::string value;
  EXPECT_TRUE(db_->Get(ReadOptions(), "k", &value).IsInvalidArgument());
  std::vector<std::string> values;
  EXPECT_TRUE(db_->MultiGet(ReadOptions(), {"k"}, &values)[0].IsInvalidArgument());
  WriteBatch batch;
  ASSERT_TRUE(batch.Merge("k", "2").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsInvalidArgument());
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  ASSERT_TRUE(TryOpen(MergeOptions()).ok());
  EXPECT_EQ(Get("k"), "v,1");
}

TEST_F(DbMergeTest, CompactionLeavesOneValueAndSaysWhoMerged) {
  ASSERT_TRUE(TryOpen(MergeOptions()).ok());
  for (int i = 0; i < 5; ++i) {
    Merge("k", std::to_string(i));
    Flush();
  }
  TablePropertiesCollection properties;
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&properties).ok());
  ASSERT_EQ(properties.size(), 5u);
  EXPECT_EQ(properties.begin()->second->merge_operator_name, "StringAppendOperator");
  EXPECT_EQ(properties.begin()->second->num_merge_operands, 1u);
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  properties.clear();
  ASSERT_TRUE(db_->GetPropertiesOfAllTables(&properties).ok());
  ASSERT_EQ(properties.size(), 1u);
  EXPECT_EQ(properties.begin()->second->num_merge_operands, 0u);
  EXPECT_EQ(properties.begin()->second->num_entries, 1u);
  EXPECT_EQ(Get("k"), "0,1,2,3,4");
}

TEST_F(DbMergeTest, TooManyOperandsInAMemtableBecomeAValue) {
  Options options = MergeOptions();
  options.max_successive_merges = 3;
  ASSERT_TRUE(TryOpen(options).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), "k", "v").ok());
  Flush();
  // The value below is in a file, and of one batch.
  WriteBatch batch;
  std::string expected = "v";
  for (int i = 0; i < 6; ++i) {
    ASSERT_TRUE(batch.Merge("k", std::to_string(i)).ok());
    expected += "," + std::to_string(i);
  }
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  EXPECT_EQ(Get("k"), expected);
  const auto operands = [this] {
    PinnableSlice found[10];
    GetMergeOperandsOptions room;
    room.expected_max_number_of_operands = 10;
    int count = 0;
    EXPECT_TRUE(
        db_->GetMergeOperands(ReadOptions(), db_->DefaultColumnFamily(), "k", found, &room, &count)
            .ok());
    return count;
  };
  EXPECT_EQ(operands(), 3) << "the fourth became a value: it, and two more";
  ASSERT_TRUE(db_->SetOptions({{"max_successive_merges", "0"}}).ok());
  for (int i = 6; i < 10; ++i) {
    Merge("k", std::to_string(i));
    expected += "," + std::to_string(i);
  }
  EXPECT_EQ(operands(), 7);
  EXPECT_EQ(Get("k"), expected);
  // The log has the operands, not what became of them.
  ASSERT_TRUE(TryOpen(MergeOptions()).ok());
  EXPECT_EQ(Get("k"), expected);
}

TEST_F(DbMergeTest, ACallbackEndsTheSearchForOperands) {
  Options options = MergeOptions();
  options.disable_auto_compactions = true;
  ASSERT_TRUE(TryOpen(options).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), "k", "v").ok());
  Flush();
  for (const char* operand : {"0", "1", "2"}) {
    Merge("k", operand);
    Flush();
  }
  Merge("k", "3");
  Merge("k", "4");
  for (size_t wanted = 1; wanted <= 7; ++wanted) {
    PinnableSlice found[10];
    GetMergeOperandsOptions how;
    how.expected_max_number_of_operands = 10;
    std::vector<std::string> seen;
    how.continue_cb = [&](Slice operand) {
      seen.push_back(operand.ToString());
      return seen.size() < wanted;
    };
    int count = 0;
    ASSERT_TRUE(
        db_->GetMergeOperands(ReadOptions(), db_->DefaultColumnFamily(), "k", found, &how, &count)
            .ok());
    std::vector<std::string> newest_first = {"4", "3", "2", "1", "0"};
    newest_first.resize(std::min<size_t>(wanted, 5));
    EXPECT_EQ(newest_first, seen);
    std::vector<std::string> expected(newest_first.rbegin(), newest_first.rend());
    if (wanted > 5) expected.insert(expected.begin(), "v");
    ASSERT_EQ(expected.size(), static_cast<size_t>(count));
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(expected[i], found[i].ToString());
  }
}

TEST_F(DbMergeTest, EachFamilyHasItsOwnOperator) {
  ASSERT_TRUE(TryOpen(MergeOptions()).ok());
  Options adding = MergeOptions();
  ASSERT_TRUE(MergeOperator::CreateFromString(ConfigOptions(), "max", &adding.merge_operator).ok());
  Options without = MergeOptions();
  without.merge_operator = nullptr;
  ColumnFamilyHandle* greatest = nullptr;
  ColumnFamilyHandle* none = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(adding, "max", &greatest).ok());
  ASSERT_TRUE(db_->CreateColumnFamily(without, "none", &none).ok());
  WriteBatch batch;
  for (const char* operand : {"2", "3", "1"}) {
    ASSERT_TRUE(batch.Merge("k", operand).ok());
    ASSERT_TRUE(batch.Merge(greatest, "k", operand).ok());
  }
  ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  ASSERT_TRUE(batch.Merge(none, "k", "4").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsInvalidArgument());
  EXPECT_TRUE(db_->Merge(WriteOptions(), none, "k", "4").IsNotSupported());
  const auto check = [&] {
    std::string value;
    EXPECT_EQ(Get("k"), "2,3,1");
    EXPECT_TRUE(db_->Get(ReadOptions(), greatest, "k", &value).ok());
    EXPECT_EQ(value, "3");
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), greatest));
    it->SeekToLast();
    ASSERT_TRUE(it->Valid());
    EXPECT_EQ(it->value(), "3");
  };
  check();
  ASSERT_TRUE(db_->Flush(FlushOptions(), {db_->DefaultColumnFamily(), greatest}).ok());
  check();
  ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), greatest, nullptr, nullptr).ok());
  check();
  delete greatest;
  delete none;
}

TEST_F(DbMergeTest, EveryKindOfMemtableTakesOperands) {
  for (const bool vector : {true, false}) {
    Options options = MergeOptions();
    options.allow_concurrent_memtable_write = false;
    options.prefix_extractor.reset(NewFixedPrefixTransform(2));
    options.memtable_prefix_bloom_size_ratio = 0.1;
    if (vector) {
      options.memtable_factory = std::make_shared<VectorRepFactory>();
    } else {
      options.memtable_factory.reset(NewHashSkipListRepFactory());
    }
    ASSERT_TRUE(TryOpen(options).ok());
    const std::string key = vector ? "vector" : "hash";
    Merge(key, "1");
    ASSERT_TRUE(db_->Put(WriteOptions(), key, "v").ok());
    Merge(key, "2");
    Merge(key, "3");
    Merge("x", "4");  // shorter than a prefix
    EXPECT_EQ(Get(key), "v,2,3");
    EXPECT_EQ(Get("x"), "4");
    ASSERT_TRUE(db_->Delete(WriteOptions(), "x").ok());
    Flush();
    EXPECT_EQ(Get(key), "v,2,3");
  }
}

}  // namespace
}  // namespace cairn::testing
