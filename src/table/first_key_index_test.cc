// Indexes that hold each block's first key (kBinarySearchWithFirstKey), and those asked for by
// hash.
#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/coding.h"
#include "rocksdb/perf_context.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;
using testing::IKey;

constexpr auto kWithFirstKey = BlockBasedTableOptions::kBinarySearchWithFirstKey;

// What the properties say the index is.
uint32_t IndexTypeOf(const Harness& h) {
  const auto& extra = h.properties.user_collected_properties;
  const auto at = extra.find("rocksdb.block.based.table.index.type");
  return at == extra.end() || at->second.size() != 4 ? UINT32_MAX
                                                     : DecodeFixed32(at->second.data());
}

TEST(FirstKeyIndexTest, ReadsBackEveryVersion) {
  uint64_t seed = 0;
  for (uint32_t version = 2; version <= 7; ++version) {
    for (const bool align : {false, true}) {
      SCOPED_TRACE("version " + std::to_string(version) + (align ? " aligned" : ""));
      Harness h;
      h.table_options.index_type = kWithFirstKey;
      h.table_options.block_size = 512;
      h.table_options.block_align = align;
      h.table_options.format_version = version;
      h.table_options.index_block_restart_interval = static_cast<int>(1 + seed % 4);
      h.FillRandom(++seed, 4000);
      ASSERT_TRUE(h.Build().ok());
      EXPECT_EQ(3u, IndexTypeOf(h));
      ASSERT_TRUE(h.Open().ok());
      h.CheckAll(seed);
      EXPECT_TRUE(h.table->VerifyChecksum(ReadOptions()).ok());
    }
  }
}

TEST(FirstKeyIndexTest, ReadsBackTheReverseOrder) {
  Harness h(ReverseBytewiseComparator());
  h.table_options.index_type = kWithFirstKey;
  h.table_options.block_size = 512;
  h.FillRandom(77, 3000);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(78);
}

// Behind each place stands the key's length, the key, its sequence number and type.
TEST(FirstKeyIndexTest, HoldsTheKeyOfEachBlock) {
  uint64_t sizes[2];
  for (const bool keys : {false, true}) {
    Harness h;
    if (keys) h.table_options.index_type = kWithFirstKey;
    h.table_options.block_size = 256;
    h.table_options.enable_index_compression = false;
    for (int i = 1000; i < 2000; ++i) h.Put("key" + std::to_string(i), 9, std::string(50, 'v'));
    ASSERT_TRUE(h.Build().ok());
    sizes[keys] = h.properties.index_size;
    if (!keys) continue;
    std::string bytes;
    ASSERT_TRUE(ReadFileToString(&h.fs, "/t.sst", &bytes).ok());
    const std::string first = '\x0f' + testing::IKey("key1000", 9);
    EXPECT_NE(std::string::npos, bytes.find(first));
    EXPECT_EQ(sizes[1], sizes[0] + h.properties.num_data_blocks * 16);
  }
}

TEST(FirstKeyIndexTest, TakesAnEmptyTableAndOneOfOneKey) {
  Harness h;
  h.table_options.index_type = kWithFirstKey;
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(1, 5);
  h.Put("k", 1, "v");
  ASSERT_TRUE(h.Build("/u.sst").ok());
  ASSERT_TRUE(h.Open("/u.sst").ok());
  h.CheckAll(1, 20);
}

// ---- Iterators that need not read a block for its first key.

uint64_t BlocksRead() { return get_perf_context()->block_read_count; }

// One that may leave values unread moves at random, as the model says, and prepares some of them.
void CheckUnprepared(const Harness& h, uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  const std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
  it->AllowUnpreparedValues();
  std::vector<std::string> keys;
  for (const auto& [key, value] : h.model) keys.push_back(key);
  auto at = h.model.begin();
  int unprepared = 0;
  it->SeekToFirst();
  for (int step = 0; step < 3000; ++step) {
    ASSERT_EQ(it->Valid(), at != h.model.end()) << step << it->status().ToString();
    if (it->Valid()) {
      ASSERT_EQ(it->key().ToString(true), Slice(at->first).ToString(true)) << step;
      unprepared += InternalIterator::IsUnprepared(it->value());
      if (random.OneIn(2)) {
        ASSERT_TRUE(it->PrepareValue()) << it->status().ToString();
        ASSERT_EQ(it->key().ToString(true), Slice(at->first).ToString(true)) << step;
        ASSERT_EQ(it->value().ToString(), at->second) << step;
        ASSERT_TRUE(it->PrepareValue()) << "again";
      }
    }
    Slice key, value;
    const std::string& target = keys[random.Uniform(keys.size())];
    switch (it->Valid() ? random.Uniform(12) : random.Uniform(4)) {
      case 0:
        it->SeekToFirst();
        at = h.model.begin();
        break;
      case 1:
        it->Seek(target);
        at = h.model.lower_bound(target);
        break;
      case 2: {
        const std::string near = IKey(ExtractUserKey(target).ToString() + "x", 1);
        it->Seek(near);
        at = h.model.lower_bound(near);
        break;
      }
      case 3:
        it->SeekForPrev(target);
        at = h.model.find(target);
        break;
      case 4:
      case 5:
        it->Prev();
        at = at == h.model.begin() ? h.model.end() : std::prev(at);
        break;
      case 6:
        ASSERT_EQ(it->PrevEntry(&key, &value), at != h.model.begin());
        at = at == h.model.begin() ? h.model.end() : std::prev(at);
        if (at != h.model.end()) {
          ASSERT_EQ(key.ToString(true), Slice(at->first).ToString(true));
        }
        break;
      case 7:
      case 8:
        it->Next();
        ++at;
        break;
      default:
        ASSERT_EQ(it->NextEntry(&key, &value), std::next(at) != h.model.end());
        if (++at != h.model.end()) {
          ASSERT_EQ(key.ToString(true), Slice(at->first).ToString(true));
          ASSERT_TRUE(InternalIterator::IsUnprepared(value) || value == at->second);
        }
    }
  }
  EXPECT_GT(unprepared, 20);
}

TEST(FirstKeyIndexTest, UnpreparedMovementsShowTheSame) {
  uint64_t seed = 100;
  for (uint32_t version = 2; version <= 7; ++version) {
    for (const Comparator* order : {BytewiseComparator(), ReverseBytewiseComparator()}) {
      SCOPED_TRACE(version);
      Harness h(order);
      h.table_options.index_type = kWithFirstKey;
      h.table_options.block_size = 256;
      h.table_options.no_block_cache = seed % 2 == 0;
      h.table_options.format_version = version;
      h.FillRandom(++seed, 3000);
      ASSERT_TRUE(h.Build().ok());
      ASSERT_TRUE(h.Open().ok());
      CheckUnprepared(h, seed);
    }
  }
}

// Four keys to a block, and what is read of them.
class FirstKeyReadsTest : public ::testing::TestWithParam<bool> {
 protected:
  FirstKeyReadsTest() {
    if (GetParam()) h_.table_options.index_type = kWithFirstKey;
    h_.table_options.no_block_cache = true;
    h_.table_options.block_size = 4 * 60;
    h_.table_options.filter_policy = nullptr;
    for (int i = 0; i < 400; ++i) {
      char key[8];
      snprintf(key, sizeof(key), "%04d", i * 10);
      h_.Put(key, 9, std::string(45, 'v'));
    }
    EXPECT_TRUE(h_.Build().ok());
    EXPECT_TRUE(h_.Open().ok());
    EXPECT_EQ(h_.properties.num_data_blocks, 100u);
  }
  std::unique_ptr<InternalIterator> NewIterator(const ReadOptions& options = {}) {
    std::unique_ptr<InternalIterator> it(h_.table->NewIterator(options));
    it->AllowUnpreparedValues();
    return it;
  }
  static std::string At(const std::string& key) { return IKey(key, 100, kValueTypeForSeek); }

  Harness h_;
};

INSTANTIATE_TEST_SUITE_P(Indexes, FirstKeyReadsTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "WithKeys" : "Plain"; });

TEST_P(FirstKeyReadsTest, ASeekBetweenBlocksReadsNone) {
  const auto it = NewIterator();
  uint64_t before = BlocksRead();
  it->Seek(At("0080"));  // the third block's first
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(ExtractUserKey(it->key()), "0080");
  EXPECT_EQ(BlocksRead() - before, GetParam() ? 0u : 1u);
  ASSERT_TRUE(it->PrepareValue());
  EXPECT_EQ(it->value(), std::string(45, 'v'));
  EXPECT_EQ(BlocksRead() - before, 1u);
  // It has the block now.
  it->Seek(At("0080"));
  it->Seek(At("0095"));
  EXPECT_EQ(ExtractUserKey(it->key()), "0100");
  EXPECT_EQ(BlocksRead() - before, 1u);
  // Within a block it must be read; its end leads to the next one's first key.
  it->Seek(At("0205"));
  EXPECT_EQ(ExtractUserKey(it->key()), "0210");
  EXPECT_EQ(BlocksRead() - before, 2u);
  it->Next();
  it->Next();
  it->Next();
  EXPECT_EQ(ExtractUserKey(it->key()), "0240");
  EXPECT_EQ(BlocksRead() - before, GetParam() ? 2u : 3u);
  it->Prev();
  EXPECT_EQ(ExtractUserKey(it->key()), "0230");
  before = BlocksRead();
  it->SeekToFirst();
  EXPECT_EQ(BlocksRead() - before, GetParam() ? 0u : 1u);
}

TEST_P(FirstKeyReadsTest, BackwardsOnlyTheBlockThatHasIt) {
  const auto it = NewIterator();
  uint64_t before = BlocksRead();
  it->SeekForPrev(At("0079"));  // between the second block and the third
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(ExtractUserKey(it->key()), "0070");
  EXPECT_EQ(BlocksRead() - before, 1u) << "a shortened separator may have led to the third";
  before = BlocksRead();
  it->SeekForPrev(At("0000"));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
  EXPECT_EQ(BlocksRead() - before, GetParam() ? 0u : 1u);
}

TEST_P(FirstKeyReadsTest, NothingBeyondTheBoundsIsRead) {
  const Slice lower("0165"), upper("0235");
  ReadOptions options;
  options.iterate_lower_bound = &lower;
  options.iterate_upper_bound = &upper;
  const auto it = NewIterator(options);
  uint64_t before = BlocksRead();
  std::string seen;
  for (it->Seek(At("0165")); it->Valid() && ExtractUserKey(it->key()).compare(upper) < 0;
       it->Next()) {
    seen += ExtractUserKey(it->key()).ToString() + " ";
  }
  EXPECT_EQ(seen, "0170 0180 0190 0200 0210 0220 0230 ");
  EXPECT_LE(BlocksRead() - before, GetParam() ? 2u : 3u);
  before = BlocksRead();
  for (it->SeekForPrev(At("0235")); it->Valid() && ExtractUserKey(it->key()).compare(lower) >= 0;
       it->Prev()) {
  }
  EXPECT_LE(BlocksRead() - before, 2u);
}

// An index that says something else than its blocks.
TEST(FirstKeyIndexTest, AWrongFirstKeyIsCorruption) {
  Harness h;
  h.table_options.index_type = kWithFirstKey;
  h.table_options.block_size = 256;
  h.table_options.enable_index_compression = false;
  h.table_options.checksum = kNoChecksum;
  for (int i = 1000; i < 1100; ++i) h.Put("key" + std::to_string(i), 9, std::string(50, 'v'));
  ASSERT_TRUE(h.Build().ok());
  std::string bytes;
  ASSERT_TRUE(ReadFileToString(&h.fs, "/t.sst", &bytes).ok());
  const std::string first = '\x0f' + IKey("key1000", 9);
  const size_t at = bytes.find(first);
  ASSERT_NE(at, std::string::npos);
  bytes[at + 7] = '/';  // below the true one
  ASSERT_TRUE(WriteStringToFile(&h.fs, bytes, "/t.sst", /*sync=*/false).ok());
  ASSERT_TRUE(h.Open().ok());
  const std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
  it->AllowUnpreparedValues();
  it->SeekToFirst();
  ASSERT_TRUE(it->Valid());
  EXPECT_FALSE(it->PrepareValue());
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption()) << it->status().ToString();
}

TEST(FirstKeyIndexTest, AHashIndexIsAPlainOne) {
  Harness h;
  h.table_options.index_type = BlockBasedTableOptions::kHashSearch;
  h.table_options.block_size = 512;
  h.FillRandom(5, 2000);
  ASSERT_TRUE(h.Build().ok());
  EXPECT_EQ(0u, IndexTypeOf(h));
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(5);
}

TEST(FirstKeyIndexTest, AnUnknownTypeIsRefused) {
  BlockBasedTableOptions options;
  for (const auto type :
       {BlockBasedTableOptions::kBinarySearch, BlockBasedTableOptions::kHashSearch,
        BlockBasedTableOptions::kTwoLevelIndexSearch, kWithFirstKey}) {
    options.index_type = type;
    EXPECT_TRUE(ValidateTableOptions(options).ok());
  }
}

}  // namespace
}  // namespace cairn
