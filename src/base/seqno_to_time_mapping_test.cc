#include "base/seqno_to_time_mapping.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/random.h"

namespace cairn {
namespace {

using Pairs = std::vector<SeqnoTimePair>;

SeqnoToTimeMapping MappingOf(const Pairs& pairs) { return SeqnoToTimeMapping(pairs); }

std::string BytesOf(const SeqnoToTimeMapping& mapping) {
  std::string bytes;
  mapping.EncodeTo(&bytes);
  return bytes;
}

std::string Varints(const std::vector<uint64_t>& numbers) {
  std::string bytes;
  for (const uint64_t n : numbers) PutVarint64(&bytes, n);
  return bytes;
}

TEST(SeqnoToTimeMapping, AnswersBothWays) {
  const SeqnoToTimeMapping mapping = MappingOf({{10, 500}, {20, 600}, {30, 700}});
  EXPECT_EQ(0u, mapping.TimeBefore(0));
  EXPECT_EQ(0u, mapping.TimeBefore(10));
  EXPECT_EQ(500u, mapping.TimeBefore(11));
  EXPECT_EQ(500u, mapping.TimeBefore(20));
  EXPECT_EQ(600u, mapping.TimeBefore(21));
  EXPECT_EQ(700u, mapping.TimeBefore(kMaxSequenceNumber));
  EXPECT_EQ(0u, mapping.SequenceBy(499));
  EXPECT_EQ(10u, mapping.SequenceBy(500));
  EXPECT_EQ(10u, mapping.SequenceBy(599));
  EXPECT_EQ(20u, mapping.SequenceBy(600));
  EXPECT_EQ(30u, mapping.SequenceBy(UINT64_MAX));
  const SeqnoToTimeMapping none;
  EXPECT_EQ(0u, none.TimeBefore(1));
  EXPECT_EQ(0u, none.SequenceBy(UINT64_MAX));
}

TEST(SeqnoToTimeMapping, BytesAreThoseOfTheFormat) {
  EXPECT_EQ("", BytesOf(SeqnoToTimeMapping()));
  const SeqnoToTimeMapping mapping = MappingOf({{10, 500}, {20, 600}, {1044, 1700000000}});
  EXPECT_EQ(std::string("\x03\x0a\xf4\x03\x0a\x64\x80\x08\xa8\xdd\xcf\xaa\x06"), BytesOf(mapping));
  Pairs decoded = {{7, 7}};
  ASSERT_TRUE(SeqnoToTimeMapping::Decode(BytesOf(mapping), &decoded).ok());
  EXPECT_EQ((Pairs{{7, 7}, {10, 500}, {20, 600}, {1044, 1700000000}}), decoded);
  EXPECT_EQ("10->500,20->600,1044->1700000000,", ToString(mapping.pairs()));
}

TEST(SeqnoToTimeMapping, NoBytesAreNoPairs) {
  Pairs decoded;
  ASSERT_TRUE(SeqnoToTimeMapping::Decode("", &decoded).ok());
  ASSERT_TRUE(SeqnoToTimeMapping::Decode(Varints({0}), &decoded).ok());
  EXPECT_TRUE(decoded.empty());
}

TEST(SeqnoToTimeMapping, DamagedBytesAreCorruption) {
  const auto refused = [](const std::string& bytes) {
    Pairs decoded = {{1, 2}};
    const Status s = SeqnoToTimeMapping::Decode(bytes, &decoded);
    return s.IsCorruption() && decoded == Pairs{{1, 2}};
  };
  const std::string good = Varints({2, 10, 500, 10, 100});
  for (size_t size = 1; size < good.size(); ++size) {
    EXPECT_TRUE(refused(good.substr(0, size))) << size;
  }
  EXPECT_TRUE(refused(good + '\0'));
  EXPECT_TRUE(refused(std::string(11, '\xff')));  // no varint
  EXPECT_TRUE(refused(Varints({UINT64_MAX, 1, 1})));
  EXPECT_TRUE(refused(Varints({1, 0, 500})));
  EXPECT_TRUE(refused(Varints({2, 10, 500, 0, 100})));
  EXPECT_TRUE(refused(Varints({2, kMaxSequenceNumber, 500, 1, 100})));
  EXPECT_FALSE(refused(good));
}

TEST(SeqnoToTimeMapping, TimeThatWentBackIsRead) {
  // 20 was written no later than 400: so was 10.
  Pairs decoded;
  ASSERT_TRUE(SeqnoToTimeMapping::Decode(
                  Varints({3, 10, 500, 10, static_cast<uint64_t>(-100), 10, 300}), &decoded)
                  .ok());
  EXPECT_EQ((Pairs{{10, 500}, {20, 400}, {30, 700}}), decoded);
  EXPECT_EQ((Pairs{{20, 400}, {30, 700}}), MappingOf(decoded).pairs());
}

TEST(SeqnoToTimeMapping, PairsOfSeveralTablesAreJoined) {
  const SeqnoToTimeMapping mapping =
      MappingOf({{30, 700}, {10, 500}, {0, 100}, {20, 650}, {20, 600}, {25, 600}, {10, 500}});
  // Of one sequence number the earlier time, of one time the larger sequence number.
  EXPECT_EQ((Pairs{{10, 500}, {25, 600}, {30, 700}}), mapping.pairs());
}

TEST(SeqnoToTimeMapping, SamplesAreAppended) {
  SeqnoToTimeMapping mapping;
  mapping.Append(0, 50);  // nothing was written: there is nothing to say
  EXPECT_TRUE(mapping.empty());
  mapping.Append(5, 100);
  mapping.Append(5, 200);  // nor since
  mapping.Append(9, 300);
  mapping.Append(12, 300);
  EXPECT_EQ((Pairs{{5, 100}, {12, 300}}), mapping.pairs());
  // The clock was set back, beyond both.
  mapping.Append(20, 90);
  EXPECT_EQ((Pairs{{20, 90}}), mapping.pairs());
  mapping.Append(20, 80);
  mapping.Append(21, 95);
  EXPECT_EQ((Pairs{{20, 80}, {21, 95}}), mapping.pairs());
}

TEST(SeqnoToTimeMapping, OldPairsAreForgottenButForTheNewestOfThem) {
  SeqnoToTimeMapping mapping = MappingOf({{1, 100}, {2, 200}, {3, 300}, {4, 400}});
  mapping.ForgetBefore(99);
  mapping.ForgetBefore(100);
  mapping.ForgetBefore(199);
  EXPECT_EQ(4u, mapping.size());
  mapping.ForgetBefore(300);
  EXPECT_EQ((Pairs{{3, 300}, {4, 400}}), mapping.pairs());
  mapping.ForgetBefore(UINT64_MAX);
  EXPECT_EQ((Pairs{{4, 400}}), mapping.pairs());
}

TEST(SeqnoToTimeMapping, ThinningLeavesEvenGaps) {
  SeqnoToTimeMapping mapping = MappingOf({{1, 100}, {2, 110}, {3, 150}, {4, 160}, {5, 200}});
  SeqnoToTimeMapping same = mapping;
  same.ThinTo(5);
  EXPECT_EQ(mapping.pairs(), same.pairs());
  // Without 2, 3 or 4 a gap of 50 is left: the oldest of them goes. Then 3 leaves 60, 4 leaves 50.
  mapping.ThinTo(4);
  EXPECT_EQ((Pairs{{1, 100}, {3, 150}, {4, 160}, {5, 200}}), mapping.pairs());
  mapping.ThinTo(3);
  EXPECT_EQ((Pairs{{1, 100}, {3, 150}, {5, 200}}), mapping.pairs());
  mapping.ThinTo(1);  // as 2
  EXPECT_EQ((Pairs{{1, 100}, {5, 200}}), mapping.pairs());
  mapping.ThinTo(0);
  EXPECT_TRUE(mapping.empty());
}

// Against the rule in plain words: take out one after the other.
TEST(SeqnoToTimeMapping, ThinningIsGreedy) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random64 random(seed);
    Pairs pairs;
    SeqnoTimePair last{1, 1000};
    for (int i = 0; i < 60; ++i) {
      last.sequence += 1 + random.Uniform(9);
      last.seconds += 1 + random.Uniform(5);
      pairs.push_back(last);
    }
    const size_t most = 2 + random.Uniform(58);
    SeqnoToTimeMapping mapping = MappingOf(pairs);
    mapping.ThinTo(most);
    while (pairs.size() > most) {
      size_t best = 1;
      for (size_t i = 2; i + 1 < pairs.size(); ++i) {
        const auto gap = [&](size_t at) { return pairs[at + 1].seconds - pairs[at - 1].seconds; };
        if (gap(i) < gap(best)) best = i;
      }
      pairs.erase(pairs.begin() + static_cast<std::ptrdiff_t>(best));
    }
    EXPECT_EQ(pairs, mapping.pairs());
  }
}

TEST(SeqnoToTimeMapping, PartTellsOfItsRange) {
  const SeqnoToTimeMapping mapping = MappingOf({{10, 500}, {20, 600}, {30, 700}, {40, 800}});
  EXPECT_EQ((Pairs{{10, 500}, {20, 600}, {30, 700}}), mapping.PartFor(15, 35).pairs());
  EXPECT_EQ((Pairs{{10, 500}, {20, 600}}), mapping.PartFor(20, 20).pairs());
  EXPECT_EQ((Pairs{{20, 600}}), mapping.PartFor(21, 25).pairs());
  EXPECT_EQ((Pairs{}), mapping.PartFor(0, 9).pairs());
  EXPECT_EQ((Pairs{{40, 800}}), mapping.PartFor(50, 60).pairs());
  EXPECT_EQ(mapping.pairs(), mapping.PartFor(0, kMaxSequenceNumber).pairs());
  // A table without entries.
  EXPECT_EQ((Pairs{{40, 800}}), mapping.PartFor(kMaxSequenceNumber, 0).pairs());
}

// What a part, and what several of them joined, say of a sequence number is what the whole says.
TEST(SeqnoToTimeMapping, PartsAgreeWithTheWhole) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    Random64 random(seed);
    SeqnoToTimeMapping whole;
    SeqnoTimePair last{0, 1000};
    for (int i = 0; i < 80; ++i) {
      last.sequence += random.Uniform(20);
      last.seconds += random.Uniform(4);
      whole.Append(last.sequence, last.seconds);
    }
    Pairs joined;
    SequenceNumber from = 1;
    while (from <= last.sequence) {
      const SequenceNumber to = from + random.Uniform(100);
      const SeqnoToTimeMapping part = whole.PartFor(from, to);
      for (SequenceNumber n = from; n <= to; ++n) {
        ASSERT_EQ(whole.TimeBefore(n), part.TimeBefore(n)) << n;
      }
      ASSERT_TRUE(SeqnoToTimeMapping::Decode(BytesOf(part), &joined).ok());
      from = to + 1;
    }
    const SeqnoToTimeMapping again(joined);
    for (SequenceNumber n = 0; n <= last.sequence; ++n) {
      ASSERT_EQ(whole.TimeBefore(n), again.TimeBefore(n)) << n;
    }
  }
}

}  // namespace
}  // namespace cairn
