// The whole database in a simulation: background jobs, writers on threads and on fibers, in an
// order that the seed decides, and the same order each time.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cairn/fault_injection.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/thread.h"
#include "fs/memory_file_system.h"
#include "rocksdb/compaction_filter.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_writer.h"
#include "rocksdb/utilities/checkpoint.h"

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
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, "/db", &db).ok());
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
  ASSERT_TRUE(DB::Open(options, "/db", &db).ok());
  check();
}

// Entries go of which another key says that they are dead: the filter reads the database from
// within its flushes and compactions.
class DeadFilterFactory final : public CompactionFilterFactory {
 public:
  class DeadFilter final : public CompactionFilter {
   public:
    explicit DeadFilter(DB* db) : db_(db) {}
    const char* Name() const override { return "DeadFilter"; }
    bool Filter(int, const Slice& key, const Slice&, std::string*, bool*) const override {
      std::string value;
      return db_->Get(ReadOptions(), "dead-" + key.ToString(), &value).ok();
    }

   private:
    DB* const db_;
  };

  const char* Name() const override { return "DeadFilterFactory"; }
  bool ShouldFilterTableFileCreation(TableFileCreationReason) const override { return true; }
  std::unique_ptr<CompactionFilter> CreateCompactionFilter(
      const CompactionFilter::Context&) override {
    return std::make_unique<DeadFilter>(db);
  }

  DB* db = nullptr;
};

void FilterWorkload() {
  auto files = std::make_shared<MemoryFileSystem>();
  std::unique_ptr<Env> env = NewCompositeEnv(files);
  auto factory = std::make_shared<DeadFilterFactory>();
  Options options = SmallOptions(env.get());
  options.compaction_filter_factory = factory;
  options.max_subcompactions = 2;
  ASSERT_TRUE(DB::Open(options, "/db", &factory->db).ok());
  const std::unique_ptr<DB> db(factory->db);
  auto put_all = [&db](int writer) {
    for (int i = 0; i < kKeys; i++) {
      const std::string key = Key(i * kWriters + writer);
      ASSERT_TRUE(db->Put(WriteOptions(), key, Value(writer, i)).ok());
      if (i % 2 == 1) continue;
      ASSERT_TRUE(db->Put(WriteOptions(), "dead-" + key, "").ok());
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
  ASSERT_TRUE(db->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok());
  for (int i = 0; i < kKeys * kWriters; i++) {
    std::string value;
    const bool dead = i / kWriters % 2 == 0;
    ASSERT_EQ(dead, db->Get(ReadOptions(), Key(i), &value).IsNotFound()) << i;
    if (dead) continue;
    ASSERT_EQ(Value(i % kWriters, i / kWriters), value);
  }
}

// Checkpoints while writers on threads and fibers go on: of each writer the first so many writes.
void CheckpointWorkload() {
  auto files = std::make_shared<MemoryFileSystem>();
  std::unique_ptr<Env> env = NewCompositeEnv(files);
  Options options = SmallOptions(env.get());
  options.recycle_log_file_num = 2;
  options.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, "/db", &db).ok());
  std::atomic<int> done[kWriters] = {};
  auto put_all = [&](int writer) {
    for (int i = 0; i < kKeys; i++) {
      ASSERT_TRUE(db->Put(WriteOptions(), Key(i * kWriters + writer), Value(writer, i)).ok());
      done[writer].store(i + 1);
    }
  };
  constexpr int kCheckpoints = 4;
  int least[kCheckpoints][kWriters];
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
    fibers.push_back(runtime.spawn([&] {
      Checkpoint* made = nullptr;
      ASSERT_TRUE(Checkpoint::Create(db.get(), &made).ok());
      const std::unique_ptr<Checkpoint> checkpoint(made);
      for (int c = 0; c < kCheckpoints; c++) {
        for (int w = 0; w < kWriters; w++) least[c][w] = done[w].load();
        const Status s = checkpoint->CreateCheckpoint("/checkpoint" + std::to_string(c),
                                                      c % 2 == 0 ? UINT64_MAX : 0);
        ASSERT_TRUE(s.ok()) << s.ToString();
      }
    }));
  }
  ASSERT_TRUE(db->Close().ok());
  for (int c = 0; c < kCheckpoints; c++) {
    ASSERT_TRUE(DB::Open(options, "/checkpoint" + std::to_string(c), &db).ok());
    for (int w = 0; w < kWriters; w++) {
      int held = 0;
      for (int i = 0; i < kKeys; i++) {
        std::string value;
        const Status s = db->Get(ReadOptions(), Key(i * kWriters + w), &value);
        ASSERT_TRUE(s.ok() || s.IsNotFound()) << s.ToString();
        if (s.IsNotFound()) continue;
        ASSERT_EQ(held, i) << "a hole";
        ASSERT_EQ(Value(w, i), value);
        held++;
      }
      ASSERT_GE(held, least[c][w]);
    }
  }
}

// Syncs that failed while the disk was ill are told of before a Resume(), or never: after one that
// says OK, writes go on.
void ResumeWorkload() {
  auto faults =
      std::make_shared<fault::FaultInjectionFileSystem>(std::make_shared<MemoryFileSystem>());
  std::unique_ptr<Env> env = NewCompositeEnv(faults);
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(SmallOptions(env.get()), "/db", &db).ok());
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::vector<fiber::Thread> threads;
  for (int i = 0; i < 3; i++) {
    threads.emplace_back("syncer", [&] {
      while (!stop.load()) {
        if (!db->SyncWAL().ok()) ++failures;
        fiber::sleep_for(1000);
      }
    });
  }
  WriteOptions synced;
  synced.sync = true;
  for (int round = 0; round < 10; round++) {
    fault::Rule rule;
    rule.operations = fault::kSync;
    rule.files = fault::kLogs;
    const int before = failures.load();
    const fault::RuleId id = faults->AddRule(rule);
    while (failures.load() == before) {
      db->Put(WriteOptions(), "k", "v").PermitUncheckedError();
      fiber::sleep_for(1000);
    }
    faults->RemoveRule(id);
    const Status s = db->Resume();
    ASSERT_TRUE(s.ok()) << s.ToString();
    for (int i = 0; i < 20; i++) {
      const Status put = db->Put(synced, "k", "v");
      ASSERT_TRUE(put.ok()) << "round " << round << ": " << put.ToString();
      fiber::sleep_for(1000);
    }
  }
  stop.store(true);
  for (fiber::Thread& thread : threads) thread.join();
}

// A file from outside, then a write, again and again. Who reads sees no write without the file
// before it, wherever the reader was interrupted.
void IngestionWorkload() {
  std::unique_ptr<Env> env = NewCompositeEnv(std::make_shared<MemoryFileSystem>());
  const Options options = SmallOptions(env.get());
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, "/db", &db).ok());
  std::atomic<bool> stop{false};
  fiber::Thread reader("reader", [&] {
    while (!stop.load() && !::testing::Test::HasFailure()) {
      const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
      int file = 0, written = 0;
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        (it->key() == "file" ? file : written) = std::atoi(it->value().ToString().c_str());
      }
      EXPECT_TRUE(it->status().ok());
      EXPECT_LE(written, file);
      fiber::sleep_for(10'000);
    }
  });
  for (int round = 1; round <= 20 && !::testing::Test::HasFailure(); round++) {
    SstFileWriter writer(EnvOptions(), options);
    ASSERT_TRUE(writer.Open("/outside.sst").ok());
    ASSERT_TRUE(writer.Put("file", std::to_string(round)).ok());
    ASSERT_TRUE(writer.Finish().ok());
    ASSERT_TRUE(db->IngestExternalFile({"/outside.sst"}, IngestExternalFileOptions()).ok());
    for (int i = 0; i < 5; i++) {
      ASSERT_TRUE(db->Put(WriteOptions(), "written", std::to_string(round)).ok());
      fiber::sleep_for(100'000);
    }
  }
  stop.store(true);
}

// Files from outside come to two families at once, and who reads both sees all or none.
void IngestionIntoFamiliesWorkload() {
  std::unique_ptr<Env> env = NewCompositeEnv(std::make_shared<MemoryFileSystem>());
  const Options options = SmallOptions(env.get());
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(options, "/db", &db).ok());
  ColumnFamilyHandle* made = nullptr;
  ASSERT_TRUE(db->CreateColumnFamily(options, "second", &made).ok());
  const std::unique_ptr<ColumnFamilyHandle> second(made);
  std::atomic<bool> stop{false};
  fiber::Thread reader("reader", [&] {
    while (!stop.load() && !::testing::Test::HasFailure()) {
      std::vector<std::string> values;
      db->MultiGet(ReadOptions(), {db->DefaultColumnFamily(), second.get()}, {"k", "k"}, &values);
      EXPECT_EQ(values[0], values[1]);
      fiber::sleep_for(10'000);
    }
  });
  for (int round = 1; round <= 20 && !::testing::Test::HasFailure(); round++) {
    std::vector<IngestExternalFileArg> files(2);
    for (size_t i = 0; i < 2; i++) {
      files[i].column_family = i == 0 ? db->DefaultColumnFamily() : second.get();
      files[i].external_files = {"/outside" + std::to_string(i) + ".sst"};
      SstFileWriter writer(EnvOptions(), options);
      ASSERT_TRUE(writer.Open(files[i].external_files[0]).ok());
      ASSERT_TRUE(writer.Put("k", std::to_string(round)).ok());
      ASSERT_TRUE(writer.Finish().ok());
    }
    ASSERT_TRUE(db->IngestExternalFiles(files).ok());
    fiber::sleep_for(100'000);
  }
  stop.store(true);
}

// Families come and go while somebody looks at all of them.
void FamiliesWorkload() {
  std::unique_ptr<Env> env = NewCompositeEnv(std::make_shared<MemoryFileSystem>());
  std::unique_ptr<DB> db;
  ASSERT_TRUE(DB::Open(SmallOptions(env.get()), "/db", &db).ok());
  std::atomic<bool> stop{false};
  fiber::Thread looker("looker", [&] {
    while (!stop.load()) {
      EXPECT_TRUE(db->VerifyChecksum(ReadOptions()).ok());
      uint64_t keys = 0;
      EXPECT_TRUE(db->GetAggregatedIntProperty("rocksdb.estimate-num-keys", &keys));
      fiber::sleep_for(10'000);
    }
  });
  for (int round = 0; round < 20; round++) {
    ColumnFamilyHandle* made = nullptr;
    ASSERT_TRUE(db->CreateColumnFamily(ColumnFamilyOptions(), "made", &made).ok());
    const std::unique_ptr<ColumnFamilyHandle> family(made);
    ASSERT_TRUE(db->Put(WriteOptions(), made, "k", "v").ok());
    ASSERT_TRUE(db->DropColumnFamily(made).ok());
    fiber::sleep_for(10'000);
  }
  stop.store(true);
}

fiber::SimulationResult Simulate(uint64_t seed, bool trace = false, void (*workload)() = Workload,
                                 bool slow_places = false) {
  fiber::SimulationOptions options;
  if (slow_places) {
    options.interleave_stall_one_in = 4;
    options.interleave_stall_place_one_in = 3;
    options.interleave_stall_max_nanos = 5'000'000;
  }
  options.seed = seed;
  options.trace = trace;
  options.max_steps = 20'000'000;
  return fiber::Simulation(options).run(workload);
}

// Seeds from `first` on, `end` excluded, until one fails.
void SimulateSeeds(uint64_t first, uint64_t end, void (*workload)(), bool slow_places = false) {
  for (uint64_t seed = first; seed < end && !::testing::Test::HasFailure(); seed++) {
    const fiber::SimulationResult result = Simulate(seed, false, workload, slow_places);
    EXPECT_TRUE(result.ok()) << result.report;
    if (::testing::Test::HasFailure()) std::printf("seed %" PRIu64 "\n", seed);
  }
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

TEST(DbSimulationTest, NothingIsLostInAnyOrder) { SimulateSeeds(100, 110, Workload); }

TEST(DbSimulationTest, ACheckpointHasNoHoleInAnyOrder) {
  SimulateSeeds(300, 308, CheckpointWorkload);
}

TEST(DbSimulationTest, AResumeIsNotUndoneByAnErrorFromBeforeIt) {
  SimulateSeeds(400, 420, ResumeWorkload);
}

TEST(DbSimulationTest, NoWriteIsSeenWithoutTheFileBeforeIt) {
  SimulateSeeds(500, 530, IngestionWorkload, /*slow_places=*/true);
}

TEST(DbSimulationTest, FilesComeToAllFamiliesAtOnce) {
  SimulateSeeds(700, 740, IngestionIntoFamiliesWorkload, /*slow_places=*/true);
}

TEST(DbSimulationTest, AFamilyCanBeReadAsSoonAsItIsSeen) {
  SimulateSeeds(600, 630, FamiliesWorkload, /*slow_places=*/true);
}

TEST(DbSimulationTest, AFilterThatReadsTheDatabaseNeverWaitsForItself) {
  SimulateSeeds(200, 206, FilterWorkload);
}

}  // namespace
}  // namespace cairn
