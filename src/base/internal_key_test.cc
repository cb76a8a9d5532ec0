#include "base/internal_key.h"

#include <gtest/gtest.h>

namespace cairn {
namespace {

std::string Key(const std::string& user_key, SequenceNumber seq, ValueType type) {
  std::string encoded;
  AppendInternalKey(&encoded, ParsedInternalKey(user_key, seq, type));
  return encoded;
}

TEST(InternalKey, RoundTrips) {
  for (const std::string& user_key : {std::string(), std::string("k"), std::string(300, 'x')}) {
    for (SequenceNumber seq :
         {uint64_t{0}, uint64_t{1}, (uint64_t{1} << 32) + 1, kMaxSequenceNumber}) {
      for (ValueType type :
           {kTypeDeletion, kTypeValue, kTypeSingleDeletion, kTypeWideColumnEntity}) {
        const std::string encoded = Key(user_key, seq, type);
        EXPECT_EQ(user_key.size() + 8, encoded.size());
        ParsedInternalKey parsed;
        ASSERT_TRUE(ParseInternalKey(encoded, &parsed).ok());
        EXPECT_EQ(user_key, parsed.user_key.ToString());
        EXPECT_EQ(seq, parsed.sequence);
        EXPECT_EQ(type, parsed.type);
        EXPECT_EQ(seq, ExtractSequence(encoded));
        EXPECT_EQ(type, ExtractValueType(encoded));
      }
    }
  }
}

TEST(InternalKey, BytesOnDisk) {
  EXPECT_EQ(std::string("foo\x01\x05\x00\x00\x00\x00\x00\x00", 11), Key("foo", 5, kTypeValue));
}

TEST(InternalKey, DamagedOnesAreCorruption) {
  ParsedInternalKey parsed;
  EXPECT_TRUE(ParseInternalKey("short", &parsed).IsCorruption());
  EXPECT_TRUE(ParseInternalKey(Key("a", 1, kTypeLogData), &parsed).IsCorruption());
  EXPECT_TRUE(ParseInternalKey(Key("a", 1, kMaxValue), &parsed).IsCorruption());
  InternalKey key;
  EXPECT_FALSE(key.Valid());
  key.Set("a", 7, kTypeValue);
  EXPECT_TRUE(key.Valid());
  EXPECT_EQ("'a' seq:7, type:1", key.DebugString());
  EXPECT_EQ("'61' seq:7, type:1", key.DebugString(true));
}

TEST(InternalKeyComparator, OrdersByUserKeyThenNewestFirst) {
  for (const Comparator* user : {BytewiseComparator(), ReverseBytewiseComparator()}) {
    const InternalKeyComparator icmp(user);
    const int forward = user == BytewiseComparator() ? 1 : -1;
    EXPECT_LT(
        forward * icmp.Compare(Slice(Key("a", 1, kTypeValue)), Slice(Key("b", 9, kTypeValue))), 0);
    EXPECT_LT(icmp.Compare(Slice(Key("a", 9, kTypeValue)), Slice(Key("a", 1, kTypeValue))), 0);
    EXPECT_LT(icmp.Compare(Slice(Key("a", 1, kTypeValue)), Slice(Key("a", 1, kTypeDeletion))), 0);
    EXPECT_EQ(0, icmp.Compare(Slice(Key("a", 1, kTypeValue)), Slice(Key("a", 1, kTypeValue))));
    EXPECT_LT(
        icmp.Compare(ParsedInternalKey("a", 9, kTypeValue), ParsedInternalKey("a", 1, kTypeValue)),
        0);
  }
}

TEST(InternalKeyComparator, SeparatorsShortenTheUserKeyOnly) {
  const InternalKeyComparator icmp(BytewiseComparator());
  const auto separator = [&icmp](std::string start, const std::string& limit) {
    icmp.FindShortestSeparator(&start, limit);
    return start;
  };
  // Equal user keys, a prefix, wrong order: nothing changes.
  EXPECT_EQ(Key("foo", 100, kTypeValue),
            separator(Key("foo", 100, kTypeValue), Key("foo", 99, kTypeValue)));
  EXPECT_EQ(Key("foo", 100, kTypeValue),
            separator(Key("foo", 100, kTypeValue), Key("foobar", 200, kTypeValue)));
  EXPECT_EQ(Key("foo", 100, kTypeValue),
            separator(Key("foo", 100, kTypeValue), Key("bar", 99, kTypeValue)));
  EXPECT_EQ(Key("g", kMaxSequenceNumber, kValueTypeForSeek),
            separator(Key("foo", 100, kTypeValue), Key("hello", 200, kTypeValue)));
  std::string key = Key("foo", 100, kTypeValue);
  icmp.FindShortSuccessor(&key);
  EXPECT_EQ(Key("g", kMaxSequenceNumber, kValueTypeForSeek), key);
  key = Key("\xff\xff", 100, kTypeValue);
  icmp.FindShortSuccessor(&key);
  EXPECT_EQ(Key("\xff\xff", 100, kTypeValue), key);
}

TEST(LookupKey, HasAllThreeFormsForShortAndLongKeys) {
  for (size_t length : {0, 1, 120, 187, 188, 200, 5000}) {
    const std::string user_key(length, 'k');
    const LookupKey lookup(user_key, 42);
    EXPECT_EQ(user_key, lookup.user_key().ToString());
    EXPECT_EQ(Key(user_key, 42, kValueTypeForSeek), lookup.internal_key().ToString());
    EXPECT_EQ(42u, lookup.sequence());
    Slice memtable_key = lookup.memtable_key(), decoded;
    ASSERT_TRUE(GetLengthPrefixedSlice(&memtable_key, &decoded));
    EXPECT_EQ(lookup.internal_key(), decoded);
    EXPECT_TRUE(memtable_key.empty());
  }
}

}  // namespace
}  // namespace cairn
