// The iterator of a whole database: both directions over memtable, level 0 and the levels below,
// bounds, comparators.
#include "db/testing/db_fixture.h"
#include "db/testing/iterator_walk.h"
#include "rocksdb/convenience.h"
#include "rocksdb/merge_operator.h"

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

// ---- auto_refresh_iterator_with_snapshot

class DbIteratorRefreshTest : public DbIteratorTest {
 protected:
  void SetUp() override {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    ASSERT_TRUE(
        MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator)
            .ok());
    Open(options);
    FillAllLevels();
    Append(30, "x");
    Append(31, "y");
    before_ = model_;
    snapshot_ = db_->GetSnapshot();
    reading_.snapshot = snapshot_;
    reading_.auto_refresh_iterator_with_snapshot = true;
  }
  void TearDown() override {
    db_->ReleaseSnapshot(snapshot_);
    DbIteratorTest::TearDown();
  }
  void Append(uint64_t key, const std::string& operand) {
    ASSERT_TRUE(db_->Merge(WriteOptions(), Key(key), operand).ok());
    std::string& value = model_[Key(key)];
    value += (value.empty() ? "" : ",") + operand;
  }
  // Other memtables and tables: no table stays.
  void ChangeAll() {
    PutRange(0, 100, ++version_, 200);
    for (uint64_t i = 100; i < 400; i += 3) Delete(Key(i));
    Append(32, "z");
    Flush();
    CompactRangeOptions all;
    all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    ASSERT_TRUE(db_->CompactRange(all, nullptr, nullptr).ok());
  }
  static std::string StateOf(Iterator* it) {
    std::string number;
    EXPECT_TRUE(it->GetProperty("rocksdb.iterator.super-version-number", &number).ok());
    return number;
  }
  static std::string At(Iterator* it) {
    return it->Valid() ? it->key().ToString() + "=" + it->value().ToString() : "nowhere";
  }
  std::string Before(uint64_t key) { return Key(key) + "=" + before_.at(Key(key)); }

  Contents before_;
  const Snapshot* snapshot_ = nullptr;
  ReadOptions reading_;
  uint64_t version_ = 100;
};

TEST_F(DbIteratorRefreshTest, EachMoveLooksAtThePresentTables) {
  std::unique_ptr<Iterator> it(db_->NewIterator(reading_));
  const std::pair<std::function<void()>, uint64_t> moves[] = {
      {[&] { it->Seek(Key(29)); }, 29},
      {[&] { it->Next(); }, 30},
      {[&] { it->Next(); }, 31},
      {[&] { it->Prev(); }, 30},
      {[&] { it->SeekForPrev(Key(31)); }, 31},
      {[&] { it->Prev(); }, 30},
      {[&] { it->Prev(); }, 29},
      {[&] { it->Next(); }, 30}};
  for (const auto& [move, key] : moves) {
    const std::string state = StateOf(it.get());
    ChangeAll();
    move();
    EXPECT_EQ(Before(key), At(it.get()));
    EXPECT_NE(state, StateOf(it.get()));
    const std::string present = StateOf(it.get());
    EXPECT_EQ(Before(key), At(it.get()));
    it->Next();  // nothing was changed: nothing is looked up again
    it->Prev();
    EXPECT_EQ(present, StateOf(it.get()));
    EXPECT_EQ(Before(key), At(it.get()));
  }
  ChangeAll();
  it->SeekToFirst();
  EXPECT_EQ(before_.begin()->first, it->key().ToString());
  ChangeAll();
  it->SeekToLast();
  EXPECT_EQ(before_.rbegin()->first, it->key().ToString());
}

// Without it they stay until the iterator is gone.
TEST_F(DbIteratorRefreshTest, OldTablesAreDeletedOnTheWay) {
  const auto tables = [&] {
    const std::vector<std::string> names = disk_.Files(FileType::kTableFile);
    return std::set<std::string>(names.begin(), names.end());
  };
  for (const bool refreshes : {false, true}) {
    reading_.auto_refresh_iterator_with_snapshot = refreshes;
    std::unique_ptr<Iterator> it(db_->NewIterator(reading_));
    it->Seek(Key(29));
    const std::set<std::string> old = tables();
    ChangeAll();
    it->Next();
    EXPECT_EQ(Before(30), At(it.get()));
    WaitUntilIdle();
    size_t kept = 0;
    for (const std::string& name : tables()) kept += old.contains(name) ? 1 : 0;
    EXPECT_EQ(refreshes ? 0u : old.size(), kept);
  }
}

TEST_F(DbIteratorRefreshTest, WalksAsTheModelOfTheSnapshotDoes) {
  const uint64_t seed = 20261130;
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  std::unique_ptr<Iterator> it(db_->NewIterator(reading_));
  uint64_t steps = 0;
  testing::WalkBeside(
      before_, /*steps=*/1500, /*kinds=*/12, &random,
      [&] {
        if (++steps % 10 == 0) Put(Key(random.Uniform(410)), "later");
        if (steps % 25 == 0) Flush();
        if (steps % 100 == 0) ChangeAll();
        return Key(random.Uniform(410));
      },
      it.get());
}

// What is pinned has to stay, and the present has none to look at again.
TEST_F(DbIteratorRefreshTest, NotWithPinnedDataNorWithoutASnapshot) {
  for (const bool pins : {true, false}) {
    reading_.pin_data = pins;
    reading_.snapshot = pins ? snapshot_ : nullptr;
    std::unique_ptr<Iterator> it(db_->NewIterator(reading_));
    const Contents seen = pins ? before_ : model_;
    it->SeekToFirst();
    const std::string state = StateOf(it.get());
    ChangeAll();
    for (auto at = seen.begin(); at != seen.end(); ++at, it->Next()) {
      ASSERT_EQ(at->first + "=" + at->second, At(it.get()));
    }
    EXPECT_EQ(state, StateOf(it.get()));
  }
}

// From a Refresh() on it is that one's snapshot, or the present.
TEST_F(DbIteratorRefreshTest, AfterARefresh) {
  std::unique_ptr<Iterator> it(db_->NewIterator(reading_));
  ChangeAll();
  const Contents later = model_;
  const Snapshot* const second = db_->GetSnapshot();
  ASSERT_TRUE(it->Refresh(second).ok());
  it->SeekToFirst();
  std::string state = StateOf(it.get());
  ChangeAll();
  for (auto at = later.begin(); at != later.end(); ++at, it->Next()) {
    ASSERT_EQ(at->first + "=" + at->second, At(it.get()));
  }
  EXPECT_NE(state, StateOf(it.get()));
  ASSERT_TRUE(it->Refresh().ok());
  db_->ReleaseSnapshot(second);
  it->SeekToFirst();
  state = StateOf(it.get());
  ChangeAll();
  it->Next();
  EXPECT_EQ(state, StateOf(it.get()));
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
