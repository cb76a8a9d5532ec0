#include "base/coding.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "base/random.h"

namespace cairn {
namespace {

std::vector<uint64_t> InterestingNumbers() {
  std::vector<uint64_t> numbers = {0, std::numeric_limits<uint64_t>::max()};
  for (int bit = 0; bit < 64; bit++) {
    const uint64_t power = uint64_t{1} << bit;
    numbers.insert(numbers.end(), {power - 1, power, power + 1});
  }
  return numbers;
}

TEST(Coding, FixedIsLittleEndian) {
  std::string s;
  PutFixed16(&s, 0x0102);
  PutFixed32(&s, 0x04030201);
  PutFixed64(&s, 0x0807060504030201ull);
  EXPECT_EQ(std::string("\x02\x01\x01\x02\x03\x04\x01\x02\x03\x04\x05\x06\x07\x08", 14), s);
  Slice input(s);
  uint16_t v16;
  uint32_t v32;
  uint64_t v64;
  ASSERT_TRUE(GetFixed16(&input, &v16));
  ASSERT_TRUE(GetFixed32(&input, &v32));
  ASSERT_TRUE(GetFixed64(&input, &v64));
  EXPECT_EQ(0x0102, v16);
  EXPECT_EQ(0x04030201u, v32);
  EXPECT_EQ(0x0807060504030201ull, v64);
  EXPECT_FALSE(GetFixed16(&input, &v16));
  EXPECT_FALSE(GetFixed32(&input, &v32));
  EXPECT_FALSE(GetFixed64(&input, &v64));
}

TEST(Coding, VarintsRoundTripAndHaveTheirLength) {
  std::string s;
  const auto numbers = InterestingNumbers();
  for (uint64_t n : numbers) {
    const size_t before = s.size();
    PutVarint64(&s, n);
    EXPECT_EQ(static_cast<size_t>(VarintLength(n)), s.size() - before) << n;
  }
  Slice input(s);
  for (uint64_t n : numbers) {
    uint64_t v = 0;
    ASSERT_TRUE(GetVarint64(&input, &v));
    EXPECT_EQ(n, v);
  }
  EXPECT_TRUE(input.empty());

  s.clear();
  for (uint64_t n : numbers) PutVarint32(&s, static_cast<uint32_t>(n));
  input = s;
  for (uint64_t n : numbers) {
    uint32_t v = 0;
    ASSERT_TRUE(GetVarint32(&input, &v));
    EXPECT_EQ(static_cast<uint32_t>(n), v);
  }
  EXPECT_TRUE(input.empty());
}

TEST(Coding, SignedVarintsRoundTripAndSmallOnesAreShort) {
  for (uint64_t n : InterestingNumbers()) {
    for (int64_t value : {static_cast<int64_t>(n), -static_cast<int64_t>(n >> 1)}) {
      std::string s;
      PutVarsignedint64(&s, value);
      Slice input(s);
      int64_t back = 0;
      ASSERT_TRUE(GetVarsignedint64(&input, &back));
      EXPECT_EQ(value, back);
      const char* end = GetVarsignedint64Ptr(s.data(), s.data() + s.size(), &back);
      EXPECT_EQ(s.data() + s.size(), end);
    }
  }
  std::string s;
  PutVarsignedint64(&s, -64);
  EXPECT_EQ(1u, s.size());
}

TEST(Coding, TruncatedAndOverlongVarintsAreRefused) {
  for (uint64_t n : InterestingNumbers()) {
    std::string s;
    PutVarint64(&s, n);
    uint64_t v;
    for (size_t cut = 0; cut < s.size(); cut++) {
      EXPECT_EQ(nullptr, GetVarint64Ptr(s.data(), s.data() + cut, &v));
    }
  }
  uint32_t v32;
  uint64_t v64;
  Slice input(std::string_view("\x81\x82\x83\x84\x85\x11", 6));
  EXPECT_FALSE(GetVarint32(&input, &v32));
  input = Slice(std::string_view("\xff\xff\xff\xff\x1f", 5));  // 33 bits
  EXPECT_FALSE(GetVarint32(&input, &v32));
  input = Slice(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10));  // 65 bits
  EXPECT_FALSE(GetVarint64(&input, &v64));
}

TEST(Coding, LengthPrefixedSlices) {
  std::string s;
  PutLengthPrefixedSlice(&s, "");
  PutLengthPrefixedSlice(&s, "foo");
  PutLengthPrefixedSlice(&s, std::string(300, 'x'));
  const Slice parts[] = {"a", "bc"};
  PutLengthPrefixedSliceParts(&s, SliceParts(parts, 2));
  EXPECT_EQ("foo", GetLengthPrefixedSlice(s.data() + 1).ToString());
  Slice input(s), v;
  ASSERT_TRUE(GetLengthPrefixedSlice(&input, &v));
  EXPECT_EQ("", v.ToString());
  ASSERT_TRUE(GetLengthPrefixedSlice(&input, &v));
  EXPECT_EQ("foo", v.ToString());
  ASSERT_TRUE(GetLengthPrefixedSlice(&input, &v));
  EXPECT_EQ(std::string(300, 'x'), v.ToString());
  ASSERT_TRUE(GetLengthPrefixedSlice(&input, &v));
  EXPECT_EQ("abc", v.ToString());
  EXPECT_FALSE(GetLengthPrefixedSlice(&input, &v));
  input = Slice(
      "\x05"
      "abc",
      4);
  EXPECT_FALSE(GetLengthPrefixedSlice(&input, &v));
}

}  // namespace
}  // namespace cairn
