#include "rocksdb/comparator.h"

#include <gtest/gtest.h>

#include "base/namespace.h"
#include "base/random.h"

namespace cairn {
namespace {

std::string Separator(const Comparator* c, std::string start, const std::string& limit) {
  c->FindShortestSeparator(&start, limit);
  return start;
}

TEST(BytewiseComparator, FindsShortSeparators) {
  const Comparator* c = BytewiseComparator();
  EXPECT_STREQ("leveldb.BytewiseComparator", c->Name());
  EXPECT_EQ("h", Separator(c, "greenland", "ireland"));
  EXPECT_EQ("abd", Separator(c, "abcdef", "abzz"));
  EXPECT_EQ("abc", Separator(c, "abc", "abcd"));     // a prefix: nothing shorter between
  EXPECT_EQ("abcf", Separator(c, "abceee", "abd"));  // limit ends at the next byte
  EXPECT_EQ("ab\xff\xff", Separator(c, "ab\xff\xff", "ac"));
  EXPECT_EQ("ac", Separator(c, "ab\xff\xff", "acd"));
  EXPECT_EQ("b", Separator(c, "b", "a"));  // out of order: untouched
  std::string key =
      "\xff\xff"
      "ab";
  c->FindShortSuccessor(&key);
  EXPECT_EQ(
      "\xff\xff"
      "b",
      key);
  key = "\xff\xff";
  c->FindShortSuccessor(&key);
  EXPECT_EQ("\xff\xff", key);
}

TEST(BytewiseComparator, KnowsImmediateSuccessorsOfTheSameLength) {
  const Comparator* c = BytewiseComparator();
  EXPECT_TRUE(c->IsSameLengthImmediateSuccessor("ab", "ac"));
  EXPECT_TRUE(c->IsSameLengthImmediateSuccessor("a\xff", std::string("b\0", 2)));
  EXPECT_FALSE(c->IsSameLengthImmediateSuccessor("ab", "ad"));
  EXPECT_FALSE(c->IsSameLengthImmediateSuccessor("ab", "ab"));
  EXPECT_FALSE(c->IsSameLengthImmediateSuccessor("ab", "abc"));
  EXPECT_FALSE(c->IsSameLengthImmediateSuccessor("\xff", std::string("\0", 1)));
}

TEST(ReverseBytewiseComparator, OrdersTheOtherWayRound) {
  const Comparator* c = ReverseBytewiseComparator();
  EXPECT_STREQ("rocksdb.ReverseBytewiseComparator", c->Name());
  EXPECT_GT(c->Compare("a", "b"), 0);
  EXPECT_GT(c->Compare("a", "ab"), 0);
  EXPECT_TRUE(c->Equal("a", "a"));
  EXPECT_FALSE(c->CanKeysWithDifferentByteContentsBeEqual());
}

TEST(Comparators, SeparatorsLieBetweenForRandomKeys) {
  const uint64_t seed = 301;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random64 rng(seed);
  const auto random_key = [&rng] {
    std::string key(rng.Uniform(6), '\0');
    for (char& ch : key) ch = "\x00\x01\x7f\xfe\xff"[rng.Uniform(5)];
    return key;
  };
  for (const Comparator* c : {BytewiseComparator(), ReverseBytewiseComparator()}) {
    for (int i = 0; i < 50000; i++) {
      std::string a = random_key(), b = random_key();
      if (c->Compare(a, b) == 0) continue;
      if (c->Compare(a, b) > 0) a.swap(b);
      const std::string s = Separator(c, a, b);
      ASSERT_LE(c->Compare(a, s), 0) << Slice(a).ToString(true) << ' ' << Slice(b).ToString(true);
      ASSERT_LT(c->Compare(s, b), 0) << Slice(a).ToString(true) << ' ' << Slice(b).ToString(true);
      ASSERT_LE(s.size(), a.size());
      std::string successor = a;
      c->FindShortSuccessor(&successor);
      ASSERT_GE(c->Compare(successor, a), 0);
    }
  }
}

std::string Stamped(const std::string& key, uint64_t ts) {
  std::string buffer;
  return key + EncodeU64Ts(ts, &buffer).ToString();
}

TEST(ComparatorWithU64Ts, OrdersKeysAndThenTheNewestFirst) {
  const Comparator* const c = BytewiseComparatorWithU64Ts();
  EXPECT_STREQ("leveldb.BytewiseComparator.u64ts", c->Name());
  ASSERT_EQ(8u, c->timestamp_size());
  EXPECT_LT(c->Compare(Stamped("a", 1), Stamped("b", 9)), 0);
  EXPECT_LT(c->Compare(Stamped("a", 256), Stamped("a", 255)), 0);  // as numbers, not as bytes
  EXPECT_GT(c->Compare(Stamped("a", 1), Stamped("a", 2)), 0);
  EXPECT_EQ(0, c->Compare(Stamped("a", 1), Stamped("a", 1)));
  EXPECT_LT(c->Compare(Stamped("a", 0), Stamped("aa", 9)), 0);
  EXPECT_EQ(0, c->CompareWithoutTimestamp(Stamped("a", 1), Stamped("a", 2)));
  EXPECT_EQ(0, c->CompareWithoutTimestamp("a", false, Stamped("a", 2), true));
  EXPECT_GT(c->CompareWithoutTimestamp(Stamped("b", 1), true, "a", false), 0);
  EXPECT_TRUE(c->EqualWithoutTimestamp(Stamped("a", 1), Stamped("a", 2)));
  EXPECT_FALSE(c->EqualWithoutTimestamp(Stamped("a", 1), Stamped("b", 1)));
  std::string one, two;
  EXPECT_LT(c->CompareTimestamp(EncodeU64Ts(255, &one), EncodeU64Ts(256, &two)), 0);
  EXPECT_EQ(0, c->CompareTimestamp(MinU64Ts(), EncodeU64Ts(0, &one)));
  EXPECT_EQ(0, c->CompareTimestamp(MaxU64Ts(), EncodeU64Ts(UINT64_MAX, &one)));
  uint64_t number = 0;
  ASSERT_TRUE(DecodeU64Ts(EncodeU64Ts(77, &one), &number).ok());
  EXPECT_EQ(77u, number);
  EXPECT_TRUE(DecodeU64Ts("short", &number).IsInvalidArgument());
  // Bytes of a damaged file may be fewer than a timestamp.
  EXPECT_EQ(0, c->Compare("", "abc"));
  EXPECT_LT(c->Compare("abc", Stamped("a", 1)), 0);
  const std::string key = Stamped("abcdef", 1);
  EXPECT_EQ(key, Separator(c, key, Stamped("abzz", 1)));

  const Comparator* const r = ReverseBytewiseComparatorWithU64Ts();
  EXPECT_STREQ("rocksdb.ReverseBytewiseComparator.u64ts", r->Name());
  EXPECT_GT(r->Compare(Stamped("a", 1), Stamped("b", 9)), 0);
  EXPECT_LT(r->Compare(Stamped("a", 2), Stamped("a", 1)), 0);
}

}  // namespace
}  // namespace cairn
