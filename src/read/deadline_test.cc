// ReadOptions::deadline and io_timeout over a disk that is slow, or hangs. In simulated time: what
// is late does not depend on the machine.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fs/read_limits.h"
#include "read/db_iterator.h"
#include "read/point_lookup.h"
#include "read/testing/lsm_fixture.h"
#include "read/testing/simulated_caller.h"
#include "read/testing/slow_disk.h"

namespace cairn {
namespace {

constexpr uint64_t kMicros = 1000;  // nanoseconds
constexpr int kFiles = 8;
constexpr int kKeysPerFile = 16;

std::chrono::microseconds In(int64_t micros) {
  return std::chrono::microseconds(static_cast<int64_t>(fiber::wall_micros()) + micros);
}

// One level of files, of one block each and more, each read of which takes a millisecond.
struct Slow {
  explicit Slow(bool open) {
    for (int i = 0; i < kFiles * kKeysPerFile; ++i) lsm.Add(kTypeValue, Key(i), "value");
    lsm.FlushToLevel(1, kFiles);
    lsm.Install();
    if (!open) return;
    for (int i = 0; i < kFiles; ++i) {
      TableCache::Ref table;
      EXPECT_TRUE(
          lsm.tables()->FindTable(lsm.version()->level_files(1)[i].meta->TableId(1), &table).ok());
    }
    disk->ResetCounts();
  }
  void Hang(size_t file) {
    disk->hung.insert(TableFileName("/db", lsm.version()->level_files(1)[file].number));
  }
  Status Get(const ReadOptions& options, const std::string& key, PinnableSlice* value) {
    value->Reset();
    SuperVersionGuard sv(lsm.slots());
    return PointLookup({options, *sv.get(), lsm.tables(), lsm.last_sequence()}, key, {value});
  }
  std::vector<Status> MultiGet(const ReadOptions& options, const std::vector<std::string>& keys) {
    const std::vector<Slice> slices(keys.begin(), keys.end());
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    SuperVersionGuard sv(lsm.slots());
    MultiGetLookup({options, *sv.get(), lsm.tables(), lsm.last_sequence()}, keys.size(),
                   slices.data(), values.data(), statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      if (statuses[i].ok()) {
        EXPECT_EQ("value", values[i].ToString());
      }
    }
    return statuses;
  }
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options) {
    return lsm.NewIterator(options);
  }

  const std::shared_ptr<SlowDisk> disk = std::make_shared<SlowDisk>();
  LsmFixture lsm{BytewiseComparator(), LsmFixture::SmallBlocks(), disk};
};

class DeadlineTest : public SimulatedCallerTest {
 protected:
  static void Simulate(const std::function<void()>& body) {
    SimulatedCallerTest::Simulate(/*seeds=*/10, body);
  }
};

INSTANTIATE_TEST_SUITE_P(Callers, DeadlineTest, ::testing::Bool(), CallerName);

TEST_P(DeadlineTest, AGetEndsByItsDeadline) {
  Simulate([] {
    Slow db(/*open=*/true);
    db.Hang(3);
    ReadOptions options;
    PinnableSlice value;
    options.deadline = In(5000);
    EXPECT_TRUE(db.Get(options, Key(0), &value).ok());
    EXPECT_EQ("value", value);
    const uint64_t start = fiber::now_nanos();
    options.deadline = In(5000);
    const Status s = db.Get(options, Key(3 * kKeysPerFile), &value);
    EXPECT_TRUE(s.IsTimedOut()) << s.ToString();
    EXPECT_GE(fiber::now_nanos() - start, 4900 * kMicros);
    EXPECT_LE(fiber::now_nanos() - start, 5100 * kMicros);
    // No read begins after it.
    db.disk->ResetCounts();
    EXPECT_TRUE(db.Get(options, Key(kKeysPerFile), &value).IsTimedOut());
    EXPECT_EQ(0, db.disk->reads);
    // The disk is well again, and nothing of it was kept.
    db.disk->hung.clear();
    options.deadline = In(5000);
    EXPECT_TRUE(db.Get(options, Key(3 * kKeysPerFile), &value).ok());
  });
}

TEST_P(DeadlineTest, OpeningATableCounts) {
  Simulate([] {
    Slow db(/*open=*/false);
    ReadOptions options;
    PinnableSlice value;
    options.deadline = In(1500);  // the table's end, and half a block
    EXPECT_TRUE(db.Get(options, Key(0), &value).IsTimedOut());
    options.deadline = In(1500);  // it is open now
    EXPECT_TRUE(db.Get(options, Key(0), &value).ok());
    options.deadline = In(500);
    EXPECT_TRUE(db.Get(options, Key(kKeysPerFile), &value).IsTimedOut());
    options.deadline = In(2500);
    EXPECT_TRUE(db.Get(options, Key(kKeysPerFile), &value).ok());
  });
}

TEST_P(DeadlineTest, NobodyWaitsForAnotherOnesOpening) {
  Simulate([] {
    Slow db(/*open=*/false);
    db.Hang(2);
    fiber::Runtime runtime;
    PinnableSlice patient;
    fiber::JoinHandle opener = runtime.spawn([&] {
      ReadOptions options;
      EXPECT_TRUE(db.Get(options, Key(2 * kKeysPerFile), &patient).ok());
    });
    fiber::sleep_for(500 * kMicros);
    ReadOptions options;
    PinnableSlice value;
    options.deadline = In(1000);
    const uint64_t start = fiber::now_nanos();
    EXPECT_TRUE(db.Get(options, Key(2 * kKeysPerFile), &value).IsTimedOut());
    EXPECT_LE(fiber::now_nanos() - start, 1100 * kMicros);
    opener.join();
  });
}

TEST_P(DeadlineTest, TheTimeoutIsOfEachRead) {
  Simulate([] {
    Slow db(/*open=*/false);
    db.Hang(3);
    ReadOptions options;
    PinnableSlice value;
    options.io_timeout = std::chrono::microseconds(900);
    EXPECT_TRUE(db.Get(options, Key(0), &value).IsTimedOut());
    options.io_timeout = std::chrono::microseconds(1100);
    EXPECT_TRUE(db.Get(options, Key(0), &value).ok());  // two reads of it
    const uint64_t start = fiber::now_nanos();
    EXPECT_TRUE(db.Get(options, Key(3 * kKeysPerFile), &value).IsTimedOut());
    EXPECT_LE(fiber::now_nanos() - start, 1200 * kMicros);
    // The nearer of both.
    options.io_timeout = std::chrono::microseconds(1100);
    options.deadline = In(500);
    EXPECT_TRUE(db.Get(options, Key(kKeysPerFile), &value).IsTimedOut());
  });
}

TEST_P(DeadlineTest, AMultiGetKeepsWhatWasDone) {
  for (const auto& [async_io, across_levels] :
       {std::pair(false, true), std::pair(true, false), std::pair(true, true)}) {
    SCOPED_TRACE(std::to_string(async_io) + std::to_string(across_levels));
    Simulate([&, async_io = async_io, across_levels = across_levels] {
      Slow db(/*open=*/true);
      db.Hang(3);
      ReadOptions options;
      options.async_io = async_io;
      options.optimize_multiget_for_io = across_levels;
      options.deadline = In(10'000);
      std::vector<std::string> keys;
      for (int i = 0; i < kFiles; ++i) keys.push_back(Key(i * kKeysPerFile));
      const uint64_t start = fiber::now_nanos();
      const std::vector<Status> statuses = db.MultiGet(options, keys);
      EXPECT_GE(fiber::now_nanos() - start, 9900 * kMicros);
      EXPECT_LE(fiber::now_nanos() - start, 10'200 * kMicros);
      for (size_t i = 0; i < kFiles; ++i) {
        // (Without async_io the first alone, and as it is slow the others together.)
        const bool late = i == 3;
        EXPECT_EQ(late, statuses[i].IsTimedOut()) << i << " " << statuses[i].ToString();
        EXPECT_EQ(!late, statuses[i].ok()) << i << " " << statuses[i].ToString();
      }
    });
  }
}

TEST_P(DeadlineTest, AnIteratorStopsAtItsDeadline) {
  for (const bool async_io : {false, true}) {
    Simulate([async_io] {
      Slow db(/*open=*/false);
      db.Hang(3);
      ReadOptions options;
      options.async_io = async_io;
      options.deadline = In(60'000);
      std::unique_ptr<Iterator> it = db.NewIterator(options);
      int found = 0;
      for (it->SeekToFirst(); it->Valid(); it->Next()) ++found;
      EXPECT_TRUE(it->status().IsTimedOut()) << it->status().ToString();
      EXPECT_EQ(3 * kKeysPerFile, found);
      EXPECT_LE(fiber::wall_micros(), static_cast<uint64_t>(options.deadline.count()) + 100);
      // It is over for good, also where nothing need be read.
      const int reads = db.disk->reads;
      for (int i = 0; i < 4; ++i) {
        if (i == 0) it->Seek(Key(0));
        if (i == 1) it->SeekForPrev(Key(0));
        if (i == 2) it->SeekToFirst();
        if (i == 3) it->SeekToLast();
        EXPECT_FALSE(it->Valid());
        EXPECT_TRUE(it->status().IsTimedOut());
      }
      EXPECT_EQ(reads, db.disk->reads);

      options.deadline = In(60'000);
      it = db.NewIterator(options);
      it->Seek(Key(3 * kKeysPerFile + 1));
      EXPECT_FALSE(it->Valid());
      EXPECT_TRUE(it->status().IsTimedOut());

      // Backwards, and each read by itself.
      options.deadline = std::chrono::microseconds(0);
      options.io_timeout = std::chrono::microseconds(2000);
      it = db.NewIterator(options);
      found = 0;
      for (it->SeekToLast(); it->Valid(); it->Prev()) ++found;
      EXPECT_TRUE(it->status().IsTimedOut()) << it->status().ToString();
      EXPECT_EQ(4 * kKeysPerFile - 1, found);  // the cursor goes ahead of what is shown
      it->Seek(Key(0));
      EXPECT_TRUE(it->Valid());
    });
  }
}

// Nothing is read, but much is passed over.
TEST_P(DeadlineTest, HiddenEntriesDoNotHideTheDeadline) {
  Simulate([] {
    Slow db(/*open=*/true);
    for (int i = 1; i < kFiles * kKeysPerFile; ++i) db.lsm.Add(kTypeDeletion, Key(i));
    db.lsm.Install();
    std::unique_ptr<Iterator> it = db.NewIterator(ReadOptions());
    it->SeekToFirst();
    it->Next();
    EXPECT_TRUE(it->status().ok());
    db.disk->ResetCounts();
    ReadOptions options;
    options.deadline = In(100);
    it = db.NewIterator(options);
    it->SeekToFirst();
    EXPECT_TRUE(it->Valid());
    fiber::sleep_for(200 * kMicros);
    it->Next();
    EXPECT_FALSE(it->Valid());
    EXPECT_TRUE(it->status().IsTimedOut()) << it->status().ToString();
    EXPECT_EQ(0, db.disk->reads);
  });
}

TEST_P(DeadlineTest, ACancelledReadReadsNoMore) {
  for (const bool async_io : {false, true}) {
    Simulate([async_io] {
      Slow db(/*open=*/true);
      std::atomic<bool> cancelled{false};
      ReadOptions options;
      options.async_io = async_io;
      options.cancelled = &cancelled;
      std::unique_ptr<Iterator> it = db.NewIterator(options);
      it->SeekToFirst();
      EXPECT_TRUE(it->Valid());
      fiber::Runtime runtime;
      std::vector<std::string> keys;
      for (int i = 0; i < kFiles; ++i) keys.push_back(Key(i * kKeysPerFile));
      db.disk->ResetCounts();
      fiber::JoinHandle canceller = runtime.spawn([&] {
        fiber::sleep_for(500 * kMicros);
        cancelled = true;
      });
      const std::vector<Status> statuses = db.MultiGet(options, keys);
      canceller.join();
      for (size_t i = 0; i < kFiles; ++i) {
        // The first is cached; then all are being read by then, or one, and the others would be
        // together behind it.
        const bool done = async_io || i < 2;
        EXPECT_EQ(done, statuses[i].ok()) << i << " " << statuses[i].ToString();
        EXPECT_EQ(!done, statuses[i].IsAborted()) << i << " " << statuses[i].ToString();
      }
      const int reads = db.disk->reads;
      while (it->Valid()) it->Next();
      EXPECT_TRUE(it->status().IsAborted()) << it->status().ToString();
      it->Seek(Key(0));
      EXPECT_TRUE(it->status().IsAborted());
      PinnableSlice value;
      EXPECT_TRUE(db.Get(options, Key(kKeysPerFile + 15), &value).IsAborted());
      EXPECT_EQ(reads, db.disk->reads);
      cancelled = false;
      it->Seek(Key(0));
      EXPECT_TRUE(it->Valid());
    });
  }
}

TEST(ReadLimitsTest, OddValues) {
  ReadOptions options;
  IOOptions io;
  EXPECT_FALSE(ReadLimits(options).Over());
  EXPECT_TRUE(ReadLimits(options).Apply(&io).ok());
  EXPECT_EQ(0, io.timeout.count());
  EXPECT_EQ(fiber::kNoDeadline, ReadLimits(options).NanosDeadline());
  options.deadline = std::chrono::microseconds(-1);  // long ago
  EXPECT_TRUE(ReadLimits(options).Over());
  EXPECT_TRUE(ReadLimits(options).Apply(&io).IsTimedOut());
  options.deadline = std::chrono::microseconds::max();
  EXPECT_FALSE(ReadLimits(options).Over());
  EXPECT_TRUE(ReadLimits(options).Apply(&io).ok());
  EXPECT_GT(io.timeout.count(), 0);
  EXPECT_EQ(fiber::kNoDeadline, ReadLimits(options).NanosDeadline());
  options.deadline = std::chrono::microseconds(0);
  options.io_timeout = std::chrono::microseconds(-5);  // none
  io = IOOptions();
  EXPECT_TRUE(ReadLimits(options).Apply(&io).ok());
  EXPECT_EQ(0, io.timeout.count());
}

}  // namespace
}  // namespace cairn
