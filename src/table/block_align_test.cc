// block_align: where data blocks begin, that none crosses a page without need, and that all is
// found again.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;

// Where the data blocks begin.
std::set<uint64_t> Offsets(const Harness& h) {
  std::set<uint64_t> offsets;
  for (const auto& [key, value] : h.model) {
    offsets.insert(h.table->ApproximateOffsetOf(ReadOptions(), key));
  }
  return offsets;
}

TEST(BlockAlignTest, EachBlockHasPagesOfItsOwn) {
  uint64_t seed = 0;
  for (uint32_t version = 2; version <= 7; ++version) {
    for (const size_t block_size : {512u, 4096u, 16384u}) {
      for (const bool partitions : {false, true}) {
        SCOPED_TRACE("version " + std::to_string(version) + " size " + std::to_string(block_size));
        Harness h;
        h.table_options.format_version = version;
        h.table_options.block_size = block_size;
        h.table_options.block_align = true;
        h.table_options.metadata_block_size = 512;
        if (partitions) h.table_options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
        h.FillRandom(++seed, 4000);
        ASSERT_TRUE(h.Build().ok());
        ASSERT_TRUE(h.Open().ok());
        h.CheckAll(seed);
        EXPECT_TRUE(h.table->VerifyChecksum(ReadOptions()).ok());
        EXPECT_EQ(h.properties.index_value_is_delta_encoded, 0u);

        const std::set<uint64_t> offsets = Offsets(h);
        EXPECT_EQ(offsets.size(), h.properties.num_data_blocks);
        const uint64_t alignment = std::min<uint64_t>(block_size, 4096);
        for (const uint64_t offset : offsets) EXPECT_EQ(offset % alignment, 0u);
        // All entries are small: no block is larger than it is to be, its trailer included.
        EXPECT_EQ(h.properties.data_size % alignment, 0u);
        EXPECT_LE(h.properties.data_size, h.properties.num_data_blocks * block_size);
      }
    }
  }
}

TEST(BlockAlignTest, ALargeEntryTakesSeveralPages) {
  Harness h;
  h.table_options.block_align = true;
  h.Put("a", 1, "small");
  h.Put("b", 2, std::string(10'000, 'b'));
  h.Put("c", 3, "small");
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(1);
  for (const uint64_t offset : Offsets(h)) EXPECT_EQ(offset % 4096, 0u);
  EXPECT_EQ(h.properties.data_size % 4096, 0u);
}

TEST(BlockAlignTest, WithoutItBlocksFollowOneAnother) {
  Harness h;
  h.FillRandom(1, 4000);
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  EXPECT_NE(*Offsets(h).rbegin() % 512, 0u);
  EXPECT_EQ(h.properties.index_value_is_delta_encoded, 1u);
}

TEST(BlockAlignTest, ASizeThatIsNoPowerOfTwoIsRefused) {
  BlockBasedTableOptions options;
  options.block_align = true;
  for (const size_t size : {4095u, 5000u, 12288u}) {
    options.block_size = size;
    EXPECT_TRUE(ValidateTableOptions(options).IsInvalidArgument()) << size;
  }
  options.block_size = 8192;
  EXPECT_TRUE(ValidateTableOptions(options).ok());
}

}  // namespace
}  // namespace cairn
