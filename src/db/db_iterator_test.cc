// The iterator of a whole database: both directions over memtable, level 0 and the levels below,
// bounds, comparators.
#include "db/testing/db_fixture.h"
#include "db/testing/iterator_walk.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::SeedText;

class DbIteratorTest : public testing::DbTest {};

TEST_F(DbIteratorTest, MovesBothWaysAsTheModelDoes) {
  const uint64_t seed = 20260701;
  SCOPED_TRACE(SeedText(seed));
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  Random64 random(seed);
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  testing::WalkBeside(
      model_, /*steps=*/4000, /*kinds=*/12, &random, [&] { return Key(random.Uniform(410)); },
      it.get());
}

TEST_F(DbIteratorTest, StaysWithinItsBounds) {
  Options options = SmallOptions();
  options.disable_auto_compactions = true;
  Open(options);
  FillAllLevels();
  const std::string lower_text = Key(120);
  const std::string upper_text = Key(260);
  const Slice lower = lower_text;
  const Slice upper = upper_text;
  ReadOptions bounded;
  bounded.iterate_lower_bound = &lower;
  bounded.iterate_upper_bound = &upper;
  std::unique_ptr<Iterator> it(db_->NewIterator(bounded));
  const Contents expected(model_.lower_bound(lower_text), model_.lower_bound(upper_text));
  Contents forward;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    forward[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(forward == expected);
  Contents backward;
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    backward[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(backward == expected);
  it->Seek(Key(0));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key().ToString(), expected.begin()->first);
  it->SeekForPrev(Key(399));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key().ToString(), std::prev(expected.end())->first);
  it->Seek(upper);
  EXPECT_FALSE(it->Valid());
  it->SeekForPrev(Key(119));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
}

TEST_F(DbIteratorTest, SeesOneStateUntilRefreshed) {
  Open();
  PutRange(0, 100, 1);
  const Contents before = model_;
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  PutRange(50, 200, 2, 400);
  Flush();
  Compact();
  Contents found;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    found[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(found == before);
  ASSERT_TRUE(it->Refresh().ok());
  found.clear();
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    found[it->key().ToString()] = it->value().ToString();
  }
  EXPECT_TRUE(found == model_);
}

TEST_F(DbIteratorTest, FollowsAReverseComparator) {
  Options options = SmallOptions();
  options.comparator = ReverseBytewiseComparator();
  Open(options);
  PutRange(0, 300, 1, 300);
  Flush();
  Compact();
  PutRange(100, 200, 2);
  std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
  auto at = model_.rbegin();
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++at) {
    ASSERT_TRUE(at != model_.rend());
    ASSERT_EQ(it->key().ToString(), at->first);
    ASSERT_EQ(it->value().ToString(), at->second);
  }
  EXPECT_TRUE(at == model_.rend());
}

}  // namespace
}  // namespace cairn
