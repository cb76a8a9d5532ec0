// Column families where the disk fails, loses power or is full of threads; what the public API
// shows of them in health is in test/conformance/column_family_test.cc.
#include <atomic>
#include <functional>
#include <vector>

#include "db/testing/db_fixture.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/listener.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::kDbName;
using testing::Key;
using testing::SeedText;
using testing::Value;

class DbFamiliesTest : public testing::DbTest {
 protected:
  void TearDown() override { Shut(); }

  void Shut() {
    for (ColumnFamilyHandle* handle : handles_) delete handle;
    handles_.clear();
    db_.reset();
  }
  Status TryOpen(const Options& options, const std::vector<std::string>& names) {
    Shut();
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : names) families.emplace_back(name, options);
    return DB::Open(options, kDbName, families, &handles_, &db_);
  }
  void Open(Options options, const std::vector<std::string>& names) {
    options.create_missing_column_families = true;
    const Status s = TryOpen(options, names);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  // The process dies and the power goes: what was not synced may be lost.
  void CutPower(uint64_t seed) {
    disk_.memory->CrashAndFreeze();
    Shut();
    disk_.memory->DropUnsyncedRandomly(seed);
  }

  Status PutIn(size_t family, const std::string& key, const std::string& value, bool sync = false) {
    WriteOptions options;
    options.sync = sync;
    return db_->Put(options, handles_[family], key, value);
  }
  std::string GetFrom(size_t family, const std::string& key) {
    std::string value;
    const Status s = db_->Get(ReadOptions(), handles_[family], key, &value);
    if (s.IsNotFound()) return "NOT_FOUND";
    return s.ok() ? value : s.ToString();
  }
  // The same value in each family, in one batch.
  Status PutInAll(const std::string& key, const std::string& value, const WriteOptions& options) {
    WriteBatch batch;
    for (ColumnFamilyHandle* handle : handles_) {
      Status s = batch.Put(handle, key, value);
      if (!s.ok()) return s;
    }
    return db_->Write(options, &batch);
  }

  std::vector<ColumnFamilyHandle*> handles_;
};

TEST_F(DbFamiliesTest, AWriteToADroppedOneIsRefusedAndHarmsNobody) {
  Open(SmallOptions(), {"default", "one"});
  ASSERT_TRUE(db_->DropColumnFamily(handles_[1]).ok());
  EXPECT_TRUE(PutIn(1, "k", "v").IsInvalidArgument());
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("k", "v").ok());
  ASSERT_TRUE(batch.Put(handles_[1], "k", "v").ok());
  EXPECT_TRUE(db_->Write(WriteOptions(), &batch).IsInvalidArgument());
  EXPECT_EQ("NOT_FOUND", GetFrom(0, "k"));
  EXPECT_TRUE(PutIn(0, "k", "v").ok());
  EXPECT_TRUE(db_->Flush(FlushOptions(), handles_[1]).IsColumnFamilyDropped());
}

TEST_F(DbFamiliesTest, HandlesOfOthersAreRefused) {
  Open(SmallOptions(), {"default", "one"});
  std::unique_ptr<DB> other;
  std::vector<ColumnFamilyHandle*> others;
  ASSERT_TRUE(
      DB::Open(SmallOptions(), "/other", {{"default", SmallOptions()}}, &others, &other).ok());
  EXPECT_TRUE(db_->Put(WriteOptions(), others[0], "k", "v").IsInvalidArgument());
  EXPECT_TRUE(db_->Put(WriteOptions(), nullptr, "k", "v").IsInvalidArgument());
  delete others[0];
}

TEST_F(DbFamiliesTest, HandlesMayGoAfterClose) {
  Open(SmallOptions(), {"default", "one"});
  ASSERT_TRUE(PutIn(1, "k", "v").ok());
  ASSERT_TRUE(db_->Close().ok());
  EXPECT_EQ("one", handles_[1]->GetName());
}

TEST_F(DbFamiliesTest, AFailedCreationLeavesTheDatabaseAsItWas) {
  Open(SmallOptions(), {"default", "one"});
  ASSERT_TRUE(PutIn(1, "k", "v").ok());
  disk_.Freeze();
  ColumnFamilyHandle* handle = nullptr;
  EXPECT_FALSE(db_->CreateColumnFamily(SmallOptions(), "two", &handle).ok());
  EXPECT_EQ(nullptr, handle);
  EXPECT_FALSE(db_->DropColumnFamily(handles_[1]).ok());
  disk_.faults->Heal();
  EXPECT_EQ("v", GetFrom(1, "k"));
  ASSERT_TRUE(db_->CreateColumnFamily(SmallOptions(), "two", &handle).ok());
  handles_.push_back(handle);
  ASSERT_TRUE(PutIn(2, "k", "2").ok());
  Open(SmallOptions(), {"default", "one", "two"});
  EXPECT_EQ("v", GetFrom(1, "k"));
  EXPECT_EQ("2", GetFrom(2, "k"));
}

// What one family has in tables does not survive without the other's part, which is in a log.
TEST_F(DbFamiliesTest, APowerCutTakesWholeBatches) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(SeedText(seed));
    (void)DestroyDB(kDbName, SmallOptions());
    Random64 random(seed);
    Options options = SmallOptions();
    options.atomic_flush = random.OneIn(3);
    Open(options, {"default", "one", "two"});
    uint64_t synced = 0;
    uint64_t last = 0;
    const uint64_t count = 20 + random.Uniform(200);
    for (uint64_t i = 1; i <= count; ++i) {
      WriteOptions write;
      write.sync = random.OneIn(30);
      // Larger in some, so that they are flushed at different times.
      WriteBatch batch;
      for (size_t f = 0; f < handles_.size(); ++f) {
        ASSERT_TRUE(batch.Put(handles_[f], "#", std::to_string(i)).ok());
        ASSERT_TRUE(batch.Put(handles_[f], Key(i % 50), Value(i, 20 + 400 * f)).ok());
      }
      ASSERT_TRUE(db_->Write(write, &batch).ok());
      last = i;
      if (write.sync) synced = i;
      if (random.OneIn(40)) {
        FlushOptions flush;
        flush.wait = random.OneIn(2);
        ASSERT_TRUE(db_->Flush(flush, handles_[random.Uniform(3)]).ok());
      }
    }
    CutPower(seed);
    Open(options, {"default", "one", "two"});
    const std::string found = GetFrom(0, "#");
    EXPECT_EQ(found, GetFrom(1, "#"));
    EXPECT_EQ(found, GetFrom(2, "#"));
    const uint64_t number = found == "NOT_FOUND" ? 0 : std::stoull(found);
    EXPECT_GE(number, synced);
    EXPECT_LE(number, last);
    for (uint64_t i = number < 50 ? 1 : number - 49; i <= number; ++i) {
      for (size_t f = 0; f < 3; ++f) ASSERT_EQ(Value(i, 20 + 400 * f), GetFrom(f, Key(i % 50)));
    }
  }
}

TEST_F(DbFamiliesTest, AnAtomicFlushOfUnloggedWritesIsWhole) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(SeedText(seed));
    (void)DestroyDB(kDbName, SmallOptions());
    Random64 random(seed);
    Options options = SmallOptions();
    options.atomic_flush = true;
    Open(options, {"default", "one", "two"});
    WriteOptions unlogged;
    unlogged.disableWAL = true;
    uint64_t flushed = 0;
    for (uint64_t i = 1; i <= 150; ++i) {
      ASSERT_TRUE(PutInAll("#", std::to_string(i), unlogged).ok());
      ASSERT_TRUE(db_->Put(unlogged, handles_[random.Uniform(3)], Key(i), Value(i, 1500)).ok());
      if (random.OneIn(50)) {
        ASSERT_TRUE(db_->Flush(FlushOptions(), handles_).ok());
        flushed = i;
      }
    }
    CutPower(seed);
    Open(options, {"default", "one", "two"});
    const std::string found = GetFrom(0, "#");
    EXPECT_EQ(found, GetFrom(1, "#"));
    EXPECT_EQ(found, GetFrom(2, "#"));
    EXPECT_GE(found == "NOT_FOUND" ? 0 : std::stoull(found), flushed);
  }
}

// What another family has to flush yet when a log fails: its flush is of an older log, and the
// failed one must not be needed for its sake.
TEST_F(DbFamiliesTest, AFailedLogIsLetGoOfByAll) {
  Open(SmallOptions(), {"default", "one", "two"});
  ASSERT_TRUE(PutIn(0, "a", "1").ok());
  ASSERT_TRUE(PutIn(1, "a", "1").ok());
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  FlushOptions no_wait;
  no_wait.wait = false;
  ASSERT_TRUE(db_->Flush(no_wait, handles_).ok());
  ASSERT_TRUE(PutIn(0, "b", "2").ok());
  disk_.faults->SetFileFilter([](const std::string& path) { return path.ends_with(".log"); });
  disk_.faults->FailNthOperation(1, fault::kAppend, IOStatus::IOError("injected"));
  EXPECT_TRUE(PutIn(2, "c", "3").IsIOError());
  disk_.faults->Heal();
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  Status s = db_->Resume();
  ASSERT_TRUE(s.ok()) << s.ToString();
  // (This would sync the failed log, were it still there.)
  s = PutIn(1, "d", "4", /*sync=*/true);
  EXPECT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ("1", GetFrom(0, "a"));
  EXPECT_EQ("2", GetFrom(0, "b"));
  EXPECT_EQ("NOT_FOUND", GetFrom(2, "c"));
}

TEST_F(DbFamiliesTest, ADroppedOneThatIsStillReadKeepsNoLogs) {
  Open(SmallOptions(), {"default", "one"});
  ASSERT_TRUE(PutIn(1, "k", "v").ok());
  ASSERT_TRUE(db_->DropColumnFamily(handles_[1]).ok());
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(PutIn(0, Key(i), "v").ok());
    Flush();
  }
  // (What a flush makes obsolete may go a little after it.)
  while (disk_.Files(FileType::kWalFile).size() > 1) fiber::yield();
  EXPECT_EQ("v", GetFrom(1, "k"));
}

// What is missing at the end of it was written to that one, or is in tables.
TEST_F(DbFamiliesTest, ALogThatOnlyADroppedOneNeededMayLackItsEnd) {
  Open(SmallOptions(), {"default", "one", "two"});
  ASSERT_TRUE(PutIn(0, "a", "in a table").ok());
  ASSERT_TRUE(PutIn(1, "a", "in a table").ok());
  ASSERT_TRUE(PutIn(2, "a", "dropped").ok());
  const std::string log = disk_.Files(FileType::kWalFile).back();
  ASSERT_TRUE(db_->Flush(FlushOptions(), {handles_[0], handles_[1]}).ok());
  ASSERT_TRUE(PutIn(0, "b", "in a later log").ok());
  ASSERT_TRUE(db_->DropColumnFamily(handles_[2]).ok());
  disk_.Freeze();
  Shut();
  disk_.faults->Heal();
  std::string data;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), log, &data).ok());
  data.resize(data.size() - 5);
  data[data.size() - 5] ^= 1;
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, log).ok());
  const Status s = TryOpen(SmallOptions(), {"default", "one"});
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ("in a table", GetFrom(0, "a"));
  EXPECT_EQ("in a table", GetFrom(1, "a"));
  EXPECT_EQ("in a later log", GetFrom(0, "b"));
}

// One that was empty when the others were switched once more, while its own flush had not begun.
class DbFamiliesFlushTest : public DbFamiliesTest, public ::testing::WithParamInterface<bool> {};

TEST_P(DbFamiliesFlushTest, NeedsNoEndsOfLogs) {
  Options options = SmallOptions();
  options.atomic_flush = true;
  options.max_write_buffer_number = 6;  // nothing stalls while the flushes wait
  Open(options, {"default", "one"});
  FlushOptions soon;
  soon.wait = false;
  soon.allow_write_stall = true;
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  ASSERT_TRUE(PutIn(0, "a", "in a table").ok());
  ASSERT_TRUE(PutIn(1, "a", "in a table").ok());
  ASSERT_TRUE(db_->Flush(soon, handles_).ok());
  ASSERT_TRUE(PutIn(0, "b", "in a table").ok());
  const std::string log = disk_.Files(FileType::kWalFile).back();
  ASSERT_TRUE(db_->Flush(soon, handles_).ok());
  // (Half of the time it is written to again before.)
  const bool written = GetParam();
  if (written) {
    ASSERT_TRUE(PutIn(1, "b", "in a later log").ok());
  }
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  WaitForCompactions();
  ASSERT_TRUE(PutIn(0, "c", "in a later log").ok());
  disk_.Freeze();
  Shut();
  disk_.faults->Heal();
  std::string data;
  if (ReadFileToString(disk_.memory.get(), log, &data).ok()) {  // it is not needed any more
    data.resize(data.size() - 5);
    data[data.size() - 5] ^= 1;
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, log).ok());
  }
  const Status s = TryOpen(options, {"default", "one"});
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ("in a table", GetFrom(0, "b"));
  EXPECT_EQ("in a table", GetFrom(1, "a"));
  EXPECT_EQ("in a later log", GetFrom(0, "c"));
  EXPECT_EQ(written ? "in a later log" : "NOT_FOUND", GetFrom(1, "b"));
}
INSTANTIATE_TEST_SUITE_P(Written, DbFamiliesFlushTest, ::testing::Bool());

// Only one is written to and sealed while a flush of both is under way; what it wrote is lost with
// the end of its log.
TEST_F(DbFamiliesTest, AnAtomicFlushLeavesNoFamilyAheadOfALogThatAnotherNeeds) {
  struct Interrupter : EventListener {
    void OnFlushBegin(DB*, const FlushJobInfo&) override {
      if (flushes++ == 0) meanwhile();
    }
    void OnFlushCompleted(DB*, const FlushJobInfo&) override { afterwards(); }
    std::function<void()> meanwhile;
    std::function<void()> afterwards;
    std::atomic<int> flushes{0};
  };
  std::string log;
  const auto interrupter = std::make_shared<Interrupter>();
  interrupter->meanwhile = [&] {
    FlushOptions soon;
    soon.wait = false;
    soon.allow_write_stall = true;
    EXPECT_TRUE(PutIn(0, "b", "in a log").ok());
    log = disk_.Files(FileType::kWalFile).back();
    EXPECT_TRUE(db_->Flush(soon, handles_).ok());
  };
  interrupter->afterwards = [&] { disk_.Freeze(); };
  Options options = SmallOptions();
  options.atomic_flush = true;
  options.max_write_buffer_number = 6;
  options.listeners = {interrupter};
  Open(options, {"default", "one"});
  ASSERT_TRUE(PutIn(0, "a", "in a table").ok());
  ASSERT_TRUE(PutIn(1, "a", "in a table").ok());
  db_->Flush(FlushOptions(), handles_).PermitUncheckedError();
  Shut();
  disk_.faults->Heal();
  std::string data;
  ASSERT_TRUE(ReadFileToString(disk_.memory.get(), log, &data).ok());
  data[data.size() - 1] ^= 1;
  ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), data, log).ok());
  const Status s = TryOpen(SmallOptions(), {"default", "one"});
  ASSERT_TRUE(s.ok()) << s.ToString();
  EXPECT_EQ("in a table", GetFrom(0, "a"));
  EXPECT_EQ("NOT_FOUND", GetFrom(0, "b"));
  EXPECT_EQ("in a table", GetFrom(1, "a"));
}

TEST_F(DbFamiliesTest, ADropSurvivesAPowerCut) {
  Open(SmallOptions(), {"default", "one"});
  ASSERT_TRUE(PutIn(1, "k", "v", /*sync=*/true).ok());
  ASSERT_TRUE(PutIn(0, "k", "v", /*sync=*/true).ok());
  ASSERT_TRUE(db_->DropColumnFamily(handles_[1]).ok());
  CutPower(1);
  ASSERT_TRUE(TryOpen(SmallOptions(), {"default", "one"}).IsInvalidArgument());
  Open(SmallOptions(), {"default"});
  EXPECT_EQ("v", GetFrom(0, "k"));
}

// Each of these writes is the first of a new MANIFEST.
TEST_F(DbFamiliesTest, AnyChangeMayBeginAManifest) {
  Options options = SmallOptions();
  options.max_manifest_file_size = 1;
  Open(options, {"default", "one", "two"});
  ASSERT_TRUE(PutIn(1, "k", "v").ok());
  ASSERT_TRUE(db_->DropColumnFamily(handles_[2]).ok());
  Open(options, {"default", "one"});
  EXPECT_EQ("v", GetFrom(1, "k"));
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(options, "three", &handle).ok());
  handles_.push_back(handle);
  EXPECT_EQ(3u, handle->GetID());
  ASSERT_TRUE(db_->Flush(FlushOptions(), handles_).ok());
  Open(options, {"default", "one", "three"});
  EXPECT_EQ("v", GetFrom(1, "k"));
}

// What an older log leaves behind the end of a recycled one is no damage.
TEST_F(DbFamiliesTest, RecycledLogsOfSeveralAreRecovered) {
  Options options = SmallOptions();
  options.recycle_log_file_num = 2;
  options.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
  Open(options, {"default", "one"});
  for (uint64_t round = 0; round < 6; ++round) {
    for (uint64_t i = 0; i < 30 - round; ++i) {
      ASSERT_TRUE(PutIn(0, Key(i), Value(round, 1000)).ok());
      if (round > 2 && i == 3) {
        ASSERT_TRUE(PutIn(1, Key(i), Value(round, 10)).ok());
      }
    }
    const std::vector<ColumnFamilyHandle*> all = handles_;
    const std::vector<ColumnFamilyHandle*> only_default{handles_[0]};
    ASSERT_TRUE(db_->Flush(FlushOptions(), round < 3 ? all : only_default).ok());
  }
  disk_.Freeze();
  Shut();
  disk_.faults->Heal();
  options.wal_recovery_mode = WALRecoveryMode::kPointInTimeRecovery;
  Open(options, {"default", "one"});
  EXPECT_EQ(Value(5, 10), GetFrom(1, Key(3)));
  EXPECT_EQ(Value(5, 1000), GetFrom(0, Key(20)));
}

TEST_F(DbFamiliesTest, NothingLeaksOfManyThatCameAndWent) {
  Open(SmallOptions(), {"default"});
  for (int i = 0; i < 30; ++i) {
    ColumnFamilyHandle* handle = nullptr;
    ASSERT_TRUE(db_->CreateColumnFamily(SmallOptions(), "brief", &handle).ok());
    for (uint64_t j = 0; j < 80; ++j) {
      ASSERT_TRUE(db_->Put(WriteOptions(), handle, Key(j), Value(j, 2000)).ok());
    }
    ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
    delete handle;
  }
  WaitForCompactions();
  ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  // Jobs that were under way delete what they made.
  EXPECT_TRUE(Await([this] { return disk_.Files(FileType::kTableFile).empty(); }));
}

// A flush that has begun is the last that holds the family.
class SlowFlushes : public EventListener {
 public:
  void OnFlushBegin(DB* /*db*/, const FlushJobInfo& info) override {
    if (info.cf_name != "brief") return;
    ++begun;
    fiber::sleep_for(1'000'000'000);  // sleeps: longer than all that the test does
  }
  std::atomic<int> begun{0};
};

TEST_F(DbFamiliesTest, NothingLeaksOfOneThatAFlushHoldsUntilTheClose) {
  Simulate([this] {
    Options options = SmallOptions();
    const auto flushes = std::make_shared<SlowFlushes>();
    options.listeners.push_back(flushes);
    Open(options, {"default", "brief"});
    FlushOptions flush;
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(PutIn(1, "k", "v").ok());
      flush.wait = i == 0;
      ASSERT_TRUE(db_->Flush(flush, handles_[1]).ok());
    }
    ASSERT_TRUE(Await([&] { return flushes->begun.load() == 2; }));
    ASSERT_EQ(1u, disk_.Files(FileType::kTableFile).size());
    ASSERT_TRUE(db_->DropColumnFamily(handles_[1]).ok());
    Shut();
    EXPECT_TRUE(disk_.Files(FileType::kTableFile).empty());
  });
}

class ComingFamiliesTest : public DbFamiliesTest, public ::testing::WithParamInterface<bool> {};

TEST_P(ComingFamiliesTest, ThreadsAndFibersComeAndGo) {
  Options options = SmallOptions();
  options.atomic_flush = GetParam();
  options.max_background_jobs = 4;
  Open(options, {"default", "one", "two"});
  fiber::RuntimeOptions runtime_options;
  runtime_options.workers = 2;
  runtime_options.stack_size = size_t{256} << 10;
  fiber::Runtime runtime(runtime_options);
  std::atomic<int> failures{0};
  const auto put_in_all = [&](int writer) {
    for (uint64_t i = 1; i <= 300; ++i) {
      const std::string number = std::to_string(i) + Value(i, 300);
      if (!PutInAll("w" + std::to_string(writer), number, WriteOptions()).ok()) ++failures;
    }
  };
  const auto compare = [&](int writer) {
    const std::string key = "w" + std::to_string(writer);
    for (int i = 0; i < 300; ++i) {
      std::vector<std::string> values;
      const auto statuses = db_->MultiGet(ReadOptions(), handles_, {key, key, key}, &values);
      if (values[0] != values[1] || values[1] != values[2]) ++failures;
    }
  };
  const auto come_and_go = [&](int name) {
    for (int i = 0; i < 15; ++i) {
      ColumnFamilyHandle* handle = nullptr;
      if (!db_->CreateColumnFamily(options, std::to_string(name), &handle).ok()) ++failures;
      for (uint64_t j = 0; j < 20; ++j) {
        if (!db_->Put(WriteOptions(), handle, Key(j), Value(j, 2000)).ok()) ++failures;
      }
      std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions(), handle));
      if (!db_->DropColumnFamily(handle).ok()) ++failures;
      delete handle;
      int seen = 0;
      for (it->SeekToFirst(); it->Valid(); it->Next()) ++seen;
      if (seen != 20) ++failures;
    }
  };
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  std::vector<fiber::JoinHandle> fibers;
  for (int i = 0; i < 2; ++i) {
    threads.push_back(std::make_unique<fiber::Thread>("w", [&, i] { put_in_all(i); }));
    threads.push_back(std::make_unique<fiber::Thread>("r", [&, i] { compare(i); }));
    fibers.push_back(runtime.spawn([&, i] { put_in_all(2 + i); }));
    fibers.push_back(runtime.spawn([&, i] { compare(2 + i); }));
  }
  threads.push_back(std::make_unique<fiber::Thread>("c", [&] { come_and_go(1); }));
  fibers.push_back(runtime.spawn([&] { come_and_go(2); }));
  for (auto& thread : threads) thread->join();
  for (fiber::JoinHandle& handle : fibers) handle.join();
  EXPECT_EQ(0, failures.load());
}

INSTANTIATE_TEST_SUITE_P(Flush, ComingFamiliesTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Together" : "Apart"; });

}  // namespace
}  // namespace cairn
