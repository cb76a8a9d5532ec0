// What survives a death: of the process (everything acknowledged), of the power (everything synced,
// and the rest as a prefix of the history). Random histories of writes, flushes and compactions;
// each write also stores its own number under one key, so that what is found after the crash says
// which prefix it must be.
#include "db/testing/db_fixture.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::Key;
using testing::SeedText;
using testing::Value;

constexpr char kCounter[] = "#";

class DbCrashTest : public testing::DbTest {
 protected:
  struct Operation {
    std::string key;
    std::string value;
    bool is_delete = false;
  };
  using Write = std::vector<Operation>;

  void SetUp() override { options_ = SmallOptions(); }

  // The state after the first `writes` of the history.
  Contents StateAfter(size_t writes) const {
    Contents out;
    for (size_t i = 0; i < writes; ++i) {
      for (const Operation& op : history_[i]) {
        if (op.is_delete) {
          out.erase(op.key);
        } else {
          out[op.key] = op.value;
        }
      }
      out[kCounter] = std::to_string(i + 1);
    }
    return out;
  }

  void RandomWrite(Random64* random, bool sync) {
    Write write;
    WriteBatch batch;
    const uint64_t size = random->OneIn(4) ? 1 + random->Uniform(5) : 1;
    for (uint64_t i = 0; i < size; ++i) {
      Operation op;
      op.key = Key(random->Uniform(120));
      op.is_delete = random->OneIn(5);
      if (!op.is_delete) op.value = Value(random->Next() >> 40, random->Uniform(1200));
      if (op.is_delete) {
        ASSERT_TRUE(batch.Delete(op.key).ok());
      } else {
        ASSERT_TRUE(batch.Put(op.key, op.value).ok());
      }
      write.push_back(std::move(op));
    }
    ASSERT_TRUE(batch.Put(kCounter, std::to_string(history_.size() + 1)).ok());
    WriteOptions options;
    options.sync = sync;
    const Status s = db_->Write(options, &batch);
    ASSERT_TRUE(s.ok()) << s.ToString();
    history_.push_back(std::move(write));
    if (sync) durable_ = history_.size();
  }

  // Some writes, now and then a flush or a compaction.
  void RandomLife(Random64* random) {
    const uint64_t writes = random->Uniform(250);
    const uint64_t sync_one_in = random->OneIn(3) ? 1000 : 1 + random->Uniform(40);
    for (uint64_t i = 0; i < writes; ++i) {
      ASSERT_NO_FATAL_FAILURE(RandomWrite(random, random->OneIn(sync_one_in)));
      if (random->OneIn(120)) {
        Flush();
        durable_ = history_.size();
      } else if (random->OneIn(200)) {
        Compact();
        durable_ = history_.size();
      } else if (random->OneIn(100)) {
        ASSERT_TRUE(db_->SyncWAL().ok());
        durable_ = history_.size();
      }
    }
  }

  // The database holds a prefix of the history, not shorter than what was durable. Goes on from
  // there.
  void ExpectPrefix() {
    const std::string counter = Get(kCounter);
    const size_t found = counter == "NOT_FOUND" ? 0 : std::stoul(counter);
    ASSERT_GE(found, durable_) << "durable writes are lost";
    ASSERT_LE(found, history_.size());
    ExpectContents(StateAfter(found));
    history_.resize(found);
  }

  Options options_;
  std::vector<Write> history_;
  size_t durable_ = 0;  // so many writes must survive a power cut
};

TEST_F(DbCrashTest, SyncedWritesSurviveAPowerCut) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(SeedText(seed));
    Random64 random(seed);
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    ASSERT_NO_FATAL_FAILURE(ExpectPrefix());
    durable_ = history_.size();  // opening wrote what it replayed to a table
    ASSERT_NO_FATAL_FAILURE(RandomLife(&random));
    disk_.memory->CrashAndFreeze();
    db_.reset();
    disk_.memory->DropUnsynced();
  }
}

// All directories of a database are new, and lost with what is in them unless their names are
// synced, too.
TEST_F(DbCrashTest, NewDirectoriesSurviveWithWhatIsInThem) {
  Options options = options_;
  options.wal_dir = "/other/logs";
  options.WAL_ttl_seconds = 3600;
  options.db_log_dir = "/third/texts";
  options.db_paths = {{"/fourth/tables", 0}, {"/fifth/tables", 1 << 30}};
  for (int step = 0; step < 4; ++step) {
    SCOPED_TRACE(step);
    Open(options);
    ExpectModel();
    WriteOptions sync;
    sync.sync = true;
    const std::string n = std::to_string(step);
    ASSERT_TRUE(db_->Put(sync, "k" + n, n).ok());
    model_["k" + n] = n;
    if (step > 0) Flush();
    CompactRangeOptions into_the_second;
    into_the_second.target_path_id = 1;
    if (step > 1) {
      ASSERT_TRUE(db_->CompactRange(into_the_second, nullptr, nullptr).ok());
    }
    disk_.memory->CrashAndFreeze();
    db_.reset();
    disk_.memory->DropUnsynced();
    EXPECT_TRUE(disk_.memory->FileExists("/third/texts", IOOptions(), nullptr).ok());
  }
}

// A table was deleted, its number was given again to one in another directory, and a power cut
// undid the deletion: two have the number, and one of them belongs to nobody.
TEST_F(DbCrashTest, ATableThatComesBackBesideOneOfItsNumberIsDeleted) {
  Options options = options_;
  // (The second and the third are one, by two names.)
  options.db_paths = {{"/first", UINT64_MAX}, {"/second", UINT64_MAX}, {"/second//", UINT64_MAX}};
  Open(options);
  Put("k", "v");
  Flush();
  for (const uint32_t path : {1U, 2U, 0U}) {
    SCOPED_TRACE(path);
    CompactRangeOptions compact;
    compact.target_path_id = path;
    compact.change_level = true;
    compact.target_level = path == 1 ? 1 : 2;
    compact.bottommost_level_compaction = BottommostLevelCompaction::kForce;
    ASSERT_TRUE(db_->CompactRange(compact, nullptr, nullptr).ok());
    std::vector<LiveFileMetaData> files;
    db_->GetLiveFilesMetaData(&files);
    ASSERT_EQ(1u, files.size());
    const std::string live = files[0].db_path + files[0].name;
    const std::string twin = (path == 0 ? "/second" : "/first") + files[0].name;
    Close();
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), "what was deleted", twin, true).ok());
    Open(options);
    EXPECT_TRUE(disk_.memory->FileExists(live, IOOptions(), nullptr).ok());
    EXPECT_FALSE(disk_.memory->FileExists(twin, IOOptions(), nullptr).ok());
    ExpectModel();
  }
}

// Only one log at a time has writes that no table has: with several, the unsynced tail of an older
// one may be lost where a record ends, while a younger one survives. RocksDB's log format does not
// tell that from writes without a log.
TEST_F(DbCrashTest, APowerCutLeavesAPrefixWhateverPartsSurvive) {
  options_.write_buffer_size = 4 << 20;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(SeedText(seed));
    Random64 random(seed * 1000);
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    ASSERT_NO_FATAL_FAILURE(ExpectPrefix());
    durable_ = history_.size();
    ASSERT_NO_FATAL_FAILURE(RandomLife(&random));
    disk_.memory->CrashAndFreeze();
    db_.reset();
    disk_.memory->DropUnsyncedRandomly(seed);
  }
}

TEST_F(DbCrashTest, APowerCutDuringRecoveryLosesNothingDurable) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(SeedText(seed));
    Random64 random(seed);
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    ASSERT_NO_FATAL_FAILURE(ExpectPrefix());
    durable_ = history_.size();
    ASSERT_NO_FATAL_FAILURE(RandomLife(&random));
    disk_.memory->CrashAndFreeze();
    db_.reset();
    disk_.memory->DropUnsynced();
    // The next opening dies at each of its writing operations in turn, and loses power there.
    for (uint64_t n = 1; n < 60; ++n) {
      disk_.faults->FailNthOperation(n, fault::kWrites, IOStatus::IOError("injected"), UINT32_MAX);
      const Status s = TryOpen(options_);
      const bool opened = s.ok();
      disk_.memory->CrashAndFreeze();
      db_.reset();
      disk_.faults->Heal();
      disk_.memory->DropUnsyncedRandomly(seed * 100 + n);
      if (opened) break;
    }
  }
  ASSERT_NO_FATAL_FAILURE(Open(options_));
  ASSERT_NO_FATAL_FAILURE(ExpectPrefix());
}

TEST_F(DbCrashTest, AcknowledgedWritesSurviveAKill) {
  for (uint64_t seed = 1; seed <= 25; ++seed) {
    SCOPED_TRACE(SeedText(seed));
    Random64 random(seed + 77);
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    durable_ = history_.size();
    ASSERT_NO_FATAL_FAILURE(ExpectPrefix());
    ASSERT_NO_FATAL_FAILURE(RandomLife(&random));
    Kill();
  }
}

TEST_F(DbCrashTest, AKillAfterUnloggedWritesKeepsTheLoggedOnes) {
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(SeedText(seed));
    Random64 random(seed);
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    WriteOptions no_log;
    no_log.disableWAL = true;
    for (uint64_t i = 0; i < 400; ++i) {
      if (random.OneIn(3)) {
        ASSERT_TRUE(db_->Put(no_log, "unlogged" + Key(i), Value(i, 300)).ok());
      } else {
        ASSERT_NO_FATAL_FAILURE(Put(Key(i), Value(seed * 1000 + i, 300)));
      }
    }
    Kill();
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    for (const auto& [key, value] : model_) ASSERT_EQ(Get(key), value) << key;
  }
}

TEST_F(DbCrashTest, ACrashWhileCreatingLeavesNothingThatHinders) {
  for (uint64_t n = 1; n < 60; ++n) {
    SCOPED_TRACE("operation " + std::to_string(n));
    disk_ = testing::Disk();
    options_.env = disk_.env.get();
    disk_.faults->FailNthOperation(n, fault::kWrites, IOStatus::IOError("injected"), UINT32_MAX);
    const bool opened = TryOpen(options_).ok();
    disk_.memory->CrashAndFreeze();
    db_.reset();
    disk_.faults->Heal();
    disk_.memory->DropUnsyncedRandomly(n);
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    ASSERT_NO_FATAL_FAILURE(Put("k", "v"));
    Close();
    ASSERT_NO_FATAL_FAILURE(Open(options_));
    EXPECT_EQ(Get("k"), "v");
    if (opened) break;
    db_.reset();
  }
}

}  // namespace
}  // namespace cairn
