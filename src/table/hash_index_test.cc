// Data blocks with a hash index: every lookup finds what a search would, and the index is there
// where it can be.
#include <gtest/gtest.h>
#include <strings.h>

#include <cstring>
#include <memory>
#include <string>

#include "table/block.h"
#include "table/block_builder.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;
using testing::IKey;

void UseHashIndex(Harness* h, double ratio = 0.75) {
  h->table_options.data_block_index_type = BlockBasedTableOptions::kDataBlockBinaryAndHash;
  h->table_options.data_block_hash_table_util_ratio = ratio;
  h->table_options.filter_policy.reset();  // every lookup comes to the blocks
}

TEST(HashIndexTest, LookupsFindWhatASearchFinds) {
  uint64_t seed = 0;
  for (const Comparator* comparator : {BytewiseComparator(), ReverseBytewiseComparator()}) {
    for (const double ratio : {0.0, 0.1, 0.75, 1.0}) {
      for (const int restart_interval : {1, 3, 16}) {
        SCOPED_TRACE("ratio " + std::to_string(ratio) + " interval " +
                     std::to_string(restart_interval));
        Harness h(comparator);
        UseHashIndex(&h, ratio);
        h.table_options.block_restart_interval = restart_interval;
        h.table_options.block_size = seed % 2 == 0 ? 1000 : 6000;
        h.FillRandom(++seed, 3000);
        ASSERT_TRUE(h.Build().ok());
        ASSERT_TRUE(h.Open().ok());
        h.CheckAll(seed, 300);
        for (const auto& [key, value] : h.model) {
          const std::string user = ExtractUserKey(key).ToString();
          h.CheckGet(user, ExtractSequence(key));
          h.CheckGet(user, ExtractSequence(key) - 1);
          h.CheckGet(user + "?", kMaxSequenceNumber);
        }
        EXPECT_TRUE(h.table->VerifyChecksum(ReadOptions()).ok());
      }
    }
  }
}

TEST(HashIndexTest, VersionsOfAKeyMaySpanIntervalsAndBlocks) {
  for (const size_t block_size : {300, 5000}) {
    Harness h;
    UseHashIndex(&h);
    h.table_options.block_size = block_size;
    for (SequenceNumber s = 1; s <= 400; ++s) h.Put("many", s, "value " + std::to_string(s));
    for (int i = 0; i < 50; ++i) h.Put("k" + std::to_string(i), 500, "x");
    ASSERT_TRUE(h.Build().ok());
    ASSERT_TRUE(h.Open().ok());
    h.CheckAll(5);
    for (SequenceNumber s = 0; s <= 401; ++s) h.CheckGet("many", s);
    for (int i = 0; i < 60; ++i) h.CheckGet("k" + std::to_string(i), 600);
  }
}

// Takes "a" and "A" for equal, as Comparator's default says of all that do not say otherwise.
class CaseBlind final : public Comparator {
 public:
  const char* Name() const override { return "test.CaseBlind"; }
  int Compare(const Slice& a, const Slice& b) const override {
    return strcasecmp(a.ToString().c_str(), b.ToString().c_str());
  }
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}
};

TEST(HashIndexTest, EqualKeysOfDifferentBytesAreFound) {
  const CaseBlind comparator;
  Harness h(&comparator);
  UseHashIndex(&h);
  for (char c = 'a'; c <= 'z'; ++c) h.Put(std::string(3, c), 5, "value");
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  h.CheckAll(5);
  h.CheckGet("MMM", 9);
  h.CheckGet("MMm", 9);
  h.CheckGet("MM", 9);
}

Block::Ptr BlockOf(BlockBuilder* builder) {
  const Slice raw = builder->Finish();
  Block::Ptr block = Block::Allocate(raw.size(), 0, 0);
  std::memcpy(block->mutable_data(), raw.data(), raw.size());
  return block;
}

TEST(HashIndexTest, LargeBlocksHaveNone) {
  for (const int entries : {100, 254, 255, 2000}) {
    BlockBuilder builder(1);
    builder.EnableHashIndex(0.75);
    for (int i = 0; i < entries; ++i) {
      char key[16];
      snprintf(key, sizeof(key), "key%05d", i);
      builder.Add(IKey(key, 1), std::string(entries == 100 ? 700 : 10, 'v'));
      builder.AddToHashIndex(key);
    }
    const size_t size = builder.CurrentSize();
    const Block::Ptr block = BlockOf(&builder);
    ASSERT_EQ(block->ParseRestarts(), nullptr);
    EXPECT_EQ(block->num_restarts(), static_cast<uint32_t>(entries));
    EXPECT_EQ(block->has_hash_index(), entries == 254);
    if (entries != 100) {
      EXPECT_EQ(block->size(), size) << "as estimated";
    }
  }
}

TEST(HashIndexTest, DamagedIndexesAreFoundOrHarmless) {
  const InternalKeyComparator icmp(BytewiseComparator());
  BlockBuilder builder(2);
  builder.EnableHashIndex(0.75);
  for (int i = 0; i < 50; ++i) {
    const std::string key = "key" + std::to_string(100 + i);
    builder.Add(IKey(key, 1), "v");
    builder.AddToHashIndex(key);
  }
  const std::string good = builder.Finish().ToString();
  for (size_t at = good.size() - 90; at < good.size(); ++at) {
    for (const int byte : {0, 1, 25, 26, 0x7f, 253, 254, 255}) {
      Block::Ptr block = Block::Allocate(good.size(), 0, 0);
      std::memcpy(block->mutable_data(), good.data(), good.size());
      block->mutable_data()[at] = static_cast<char>(byte);
      if (block->ParseRestarts() != nullptr || !block->has_hash_index()) continue;
      DataBlockIter it;
      it.Init(block.get(), &icmp, true);
      for (int i = 0; i < 60; ++i) {
        const std::string target = IKey("key" + std::to_string(95 + i), 5, kValueTypeForSeek);
        if (it.SeekByHash(target) && it.Valid()) {
          EXPECT_GE(it.key().size(), 8u);
        }
        it.Init(block.get(), &icmp, true);
      }
    }
  }
}

}  // namespace
}  // namespace cairn
