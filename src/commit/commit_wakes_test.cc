// What the commit queue costs in sleeps and wake-ups: counts for each write, which no load of the
// machine changes much, instead of times. A queue that wakes who has nothing to do yet, or forms a
// group of each writer, is slow with many writers only, and nothing else shows it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "commit/commit_queue.h"
#include "commit/testing/fake_database.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/stats.h"
#include "fiber/sync.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

using testing::FakeDatabase;

struct Load {
  int writers = 64;
  int writes = 20;  // of each writer
  int batch = 1;
  bool sync = false;
  bool disable_wal = false;
};

void WriteAll(FakeDatabase* db, const Load& load, int writer) {
  WriteOptions options;
  options.sync = load.sync;
  options.disableWAL = load.disable_wal;
  for (int n = 0; n < load.writes; ++n) {
    WriteBatch batch;
    for (int i = 0; i < load.batch; ++i) {
      ASSERT_TRUE(batch.Put(std::to_string(writer) + "/" + std::to_string(i), "v").ok());
    }
    ASSERT_TRUE(db->queue()->Write(options, &batch).ok());
  }
}

struct PerWrite {
  double sleeps = 0;
  double wakes = 0;
  double groups = 0;
};

// By writers on threads of their own.
PerWrite Threads(const CommitOptions& options, const Load& load,
                 const std::function<void(FakeDatabase*)>& prepare = {}) {
  FakeDatabase db(options);
  db.keep_log = false;
  if (prepare) prepare(&db);
  const fiber::FutexCalls before = fiber::futex_calls();
  {
    fiber::Latch all_here(static_cast<uint32_t>(load.writers));
    std::vector<fiber::Thread> threads;
    for (int w = 0; w < load.writers; ++w) {
      threads.emplace_back("write", [&, w] {
        all_here.arrive_and_wait();
        WriteAll(&db, load, w);
      });
    }
    for (fiber::Thread& thread : threads) thread.join();
  }
  const fiber::FutexCalls after = fiber::futex_calls();
  const double writes = load.writers * load.writes;
  EXPECT_EQ(db.entries(), static_cast<uint64_t>(writes * load.batch));
  return {static_cast<double>(after.sleeps - before.sleeps) / writes,
          static_cast<double>(after.wakes - before.wakes) / writes, db.groups / writes};
}

struct Setting {
  const char* name;
  CommitOptions options;
  Load load;
};

std::vector<Setting> Settings() {
  CommitOptions plain;
  CommitOptions pipelined;
  pipelined.pipelined = true;
  CommitOptions early = pipelined;  // also where it does not pay
  early.measure_overlap = false;
  return {
      {"default", plain, {}},
      {"pipelined", pipelined, {}},
      {"always early", early, {}},
      {"without a log", plain, {.disable_wal = true}},
      {"pipelined, without a log", pipelined, {.disable_wal = true}},
      {"always early, without a log", early, {.disable_wal = true}},
      {"sync", plain, {.sync = true}},
      {"pipelined, sync", pipelined, {.sync = true}},
      {"batches of 20", plain, {.batch = 20}},
      {"pipelined, batches of 20", pipelined, {.batch = 20}},
  };
}

// In virtual time, where a count is a function of the seed: a record takes 20 microseconds, a sync
// a millisecond. A follower sleeps until its group is done, and once more if it is called to insert
// its own batch. (Where each writer was a group and the end of a turn woke all that waited for
// theirs, those without a log slept 25 to 31 times for each write.)
TEST(CommitWakesTest, AWriteIsWokenForWhatItWaitsForOnly) {
  for (const Setting& setting : Settings()) {
    for (uint64_t seed = 1; seed <= 3; ++seed) {
      SCOPED_TRACE(std::string(setting.name) + ", seed " + std::to_string(seed));
      PerWrite count;
      fiber::SimulationOptions simulation;
      simulation.seed = seed;
      simulation.spurious_one_in = 0;
      const auto result = fiber::Simulation(simulation).run([&] {
        count = Threads(setting.options, setting.load, [](FakeDatabase* db) {
          db->on_append = [](const Slice&) {
            fiber::sleep_for(20'000);
            return IOStatus::OK();
          };
          db->on_sync = [] {
            fiber::sleep_for(1'000'000);
            return IOStatus::OK();
          };
        });
      });
      ASSERT_TRUE(result.ok()) << result.report;
      EXPECT_LE(count.sleeps, 2.5);
      EXPECT_LE(count.wakes, 2.5);
      EXPECT_LE(count.groups, 0.1) << "those that come while a group is served become one";
    }
  }
}

// On the machine as it is. Whoever is preempted keeps others waiting, but each of them sleeps for
// itself: as a follower, for its own insertion, as a leader for the group before and for its
// followers. (It was 15 to 31.)
TEST(CommitWakesTest, NorDoesLoadMakeItMore) {
  for (const Setting& setting : Settings()) {
    SCOPED_TRACE(setting.name);
    Load load = setting.load;
    load.writes = 200;
    const PerWrite count = Threads(setting.options, load);
    EXPECT_LE(count.sleeps, 6);
    EXPECT_LE(count.wakes, 6);
  }
}

TEST(CommitWakesTest, NorDoFibers) {
  for (const Setting& setting : Settings()) {
    SCOPED_TRACE(setting.name);
    FakeDatabase db(setting.options);
    db.keep_log = false;
    fiber::Runtime runtime({.workers = 2});
    {
      std::vector<fiber::JoinHandle> writers;
      for (int w = 0; w < setting.load.writers; ++w) {
        writers.push_back(runtime.spawn([&, w] { WriteAll(&db, setting.load, w); }));
      }
    }
    const fiber::Stats stats = runtime.stats();
    const double writes = setting.load.writers * setting.load.writes;
    EXPECT_LE(static_cast<double>(stats.wakes_local + stats.wakes_remote) / writes, 6);
  }
}

// They never meet in the queue by themselves: a write call each, without a leader that lets the
// others come.
TEST(CommitWakesTest, FibersOfOneWorkerShareAWriteOfTheLog) {
  for (const bool pipelined : {false, true}) {
    CommitOptions options;
    options.pipelined = pipelined;
    FakeDatabase db(options);
    db.keep_log = false;
    const Load load{.writers = 16, .writes = 50};
    fiber::Latch all_here(static_cast<uint32_t>(load.writers));
    fiber::Runtime runtime({.workers = 1});
    {
      std::vector<fiber::JoinHandle> writers;
      for (int w = 0; w < load.writers; ++w) {
        writers.push_back(runtime.spawn([&, w] {
          all_here.arrive_and_wait();
          WriteAll(&db, load, w);
        }));
      }
    }
    EXPECT_LE(db.appends, load.writers * load.writes / 8);
  }
}

TEST(CommitWakesTest, ALeaderDoesNotGoOnWaitingForSiblingsThatDoNotWrite) {
  FakeDatabase db;
  db.keep_log = false;
  fiber::Runtime runtime({.workers = 1});
  fiber::Latch both_here(2);
  bool written = false;
  int turns = 0;  // of the other
  {
    fiber::JoinHandle other = runtime.spawn([&] {
      both_here.arrive_and_wait();
      while (!written) {
        ++turns;
        fiber::yield();
      }
    });
    fiber::JoinHandle writer = runtime.spawn([&] {
      both_here.arrive_and_wait();
      WriteAll(&db, {.writes = 1000}, 0);
      written = true;
    });
  }
  EXPECT_EQ(db.appends, 1000);
  EXPECT_LE(turns, 100);
}

}  // namespace
}  // namespace cairn
