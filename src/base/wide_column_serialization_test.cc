#include "base/wide_column_serialization.h"

#include <gtest/gtest.h>

#include <string>

#include "base/coding.h"
#include "base/random.h"
#include "fiber/random.h"

namespace cairn {
namespace {

// "name=value,..." or the kind of error.
std::string Decoded(const Slice& entity) {
  WideColumns columns(1);
  const Status s = DecodeWideColumns(entity, &columns);
  Slice value;
  EXPECT_EQ(s.code(), DefaultColumnOf(entity, &value).code());
  if (!s.ok()) {
    EXPECT_TRUE(columns.empty());
    return s.IsCorruption() ? "CORRUPTION" : s.IsNotSupported() ? "NOT SUPPORTED" : s.ToString();
  }
  std::string text;
  Slice expected;
  for (const WideColumn& column : columns) {
    text += column.name().ToString() + "=" + column.value().ToString() + ",";
    if (column.name().empty()) expected = column.value();
  }
  EXPECT_EQ(value, expected);
  return text;
}

std::string Encoded(const WideColumns& columns) {
  std::string entity;
  const Status s = EncodeWideColumns(columns, &entity);
  EXPECT_TRUE(s.ok()) << s.ToString();
  return entity;
}

TEST(WideColumnSerializationTest, HasRocksDBsBytes) {
  EXPECT_EQ(Encoded({{"b", "22"}, {"", "0"}, {"aa", ""}}), std::string("\x01\x03\x00\x01\x02"
                                                                       "aa\x00\x01"
                                                                       "b\x02"
                                                                       "022",
                                                                       14));
  EXPECT_EQ(Encoded({}), std::string("\x01\x00", 2));
}

TEST(WideColumnSerializationTest, ColumnsComeBackSorted) {
  EXPECT_EQ(Decoded(Encoded({{"b", "2"}, {"a", "1"}, {"", "0"}, {"a\xff", "3"}})),
            "=0,a=1,a\xff=3,b=2,");
  EXPECT_EQ(Decoded(Encoded({})), "");
  EXPECT_EQ(Decoded(Encoded({{"", ""}})), "=,");
  const std::string large(300, 'v');
  EXPECT_EQ(Decoded(Encoded({{large, large + "!"}})), large + "=" + large + "!,");
}

TEST(WideColumnSerializationTest, DuplicatesAreRefusedAndLeaveNoTrace) {
  std::string entity = "before";
  EXPECT_TRUE(EncodeWideColumns({{"a", "1"}, {"b", "2"}, {"a", "3"}}, &entity).IsCorruption());
  EXPECT_EQ(entity, "before");
}

TEST(WideColumnSerializationTest, EachCutAndEachAdditionIsNoticed) {
  const std::string entity = Encoded({{"", "zero"}, {"one", "1"}, {"two", ""}, {"x", "yz"}});
  for (size_t size = 0; size < entity.size(); ++size) {
    EXPECT_EQ(Decoded(Slice(entity.data(), size)), "CORRUPTION") << size;
  }
  EXPECT_EQ(Decoded(entity + "x"), "CORRUPTION");
}

TEST(WideColumnSerializationTest, OtherVersionsAreTold) {
  std::string entity = Encoded({{"a", "1"}});
  entity[0] = 2;
  EXPECT_EQ(Decoded(entity), "NOT SUPPORTED");
  entity[0] = 0;
  EXPECT_EQ(Decoded(entity), "CORRUPTION");
}

TEST(WideColumnSerializationTest, NamesOutOfOrderAreNoticed) {
  EXPECT_EQ(Decoded(std::string("\x01\x02\x01"
                                "b\x00\x01"
                                "a\x00",
                                8)),
            "CORRUPTION");
  EXPECT_EQ(Decoded(std::string("\x01\x02\x00\x00\x00\x00", 6)), "CORRUPTION");
}

TEST(WideColumnSerializationTest, ALargeCountAllocatesNothing) {
  std::string entity("\x01", 1);
  PutVarint32(&entity, 0xffffffff);
  entity += std::string("\x00\x00", 2);
  EXPECT_EQ(Decoded(entity), "CORRUPTION");
  // Sizes whose sum does not fit into 32 bits.
  std::string sizes("\x01\x02\x00", 3);
  PutVarint32(&sizes, 0xffffffff);
  sizes += "\x01z";
  PutVarint32(&sizes, 1);
  EXPECT_EQ(Decoded(sizes), "CORRUPTION");
}

TEST(WideColumnSerializationTest, FlippedBytesNeverReadOutside) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random64 random(seed);
  const std::string good =
      Encoded({{"", "zero"}, {"column", "value"}, {"x", std::string(40, 'y')}});
  for (int i = 0; i < 20000; ++i) {
    // On the heap, of the right size: a sanitizer sees a step beyond.
    std::string bad(good.data(), 1 + random.Uniform(good.size()));
    for (uint64_t n = 1 + random.Uniform(3); n > 0; --n) {
      bad[random.Uniform(bad.size())] = static_cast<char>(random.Next());
    }
    const std::string copy(bad);
    Decoded(copy);
  }
}

TEST(WideColumnSerializationTest, TheDefaultColumnStaysInPlace) {
  const std::string entity = Encoded({{"", "default"}, {"other", "column"}});
  PinnableSlice own;
  own.PinSelf(entity);
  ASSERT_TRUE(KeepDefaultColumn(&own).ok());
  EXPECT_EQ(own, "default");
  EXPECT_FALSE(own.IsPinned());

  PinnableSlice pinned;
  int released = 0;
  pinned.PinSlice(
      entity, [](void* count, void*) { ++*static_cast<int*>(count); }, &released, nullptr);
  ASSERT_TRUE(KeepDefaultColumn(&pinned).ok());
  EXPECT_EQ(pinned, "default");
  EXPECT_TRUE(pinned.IsPinned());
  EXPECT_EQ(pinned.data(), entity.data() + entity.find("default"));
  pinned.Reset();
  EXPECT_EQ(released, 1);

  own.PinSelf(Encoded({{"other", "column"}}));
  ASSERT_TRUE(KeepDefaultColumn(&own).ok());
  EXPECT_EQ(own, "");
  own.PinSelf("no entity");
  EXPECT_FALSE(KeepDefaultColumn(&own).ok());
  EXPECT_EQ(own, "no entity");
}

}  // namespace
}  // namespace cairn
