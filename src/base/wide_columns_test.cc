#include "rocksdb/wide_columns.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>

#include "base/wide_column_serialization.h"

namespace cairn {
namespace {

TEST(WideColumnsTest, AColumnIsMadeOfAnythingSlicesAreMadeOf) {
  const std::string value = "value";
  const WideColumn one("name", value);
  const WideColumn other(std::piecewise_construct, std::forward_as_tuple("name!", 4),
                         std::forward_as_tuple("value?", 5));
  EXPECT_EQ(one, other);
  EXPECT_NE(one, WideColumn("name", "x"));
  EXPECT_NE(one, WideColumn("x", "value"));
}

TEST(WideColumnsTest, AColumnIsPrinted) {
  std::ostringstream plain, hex;
  plain << WideColumn("ab", "c") << ' ' << WideColumn("", "");
  EXPECT_EQ(plain.str(), "ab:c :");
  hex << std::hex << WideColumn("ab", "\x01") << ' ' << WideColumn("", "x");
  EXPECT_EQ(hex.str(), "0x6162:0x01 :0x78");
}

std::string Shown(const PinnableWideColumns& columns) {
  std::ostringstream text;
  for (const WideColumn& column : columns.columns()) text << column << ' ';
  return text.str();
}

TEST(PinnableWideColumnsTest, MovesWithWhatItShows) {
  // Short values lie in the object, long ones beside it.
  for (const size_t size : {1, 100}) {
    const std::string value(size, 'v');
    std::string entity;
    ASSERT_TRUE(EncodeWideColumns({{"", value}, {"n", ""}}, &entity).ok());
    PinnableWideColumns from;
    ASSERT_TRUE(from.SetWideColumnValue(entity).ok());
    EXPECT_EQ(from.serialized_size(), entity.size());
    PinnableWideColumns to(std::move(from));
    EXPECT_EQ(Shown(to), ":" + value + " n: ");
    EXPECT_EQ(Shown(from), "");
    from.SetPlainValue(std::string(value));
    EXPECT_NE(from, to);
    to = std::move(from);
    EXPECT_EQ(Shown(to), ":" + value + " ");
    PinnableWideColumns again;
    again.SetPlainValue(value);
    EXPECT_EQ(again, to);
  }
}

TEST(PinnableWideColumnsTest, HoldsWhatItWasGivenUntilTheNext) {
  int released = 0;
  const std::string bytes = "pinned";
  PinnableWideColumns columns;
  {
    Cleanable owner;
    owner.RegisterCleanup([](void* count, void*) { ++*static_cast<int*>(count); }, &released,
                          nullptr);
    columns.SetPlainValue(bytes, &owner);
  }
  EXPECT_EQ(columns.columns().front().value().data(), bytes.data());
  EXPECT_EQ(released, 0);
  columns.SetPlainValue(Slice("next"));
  EXPECT_EQ(released, 1);
  PinnableSlice slice;
  slice.PinSelf("third");
  columns.SetPlainValue(std::move(slice));
  EXPECT_EQ(Shown(columns), ":third ");
}

TEST(PinnableWideColumnsTest, WhatIsNoEntityLeavesNothing) {
  PinnableWideColumns columns;
  columns.SetPlainValue(Slice("before"));
  EXPECT_TRUE(columns.SetWideColumnValue(Slice("\x01\x05")).IsCorruption());
  EXPECT_EQ(Shown(columns), "");
  EXPECT_TRUE(columns.SetWideColumnValue(std::string()).IsCorruption());
  PinnableSlice slice;
  slice.PinSelf("\x02");
  EXPECT_TRUE(columns.SetWideColumnValue(std::move(slice)).IsNotSupported());
}

}  // namespace
}  // namespace cairn
