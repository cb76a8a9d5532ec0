// Filters that hold prefixes: seeks and lookups that are spared by them, and none that should not
// be.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "rocksdb/statistics.h"
#include "table/properties.h"
#include "table/testing/table_harness.h"

namespace cairn {
namespace {

using testing::Harness;
using testing::IKey;

constexpr int kPrefixes = 300;

// Prefixes 0, 3, 6, ..., of 1 to 40 keys each.
std::string Prefix(int p) {
  char text[8];
  snprintf(text, sizeof(text), "p%04d", p);
  return text;
}

void Fill(Harness* h) {
  for (int p = 0; p < kPrefixes; p += 3) {
    for (int i = 0; i < 1 + p * 7 % 40; ++i) {
      h->Put(Prefix(p) + std::to_string(i * 7 % 100), 1, "value " + std::to_string(i));
    }
  }
}

struct PrefixHarness : Harness {
  explicit PrefixHarness(bool partitions = false) {
    prefix_extractor.reset(NewFixedPrefixTransform(5));
    statistics = CreateDBStatistics();
    table_options.block_size = 256;
    if (partitions) {
      table_options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      table_options.partition_filters = true;
      table_options.metadata_block_size = 64;
    }
    Fill(this);
  }
  uint64_t Count(uint32_t ticker) const { return statistics->getTickerCount(ticker); }

  // All entries of `prefix`, by a seek to `from`, which has it.
  void CheckSeek(InternalIterator* it, const std::string& from) {
    const std::string prefix = from.substr(0, 5);
    const std::string target = IKey(from, kMaxSequenceNumber, kValueTypeForSeek);
    auto at = model.lower_bound(target);
    for (it->Seek(target); it->Valid() && it->key().starts_with(prefix); it->Next(), ++at) {
      ASSERT_TRUE(at != model.end() && it->key() == Slice(at->first)) << from;
    }
    ASSERT_TRUE(it->status().ok());
    ASSERT_TRUE(at == model.end() || !Slice(at->first).starts_with(prefix)) << from;
  }
  void CheckSeekForPrev(InternalIterator* it, const std::string& from) {
    const std::string prefix = from.substr(0, 5);
    const std::string target = IKey(from, 0, kTypeDeletion);
    auto at = model.upper_bound(target);
    for (it->SeekForPrev(target); it->Valid() && it->key().starts_with(prefix); it->Prev()) {
      ASSERT_TRUE(at != model.begin() && it->key() == Slice((--at)->first)) << from;
    }
    ASSERT_TRUE(it->status().ok());
    ASSERT_TRUE(at == model.begin() || !Slice((--at)->first).starts_with(prefix)) << from;
  }
};

TEST(PrefixTest, SeeksFindAllOfAPrefixAndAreSparedWhereThereIsNone) {
  for (const bool partitions : {false, true}) {
    for (const bool whole_keys : {false, true}) {
      SCOPED_TRACE(std::string(partitions ? "partitions" : "one filter") +
                   (whole_keys ? ", whole keys" : ""));
      PrefixHarness h(partitions);
      h.table_options.whole_key_filtering = whole_keys;
      ASSERT_TRUE(h.Build().ok());
      ASSERT_TRUE(h.Open().ok());
      const auto properties = h.table->GetTableProperties();
      EXPECT_EQ(properties->prefix_extractor_name, "rocksdb.FixedPrefix.5");
      EXPECT_EQ(properties->user_collected_properties.at(kPrefixFilteringProperty), "1");
      EXPECT_EQ(properties->user_collected_properties.at(kWholeKeyFilteringProperty),
                whole_keys ? "1" : "0");
      std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
      for (int p = -1; p <= kPrefixes; ++p) {
        const std::string prefix = p < 0 ? "a0000" : Prefix(p);
        for (const char* const rest : {"", "3", "56", "7", "~"}) {
          h.CheckSeek(it.get(), prefix + rest);
          h.CheckSeekForPrev(it.get(), prefix + rest);
        }
      }
      // Two of three prefixes are absent; a percent of those gets through.
      EXPECT_GT(h.Count(BLOOM_FILTER_PREFIX_USEFUL), h.Count(BLOOM_FILTER_PREFIX_CHECKED) * 6 / 10);
      h.CheckAll(7, 0);
      // In total order: every seek as ever.
      ReadOptions total;
      total.total_order_seek = true;
      it.reset(h.table->NewIterator(total));
      const uint64_t checked = h.Count(BLOOM_FILTER_PREFIX_CHECKED);
      for (int p = 0; p < kPrefixes; ++p) {
        const std::string target = IKey(Prefix(p), kMaxSequenceNumber, kValueTypeForSeek);
        it->Seek(target);
        const auto at = h.model.lower_bound(target);
        ASSERT_EQ(it->Valid(), at != h.model.end());
        if (it->Valid()) {
          ASSERT_EQ(it->key().ToString(), at->first);
        }
      }
      EXPECT_EQ(h.Count(BLOOM_FILTER_PREFIX_CHECKED), checked);
    }
  }
}

TEST(PrefixTest, LookupsAskForThePrefixWhereTheFilterHasNoWholeKeys) {
  for (const bool partitions : {false, true}) {
    PrefixHarness h(partitions);
    h.table_options.whole_key_filtering = false;
    ASSERT_TRUE(h.Build().ok());
    ASSERT_TRUE(h.Open().ok());
    EXPECT_TRUE(h.table->HasFilter());
    for (const auto& [key, value] : h.model) h.CheckGet(ExtractUserKey(key).ToString(), 5);
    EXPECT_EQ(h.Count(BLOOM_FILTER_USEFUL), 0u);
    for (int p = 1; p < kPrefixes; p += 3) h.CheckGet(Prefix(p) + "x", 5);
    EXPECT_GT(h.Count(BLOOM_FILTER_USEFUL), 90u);
    // A key without a prefix is looked up in the data.
    const uint64_t useful = h.Count(BLOOM_FILTER_USEFUL);
    h.CheckGet("p", 5);
    EXPECT_EQ(h.Count(BLOOM_FILTER_USEFUL), useful);
  }
}

TEST(PrefixTest, AFilterOfOtherPrefixesIsAskedOnlyForWholeKeys) {
  PrefixHarness h;
  ASSERT_TRUE(h.Build().ok());
  h.prefix_extractor.reset(NewFixedPrefixTransform(3));
  ASSERT_TRUE(h.Open().ok());
  // Seeks in the order of all keys, as prefixes of three bytes would be missed.
  std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
  for (int p = 0; p < kPrefixes; ++p) {
    const std::string target = IKey(Prefix(p), kMaxSequenceNumber, kValueTypeForSeek);
    it->Seek(target);
    const auto at = h.model.lower_bound(target);
    ASSERT_EQ(it->Valid(), at != h.model.end());
    if (it->Valid()) {
      ASSERT_EQ(it->key().ToString(), at->first);
    }
  }
  EXPECT_EQ(h.Count(BLOOM_FILTER_PREFIX_CHECKED), 0u);
  for (int p = 1; p < kPrefixes; p += 3) h.CheckGet(Prefix(p) + "x", 5);
  EXPECT_GT(h.Count(BLOOM_FILTER_USEFUL), 90u);

  // Up to a bound with the same prefix as the table took it, its filter is of use.
  const std::string bound = Prefix(2);
  const Slice bound_slice(bound);
  ReadOptions bounded;
  bounded.iterate_upper_bound = &bound_slice;
  it.reset(h.table->NewIterator(bounded));
  it->Seek(IKey(Prefix(1) + "5", kMaxSequenceNumber, kValueTypeForSeek));
  EXPECT_FALSE(it->Valid());
  EXPECT_EQ(h.Count(BLOOM_FILTER_PREFIX_USEFUL), 1u);
  it->Seek(IKey(Prefix(0), kMaxSequenceNumber, kValueTypeForSeek));
  ASSERT_TRUE(it->Valid()) << "the bound is two prefixes away";
  EXPECT_EQ(it->key().ToString(), h.model.begin()->first);

  // The filter without whole keys, and without that prefix, is of no use to a lookup.
  PrefixHarness prefixes_only;
  prefixes_only.table_options.whole_key_filtering = false;
  ASSERT_TRUE(prefixes_only.Build().ok());
  prefixes_only.prefix_extractor.reset(NewCappedPrefixTransform(5));
  ASSERT_TRUE(prefixes_only.Open().ok());
  EXPECT_FALSE(prefixes_only.table->HasFilter());
  for (const auto& [key, value] : prefixes_only.model) {
    prefixes_only.CheckGet(ExtractUserKey(key).ToString(), 5);
  }
}

TEST(PrefixTest, AutoPrefixModeIsAlwaysInTotalOrder) {
  for (const bool partitions : {false, true}) {
    PrefixHarness h(partitions);
    ASSERT_TRUE(h.Build().ok());
    ASSERT_TRUE(h.Open().ok());
    Random64 random(17);
    std::string bound;
    Slice bound_slice;
    ReadOptions options;
    options.auto_prefix_mode = true;
    options.total_order_seek = true;  // the other one counts
    options.iterate_upper_bound = &bound_slice;
    std::unique_ptr<InternalIterator> it(h.table->NewIterator(options));
    for (int i = 0; i < 3000; ++i) {
      const int p = static_cast<int>(random.Uniform(kPrefixes));
      const std::string key = Prefix(p) + std::to_string(random.Uniform(100));
      bound = random.Uniform(2) == 0 ? Prefix(p + static_cast<int>(random.Uniform(3)))
                                     : key + std::to_string(random.Uniform(100));
      bound_slice = bound;
      const std::string target = IKey(key, kMaxSequenceNumber, kValueTypeForSeek);
      const std::string end = IKey(bound, kMaxSequenceNumber, kValueTypeForSeek);
      auto at = h.model.lower_bound(target);
      const auto stop = h.model.lower_bound(end);
      if (h.icmp.Compare(end, target) <= 0) continue;
      for (it->Seek(target); at != stop; it->Next(), ++at) {
        ASSERT_TRUE(it->Valid()) << key << " to " << bound;
        ASSERT_EQ(it->key().ToString(), at->first);
      }
      it->SeekForPrev(target);
      at = h.model.upper_bound(target);
      ASSERT_EQ(it->Valid(), at != h.model.begin());
      if (it->Valid()) {
        ASSERT_EQ(it->key().ToString(), (--at)->first);
      }
    }
    EXPECT_GT(h.Count(BLOOM_FILTER_PREFIX_USEFUL), 300u);
  }
}

TEST(PrefixTest, AnIngestedTableTurnsRoundAtItsPrefixes) {
  PrefixHarness h;
  // As an external file: all entries have one sequence number, given from outside.
  testing::Model with_zero{testing::InternalLess(&h.icmp)};
  for (const auto& [key, value] : h.model) {
    with_zero[IKey(ExtractUserKey(key).ToString(), 0)] = value;
  }
  h.model = with_zero;
  h.extra_properties[kExternalVersionProperty] = std::string("\2\0\0\0", 4);
  h.extra_properties[kExternalGlobalSeqnoProperty] = std::string(8, '\0');
  ASSERT_TRUE(h.Build().ok());
  ASSERT_TRUE(h.Open().ok());
  std::unique_ptr<InternalIterator> it(h.table->NewIterator(ReadOptions()));
  for (int p = 0; p < kPrefixes; ++p) {
    h.CheckSeek(it.get(), Prefix(p));
    h.CheckSeekForPrev(it.get(), Prefix(p) + "~");
  }
}

}  // namespace
}  // namespace cairn
