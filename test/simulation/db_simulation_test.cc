// The whole database in a simulation: background jobs, writers on threads and on fibers, in an
// order that the seed decides, and the same order each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/thread.h"
#include "fs/memory_file_system.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"

namespace cairn {
namespace {

std::string Key(int i) {
  char text[16];
  std::snprintf(text, sizeof(text), "key%06d", i);
  return text;
}

Options SmallOptions(Env* env) {
  Options options;
  options.env = env;
  options.create_if_missing = true;
  options.write_buffer_size = 32 << 10;
  options.target_file_size_base = 32 << 10;
  options.max_bytes_for_level_base = 128 << 10;
  options.level0_file_num_compaction_trigger = 2;
  options.max_background_jobs = 3;
  return options;
}

constexpr int kWriters = 4;
constexpr int kKeys = 400;

std::string Value(int writer, int i) {
  return std::string(100, static_cast<char>('a' + writer)) + std::to_string(i);
}

// Opens, writes from threads and fibers at once, reads back, compacts, closes, opens again and
// reads once more.
void Workload() {
  auto files = std::make_shared<MemoryFileSystem>();
  std::unique_ptr<Env> env = NewCompositeEnv(files);
  const Options options = SmallOptions(env.get());
  DB* opened = nullptr;
  ASSERT_TRUE(DB::Open(options, "/db", &opened).ok());
  std::unique_ptr<DB> db(opened);
  auto put_all = [&db](int writer) {
    for (int i = 0; i < kKeys; i++) {
      ASSERT_TRUE(db->Put(WriteOptions(), Key(i * kWriters + writer), Value(writer, i)).ok());
      if (i % 10 == 0) {
        std::string value;
        ASSERT_TRUE(db->Get(ReadOptions(), Key(i * kWriters + writer), &value).ok());
        ASSERT_EQ(value, Value(writer, i));
      }
    }
  };
  {
    fiber::Runtime runtime({.workers = 2, .stack_size = size_t{256} << 10});
    std::vector<fiber::JoinHandle> fibers;
    std::vector<fiber::Thread> threads;
    for (int w = 0; w < kWriters; w++) {
      if (w % 2 == 0) {
        fibers.push_back(runtime.spawn([&put_all, w] { put_all(w); }));
      } else {
        threads.emplace_back("writer", [&put_all, w] { put_all(w); });
      }
    }
  }
  auto check = [&db] {
    std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    int count = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next(), count++) {
      ASSERT_EQ(it->key().ToString(), Key(count));
      ASSERT_EQ(it->value().ToString(), Value(count % kWriters, count / kWriters));
    }
    ASSERT_TRUE(it->status().ok());
    ASSERT_EQ(count, kWriters * kKeys);
  };
  ASSERT_TRUE(db->Flush(FlushOptions()).ok());
  check();
  ASSERT_TRUE(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  ASSERT_TRUE(db->Close().ok());
  db.reset();
  ASSERT_TRUE(DB::Open(options, "/db", &opened).ok());
  db.reset(opened);
  check();
}

fiber::SimulationResult Simulate(uint64_t seed, bool trace = false) {
  fiber::SimulationOptions options;
  options.seed = seed;
  options.trace = trace;
  options.max_steps = 20'000'000;
  return fiber::Simulation(options).run(Workload);
}

// Where the traces part, for people.
std::string FirstDifference(const std::string& a, const std::string& b) {
  size_t start = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()) && a[i] == b[i]; i++) {
    if (a[i] == '\n') start = i + 1;
  }
  return "first:  " + a.substr(start, 200) + "\nsecond: " + b.substr(start, 200);
}

TEST(DbSimulationTest, TheSameSeedGivesTheSameRunAndAnotherSeedAnother) {
  // What the process makes at its first use of a database is there before the first run.
  ASSERT_TRUE(Simulate(1).ok());
  uint64_t last = 0;
  for (uint64_t seed = 2; seed <= 4; seed++) {
    const fiber::SimulationResult a = Simulate(seed, true);
    const fiber::SimulationResult b = Simulate(seed, true);
    ASSERT_TRUE(a.ok()) << a.report;
    EXPECT_EQ(a.hash, b.hash) << "seed " << seed << "\n" << FirstDifference(a.trace, b.trace);
    EXPECT_EQ(a.steps, b.steps);
    EXPECT_EQ(a.foreign_wakes, 0u) << a.report;
    EXPECT_NE(a.hash, last);
    last = a.hash;
    std::printf("seed %" PRIu64 ": %016" PRIx64 ", %" PRIu64 " steps, %.6f s\n", seed, a.hash,
                a.steps, static_cast<double>(a.nanos) / 1e9);
  }
}

TEST(DbSimulationTest, NothingIsLostInAnyOrder) {
  for (uint64_t seed = 100; seed < 110 && !HasFailure(); seed++) {
    const fiber::SimulationResult result = Simulate(seed);
    EXPECT_TRUE(result.ok()) << result.report;
    if (HasFailure()) std::printf("seed %" PRIu64 "\n", seed);
  }
}

}  // namespace
}  // namespace cairn
