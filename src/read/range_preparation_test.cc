// Iterators that are prepared for ranges: what they need is read together. Over a disk each read of
// which takes a millisecond, in simulated time.
#include "read/range_preparation.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fiber/clock.h"
#include "read/db_iterator.h"
#include "read/testing/lsm_fixture.h"
#include "read/testing/simulated_caller.h"
#include "read/testing/slow_disk.h"

namespace cairn {
namespace {

constexpr int kLsmRuns = 5;  // two files of level 0, and levels 1 to 3 of 4 files each
constexpr int kLsmFiles = 14;
constexpr int kLsmKeys = 2000;
constexpr uint64_t kRound = SlowDisk::kReadNanos;

std::string RunValue(int key) { return std::string(80, static_cast<char>('a' + key % 26)); }

struct PreparedLsm {
  explicit PreparedLsm(bool cache = true, bool partitions = false)
      : lsm(MakeLsm(cache, partitions)) {
    for (int run = kLsmRuns - 1; run >= 0; --run) {
      for (int i = run; i < kLsmKeys; i += kLsmRuns) lsm.Add(kTypeValue, Key(i), RunValue(i));
      if (run >= 2) {
        lsm.FlushToLevel(run - 1, 4);
      } else {
        lsm.FlushToLevel0();
      }
    }
    lsm.Install();
  }

  LsmFixture MakeLsm(bool cache, bool partitions) {
    BlockBasedTableOptions options;
    options.block_size = 1024;
    options.no_block_cache = !cache;
    if (partitions) {
      options.index_type = BlockBasedTableOptions::kTwoLevelIndexSearch;
      options.metadata_block_size = 128;
      options.cache_index_and_filter_blocks = true;
    }
    return LsmFixture(BytewiseComparator(), options, disk);
  }

  // Goes through `scans` (pairs of numbers of keys), and checks what is shown.
  struct Scan {
    std::vector<std::pair<int, int>> ranges;
    bool reverse = false;
    bool async = false;
    bool prepared = true;
    uint64_t coalesce = 16 << 10;
    ReadOptions options = {};
  };
  void Go(const Scan& scan) {
    std::vector<std::string> starts, limits;
    for (const auto& [from, to] : scan.ranges) {
      starts.push_back(Key(from));
      limits.push_back(Key(to));
    }
    MultiScanArgs args(BytewiseComparator());
    for (size_t i = 0; i < starts.size(); ++i) args.insert(starts[i], limits[i]);
    args.reverse = scan.reverse;
    args.use_async_io = scan.async;
    args.io_coalesce_threshold = scan.coalesce;
    Slice lower, upper;
    ReadOptions options = scan.options;
    options.iterate_lower_bound = &lower;
    options.iterate_upper_bound = &upper;
    lower = starts.front();
    upper = limits.front();
    const auto it = NewIterator(options);
    if (scan.prepared) it->Prepare(args);
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    prepared_after = fiber::now_nanos();
    for (size_t i = 0; i < starts.size(); ++i) {
      lower = starts[i];
      upper = limits[i];
      const auto [from, to] = scan.ranges[i];
      if (scan.reverse) {
        it->SeekForPrev(limits[i]);
        for (int key = to - 1; key >= from; --key, it->Prev()) Expect(*it, key);
      } else {
        it->Seek(starts[i]);
        for (int key = from; key < to; ++key, it->Next()) Expect(*it, key);
      }
      ASSERT_FALSE(it->Valid()) << i << " " << it->key().ToString();
      ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    }
  }
  static void Expect(const Iterator& it, int key) {
    ASSERT_TRUE(it.Valid()) << key << ": " << it.status().ToString();
    ASSERT_EQ(it.key(), Key(key));
    ASSERT_EQ(it.value(), RunValue(key));
  }
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options) {
    return lsm.NewIterator(options);
  }

  const std::shared_ptr<SlowDisk> disk = std::make_shared<SlowDisk>();
  LsmFixture lsm;
  uint64_t prepared_after = 0;  // when Prepare() was over
};

// Twenty short ranges far from one another.
std::vector<std::pair<int, int>> TwentyRanges() {
  std::vector<std::pair<int, int>> ranges;
  for (int i = 0; i < 20; ++i) ranges.emplace_back(i * 100 + 10, i * 100 + 20);
  return ranges;
}

class RangePreparationTest : public SimulatedCallerTest {
 protected:
  static void Simulate(const std::function<void()>& body) {
    SimulatedCallerTest::Simulate(/*seeds=*/3, body);
  }
};

INSTANTIATE_TEST_SUITE_P(Callers, RangePreparationTest, ::testing::Bool(), CallerName);

TEST_P(RangePreparationTest, TwentyRangesTakeTwoRoundsAndOpenTablesOne) {
  Simulate([] {
    for (const bool cache : {true, false}) {
      for (const bool reverse : {false, true}) {
        PreparedLsm db(cache);
        PreparedLsm::Scan scan{TwentyRanges()};
        scan.reverse = reverse;
        uint64_t start = fiber::now_nanos();
        db.Go(scan);
        EXPECT_LE(fiber::now_nanos() - start, 2 * kRound + kRound / 2)
            << "the tables, their blocks";
        EXPECT_EQ(db.disk->reads, 2 * kLsmFiles) << "the end of each, and its blocks at once";
        EXPECT_EQ(db.disk->most_at_once, kLsmFiles);
        // Again, with all tables open. What the cache has is not read.
        db.disk->ResetCounts();
        start = fiber::now_nanos();
        db.Go(scan);
        EXPECT_LE(fiber::now_nanos() - start, (cache ? 0 : kRound) + kRound / 2);
        EXPECT_EQ(db.disk->reads == 0, cache);
        EXPECT_LE(db.disk->rounds, 1);
        // What it would be one after the other.
        PreparedLsm other(cache);
        scan.prepared = false;
        start = fiber::now_nanos();
        for (const auto& range : TwentyRanges()) {
          scan.ranges = {range};
          other.Go(scan);
        }
        EXPECT_GE(fiber::now_nanos() - start, 60 * kRound);
      }
    }
  });
}

TEST_P(RangePreparationTest, InTheBackgroundPrepareWaitsForTheTablesOnly) {
  Simulate([] {
    PreparedLsm db;
    PreparedLsm::Scan scan{TwentyRanges()};
    scan.async = true;
    const uint64_t start = fiber::now_nanos();
    db.Go(scan);
    EXPECT_LE(db.prepared_after - start, kRound + kRound / 2);
    EXPECT_LE(fiber::now_nanos() - start, 2 * kRound + kRound / 2);
    // The iterator may go while its blocks come.
    PreparedLsm left;
    const auto it = left.NewIterator(ReadOptions());
    MultiScanArgs args(BytewiseComparator());
    args.use_async_io = true;
    args.insert("key00100", "key00200");
    it->Prepare(args);
    EXPECT_TRUE(it->status().ok());
  });
}

TEST_P(RangePreparationTest, IndexPartitionsOfAllRangesComeTogether) {
  Simulate([] {
    PreparedLsm db(/*cache=*/true, /*partitions=*/true);
    PreparedLsm::Scan scan{TwentyRanges()};
    const uint64_t start = fiber::now_nanos();
    db.Go(scan);
    EXPECT_LE(fiber::now_nanos() - start, 7 * kRound)
        << "tables, tops of indexes, partitions (a range may need two), blocks";
  });
}

TEST_P(RangePreparationTest, NeighboursAreReadAtOnceUpToTheGapThatIsAllowed) {
  Simulate([] {
    // Keys of one level lie kLsmRuns apart: ranges of 100 keys take two or three blocks of each.
    PreparedLsm db(/*cache=*/false);
    PreparedLsm::Scan scan{{{200, 300}, {400, 500}}};
    db.Go(scan);
    db.disk->ResetCounts();
    db.Go(scan);
    const int together = db.disk->reads;
    const uint64_t bytes = db.disk->bytes;
    scan.coalesce = 0;
    db.disk->ResetCounts();
    db.Go(scan);
    EXPECT_LT(together, db.disk->reads);
    EXPECT_GT(bytes, db.disk->bytes) << "what lies between was read, too";
    EXPECT_LE(together, 2 * kLsmRuns) << "a level's two ranges may lie in two files";
  });
}

TEST_P(RangePreparationTest, NoBlockIsReadTwiceAndNoneBeyondTheRanges) {
  Simulate([] {
    PreparedLsm db(/*cache=*/false);
    // They share blocks.
    PreparedLsm::Scan scan{{{200, 203}, {203, 206}, {206, 300}, {300, 301}}};
    scan.coalesce = 0;
    db.Go(scan);
    db.disk->ResetCounts();
    db.Go(scan);
    EXPECT_LE(db.disk->bytes, 101u * 110 + kLsmRuns * 2 * 1100);
    EXPECT_LE(db.disk->rounds, 1);
    // Nothing is there at all: a seek needs no block.
    scan.ranges = {{5000, 6000}};
    db.disk->ResetCounts();
    const auto it = db.NewIterator(ReadOptions());
    MultiScanArgs args(BytewiseComparator());
    args.insert("a", "b");
    args.insert("z", "zz");
    it->Prepare(args);
    EXPECT_EQ(db.disk->reads, 0);
  });
}

TEST_P(RangePreparationTest, TheLimitOfWhatIsReadAheadEndsTheScan) {
  Simulate([] {
    for (const bool reverse : {false, true}) {
      PreparedLsm db;
      const std::string start = Key(0), limit = Key(1500);
      MultiScanArgs args(BytewiseComparator());
      args.insert(start, limit);
      args.max_prefetch_size = 4 * 1100;
      args.reverse = reverse;
      const Slice lower(start), upper(limit);
      ReadOptions options;
      options.iterate_lower_bound = &lower;
      options.iterate_upper_bound = &upper;
      const auto it = db.NewIterator(options);
      it->Prepare(args);
      EXPECT_LE(db.disk->bytes, kLsmRuns * 4u * (4 * 1100 + 4096)) << "of each file, and its end";
      int seen = 0;
      if (reverse) {
        for (it->SeekForPrev(limit); it->Valid(); it->Prev()) {
          ASSERT_EQ(it->key(), Key(1499 - seen++));
        }
      } else {
        for (it->Seek(start); it->Valid(); it->Next()) ASSERT_EQ(it->key(), Key(seen++));
      }
      EXPECT_GE(seen, 3 * 9 * kLsmRuns);
      EXPECT_LT(seen, 1500);
      EXPECT_TRUE(it->status().IsPrefetchLimitReached()) << it->status().ToString();
      EXPECT_EQ(it->status().ToString(),
                "Result incomplete: MultiScan reached file prefetch limit");
    }
  });
}

TEST_P(RangePreparationTest, ABrokenFileEndsTheScanThatComesToIt) {
  Simulate([] {
    PreparedLsm db;
    db.disk->broken.insert(TableFileName("/db", db.lsm.version()->level_files(2)[2].number));
    const std::string starts[] = {Key(10), Key(1100)}, limits[] = {Key(20), Key(1110)};
    MultiScanArgs args(BytewiseComparator());
    args.insert(starts[0], limits[0]);
    args.insert(starts[1], limits[1]);
    Slice upper(limits[0]);
    ReadOptions options;
    options.iterate_upper_bound = &upper;
    const auto it = db.NewIterator(options);
    it->Prepare(args);
    EXPECT_TRUE(it->status().ok());
    it->Seek(starts[0]);
    for (int key = 10; key < 20; ++key, it->Next()) PreparedLsm::Expect(*it, key);
    upper = limits[1];
    it->Seek(starts[1]);
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsIOError()) << it->status().ToString();
  });
}

TEST_P(RangePreparationTest, RandomRangesShowWhatIsThere) {
  Simulate([] {
    Random64 random(7);
    PreparedLsm with(/*cache=*/true), without(/*cache=*/false);
    for (int round = 0; round < 60; ++round) {
      PreparedLsm::Scan scan;
      for (int at = 0; scan.ranges.size() < 30;) {
        const int from = at + static_cast<int>(random.Uniform(random.OneIn(3) ? 200 : 20));
        at = from + 1 + static_cast<int>(random.Uniform(random.OneIn(4) ? 300 : 30));
        if (at > kLsmKeys) break;
        scan.ranges.emplace_back(from, at);
      }
      if (scan.ranges.empty()) continue;
      scan.reverse = random.OneIn(2);
      scan.async = random.OneIn(2);
      scan.options.async_io = random.OneIn(2);
      scan.options.pin_data = random.OneIn(3);
      scan.options.fill_cache = random.OneIn(2);
      scan.coalesce = random.OneIn(2) ? 0 : random.Uniform(5000);
      (random.OneIn(2) ? with : without).Go(scan);
      if (::testing::Test::HasFatalFailure()) return;
    }
  });
}

// ---- What is refused, and with which words.

class PreparedSeekTest : public ::testing::Test {
 protected:
  PreparedSeekTest() {
    options_.iterate_lower_bound = &lower_;
    options_.iterate_upper_bound = &upper_;
  }
  std::unique_ptr<Iterator> Prepared(const MultiScanArgs& args) {
    auto it = db_.NewIterator(options_);
    it->Prepare(args);
    return it;
  }
  std::string Refusal(const MultiScanArgs& args) { return Prepared(args)->status().ToString(); }

  PreparedLsm db_;
  Slice lower_, upper_;
  ReadOptions options_;
  MultiScanArgs args_{BytewiseComparator()};
};

TEST_F(PreparedSeekTest, RangesThatMakeNoSense) {
  EXPECT_EQ(Refusal(args_), "Invalid argument: Empty MultiScanArgs");
  args_.insert("b");
  EXPECT_EQ(Refusal(args_), "OK");
  args_.reverse = true;
  EXPECT_EQ(Refusal(args_), "Invalid argument: Reverse MultiScan requires limit");
  args_.reverse = false;
  args_.insert("c", "d");
  EXPECT_EQ(Refusal(args_), "Invalid argument: Scan has no upper bound");
  MultiScanArgs overlap(BytewiseComparator());
  overlap.insert("b", "d");
  overlap.insert("d", "e");
  EXPECT_EQ(Refusal(overlap), "OK");
  overlap.insert("dx", "f");
  EXPECT_EQ(Refusal(overlap), "Invalid argument: Overlapping ranges at index 2");
  MultiScanArgs unsorted(BytewiseComparator());
  unsorted.insert("x", "y");
  unsorted.insert("b", "c");
  EXPECT_EQ(Refusal(unsorted), "Invalid argument: Overlapping ranges at index 1");
  MultiScanArgs inverted(BytewiseComparator());
  inverted.insert("b", "b");
  EXPECT_EQ(Refusal(inverted),
            "Invalid argument: Scan start key is large or equal than limit at index 0");
  MultiScanArgs open_end(BytewiseComparator());
  open_end.insert("b", "c");
  open_end.insert("d");
  EXPECT_EQ(Refusal(open_end), "Invalid argument: Scan has no upper bound at index 1");
}

TEST_F(PreparedSeekTest, AnIteratorWhoseRangesWereRefusedIsAPlainOne) {
  upper_ = "l";
  const auto it = Prepared(args_);
  EXPECT_FALSE(it->status().ok());
  it->Seek(Key(17));
  PreparedLsm::Expect(*it, 17);
  EXPECT_TRUE(it->status().ok());
}

TEST_F(PreparedSeekTest, SeeksThatAreNotThePreparedOnes) {
  const std::string a = Key(10), b = Key(20), c = Key(30), d = Key(40);
  args_.insert(a, b);
  args_.insert(c, d);
  upper_ = b;
  const auto it = Prepared(args_);
  const auto refuses = [&](const std::string& what) {
    EXPECT_FALSE(it->Valid());
    EXPECT_EQ(it->status().ToString(), "Invalid argument: " + what);
  };
  it->Seek(b);
  refuses("Seek target does not match the start of the next prepared range at index 0");
  it->SeekForPrev(b);
  refuses("SeekForPrev called on forward MultiScan");
  upper_ = d;
  it->Seek(a);
  refuses("Upper bound is not set to the same limit value of the next prepared range at index 0");
  upper_ = b;
  it->Seek(a);
  PreparedLsm::Expect(*it, 10);
  it->Seek(a);
  refuses("Seek target does not match the start of the next prepared range at index 1");
  upper_ = d;
  it->Seek(c);
  PreparedLsm::Expect(*it, 30);
  it->Prev();  // as any iterator
  PreparedLsm::Expect(*it, 29);
  it->Seek(c);
  refuses("Seek called after exhausting all of the scan ranges");
  it->Prepare(args_);
  refuses("Prepare called more than once on the same iterator");

  args_.reverse = true;
  upper_ = b;
  lower_ = c;
  const auto reverse = Prepared(args_);
  reverse->Seek(a);
  EXPECT_EQ(reverse->status().ToString(), "Invalid argument: Seek called on reverse MultiScan");
  reverse->SeekForPrev(b);
  EXPECT_EQ(reverse->status().ToString(),
            "Invalid argument: Lower bound is not set to the same start value of the next prepared "
            "range at index 0");
  lower_ = a;
  reverse->SeekForPrev(d);
  EXPECT_EQ(reverse->status().ToString(),
            "Invalid argument: SeekForPrev target does not match the limit of the next prepared "
            "range at index 0");
  reverse->SeekToLast();  // which is to the limit
  PreparedLsm::Expect(*reverse, 19);
}

TEST_F(PreparedSeekTest, RefreshAndOnlyTheCache) {
  const std::string a = Key(10), b = Key(20);
  args_.insert(a, b);
  lower_ = a;
  upper_ = b;
  const auto it = Prepared(args_);
  ASSERT_TRUE(it->Refresh().ok());
  it->Seek(a);
  PreparedLsm::Expect(*it, 10);

  PreparedLsm cold;
  options_.read_tier = kBlockCacheTier;
  const auto cached = cold.NewIterator(options_);
  cached->Prepare(args_);
  EXPECT_EQ(cold.disk->reads, 0);
  cached->Seek(a);
  EXPECT_TRUE(cached->status().IsIncomplete()) << cached->status().ToString();
  EXPECT_FALSE(cached->status().IsPrefetchLimitReached());
}

}  // namespace
}  // namespace cairn
