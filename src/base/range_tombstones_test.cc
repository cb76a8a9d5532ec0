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

}  // namespace
}  // namespace cairn
