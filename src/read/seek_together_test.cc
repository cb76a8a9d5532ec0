// Iterators with async_io: the sorted runs are positioned by reads that wait together.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "fiber/runtime.h"
#include "read/db_iterator.h"
#include "read/testing/lsm_fixture.h"
#include "read/testing/slow_disk.h"

namespace cairn {
namespace {

// Seven sorted runs: four files of level 0, and levels 1 to 3 of 4 files each; run r has the keys
// that are r modulo 7.
class SeekTogetherTest : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr int kRuns = 7;
  static constexpr int kKeys = 700;

  SeekTogetherTest()
      : disk_(std::make_shared<SlowDisk>()),
        lsm_(BytewiseComparator(), LsmFixture::SmallBlocks(), disk_) {
    for (int run = kRuns - 1; run >= 0; --run) {
      for (int i = run; i < kKeys; i += kRuns) {
        lsm_.Add(kTypeValue, Key(i), std::to_string(run));
      }
      if (run >= 4) {
        lsm_.FlushToLevel(run - 3, 4);
      } else {
        lsm_.FlushToLevel0();
      }
    }
    lsm_.Install();
  }

  std::unique_ptr<Iterator> NewIterator(bool together, ReadOptions options = {}) {
    options.async_io = together;
    return lsm_.NewIterator(options);
  }
  std::unique_ptr<Iterator> NewIterator() { return NewIterator(GetParam()); }

  const std::shared_ptr<SlowDisk> disk_;
  LsmFixture lsm_;
};

INSTANTIATE_TEST_SUITE_P(Modes, SeekTogetherTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Together" : "OneByOne"; });

TEST_P(SeekTogetherTest, AColdSeekTakesTwoRounds) {
  const auto iterator = NewIterator();
  iterator->Seek(Key(345));
  ASSERT_TRUE(iterator->Valid()) << iterator->status().ToString();
  EXPECT_EQ(iterator->key(), Key(345));
  EXPECT_EQ(disk_->reads, 2 * kRuns) << "the tail of each file and a block";
  if (GetParam()) {
    EXPECT_EQ(disk_->most_at_once, kRuns);
    EXPECT_LE(disk_->rounds, 2);
  } else {
    EXPECT_EQ(disk_->most_at_once, 1);
  }

  disk_->ResetCounts();
  iterator->Seek(Key(345));
  iterator->SeekForPrev(Key(345));
  NewIterator()->Seek(Key(345));
  EXPECT_EQ(disk_->reads, 0) << "all is in memory";
}

TEST_P(SeekTogetherTest, OnAFiberToo) {
  fiber::Runtime runtime({.workers = 1});
  runtime
      .spawn([&] {
        const auto iterator = NewIterator();
        iterator->SeekToLast();
        ASSERT_TRUE(iterator->Valid());
        EXPECT_EQ(iterator->key(), Key(kKeys - 1));
        iterator->SeekToFirst();
        EXPECT_EQ(iterator->key(), Key(0));
      })
      .join();
  EXPECT_EQ(disk_->most_at_once > 1, GetParam());
}

TEST_P(SeekTogetherTest, RandomMovementsShowTheSame) {
  const uint64_t seed = 21;
  SCOPED_TRACE(seed);
  Random64 random(seed);
  const auto iterator = NewIterator();
  int at = 0;
  for (int step = 0; step < 400; ++step) {
    const int target = static_cast<int>(random.Uniform(kKeys));
    switch (iterator->Valid() ? random.Uniform(5) : random.Uniform(3)) {
      case 0:
        iterator->Seek(Key(at = target));
        break;
      case 1:
        iterator->SeekForPrev(Key(at = target) + "x");
        break;
      case 2:
        random.OneIn(2) ? (at = 0, iterator->SeekToFirst())
                        : (at = kKeys - 1, iterator->SeekToLast());
        break;
      case 3:
        ++at;
        iterator->Next();
        break;
      default:
        --at;
        iterator->Prev();
    }
    ASSERT_TRUE(iterator->status().ok()) << iterator->status().ToString();
    ASSERT_EQ(iterator->Valid(), at >= 0 && at < kKeys) << step;
    if (!iterator->Valid()) continue;
    ASSERT_EQ(iterator->key(), Key(at)) << step;
    ASSERT_EQ(iterator->value(), std::to_string(at % kRuns)) << step;
  }
}

TEST_P(SeekTogetherTest, AFailedReadEndsTheSeekAndTheNextOneRecovers) {
  const auto iterator = NewIterator();
  iterator->Seek(Key(10));
  ASSERT_TRUE(iterator->Valid());
  disk_->broken.insert(
      TableFileName("/db", lsm_.version()->level_files(2)[2].number));  // keys 350 to 525, about
  iterator->Seek(Key(450));
  EXPECT_FALSE(iterator->Valid());
  EXPECT_TRUE(iterator->status().IsIOError()) << iterator->status().ToString();
  iterator->Seek(Key(10));
  EXPECT_TRUE(iterator->Valid()) << iterator->status().ToString();
  disk_->Heal();
  iterator->Seek(Key(450));
  ASSERT_TRUE(iterator->Valid()) << iterator->status().ToString();
  EXPECT_EQ(iterator->key(), Key(450));
}

TEST_P(SeekTogetherTest, OnlyTheCache) {
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  const auto iterator = NewIterator(GetParam(), cached);
  iterator->Seek(Key(1));
  EXPECT_FALSE(iterator->Valid());
  EXPECT_TRUE(iterator->status().IsIncomplete()) << iterator->status().ToString();
  EXPECT_EQ(disk_->reads, 0);
}

}  // namespace
}  // namespace cairn
