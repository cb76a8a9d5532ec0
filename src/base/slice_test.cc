#include "rocksdb/slice.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "rocksdb/iterator.h"

namespace cairn {
namespace {

void Count(void* counter, void* step) {
  *static_cast<int*>(counter) += static_cast<int>(reinterpret_cast<intptr_t>(step));
}
void* Step(intptr_t n) { return reinterpret_cast<void*>(n); }

TEST(Slice, ComparesAsUnsignedBytesWithPrefixFirst) {
  EXPECT_LT(Slice("a").compare("b"), 0);
  EXPECT_LT(Slice("a").compare("ab"), 0);
  EXPECT_GT(Slice("\xff").compare("a"), 0);
  EXPECT_EQ(0, Slice("").compare(Slice()));
  EXPECT_TRUE(Slice("abc").starts_with("ab"));
  EXPECT_TRUE(Slice("abc").ends_with("bc"));
  EXPECT_FALSE(Slice("c").ends_with("bc"));
  EXPECT_EQ(2u, Slice("abc").difference_offset("abd"));
  EXPECT_EQ(2u, Slice("ab").difference_offset("abd"));
  EXPECT_EQ(0u, Slice(static_cast<const char*>(nullptr)).size());
}

TEST(Slice, HexRoundTrips) {
  const std::string bytes("\x00\x7f\xff z", 5);
  EXPECT_EQ("007FFF207A", Slice(bytes).ToString(true));
  std::string back;
  ASSERT_TRUE(Slice("007fFF207a").DecodeHex(&back));
  EXPECT_EQ(bytes, back);
  EXPECT_FALSE(Slice("0").DecodeHex(&back));
  EXPECT_FALSE(Slice("0g").DecodeHex(&back));
}

TEST(Slice, JoinsParts) {
  const Slice parts[] = {"ab", "", "cd"};
  std::string buffer = "old";
  EXPECT_EQ("abcd", Slice(SliceParts(parts, 3), &buffer).ToString());
}

TEST(Cleanable, RunsEachCleanupOnce) {
  int n = 0;
  {
    Cleanable c;
    EXPECT_FALSE(c.HasCleanups());
    for (int i = 0; i < 5; i++) c.RegisterCleanup(&Count, &n, Step(1));
    EXPECT_TRUE(c.HasCleanups());
    c.Reset();
    EXPECT_EQ(5, n);
    c.RegisterCleanup(&Count, &n, Step(10));
  }
  EXPECT_EQ(15, n);
}

TEST(Cleanable, DelegationAndMoveHandAllOver) {
  int n = 0;
  Cleanable target;
  {
    Cleanable source;
    for (int i = 0; i < 3; i++) source.RegisterCleanup(&Count, &n, Step(1));
    source.DelegateCleanupsTo(&target);
    EXPECT_FALSE(source.HasCleanups());
    for (int i = 0; i < 3; i++) source.RegisterCleanup(&Count, &n, Step(100));
    source.DelegateCleanupsTo(&target);
  }
  EXPECT_EQ(0, n);
  Cleanable moved(std::move(target));
  target.Reset();
  EXPECT_EQ(0, n);
  moved = Cleanable();
  EXPECT_EQ(303, n);
}

TEST(PinnableSlice, HoldsItsOwnBytesOverMoves) {
  PinnableSlice a;
  a.PinSelf("value");
  EXPECT_FALSE(a.IsPinned());
  PinnableSlice b(std::move(a));
  EXPECT_EQ("value", b.ToString());
  PinnableSlice c;
  c.PinSelf(std::string(100, 'x'));
  c = std::move(b);
  EXPECT_EQ("value", c.ToString());
  a.PinSelf("again");  // NOLINT(bugprone-use-after-move): usable as if new
  EXPECT_EQ("again", a.ToString());
}

TEST(PinnableSlice, ReleasesPinnedBytesOnce) {
  int released = 0;
  const std::string bytes = "pinned";
  {
    PinnableSlice a;
    a.PinSlice(bytes, &Count, &released, Step(1));
    EXPECT_TRUE(a.IsPinned());
    EXPECT_EQ(bytes.data(), a.data());
    PinnableSlice b(std::move(a));
    EXPECT_TRUE(b.IsPinned());
    EXPECT_EQ(bytes.data(), b.data());
    EXPECT_EQ(0, released);
    b.remove_prefix(3);
    EXPECT_EQ("ned", b.ToString());
    b.Reset();
    EXPECT_EQ(1, released);
    b.PinSelf("self");
    b.remove_suffix(2);
    b.remove_prefix(1);
    EXPECT_EQ("e", b.ToString());
  }
  EXPECT_EQ(1, released);
}

TEST(PinnableSlice, UsesTheCallersString) {
  std::string value;
  PinnableSlice a(&value);
  a.PinSelf("hello");
  EXPECT_EQ("hello", value);
  EXPECT_EQ(&value, a.GetSelf());
  Cleanable nothing;
  PinnableSlice b;
  b.PinSlice("static", &nothing);
  EXPECT_EQ("static", b.ToString());
}

TEST(EmptyIterators, AreNowhereAndKeepTheirStatus) {
  std::unique_ptr<Iterator> it(NewEmptyIterator());
  it->SeekToFirst();
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
  EXPECT_TRUE(it->Refresh().IsNotSupported());
  std::string property;
  ASSERT_TRUE(it->GetProperty("rocksdb.iterator.is-key-pinned", &property).ok());
  EXPECT_EQ("0", property);
  EXPECT_TRUE(it->GetProperty("other", &property).IsInvalidArgument());
  it.reset(NewErrorIterator(Status::Corruption("bad")));
  it->Seek("a");
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsCorruption());
  std::unique_ptr<InternalIterator> internal(NewEmptyInternalIterator(Status::IOError("x")));
  internal->SeekToLast();
  EXPECT_FALSE(internal->Valid());
  EXPECT_TRUE(internal->status().IsIOError());
}

}  // namespace
}  // namespace cairn
