// Checkpoints: of a database at rest and of one that is written, flushed and compacted meanwhile;
// what they hold, that they are whole after errors and power cuts, and that the database goes on.
#include "rocksdb/utilities/checkpoint.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>

#include "db/testing/db_fixture.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/statistics.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::SeedText;
using testing::Value;

const char kCheckpointDir[] = "/checkpoint";
constexpr uint64_t kNeverFlush = UINT64_MAX;

class CheckpointTest : public testing::DbTest {
 protected:
  Status Create(const std::string& dir = kCheckpointDir, uint64_t log_size_for_flush = 0,
                uint64_t* sequence = nullptr) {
    Checkpoint* made = nullptr;
    Status s = Checkpoint::Create(db_.get(), &made);
    const std::unique_ptr<Checkpoint> checkpoint(made);
    return s.ok() ? checkpoint->CreateCheckpoint(dir, log_size_for_flush, sequence) : s;
  }
  void MustCreate(const std::string& dir = kCheckpointDir, uint64_t log_size_for_flush = 0) {
    const Status s = Create(dir, log_size_for_flush);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // Takes the place of the database.
  void OpenCheckpoint(Options options, const std::string& dir = kCheckpointDir) {
    db_.reset();
    options.create_if_missing = false;
    const Status s = DB::Open(options, dir, &db_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  std::set<std::string> NamesIn(const std::string& dir) {
    std::vector<std::string> names;
    disk_.memory->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
    return {names.begin(), names.end()};
  }
  bool Exists(const std::string& path) {
    return disk_.memory->FileExists(path, IOOptions(), nullptr).ok();
  }
  // Deletions are allowed again: a compaction's inputs go.
  void ExpectFilesAreDeletedAgain() {
    PutRange(0, 10, 9);
    Compact();
    std::vector<LiveFileMetaData> live;
    db_->GetLiveFilesMetaData(&live);
    EXPECT_EQ(live.size(), disk_.Files(FileType::kTableFile).size());
  }
};

TEST_F(CheckpointTest, WhatItCopiesIsCounted) {
  Options options = SmallOptions();
  options.statistics = CreateDBStatistics();
  Open(options);
  PutRange(0, 50, 1);
  MustCreate();
  const uint64_t bytes = options.statistics->getTickerCount(CHECKPOINT_READ_BYTES);
  EXPECT_GT(bytes, 0u) << "the MANIFEST, at least";
  EXPECT_EQ(options.statistics->getTickerCount(CHECKPOINT_WRITE_BYTES), bytes);
}

TEST_F(CheckpointTest, HoldsWhatTheDatabaseHeldAndGoesItsOwnWay) {
  Open();
  FillAllLevels();
  const Contents then = model_;
  uint64_t sequence = 0;
  ASSERT_TRUE(Create(kCheckpointDir, 0, &sequence).ok());
  EXPECT_EQ(db_->GetLatestSequenceNumber(), sequence);
  EXPECT_FALSE(Exists("/checkpoint.tmp"));
  PutRange(0, 400, 7);
  ExpectFilesAreDeletedAgain();
  const Contents now = model_;

  OpenCheckpoint(SmallOptions());
  ExpectContents(then);
  for (uint64_t i = 0; i < 100; ++i) ASSERT_TRUE(db_->Delete(WriteOptions(), Key(i)).ok());
  Compact();
  Open();
  ExpectContents(now);
}

TEST_F(CheckpointTest, UnflushedWritesComeWithTheLogs) {
  for (const bool manual_flush : {false, true}) {
    Options options = SmallOptions();
    options.manual_wal_flush = manual_flush;
    Open(options);
    PutRange(0, 50, 1);
    Flush();
    PutRange(20, 80, 2);
    const std::string dir = manual_flush ? "/manual" : "/checkpoint";
    MustCreate(dir, kNeverFlush);
    EXPECT_EQ(1, FilesAtLevel(0)) << "nothing was flushed";
    const Contents then = model_;
    PutRange(0, 80, 3);
    OpenCheckpoint(SmallOptions(), dir);
    ExpectContents(then);
    ASSERT_TRUE(DestroyDB(kDbName, SmallOptions()).ok());
    model_.clear();
  }
}

TEST_F(CheckpointTest, LogsAreCopiedUpToTheMomentAlsoRecycledOnes) {
  Options options = SmallOptions();
  options.recycle_log_file_num = 4;
  options.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
  Open(options);
  std::vector<Contents> contents;
  for (uint64_t round = 0; round < 12; ++round) {
    // Logs of different lengths: a recycled one still has an older one's end.
    PutRange(0, 30 + 20 * (round % 3), round);
    if (round % 3 != 1) Flush();
    PutRange(round, round + 3, 100 + round);
    MustCreate("/checkpoint" + std::to_string(round), kNeverFlush);
    contents.push_back(model_);
  }
  options.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  for (size_t round = 0; round < contents.size(); ++round) {
    SCOPED_TRACE(round);
    OpenCheckpoint(options, "/checkpoint" + std::to_string(round));
    ExpectContents(contents[round]);
  }
}

TEST_F(CheckpointTest, FlushesFromAGivenSizeOfLogsOn) {
  Open();
  WriteOptions unlogged;
  unlogged.disableWAL = true;
  ASSERT_TRUE(db_->Put(unlogged, "unlogged", "value").ok());
  PutRange(0, 20, 1);
  MustCreate("/small", 1 << 20);
  EXPECT_EQ(0, FilesAtLevel(0));
  MustCreate("/large", 1000);
  EXPECT_EQ(1, FilesAtLevel(0));
  OpenCheckpoint(SmallOptions(), "/small");
  ExpectModel();
  OpenCheckpoint(SmallOptions(), "/large");
  EXPECT_EQ("value", Get("unlogged"));
}

TEST_F(CheckpointTest, CopiesWhereThereAreNoLinks) {
  class NoLinks : public FileSystemWrapper {
   public:
    using FileSystemWrapper::FileSystemWrapper;
    const char* Name() const override { return "NoLinks"; }
    IOStatus LinkFile(const std::string&, const std::string&, const IOOptions&,
                      IODebugContext*) override {
      ++asked;
      return IOStatus::NotSupported("no links here");
    }
    int asked = 0;
  };
  const auto files = std::make_shared<NoLinks>(disk_.faults);
  const std::unique_ptr<Env> env = NewCompositeEnv(files);
  Options options = SmallOptions();
  options.env = env.get();
  Open(options);
  FillAllLevels();
  MustCreate();
  EXPECT_GT(disk_.Files(FileType::kTableFile).size(), 1u);
  EXPECT_EQ(1, files->asked) << "after that it is known";
  OpenCheckpoint(SmallOptions());
  ExpectModel();
  db_.reset();
}

TEST_F(CheckpointTest, AReadOnlyDatabaseHasCheckpointsToo) {
  Open();
  PutRange(0, 50, 1);
  Flush();
  PutRange(20, 80, 2);
  Close();
  ASSERT_TRUE(TryOpenReadOnly(SmallOptions()).ok());
  MustCreate();
  OpenCheckpoint(SmallOptions());
  ExpectModel();
}

TEST_F(CheckpointTest, WhatStandsInTheWayIsRefusedOrRemoved) {
  Open();
  PutRange(0, 10, 1);
  for (const char* dir : {"", "/", "///"}) {
    EXPECT_TRUE(Create(dir).IsInvalidArgument()) << dir;
  }
  EXPECT_TRUE(Create(kDbName).IsInvalidArgument());
  // A former attempt that never ended.
  ASSERT_TRUE(disk_.memory->CreateDir("/checkpoint.tmp", IOOptions(), nullptr).ok());
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "x", "/checkpoint.tmp/000099.sst").ok());
  MustCreate("/checkpoint//");
  EXPECT_TRUE(Create().IsInvalidArgument()) << "it is there by now";
  EXPECT_EQ(0u, NamesIn("/checkpoint").count("000099.sst"));
  Checkpoint* none = nullptr;
  EXPECT_TRUE(Checkpoint::Create(nullptr, &none).IsInvalidArgument());
  Checkpoint* made = nullptr;
  ASSERT_TRUE(Checkpoint::Create(db_.get(), &made).ok());
  delete made;
}

TEST_F(CheckpointTest, ThoseOfAFamilysOwnDirectoriesComeAlong) {
  Options options = SmallOptions();
  options.cf_paths.emplace_back("/family", 1 << 30);
  options.enable_blob_files = true;
  options.min_blob_size = 50;
  Open(options);
  PutRange(0, 10, 1);
  Flush();
  EXPECT_FALSE(NamesIn("/family").empty());
  MustCreate();
  const Contents then = model_;
  PutRange(0, 10, 2);
  OpenCheckpoint(SmallOptions());
  ExpectContents(then);
}

TEST_F(CheckpointTest, TablesElsewhereComeAlong) {
  Options options = SmallOptions();
  options.db_paths.emplace_back("/tables", 1 << 30);
  options.db_paths.emplace_back("/more", 1 << 30);
  Open(options);
  PutRange(0, 10, 1);
  Flush();
  rocksdb::CompactRangeOptions compact;
  compact.target_path_id = 1;
  ASSERT_TRUE(db_->CompactRange(compact, nullptr, nullptr).ok());
  PutRange(5, 20, 1);
  Flush();
  MustCreate();
  const Contents then = model_;
  PutRange(0, 10, 2);
  OpenCheckpoint(SmallOptions());
  ExpectContents(then);
  const auto tables = [&] {
    const std::set<std::string> names = NamesIn(kCheckpointDir);
    return std::count_if(names.begin(), names.end(),
                         [](const std::string& name) { return name.ends_with(".sst"); });
  };
  EXPECT_EQ(tables(), 2);
  // And it goes on by itself: what a compaction leaves behind is deleted there.
  Compact();
  ExpectContents(then);
  OpenCheckpoint(SmallOptions());
  EXPECT_EQ(tables(), 1);
  ExpectContents(then);
  EXPECT_FALSE(NamesIn("/more").empty()) << "the source's are its own";
}

TEST_F(CheckpointTest, LogsOfAnotherDirectoryComeIntoTheCheckpoint) {
  Options options = SmallOptions();
  options.wal_dir = "/logs";
  Open(options);
  PutRange(0, 50, 1);
  MustCreate(kCheckpointDir, kNeverFlush);
  OpenCheckpoint(SmallOptions());
  ExpectModel();
}

TEST_F(CheckpointTest, AnErrorAnywhereLeavesNoCheckpointAndTheDatabaseAlone) {
  Open();
  PutRange(0, 60, 1);
  Compact();
  PutRange(30, 90, 2);
  WaitUntilIdle();
  disk_.faults->SetFileFilter([](const std::string& name) { return name != "/db/LOG"; });
  int failures = 0;
  for (uint64_t nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    disk_.faults->FailNthOperation(nth, fault::kAll, IOStatus::IOError("injected"));
    const Status s = Create(kCheckpointDir, kNeverFlush);
    disk_.faults->FailNthOperation(0, fault::kAll, IOStatus::OK());
    ASSERT_FALSE(Exists("/checkpoint.tmp"));
    if (s.ok()) break;
    ++failures;
    ASSERT_LT(nth, 1000u);
    if (Exists(kCheckpointDir)) {
      // All was done but for the sync of the directory around it.
      EXPECT_GT(failures, 20);
      ASSERT_TRUE(DestroyDB(kCheckpointDir, SmallOptions()).ok());
    }
  }
  EXPECT_GT(failures, 20);
  disk_.faults->Heal();
  const Contents then = model_;
  ExpectFilesAreDeletedAgain();
  ExpectModel();
  OpenCheckpoint(SmallOptions());
  ExpectContents(then);
}

TEST_F(CheckpointTest, SurvivesAPowerCutThatTheDatabaseWasNotReadyFor) {
  Open();
  PutRange(0, 60, 1);
  Compact();
  PutRange(30, 90, 2);
  MustCreate(kCheckpointDir, kNeverFlush);
  disk_.memory->CrashAndFreeze();
  db_.reset();
  disk_.memory->DropUnsynced();
  OpenCheckpoint(SmallOptions());
  ExpectModel();
}

// Each writer's batches go to keys of its own, and each says its number: the number says which
// batches a checkpoint must have, and nothing of a later one.
class WritersAndCheckpoints {
 public:
  static constexpr int kWriters = 4;  // half on threads, half on fibers
  static constexpr uint64_t kKeys = 40;

  explicit WritersAndCheckpoints(DB* db) : db_(db) {}

  void Run(const std::function<void(const WritersAndCheckpoints&)>& meanwhile) {
    fiber::RuntimeOptions runtime_options;
    runtime_options.workers = 2;
    runtime_options.stack_size = size_t{256} << 10;
    fiber::Runtime runtime(runtime_options);
    std::vector<fiber::JoinHandle> fibers;
    std::vector<fiber::Thread> threads;
    for (int writer = 0; writer < kWriters; ++writer) {
      if (writer % 2 == 0) {
        threads.emplace_back("writer", [this, writer] { Work(writer); });
      } else {
        fibers.push_back(runtime.spawn([this, writer] { Work(writer); }));
      }
    }
    runtime.spawn([&] { meanwhile(*this); }).join();
    stop_.store(true);
    for (fiber::Thread& thread : threads) thread.join();
    for (fiber::JoinHandle& handle : fibers) handle.join();
  }

  // By writer: the last batch that was acknowledged, and the last one that was begun.
  std::vector<uint64_t> Acknowledged() const { return Numbers(acknowledged_); }
  std::vector<uint64_t> Begun() const { return Numbers(begun_); }

  // `db` holds of each writer the batches up to one of [least, most].
  static void Check(DB* db, const std::vector<uint64_t>& least, const std::vector<uint64_t>& most) {
    Contents expected;
    for (int writer = 0; writer < kWriters; ++writer) {
      std::string value;
      const Status s = db->Get(ReadOptions(), Name(writer, "number"), &value);
      ASSERT_TRUE(s.ok() || s.IsNotFound()) << s.ToString();
      const uint64_t number = s.ok() ? std::stoull(value) : 0;
      ASSERT_GE(number, least[writer]) << "an acknowledged write is missing";
      ASSERT_LE(number, most[writer]);
      for (uint64_t i = 1; i <= number; ++i) {
        expected[Name(writer, Key(i % kKeys))] = Value(i, 100);
        expected[Name(writer, "number")] = std::to_string(i);
        if (i % 5 == 0) expected.erase(Name(writer, Key(i / 5 % kKeys)));
      }
    }
    Contents found;
    const std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      found[it->key().ToString()] = it->value().ToString();
    }
    ASSERT_TRUE(it->status().ok()) << it->status().ToString();
    ASSERT_TRUE(expected == found) << expected.size() << " and " << found.size() << " keys";
  }

 private:
  static std::vector<uint64_t> Numbers(const std::atomic<uint64_t> (&numbers)[kWriters]) {
    std::vector<uint64_t> all;
    for (const auto& number : numbers) all.push_back(number.load());
    return all;
  }
  static std::string Name(int writer, const std::string& what) {
    return std::to_string(writer) + "/" + what;
  }
  void Work(int writer) {
    for (uint64_t i = 1; !stop_.load(); ++i) {
      WriteBatch batch;
      ASSERT_TRUE(batch.Put(Name(writer, Key(i % kKeys)), Value(i, 100)).ok());
      ASSERT_TRUE(batch.Put(Name(writer, "number"), std::to_string(i)).ok());
      if (i % 5 == 0) {
        ASSERT_TRUE(batch.Delete(Name(writer, Key(i / 5 % kKeys))).ok());
      }
      begun_[writer].store(i);
      const Status s = db_->Write(WriteOptions(), &batch);
      ASSERT_TRUE(s.ok()) << s.ToString();
      acknowledged_[writer].store(i);
    }
  }

  DB* const db_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> begun_[kWriters] = {};
  std::atomic<uint64_t> acknowledged_[kWriters] = {};
};

TEST_F(CheckpointTest, HasEveryAcknowledgedWriteOfFourWritersAndNoHalfOne) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE(SeedText(seed));
  Random64 random(seed);
  Options options = SmallOptions();
  options.max_background_jobs = 4;
  options.recycle_log_file_num = random.OneIn(2) ? 2 : 0;
  options.enable_pipelined_write = random.OneIn(2);
  options.max_manifest_file_size = 4 << 10;  // it is replaced now and then
  if (options.recycle_log_file_num != 0) {
    options.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
  }
  Open(options);
  constexpr int kCheckpoints = 12;
  std::vector<std::vector<uint64_t>> least, most;
  WritersAndCheckpoints work(db_.get());
  work.Run([&](const WritersAndCheckpoints& writers) {
    for (int i = 0; i < kCheckpoints; ++i) {
      // sleeps: so that checkpoints are made at any moment of the writers
      fiber::sleep_for(static_cast<uint64_t>(random.Uniform(20)) * 1000 * 1000);
      least.push_back(writers.Acknowledged());
      const uint64_t flush_from[] = {0, 20 << 10, kNeverFlush};
      MustCreate(kCheckpointDir + std::to_string(i), flush_from[i % 3]);
      most.push_back(writers.Begun());
    }
  });
  ASSERT_EQ(size_t{kCheckpoints}, most.size());
  WritersAndCheckpoints::Check(db_.get(), work.Acknowledged(), work.Begun());
  options.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  for (int i = 0; i < kCheckpoints; ++i) {
    SCOPED_TRACE(i);
    OpenCheckpoint(options, kCheckpointDir + std::to_string(i));
    WritersAndCheckpoints::Check(db_.get(), least[i], most[i]);
  }
}

}  // namespace
}  // namespace cairn
