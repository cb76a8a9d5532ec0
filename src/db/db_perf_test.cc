// The performance contexts of operations on a database: fibers that suspend in the middle of them,
// that move between them, and that have helpers.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "db/db_mutex.h"
#include "db/testing/db_fixture.h"
#include "fiber/guest.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/iostats_context.h"
#include "rocksdb/perf_context.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

// Bytewise; lets the worker's other fibers run before each comparison.
class YieldingComparator final : public Comparator {
 public:
  const char* Name() const override { return "test.YieldingComparator"; }
  int Compare(const Slice& a, const Slice& b) const override {
    if (fiber::in_fiber()) fiber::yield();
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* /*start*/, const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}
};

struct Counts {
  uint64_t comparisons, hits, reads, read_bytes, get_bytes, memtables, filters;

  static Counts Now() {
    const PerfContext& perf = *get_perf_context();
    return {perf.user_key_comparison_count,
            perf.block_cache_hit_count,
            perf.block_read_count,
            get_iostats_context()->bytes_read,
            perf.get_read_bytes,
            perf.get_from_memtable_count,
            perf.bloom_sst_hit_count + perf.bloom_sst_miss_count};
  }
  bool operator==(const Counts&) const = default;
};

class DbPerfTest : public testing::DbTest {
 protected:
  void SetUp() override {
    Options options = SmallOptions();
    options.comparator = &comparator_;
    options.disable_auto_compactions = true;
    Open(options);
    for (uint64_t run = 0; run < 3; ++run) {
      PutRange(run * 20, run * 20 + 200, run);
      Flush();
    }
    PutRange(0, 10, 9);
    get_perf_context()->Reset();
    get_iostats_context()->Reset();
  }
  void TearDown() override {
    SetPerfLevel(kEnableCount);
    DbTest::TearDown();
  }

  // Reads some keys; what that counted. Nothing stays in the cache.
  Counts Read(uint64_t first) {
    get_perf_context()->Reset();
    get_iostats_context()->Reset();
    ReadOptions options;
    options.fill_cache = false;
    for (uint64_t i = first; i < 240; i += 17) {
      std::string value;
      EXPECT_TRUE(db_->Get(options, Key(i), &value).ok());
      EXPECT_EQ(model_[Key(i)], value);
    }
    return Counts::Now();
  }

  const YieldingComparator comparator_;
};

TEST_F(DbPerfTest, InterleavedFibersCountAsIfAlone) {
  std::vector<Counts> alone;
  for (uint64_t i = 0; i < 6; ++i) alone.push_back(Read(i * 30));
  ASSERT_FALSE(alone[0] == alone[5]);
  EXPECT_GT(alone[0].comparisons, 20u);
  EXPECT_GT(alone[0].reads, 5u);
  fiber::Runtime runtime;  // one worker
  runtime.run([&] {
    std::vector<fiber::JoinHandle> handles;
    for (uint64_t i = 0; i < 6; ++i) {
      handles.push_back(fiber::spawn([&, i] {
        for (int round = 0; round < 3; ++round) EXPECT_TRUE(alone[i] == Read(i * 30)) << i;
      }));
    }
    for (auto& handle : handles) handle.join();
  });
}

TEST_F(DbPerfTest, LevelsAreTheFibersOwn) {
  fiber::Runtime runtime;
  runtime.run([&] {
    auto timed = fiber::spawn([&] {
      SetPerfLevel(kEnableTime);
      Read(0);
      EXPECT_GT(get_perf_context()->get_from_output_files_time, 0u);
    });
    auto silent = fiber::spawn([&] {
      SetPerfLevel(kDisable);
      Read(0);
      EXPECT_EQ("", get_perf_context()->ToString(/*exclude_zero_counters=*/true));
    });
    auto counted = fiber::spawn([&] {
      Read(0);
      EXPECT_EQ(0u, get_perf_context()->get_from_output_files_time);
      EXPECT_GT(get_perf_context()->block_read_count, 0u);
    });
    timed.join();
    silent.join();
    counted.join();
  });
}

TEST_F(DbPerfTest, AFiberThatMovesGoesOnCounting) {
  const Counts alone = Read(0);
  fiber::RuntimeOptions options;
  options.workers = 2;
  fiber::Runtime runtime(options);
  const auto traveller = [&] {
    get_perf_context()->Reset();
    get_iostats_context()->Reset();
    ReadOptions read;
    read.fill_cache = false;
    for (uint64_t i = 0; i < 240; i += 17) {
      std::string value;
      EXPECT_TRUE(db_->Get(read, Key(i), &value).ok());
      ASSERT_EQ(0, fiber::migrate(1 - fiber::current_worker()));
    }
    EXPECT_TRUE(alone == Counts::Now());
  };
  runtime.run([&] {
    std::vector<fiber::JoinHandle> handles;
    for (int i = 0; i < 4; ++i) handles.push_back(fiber::spawn(traveller));
    for (auto& handle : handles) handle.join();
  });
}

TEST_F(DbPerfTest, HelpersOfAMultiGetCountForItsCaller) {
  std::vector<std::string> texts;
  for (uint64_t i = 100; i < 240; i += 9) texts.push_back(Key(i));
  const std::vector<Slice> keys(texts.begin(), texts.end());
  const auto get_all = [&](bool async_io) {
    get_perf_context()->Reset();
    get_iostats_context()->Reset();
    ReadOptions options;
    options.fill_cache = false;
    options.async_io = async_io;
    std::vector<PinnableSlice> values(keys.size());
    std::vector<Status> statuses(keys.size());
    db_->MultiGet(options, db_->DefaultColumnFamily(), keys.size(), keys.data(), values.data(),
                  statuses.data());
    for (size_t i = 0; i < keys.size(); ++i) {
      EXPECT_TRUE(statuses[i].ok());
      EXPECT_EQ(model_[texts[i]], values[i].ToString());
    }
    return *get_perf_context();
  };
  const PerfContext expected = get_all(false);
  EXPECT_GT(expected.block_read_count, 10u);
  const auto check = [&] {
    const PerfContext together = get_all(true);
    EXPECT_EQ(expected.multiget_read_bytes, together.multiget_read_bytes);
    EXPECT_EQ(expected.block_read_count, together.block_read_count);
    EXPECT_EQ(expected.block_read_byte, together.block_read_byte);
  };
  check();  // the helpers are on the thread
  fiber::Runtime runtime;
  runtime.run([&] {
    auto one = fiber::spawn(check);
    auto two = fiber::spawn(check);
    one.join();
    two.join();
  });
}

TEST_F(DbPerfTest, WritersOfOneGroupCountForThemselves) {
  fiber::Runtime runtime;
  runtime.run([&] {
    std::vector<fiber::JoinHandle> handles;
    for (uint64_t i = 0; i < 8; ++i) {
      handles.push_back(fiber::spawn([&, i] {
        SetPerfLevel(i % 2 == 0 ? kEnableTime : kEnableCount);
        for (int n = 0; n < 20; ++n) {
          EXPECT_TRUE(db_->Put(WriteOptions(), Key(1000 + i), Value(i, 50)).ok());
          fiber::yield();
        }
        const PerfContext& perf = *get_perf_context();
        const uint64_t all = perf.write_wal_time + perf.write_memtable_time +
                             perf.write_thread_wait_nanos + perf.write_pre_and_post_process_time;
        EXPECT_EQ(i % 2 == 0, all > 0);
      }));
    }
    for (auto& handle : handles) handle.join();
  });
}

// Notes on whose thread it is called.
class PoolFilter final : public CompactionFilter {
 public:
  const char* Name() const override { return "PoolFilter"; }
  bool Filter(int /*level*/, const Slice& /*key*/, const Slice& /*value*/, std::string* /*new*/,
              bool* /*changed*/) const override {
    pool_.store(get_iostats_context()->thread_pool_id, std::memory_order_relaxed);
    return false;
  }
  uint64_t pool() const { return pool_.load(std::memory_order_relaxed); }

 private:
  mutable std::atomic<uint64_t> pool_{99};  // relaxed: looked at when the compaction is over
};

TEST_F(DbPerfTest, BackgroundThreadsSayWhoTheyAre) {
  PoolFilter filter;
  Options options = SmallOptions();
  options.comparator = &comparator_;
  options.compaction_filter = &filter;
  options.disable_auto_compactions = true;
  Open(options);
  CompactRangeOptions all;
  all.bottommost_level_compaction = BottommostLevelCompaction::kForce;
  ASSERT_TRUE(db_->CompactRange(all, nullptr, nullptr).ok());
  EXPECT_EQ(uint64_t{Env::LOW}, filter.pool());
  db_.reset();
}

// Bytewise; counts how often it is asked.
class AskedComparator final : public Comparator {
 public:
  const char* Name() const override { return "test.AskedComparator"; }
  int Compare(const Slice& a, const Slice& b) const override {
    asked.fetch_add(1);
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* /*start*/, const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

  mutable std::atomic<int> asked{0};
};

class DbComparatorTest : public testing::DbTest {};

// (As with RocksDB: rust-rocksdb has a test whose comparator panics.)
TEST_F(DbComparatorTest, IsNotAskedAboutOneKey) {
  const AskedComparator comparator;
  Options options = SmallOptions();
  options.comparator = &comparator;
  Open(options);
  Put("k", "v");
  Flush();
  EXPECT_EQ(0, comparator.asked);
  Open(options);
  EXPECT_EQ("v", Get("k"));
  EXPECT_GT(comparator.asked, 0);
  db_.reset();
}

TEST(DBMutexTest, WaitsAreTimedAtTheHighestLevel) {
  for (const PerfLevel level : {kEnableTimeAndCPUTimeExceptForMutex, kEnableTime}) {
    DBMutex mutex;
    DBCondition condition;
    bool waiting = false;
    bool go = false;
    fiber::Thread waiter("test", [&] {
      SetPerfLevel(level);
      DBMutexLock lock(&mutex);
      waiting = true;
      condition.notify_all();
      while (!go) condition.wait(&mutex);
      EXPECT_EQ(level == kEnableTime, get_perf_context()->db_condition_wait_nanos > 0);
      EXPECT_EQ(level == kEnableTime, get_perf_context()->db_mutex_lock_nanos > 0);
    });
    {
      DBMutexLock lock(&mutex);
      while (!waiting) condition.wait(&mutex);
      go = true;
      condition.notify_all();
    }
    waiter.join();
  }
}

}  // namespace
}  // namespace cairn
