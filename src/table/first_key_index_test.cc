// Indexes that hold each block's first key (kBinarySearchWithFirstKey), and those asked for by
// hash.
#include <gtest/gtest.h>

#include <string>

#include "base/coding.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;

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
