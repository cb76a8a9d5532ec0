// Towers of tables whose indexes have each block's first key: how many blocks iterators read.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/random.h"
#include "read/db_iterator.h"
#include "read/testing/lsm_fixture.h"
#include "read/testing/slow_disk.h"

namespace cairn {
namespace {

constexpr int kFirstKeyRuns = 6;  // two files of level 0, and levels 1 to 4
constexpr int kFirstKeyKeys = 240;

// Each entry is a block of its own. Run r has the keys that are r modulo kFirstKeyRuns, and in
// every tenth of these a deletion.
class FirstKeySeekTest : public ::testing::TestWithParam<bool> {
 protected:
  FirstKeySeekTest() : lsm_(BytewiseComparator(), Options(), disk_) {
    for (int run = kFirstKeyRuns - 1; run >= 0; --run) {
      for (int i = run; i < kFirstKeyKeys; i += kFirstKeyRuns) {
        lsm_.Add(IsDeleted(i) ? kTypeDeletion : kTypeValue, Key(i),
                 IsDeleted(i) ? "" : std::to_string(i));
      }
      if (run >= 2) {
        lsm_.FlushToLevel(run - 1, 3);
      } else {
        lsm_.FlushToLevel0();
      }
    }
    lsm_.Install();
    Scan(ReadOptions());  // all tables are open
    disk_->ResetCounts();
  }

  static BlockBasedTableOptions Options() {
    BlockBasedTableOptions options;
    options.block_size = 1;
    options.no_block_cache = true;
    options.max_auto_readahead_size = 0;  // blocks are counted
    options.index_shortening = BlockBasedTableOptions::IndexShorteningMode::kNoShortening;
    options.index_type = GetParam() ? BlockBasedTableOptions::kBinarySearchWithFirstKey
                                    : BlockBasedTableOptions::kBinarySearch;
    return options;
  }
  static bool IsDeleted(int i) { return i / kFirstKeyRuns % 10 == 9; }

  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options = {}) {
    return lsm_.NewIterator(options);
  }
  void Scan(const ReadOptions& options) {
    const auto it = NewIterator(options);
    int i = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), ++i) {
      while (IsDeleted(i)) ++i;
      ASSERT_EQ(it->key(), Key(i));
      ASSERT_EQ(it->value(), std::to_string(i));
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
  }
  // Blocks that were read since the last call.
  int Reads() {
    const int reads = disk_->reads;
    disk_->ResetCounts();
    return reads;
  }

  const std::shared_ptr<SlowDisk> disk_ = std::make_shared<SlowDisk>();
  LsmFixture lsm_;
};

INSTANTIATE_TEST_SUITE_P(Indexes, FirstKeySeekTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "WithKeys" : "Plain"; });

TEST_P(FirstKeySeekTest, ASeekReadsTheBlockThatIsShown) {
  const auto it = NewIterator();
  it->Seek(Key(120));
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key(), Key(120));
  EXPECT_EQ(it->value(), "120");
  EXPECT_EQ(Reads(), GetParam() ? 1 : kFirstKeyRuns);
  it->Next();
  EXPECT_EQ(it->value(), "121");
  EXPECT_EQ(Reads(), 1) << "the next run's, or the one behind what was shown";
}

TEST_P(FirstKeySeekTest, AScanReadsEachBlockOnce) {
  Scan(ReadOptions());
  EXPECT_EQ(Reads(), kFirstKeyKeys);
}

TEST_P(FirstKeySeekTest, ASnapshotSeesWhatItShould) {
  // Of the six runs the oldest one alone.
  DBIteratorEnv env = lsm_.iterator_env();
  env.last_sequence = [] { return SequenceNumber{kFirstKeyKeys / kFirstKeyRuns}; };
  const std::unique_ptr<Iterator> it(NewDBIterator(env, ReadOptions()));
  int seen = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
  EXPECT_EQ(seen, kFirstKeyKeys / kFirstKeyRuns * 9 / 10);
  for (it->SeekToLast(); it->Valid(); it->Prev()) --seen;
  EXPECT_EQ(seen, 0);
  EXPECT_TRUE(it->status().ok());
}

TEST_P(FirstKeySeekTest, ARangeWithoutKeysReadsNothing) {
  const std::string from = Key(120) + "a", to = Key(120) + "b";
  const Slice lower(from), upper(to);
  ReadOptions options;
  options.iterate_lower_bound = &lower;
  options.iterate_upper_bound = &upper;
  const auto it = NewIterator(options);
  it->Seek(from);
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().ok());
  EXPECT_EQ(Reads(), GetParam() ? 0 : kFirstKeyRuns);
}

TEST_P(FirstKeySeekTest, OnlyTheCacheEndsAtTheValue) {
  ReadOptions cached;
  cached.read_tier = kBlockCacheTier;
  const auto it = NewIterator(cached);
  it->Seek(Key(120));
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsIncomplete()) << it->status().ToString();
  EXPECT_EQ(Reads(), 0);
}

TEST_P(FirstKeySeekTest, ABrokenFileFailsWhereItsValueIsWanted) {
  const LevelFiles& files = lsm_.version()->level_files(1);  // run 2
  disk_->broken.insert(TableFileName("/db", files[1].number));
  const auto it = NewIterator();
  it->Seek(Key(120));
  if (!GetParam()) {
    EXPECT_TRUE(it->status().IsIOError());
    return;
  }
  ASSERT_TRUE(it->Valid()) << it->status().ToString();
  it->Next();
  ASSERT_TRUE(it->Valid());
  it->Next();  // to key 122
  EXPECT_FALSE(it->Valid());
  EXPECT_TRUE(it->status().IsIOError()) << it->status().ToString();
  disk_->Heal();
  it->Seek(Key(122));
  ASSERT_TRUE(it->Valid()) << it->status().ToString();
  EXPECT_EQ(it->value(), "122");
}

TEST_P(FirstKeySeekTest, WithAsyncIoASeekReadsAllAtOnce) {
  ReadOptions options;
  options.async_io = true;
  const auto it = NewIterator(options);
  it->Seek(Key(120));
  EXPECT_EQ(it->value(), "120");
  EXPECT_EQ(disk_->most_at_once, kFirstKeyRuns);
  EXPECT_EQ(disk_->rounds, 1);
}

TEST_P(FirstKeySeekTest, RandomMovementsShowTheSame) {
  Random64 random(99);
  for (const bool async : {false, true}) {
    ReadOptions options;
    options.async_io = async;
    options.pin_data = !async;
    const auto it = NewIterator(options);
    int at = 0;
    const auto settle = [&](int step) {
      while (at >= 0 && at < kFirstKeyKeys && IsDeleted(at)) at += step;
    };
    for (int step = 0; step < 200; ++step) {
      const int target = static_cast<int>(random.Uniform(kFirstKeyKeys));
      switch (it->Valid() ? random.Uniform(8) : random.Uniform(3)) {
        case 0:
          it->Seek(Key(at = target));
          settle(1);
          break;
        case 1:
          it->SeekForPrev(Key(at = target) + "x");
          settle(-1);
          break;
        case 2:
          random.OneIn(2) ? (at = 0, it->SeekToFirst())
                          : (at = kFirstKeyKeys - 1, it->SeekToLast());
          settle(at == 0 ? 1 : -1);
          break;
        case 3:
        case 4:
        case 5:
          ++at;
          settle(1);
          it->Next();
          break;
        default:
          --at;
          settle(-1);
          it->Prev();
      }
      ASSERT_TRUE(it->status().ok()) << it->status().ToString();
      ASSERT_EQ(it->Valid(), at >= 0 && at < kFirstKeyKeys) << step;
      if (!it->Valid()) continue;
      ASSERT_EQ(it->key(), Key(at)) << step;
      ASSERT_EQ(it->value(), std::to_string(at)) << step;
    }
  }
}

}  // namespace
}  // namespace cairn
