// Tables whose keys lack the timestamps that their comparator's have.
#include "table/bare_keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/range_tombstones.h"
#include "rocksdb/comparator.h"
#include "table/block_builder.h"
#include "table/properties.h"
#include "table/testing/table_harness.h"

namespace cairn::testing {
namespace {

const std::string kLeast(8, '\0');

// (internal key, value) as a reader shows them.
using Entries = std::vector<std::pair<std::string, std::string>>;

Status OpenWith(Harness* harness, const InternalKeyComparator& icmp, bool expects_bare_keys,
                std::unique_ptr<TableReader>* table) {
  uint64_t size = 0;
  std::unique_ptr<RandomAccessFileReader> file;
  Status s = harness->fs.GetFileSize("/t.sst", IOOptions(), &size, nullptr);
  if (s.ok()) s = RandomAccessFileReader::Open(&harness->fs, "/t.sst", FileOptions(), &file);
  if (!s.ok()) return s;
  TableReaderOptions options(icmp);
  options.expects_bare_keys = expects_bare_keys;
  return harness->factory->NewTableReader(options, std::move(file), size, table);
}

Entries Read(TableReader* table, bool backwards = false) {
  Entries entries;
  const std::unique_ptr<InternalIterator> it(table->NewIterator(ReadOptions()));
  if (backwards) {
    for (it->SeekToLast(); it->Valid(); it->Prev()) {
      entries.emplace_back(it->key().ToString(), it->value().ToString());
    }
  } else {
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      entries.emplace_back(it->key().ToString(), it->value().ToString());
    }
  }
  EXPECT_TRUE(it->status().ok()) << it->status().ToString();
  return entries;
}

TEST(BareKeys, ATableIsThatOfTheBareComparator) {
  Harness harness(BytewiseComparatorWithU64Ts());
  harness.strip_timestamps = true;
  harness.Put("a" + kLeast, 3, "3");
  harness.Put("a" + kLeast, 1, "1");
  harness.Put("b" + kLeast, 2, "", kTypeDeletionWithTimestamp);
  ASSERT_TRUE(harness.Build().ok());
  EXPECT_EQ(harness.properties.user_defined_timestamps_persisted, 0u);
  EXPECT_EQ(harness.properties.comparator_name, "leveldb.BytewiseComparator.u64ts");

  const InternalKeyComparator stamped(BytewiseComparatorWithU64Ts());
  std::unique_ptr<TableReader> table;
  ASSERT_TRUE(OpenWith(&harness, stamped, false, &table).ok());
  EXPECT_TRUE(table->has_bare_keys());
  EXPECT_EQ(table->GetTableProperties()->user_defined_timestamps_persisted, 0u);
  EXPECT_EQ(table->GetTableProperties()->user_collected_properties.count(kMinTimestampProperty),
            0u);
  const Entries expected = {{IKey("a" + kLeast, 3), "3"},
                            {IKey("a" + kLeast, 1), "1"},
                            {IKey("b" + kLeast, 2, kTypeDeletionWithTimestamp), ""}};
  EXPECT_EQ(Read(table.get()), expected);
  ASSERT_TRUE(table->VerifyChecksum(ReadOptions()).ok());

  const InternalKeyComparator bare(BytewiseComparator());
  ASSERT_TRUE(OpenWith(&harness, bare, false, &table).ok());
  EXPECT_FALSE(table->has_bare_keys());
  const Entries without = {
      {IKey("a", 3), "3"}, {IKey("a", 1), "1"}, {IKey("b", 2, kTypeDeletionWithTimestamp), ""}};
  EXPECT_EQ(Read(table.get()), without);

  // Another order is none of its own.
  const InternalKeyComparator reverse(ReverseBytewiseComparatorWithU64Ts());
  EXPECT_TRUE(OpenWith(&harness, reverse, false, &table).IsInvalidArgument());
}

TEST(BareKeys, ATableOfTheBareComparatorHasThem) {
  Harness harness;
  harness.Put("a", 3, "3");
  harness.Put("b", 2, "2");
  ASSERT_TRUE(harness.Build().ok());
  EXPECT_EQ(harness.properties.user_defined_timestamps_persisted, 1u);
  const InternalKeyComparator stamped(BytewiseComparatorWithU64Ts());
  std::unique_ptr<TableReader> table;
  EXPECT_TRUE(OpenWith(&harness, stamped, false, &table).IsInvalidArgument());
  ASSERT_TRUE(OpenWith(&harness, stamped, true, &table).ok());
  EXPECT_TRUE(table->has_bare_keys());
  const Entries expected = {{IKey("a" + kLeast, 3), "3"}, {IKey("b" + kLeast, 2), "2"}};
  EXPECT_EQ(Read(table.get()), expected);
}

TEST(BareKeys, ATableWithTimestampsIsNotOfTheBareComparator) {
  Harness harness(BytewiseComparatorWithU64Ts());
  harness.Put("a" + kLeast, 3, "3");
  ASSERT_TRUE(harness.Build().ok());
  EXPECT_EQ(harness.properties.user_defined_timestamps_persisted, 1u);
  const InternalKeyComparator bare(BytewiseComparator());
  std::unique_ptr<TableReader> table;
  EXPECT_TRUE(OpenWith(&harness, bare, false, &table).IsInvalidArgument());
  // What is expected is not what is there.
  ASSERT_TRUE(OpenWith(&harness, harness.icmp, true, &table).ok());
  EXPECT_FALSE(table->has_bare_keys());
  EXPECT_EQ(Read(table.get()), (Entries{{IKey("a" + kLeast, 3), "3"}}));
}

TEST(BareKeys, RangeTombstonesGetTheSmallestTimestamp) {
  Harness harness(BytewiseComparatorWithU64Ts());
  harness.factory = std::make_unique<BlockBasedTableFactory>(harness.table_options);
  std::unique_ptr<FileWriter> writer;
  ASSERT_TRUE(FileWriter::Open(&harness.fs, "/t.sst", FileOptions(), &writer).ok());
  TableBuilderOptions options(harness.icmp, kNoCompression);
  options.strip_timestamps = true;
  std::unique_ptr<TableBuilder> builder(harness.factory->NewTableBuilder(options, writer.get()));
  builder->Add(IKey("c" + kLeast, 1), "1");
  builder->AddTombstone(IKey("b" + kLeast, 7, kTypeRangeDeletion), "d" + kLeast);
  ASSERT_TRUE(builder->Finish().ok());
  ASSERT_TRUE(writer->Close().ok());
  std::unique_ptr<TableReader> table;
  ASSERT_TRUE(OpenWith(&harness, harness.icmp, false, &table).ok());
  const RangeTombstones* const tombstones = table->range_tombstones();
  ASSERT_NE(tombstones, nullptr);
  ASSERT_EQ(tombstones->fragments().size(), 1u);
  const RangeTombstones::Fragment& fragment = tombstones->fragments()[0];
  EXPECT_EQ(harness.icmp.BareKey(fragment.start).ToString(), "b");
  EXPECT_EQ(harness.icmp.BareKey(fragment.end).ToString(), "d");
  ASSERT_EQ(fragment.timestamps.size(), 1u);
  EXPECT_EQ(fragment.timestamps[0].ToString(), kLeast);
  EXPECT_EQ(tombstones->Covering("c" + kLeast, 9), 7u);
}

// Every layout: blocks of one entry and of many, indexes in one block and in many, with and without
// differences of values, versions of one key in several blocks.
TEST(BareKeys, AreReadAsTheyWereWritten) {
  for (int layout = 0; layout < 24; ++layout) {
    SCOPED_TRACE("layout " + std::to_string(layout));
    Harness harness(layout % 2 == 0 ? BytewiseComparatorWithU64Ts()
                                    : ReverseBytewiseComparatorWithU64Ts());
    harness.strip_timestamps = true;
    harness.table_options.block_size = layout % 4 < 2 ? 1 : 512;
    harness.table_options.format_version = layout % 8 < 4 ? 5 : 2;
    if (layout >= 16) {
      harness.table_options.index_type = BlockBasedTableOptions::kBinarySearchWithFirstKey;
    } else if (layout >= 8) {
      harness.table_options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      harness.table_options.partition_filters = true;
      harness.table_options.metadata_block_size = 1;
    }
    for (int i = 0; i < 200; ++i) {
      const std::string key = "k" + std::to_string(i / 3 * 7 % 101) + kLeast;
      harness.Put(key, static_cast<SequenceNumber>(i) + 1, "v" + std::to_string(i));
    }
    ASSERT_TRUE(harness.Build().ok());
    ASSERT_TRUE(harness.Open().ok());
    Entries expected(harness.model.begin(), harness.model.end());
    EXPECT_EQ(Read(harness.table.get()), expected);
    const std::unique_ptr<InternalIterator> it(harness.table->NewIterator(ReadOptions()));
    for (const auto& [key, value] : expected) {
      it->Seek(key);
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(it->key().ToString(), key);
      // A reader at any timestamp comes to the newest version.
      const Slice bare = harness.icmp.BareKey(ExtractUserKey(key));
      it->Seek(IKey(bare.ToString() + std::string(8, '\7'), kMaxSequenceNumber, kValueTypeForSeek));
      ASSERT_TRUE(it->Valid());
      ASSERT_EQ(harness.icmp.BareKey(ExtractUserKey(it->key())).ToString(), bare.ToString());
      std::vector<TableAnchor> anchors;
      ASSERT_TRUE(harness.table->GetAnchors(4, &anchors).ok());
      ASSERT_FALSE(anchors.empty());
      ASSERT_GE(anchors[0].user_key.size(), 8u);
    }
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(Read(harness.table.get(), /*backwards=*/true), expected);
  }
}

TEST(BareKeys, ABlockWithAKeyThatIsTooShortIsDamaged) {
  BlockBuilder builder(16);
  builder.Add("short", "value");
  const Slice contents = builder.Finish();
  Block::Ptr block = Block::Allocate(contents.size(), 0, 0);
  std::memcpy(block->mutable_data(), contents.data(), contents.size());
  ASSERT_EQ(block->ParseRestarts(), nullptr);
  Block::Ptr padded;
  EXPECT_STREQ(AddTimestamps(*block, 8, nullptr, &padded),
               "bad entry in a block without timestamps");
  EXPECT_EQ(padded, nullptr);
}

}  // namespace
}  // namespace cairn::testing
