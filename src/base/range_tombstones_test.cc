#include "base/range_tombstones.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace cairn {
namespace {

const InternalKeyComparator kOrder(BytewiseComparator());

std::string Text(const RangeTombstones& tombstones) {
  std::string text;
  for (const auto& fragment : tombstones.fragments()) {
    text += "[" + fragment.start.ToString() + "," + fragment.end.ToString() + ")";
    for (const SequenceNumber sequence : fragment.sequences) text += " " + std::to_string(sequence);
    text += "; ";
  }
  return text;
}

TEST(RangeTombstonesTest, CutsThemWhereOthersBeginAndEnd) {
  const RangeTombstones tombstones(kOrder, {{"a", "e", 5},
                                            {"c", "g", 9},
                                            {"x", "x", 7},
                                            {"z", "y", 7},
                                            {"c", "d", 3},
                                            {"g", "h", 2},
                                            {"m", "n", 4},
                                            {"m", "n", 4}});
  EXPECT_EQ(Text(tombstones), "[a,c) 5; [c,d) 9 5 3; [d,e) 9 5; [e,g) 9; [g,h) 2; [m,n) 4; ");
  EXPECT_EQ(tombstones.Covering("c", 8), 5u);
  EXPECT_EQ(tombstones.Covering("c", 4), 3u);
  EXPECT_EQ(tombstones.Covering("c", 2), 0u);
  EXPECT_EQ(tombstones.Covering("h", 100), 0u);
  EXPECT_EQ(tombstones.Covering("", 100), 0u);
  EXPECT_TRUE(RangeTombstones(kOrder, {}).empty());
}

TEST(RangeTombstonesTest, CoversWhatASearchThroughAllOfThemSays) {
  Random64 random(301);
  for (int round = 0; round < 200; ++round) {
    std::vector<RangeTombstone> all;
    for (uint64_t n = random.Uniform(12); n > 0; --n) {
      all.push_back({std::to_string(10 + random.Uniform(90)),
                     std::to_string(10 + random.Uniform(90)), 1 + random.Uniform(20)});
    }
    const RangeTombstones tombstones(kOrder, all);
    for (int i = 10; i < 100; ++i) {
      const std::string key = std::to_string(i);
      for (const SequenceNumber at : {1, 5, 13, 20}) {
        SequenceNumber wanted = 0;
        for (const RangeTombstone& one : all) {
          if (one.start <= key && key < one.end && one.sequence <= at) {
            wanted = std::max(wanted, one.sequence);
          }
        }
        ASSERT_EQ(tombstones.Covering(key, at), wanted) << round << " " << key << " " << at;
      }
    }
  }
}

TEST(RangeTombstonesTest, IsClippedToItsTable) {
  const InternalKey first("c", 7, kTypeValue);
  const InternalKey exclusive("m", kMaxSequenceNumber, kTypeRangeDeletion);
  const InternalKey entry("m", 7, kTypeValue);
  Slice start("a"), end("z");
  EXPECT_TRUE(ClipToTable(kOrder, first.Encode(), exclusive.Encode(), &start, &end));
  EXPECT_EQ(start, Slice("c"));
  EXPECT_EQ(end, Slice("m"));
  end = "z";
  EXPECT_TRUE(ClipToTable(kOrder, first.Encode(), entry.Encode(), &start, &end));
  EXPECT_EQ(end, Slice("z")) << "the next table goes on with m";
  start = "m", end = "z";
  EXPECT_FALSE(ClipToTable(kOrder, first.Encode(), exclusive.Encode(), &start, &end));
}

// Who reads at an older timestamp than a tombstone's does not see it.
TEST(RangeTombstones, EachHasItsTimestamp) {
  const InternalKeyComparator icmp(BytewiseComparatorWithU64Ts());
  const auto stamped = [](const std::string& key, uint64_t ts) {
    std::string buffer;
    return key + EncodeU64Ts(ts, &buffer).ToString();
  };
  std::vector<RangeTombstone> all;
  all.push_back(MakeRangeTombstone(icmp, stamped("b", 5), stamped("f", 5), 50));
  all.push_back(MakeRangeTombstone(icmp, stamped("d", 7), stamped("h", 7), 70));
  const RangeTombstones tombstones(icmp, std::move(all));
  ASSERT_EQ(3u, tombstones.fragments().size());
  Slice timestamp;
  EXPECT_EQ(0u, tombstones.Covering(stamped("a", 9), 100));
  EXPECT_EQ(50u, tombstones.Covering(stamped("b", 9), 100, &timestamp));
  EXPECT_EQ(stamped("", 5), timestamp.ToString());
  EXPECT_EQ(0u, tombstones.Covering(stamped("b", 4), 100));
  EXPECT_EQ(70u, tombstones.Covering(stamped("e", 9), 100, &timestamp));
  EXPECT_EQ(stamped("", 7), timestamp.ToString());
  EXPECT_EQ(50u, tombstones.Covering(stamped("e", 6), 100));
  EXPECT_EQ(50u, tombstones.Covering(stamped("e", 9), 60));  // a snapshot
  EXPECT_EQ(70u, tombstones.Covering(stamped("g", 7), 100));
  EXPECT_EQ(0u, tombstones.Covering(stamped("h", 9), 100));
}

}  // namespace
}  // namespace cairn
