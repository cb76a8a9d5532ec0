// Iterators with async_io that go on for long: what they will need next is read in the background.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "fs/file_names.h"
#include "read/db_iterator.h"
#include "read/testing/lsm_fixture.h"
#include "read/testing/slow_disk.h"
#include "table/read_ahead.h"

namespace cairn {
namespace {

BlockBasedTableOptions NoCache() {
  BlockBasedTableOptions options;
  options.block_size = 1024;
  options.no_block_cache = true;
  return options;
}

// One level of 6 files of about 100 blocks each.
class ScanAheadTest : public ::testing::Test {
 protected:
  static constexpr int kKeys = 6000;
  static constexpr int kFiles = 6;

  ScanAheadTest()
      : disk_(std::make_shared<SlowDisk>()), lsm_(BytewiseComparator(), NoCache(), disk_) {
    for (int i = 0; i < kKeys; ++i) lsm_.Add(kTypeValue, Key(i), Value(i));
    lsm_.FlushToLevel(1, kFiles);
    lsm_.Install();
  }

  static std::string Value(int i) { return std::string(90, 'a' + i % 26); }

  static ReadOptions InBackground() {
    ReadOptions options;
    options.async_io = true;
    options.adaptive_readahead = true;
    return options;
  }

  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options) {
    return lsm_.NewIterator(options);
  }

  void ScanForward(const ReadOptions& options, int from, int to) {
    const auto it = NewIterator(options);
    it->Seek(Key(from));
    for (int i = from; i < to; ++i) {
      ASSERT_TRUE(it->Valid()) << i << ": " << it->status().ToString();
      ASSERT_EQ(it->key(), Key(i));
      ASSERT_EQ(it->value(), Value(i));
      it->Next();
    }
  }
  void ScanBackward(const ReadOptions& options, int from, int to) {
    const auto it = NewIterator(options);
    it->SeekForPrev(Key(from));
    for (int i = from; i > to; --i) {
      ASSERT_TRUE(it->Valid()) << i << ": " << it->status().ToString();
      ASSERT_EQ(it->key(), Key(i));
      ASSERT_EQ(it->value(), Value(i));
      it->Prev();
    }
  }

  const std::shared_ptr<SlowDisk> disk_;
  LsmFixture lsm_;
};

TEST_F(ScanAheadTest, ForwardAndBackwardOnThreadAndFiber) {
  const auto all = [this] {
    ScanForward(InBackground(), 0, kKeys);
    EXPECT_GE(disk_->most_at_once, 2);
    disk_->ResetCounts();
    ScanBackward(InBackground(), kKeys - 1, -1);
    EXPECT_GE(disk_->most_at_once, 2);
  };
  all();
  disk_->ResetCounts();
  fiber::Runtime runtime;
  runtime.run(all);
}

TEST_F(ScanAheadTest, TheNextFileIsOpenedBeforeTheCursorComesThere) {
  const auto opened = [this](int file) {
    const LevelFiles& files = lsm_.version()->level_files(1);
    TableCache::Ref table;
    return lsm_.tables()->FindTable(files[file].meta->TableId(1), &table, /*no_io=*/true).ok();
  };
  for (const bool on_fiber : {false, true}) {
    const auto scan = [&] {
      const auto it = NewIterator(InBackground());
      it->SeekToFirst();
      const std::string last = ExtractUserKey(lsm_.version()->level_files(1)[0].largest).ToString();
      while (it->Valid() && it->key().ToString() != last) it->Next();
      ASSERT_TRUE(it->Valid());
    };  // the iterator's end waits for what it had started
    if (on_fiber) {
      fiber::Runtime runtime;
      runtime.run(scan);
      EXPECT_TRUE(opened(1));
    } else {
      ASSERT_FALSE(opened(1));
      scan();
      EXPECT_TRUE(opened(1));
      EXPECT_FALSE(opened(2));
    }
  }
}

TEST_F(ScanAheadTest, TheUpperBoundLimitsWhatIsRead) {
  ReadOptions options = InBackground();
  ScanForward(options, 0, 200);
  disk_->ResetCounts();
  ScanForward(options, 0, 200);
  const uint64_t unbounded = disk_->bytes;
  const std::string bound = Key(200);
  const Slice upper(bound);
  options.iterate_upper_bound = &upper;
  disk_->ResetCounts();
  ScanForward(options, 0, 200);
  const uint64_t bounded = disk_->bytes;
  EXPECT_LT(bounded, unbounded);
  EXPECT_LE(bounded, 200u * 110 + 4 * 1024) << "the blocks up to the bound";
  options.auto_readahead_size = false;
  disk_->ResetCounts();
  ScanForward(options, 0, 200);
  EXPECT_EQ(disk_->bytes, unbounded);
}

TEST_F(ScanAheadTest, TheLowerBoundLimitsWhatIsReadBackward) {
  ReadOptions options = InBackground();
  const std::string bound = Key(500);
  const Slice lower(bound);
  options.iterate_lower_bound = &lower;
  ScanBackward(options, 700, 500);
  disk_->ResetCounts();
  ScanBackward(options, 700, 500);
  EXPECT_LE(disk_->bytes, 200u * 110 + 4 * 1024);
}

TEST_F(ScanAheadTest, AdaptiveReadaheadGoesOnInTheNextFile) {
  ReadOptions options = InBackground();
  ScanForward(options, 0, kKeys);  // all files are open now
  disk_->ResetCounts();
  ScanForward(options, 0, kKeys);
  const int adaptive = disk_->reads;
  options.adaptive_readahead = false;
  disk_->ResetCounts();
  ScanForward(options, 0, kKeys);
  EXPECT_LT(adaptive, disk_->reads);
}

TEST_F(ScanAheadTest, ABrokenFileEndsTheScanThereAndNotBefore) {
  const LevelFiles& files = lsm_.version()->level_files(1);
  ScanForward(InBackground(), 0, kKeys);
  disk_->broken.insert(TableFileName("/db", files[2].number));
  const std::string first_broken = ExtractUserKey(files[2].smallest).ToString();
  const auto it = NewIterator(InBackground());
  int i = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) ASSERT_EQ(it->key(), Key(i));
  EXPECT_TRUE(it->status().IsIOError()) << it->status().ToString();
  EXPECT_EQ(Key(i), first_broken);
  disk_->Heal();
  it->Seek(first_broken);
  ASSERT_TRUE(it->Valid()) << it->status().ToString();
  EXPECT_EQ(it->key(), first_broken);
}

TEST_F(ScanAheadTest, RandomMovementsShowTheSame) {
  const uint64_t seed = 5;
  SCOPED_TRACE(seed);
  Random64 random(seed);
  const auto it = NewIterator(InBackground());
  int at = 0;
  it->SeekToFirst();
  for (int step = 0; step < 60; ++step) {
    if (random.OneIn(3)) it->Seek(Key(at = static_cast<int>(random.Uniform(kKeys))));
    const bool forward = random.OneIn(2);
    for (int n = static_cast<int>(random.Uniform(300)); n > 0; --n) {
      ASSERT_TRUE(it->Valid()) << it->status().ToString();
      ASSERT_EQ(it->key(), Key(at));
      ASSERT_EQ(it->value(), Value(at));
      if (at == (forward ? kKeys - 1 : 0)) break;
      forward ? it->Next() : it->Prev();
      at += forward ? 1 : -1;
    }
  }
}

TEST_F(ScanAheadTest, ItsMemoryIsCountedAndGivenBack) {
  const size_t before = ReadAhead::MemoryInUse();
  {
    const auto it = NewIterator(InBackground());
    it->SeekToFirst();
    for (int i = 0; i < 600; ++i) it->Next();
    EXPECT_GT(ReadAhead::MemoryInUse(), before);
    EXPECT_LE(ReadAhead::MemoryInUse(), before + (ReadAhead::kMaxPieces + 2) * (256 << 10));
  }
  EXPECT_EQ(ReadAhead::MemoryInUse(), before);
}

// An iterator may go from hand to hand.
TEST_F(ScanAheadTest, EveryStepFromAnotherThread) {
  const auto it = NewIterator(InBackground());
  it->SeekToFirst();
  for (int i = 0; i < 1200;) {
    fiber::Thread("step", [&] {
      for (const int end = i + 100; i < end; ++i, it->Next()) ASSERT_EQ(it->key(), Key(i));
    }).join();
  }
}

}  // namespace
}  // namespace cairn
