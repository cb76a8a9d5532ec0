// Secondaries: what one catch-up brings, whatever the primary did before; ends of files that are
// half written, damage, files that went; and a primary that writes, flushes and compacts all the
// while, on threads and on fibers. What RocksDB does as well is in test/conformance.
#include <algorithm>
#include <atomic>
#include <functional>

#include "cairn/fault_injection.h"
#include "db/testing/db_fixture.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/file_system.h"
#include "rocksdb/merge_operator.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::Contents;
using testing::kDbName;
using testing::Key;
using testing::SeedText;
using testing::Value;

class Join : public AssociativeMergeOperator {
 public:
  bool Merge(const Slice& /*key*/, const Slice* existing, const Slice& value, std::string* result,
             Logger* /*logger*/) const override {
    *result =
        existing == nullptr ? value.ToString() : existing->ToString() + "," + value.ToString();
    return true;
  }
  const char* Name() const override { return "Join"; }
};

// A secondary's: runs something before it lists a directory, or before it opens a table; once.
class HookFileSystem final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  static const char* kClassName() { return "HookFileSystem"; }
  const char* Name() const override { return kClassName(); }

  IOStatus GetChildren(const std::string& dir, const IOOptions& options,
                       std::vector<std::string>* names, IODebugContext* dbg) override {
    if (before_list != nullptr) std::exchange(before_list, nullptr)();
    return FileSystemWrapper::GetChildren(dir, options, names, dbg);
  }
  IOStatus NewRandomAccessFile(const std::string& path, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* dbg) override {
    if (before_open != nullptr) std::exchange(before_open, nullptr)();
    return FileSystemWrapper::NewRandomAccessFile(path, options, file, dbg);
  }

  std::function<void()> before_list, before_open;
};

class DbSecondaryTest : public testing::DbTest {
 protected:
  Options QuietOptions() {
    Options options = SmallOptions();
    options.disable_auto_compactions = true;
    return options;
  }
  // What is not needed any more is gone when it returns.
  void RemoveObsolete() {
    ASSERT_TRUE(db_->DisableFileDeletions().ok());
    ASSERT_TRUE(db_->EnableFileDeletions(/*force=*/true).ok());
  }

  void TearDown() override {
    Leave();
    for (ColumnFamilyHandle* handle : primary_handles_) delete handle;
    DbTest::TearDown();
  }

  Status TryFollow(const Options& options) {
    Leave();
    return DB::OpenAsSecondary(options, kDbName, "/secondary", &secondary_);
  }
  void Follow(const Options& options) {
    const Status s = TryFollow(options);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Follow() { Follow(SmallOptions()); }
  // With families 1 to `count` - 1 beside the default one, here and there.
  void OpenFamilies(const Options& options, int count) {
    Open(options);
    std::vector<ColumnFamilyDescriptor> families = {{kDefaultColumnFamilyName, options}};
    primary_handles_.resize(1, nullptr);
    for (int i = 1; i < count; ++i) {
      families.emplace_back(std::to_string(i), options);
      ColumnFamilyHandle* handle = nullptr;
      ASSERT_TRUE(db_->CreateColumnFamily(options, families.back().name, &handle).ok());
      primary_handles_.push_back(handle);
    }
    const Status s =
        DB::OpenAsSecondary(options, kDbName, "/secondary", families, &handles_, &secondary_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  ColumnFamilyHandle* Family(size_t i) {
    return i == 0 ? db_->DefaultColumnFamily() : primary_handles_[i];
  }
  void Leave() {
    for (ColumnFamilyHandle* handle : handles_) delete handle;
    handles_.clear();
    secondary_.reset();
  }
  void CatchUp() {
    const Status s = secondary_->TryCatchUpWithPrimary();
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  static Contents All(DB* db, ColumnFamilyHandle* family) {
    Contents out;
    std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions(), family));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      out.emplace(it->key().ToString(), it->value().ToString());
    }
    EXPECT_TRUE(it->status().ok()) << it->status().ToString();
    return out;
  }
  Contents Shown() { return All(secondary_.get(), secondary_->DefaultColumnFamily()); }

  std::string Bytes(const std::string& path) {
    std::string bytes;
    EXPECT_TRUE(ReadFileToString(disk_.memory.get(), path, &bytes).ok()) << path;
    return bytes;
  }
  void SetBytes(const std::string& path, const std::string& bytes) {
    ASSERT_TRUE(WriteStringToFile(disk_.memory.get(), bytes, path).ok()) << path;
  }
  std::string Newest(FileType type) {
    std::string newest;
    for (const std::string& path : disk_.Files(type)) newest = std::max(newest, path);
    return newest;
  }

  std::unique_ptr<DB> secondary_;
  std::vector<ColumnFamilyHandle*> handles_;
  std::vector<ColumnFamilyHandle*> primary_handles_;  // the first one is null
};

TEST_F(DbSecondaryTest, ShowsWhatThePrimaryHasAfterOneCatchUp) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(SeedText(seed));
    Random64 random(seed);
    disk_ = testing::Disk();
    Options options = SmallOptions();
    options.merge_operator = std::make_shared<Join>();
    if (seed % 2 == 0) options.max_manifest_file_size = 300;
    if (seed % 3 == 0) {
      options.recycle_log_file_num = 2;
      options.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
    }
    options.atomic_flush = seed % 4 == 0;
    OpenFamilies(options, 3);
    for (int step = 0; step < 400; ++step) {
      WriteBatch batch;
      for (uint64_t n = 1 + random.Uniform(4); n > 0; --n) {
        ColumnFamilyHandle* const family = Family(random.Uniform(3));
        const std::string key = Key(random.Uniform(60));
        const uint64_t kind = random.Uniform(10);
        Status s;
        if (kind == 0) {
          s = batch.DeleteRange(family, key, Key(60));
        } else if (kind < 3) {
          s = batch.Delete(family, key);
        } else if (kind < 6) {
          s = batch.Merge(family, key, std::to_string(step));
        } else {
          s = batch.Put(family, key, Value(random.Next(), random.Uniform(2000)));
        }
        ASSERT_TRUE(s.ok());
      }
      ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
      const uint64_t what = random.Uniform(40);
      if (what == 0) {
        ASSERT_TRUE(db_->Flush(FlushOptions(), Family(random.Uniform(3))).ok());
      } else if (what == 1) {
        ASSERT_TRUE(
            db_->CompactRange(CompactRangeOptions(), Family(random.Uniform(3)), nullptr, nullptr)
                .ok());
      }
      if (random.Uniform(15) != 0) continue;
      CatchUp();
      EXPECT_EQ(secondary_->GetLatestSequenceNumber(), db_->GetLatestSequenceNumber());
      for (size_t i = 0; i < 3; ++i) {
        ASSERT_TRUE(All(secondary_.get(), handles_[i]) == All(db_.get(), Family(i)))
            << "family " << i << " at step " << step;
      }
    }
    Leave();
    for (ColumnFamilyHandle* handle : primary_handles_) delete handle;
    primary_handles_.clear();
    db_.reset();
  }
}

TEST_F(DbSecondaryTest, IsOneStateOrTheNext) {
  Open();
  PutRange(0, 50, 1);
  Follow();
  const Contents before = model_;
  // Half of a catch-up: the log is replayed, but a table cannot be opened.
  PutRange(0, 100, 2);
  Flush();
  PutRange(50, 150, 3);
  const std::string table = Newest(FileType::kTableFile);
  const std::string bytes = Bytes(table);
  ASSERT_TRUE(disk_.memory->DeleteFile(table, IOOptions(), nullptr).ok());
  const Status s = secondary_->TryCatchUpWithPrimary();
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.ToString().find(table), std::string::npos) << s.ToString();
  EXPECT_TRUE(Shown() == before);
  SetBytes(table, bytes);
  CatchUp();
  EXPECT_TRUE(Shown() == model_);
}

// The MANIFEST says that a log is needed; when the logs are listed, it is in a table and gone.
TEST_F(DbSecondaryTest, BeginsAnewWhenALogGoesMeanwhile) {
  auto hooks = std::make_shared<HookFileSystem>(disk_.faults);
  const std::unique_ptr<Env> env = NewCompositeEnv(hooks);
  Options options = QuietOptions();
  OpenFamilies(options, 2);
  options.env = env.get();
  const auto write = [&](int i) {
    WriteBatch batch;
    ASSERT_TRUE(batch.Put(Family(0), Key(i), "x").ok());
    ASSERT_TRUE(batch.Put(Family(1), Key(i), "x").ok());
    ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
  };
  const std::vector<ColumnFamilyDescriptor> families = {{kDefaultColumnFamilyName, options},
                                                        {"1", options}};
  for (const bool opening : {true, false}) {
    for (const bool both : {true, false}) {
      write(1);
      hooks->before_list = [&] {
        write(2);
        ASSERT_TRUE(db_->Flush(FlushOptions(), Family(0)).ok());
        if (both) {
          ASSERT_TRUE(db_->Flush(FlushOptions(), Family(1)).ok());
        }
        RemoveObsolete();
        write(3);
      };
      if (opening) {
        Leave();
        ASSERT_TRUE(
            DB::OpenAsSecondary(options, kDbName, "/secondary", families, &handles_, &secondary_)
                .ok());
      } else {
        CatchUp();
      }
      ASSERT_EQ(hooks->before_list, nullptr);
      for (size_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(All(secondary_.get(), handles_[i]) == All(db_.get(), Family(i)))
            << "family " << i << ", opening " << opening << ", both " << both;
      }
      EXPECT_EQ(secondary_->GetLatestSequenceNumber(), db_->GetLatestSequenceNumber());
    }
  }
  Leave();
}

// The same of a table that a compaction replaces before it is opened.
TEST_F(DbSecondaryTest, BeginsAnewWhenATableGoesMeanwhile) {
  auto hooks = std::make_shared<HookFileSystem>(disk_.faults);
  const std::unique_ptr<Env> env = NewCompositeEnv(hooks);
  Options options = QuietOptions();
  Open(options);
  options.env = env.get();
  for (const bool opening : {true, false}) {
    PutRange(0, 50, opening ? 1 : 2);
    Flush();
    PutRange(20, 70, opening ? 3 : 4);
    Flush();
    hooks->before_open = [&] {
      Compact();
      RemoveObsolete();
    };
    if (opening) {
      Follow(options);
    } else {
      CatchUp();
    }
    ASSERT_EQ(hooks->before_open, nullptr);
    EXPECT_TRUE(Shown() == model_) << opening;
  }
  Leave();
}

// A primary that is always faster: the secondary gives up for now, and shows what it showed.
TEST_F(DbSecondaryTest, GivesUpWhereTablesAlwaysGoFirst) {
  auto hooks = std::make_shared<HookFileSystem>(disk_.faults);
  const std::unique_ptr<Env> env = NewCompositeEnv(hooks);
  Options options = QuietOptions();
  Open(options);
  options.env = env.get();
  PutRange(0, 50, 1);
  Flush();
  Follow(options);
  const Contents before = model_;
  int opens = 0;
  const std::function<void()> replace = [&] {
    PutRange(0, 20, ++opens + 1);
    Flush();
    Compact();
    RemoveObsolete();
    hooks->before_open = replace;
  };
  PutRange(0, 20, 1);
  Flush();
  hooks->before_open = replace;
  const Status s = secondary_->TryCatchUpWithPrimary();
  EXPECT_TRUE(s.IsTryAgain()) << s.ToString();
  EXPECT_NE(s.ToString().find("the primary removes tables and logs faster"), std::string::npos);
  EXPECT_GE(opens, 100);
  EXPECT_TRUE(Shown() == before);
  hooks->before_open = nullptr;
  CatchUp();
  EXPECT_TRUE(Shown() == model_);
  Leave();
}

TEST_F(DbSecondaryTest, WaitsForTheRestOfALogsLastRecord) {
  Open();
  Put("a", "1");
  Put("b", std::string(40000, 'x'));  // over a block's end
  const std::string log = Newest(FileType::kWalFile);
  const std::string whole = Bytes(log);
  Kill();
  SetBytes(log, "");
  Follow();
  size_t shown = 0;
  for (size_t size = 0; size < whole.size(); size += size < 200 ? 1 : 509) {
    SetBytes(log, whole.substr(0, size));
    CatchUp();
    const Contents now = Shown();
    ASSERT_GE(now.size(), shown);
    shown = now.size();
    ASSERT_LE(shown, size < whole.size() / 2 ? 1u : 2u);
    for (const auto& [key, value] : now) ASSERT_EQ(value, model_[key]) << size;
  }
  EXPECT_EQ(shown, 1u);
  SetBytes(log, whole);
  CatchUp();
  EXPECT_TRUE(Shown() == model_);
}

TEST_F(DbSecondaryTest, WaitsForTheRestOfTheManifestsLastRecord) {
  Open(QuietOptions());
  Put("a", "1");
  const std::string manifest = Newest(FileType::kDescriptorFile);
  const size_t before = Bytes(manifest).size();
  ASSERT_TRUE(db_->DisableFileDeletions().ok());  // the logs stay
  Flush();
  Put("b", "2");
  Flush();
  const std::string whole = Bytes(manifest);
  Kill();
  SetBytes(manifest, whole.substr(0, before));
  Follow();
  const auto tables = [&] {
    std::string count;
    EXPECT_TRUE(secondary_->GetProperty("rocksdb.num-files-at-level0", &count));
    return count;
  };
  EXPECT_EQ(tables(), "0");
  for (size_t size = before; size < whole.size(); ++size) {
    SetBytes(manifest, whole.substr(0, size));
    CatchUp();
    ASSERT_TRUE(Shown() == model_) << size;
    ASSERT_NE(tables(), "2");
  }
  EXPECT_EQ(tables(), "1");
  SetBytes(manifest, whole);
  CatchUp();
  EXPECT_EQ(tables(), "2");
  EXPECT_TRUE(Shown() == model_);
}

TEST_F(DbSecondaryTest, SaysWhereALogIsDamagedAndGoesOnWhenItIsMended) {
  Open();
  Put("a", "1");
  Follow();
  const Contents before = model_;
  const std::string log = Newest(FileType::kWalFile);
  const size_t size = Bytes(log).size();
  Put("b", "2");
  Put("c", "3");
  const std::string whole = Bytes(log);
  Kill();
  std::string damaged = whole;
  damaged[size + 12] ^= 1;
  SetBytes(log, damaged);
  for (int i = 0; i < 2; ++i) {
    const Status s = secondary_->TryCatchUpWithPrimary();
    EXPECT_TRUE(s.IsCorruption()) << s.ToString();
    EXPECT_NE(s.ToString().find(log), std::string::npos) << s.ToString();
    EXPECT_TRUE(Shown() == before);
  }
  EXPECT_TRUE(TryFollow(SmallOptions()).IsCorruption());
  SetBytes(log, damaged);
  Options skip = SmallOptions();
  skip.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
  Follow(skip);
  EXPECT_TRUE(Shown() == before) << "what follows it in its block is not to be trusted";
  SetBytes(log, whole);
  Follow();
  EXPECT_TRUE(Shown() == model_);
}

TEST_F(DbSecondaryTest, SaysWhereTheManifestIsDamaged) {
  Open();
  Put("a", "1");
  Follow();
  const std::string manifest = Newest(FileType::kDescriptorFile);
  const size_t size = Bytes(manifest).size();
  Flush();
  Put("b", "2");
  Flush();
  const std::string whole = Bytes(manifest);
  std::string damaged = whole;
  damaged[size + 9] ^= 1;
  SetBytes(manifest, damaged);
  const Status s = secondary_->TryCatchUpWithPrimary();
  EXPECT_TRUE(s.IsCorruption()) << s.ToString();
  EXPECT_NE(s.ToString().find(manifest), std::string::npos) << s.ToString();
  EXPECT_EQ(Shown().size(), 1u);
  SetBytes(manifest, whole);
  CatchUp();
  EXPECT_TRUE(Shown() == model_);
}

TEST_F(DbSecondaryTest, GoesOnAfterReadsThatFailed) {
  Open(QuietOptions());  // which reads nothing by itself
  Follow();
  for (uint64_t n = 1; n <= 12; ++n) {
    PutRange(n * 10, n * 10 + 20, n);
    if (n % 3 == 0) Flush();
    disk_.faults->FailNthOperation(n, fault::kRead | fault::kOpen, IOStatus::IOError("injected"));
    const Status failed = secondary_->TryCatchUpWithPrimary();
    disk_.faults->Heal();
    if (failed.ok()) continue;
    EXPECT_TRUE(failed.IsIOError()) << failed.ToString();
    CatchUp();
    EXPECT_TRUE(Shown() == model_) << n;
  }
}

TEST_F(DbSecondaryTest, AcceptsRecordsThatThePrimaryHeldBack) {
  Options options = SmallOptions();
  options.manual_wal_flush = true;
  Open(options);
  Put("a", "1");
  Flush();
  Follow(options);
  std::unique_ptr<Iterator> it(secondary_->NewIterator(ReadOptions()));
  Put("b", "2");  // in the primary's memory
  CatchUp();
  EXPECT_EQ(Shown().size(), 1u);
  ASSERT_TRUE(db_->FlushWAL(false).ok());
  CatchUp();
  EXPECT_TRUE(Shown() == model_);
  it->SeekToLast();
  ASSERT_TRUE(it->Valid());
  EXPECT_EQ(it->key().ToString(), "a");
}

TEST_F(DbSecondaryTest, ReadsAcrossFamiliesAreOfOneState) {
  OpenFamilies(SmallOptions(), 2);
  for (int i = 0; i < 5; ++i) {
    WriteBatch batch;
    ASSERT_TRUE(batch.Put(Family(0), "k", std::to_string(i)).ok());
    ASSERT_TRUE(batch.Put(Family(1), "k", std::to_string(i)).ok());
    ASSERT_TRUE(db_->Write(WriteOptions(), &batch).ok());
    CatchUp();
    std::vector<Iterator*> iterators;
    ASSERT_TRUE(secondary_->NewIterators(ReadOptions(), handles_, &iterators).ok());
    for (Iterator* it : iterators) {
      it->SeekToFirst();
      ASSERT_TRUE(it->Valid());
      EXPECT_EQ(it->value().ToString(), std::to_string(i));
      delete it;
    }
  }
}

TEST_F(DbSecondaryTest, KnowsFamiliesThatItDidNotOpen) {
  Open();
  Follow();
  ColumnFamilyHandle* handle = nullptr;
  ASSERT_TRUE(db_->CreateColumnFamily(SmallOptions(), "new", &handle).ok());
  ASSERT_TRUE(db_->Put(WriteOptions(), handle, "k", "1").ok());
  ASSERT_TRUE(db_->Flush(FlushOptions(), handle).ok());
  CatchUp();
  Put("a", "1");
  ASSERT_TRUE(db_->Put(WriteOptions(), handle, "k", "2").ok());
  ASSERT_TRUE(db_->Flush(FlushOptions(), handle).ok());
  ASSERT_TRUE(db_->DropColumnFamily(handle).ok());
  delete handle;
  CatchUp();
  EXPECT_TRUE(Shown() == model_);
  Flush();
  CatchUp();
  EXPECT_TRUE(Shown() == model_);
}

TEST_F(DbSecondaryTest, LeavesTheFilesToThePrimary) {
  Open();
  PutRange(0, 500, 1);
  Flush();
  Compact();
  Follow();
  const std::set<std::string> names = disk_.Names();
  const Status listed = [&] {
    std::vector<LiveFileStorageInfo> files;
    return secondary_->GetLiveFilesStorageInfo(LiveFilesStorageInfoOptions(), &files);
  }();
  EXPECT_TRUE(listed.IsNotSupported()) << listed.ToString();
  CatchUp();
  Leave();
  EXPECT_EQ(disk_.Names(), names);
  ExpectModel();
}

// --- A primary that never rests

class DbFollowingTest : public DbSecondaryTest {
 protected:
  static constexpr uint64_t kRounds = 1500;

  // Both families' pairs have the same number; what came before is complete.
  static uint64_t Number(DB* db, const std::vector<ColumnFamilyHandle*>& handles) {
    std::vector<ColumnFamilyHandle*> families = {handles[0], handles[0], handles[1], handles[1]};
    const std::vector<Slice> keys = {"a", "z", "a", "z"};
    std::vector<std::string> values;
    const std::vector<Status> statuses = db->MultiGet(ReadOptions(), families, keys, &values);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_TRUE(statuses[i].ok() || statuses[i].IsNotFound()) << statuses[i].ToString();
      EXPECT_EQ(values[i], values[0]);
    }
    const uint64_t number = values[0].empty() ? 0 : std::stoull(values[0]);
    // The history up to here is whole: each round wrote one key more.
    if (number > 0) {
      std::string value;
      const uint64_t some = number * 7 % number;
      for (const uint64_t n : {number, some + 1, number / 2 + 1}) {
        const Status s = db->Get(ReadOptions(), handles[n % 2], Key(n), &value);
        EXPECT_TRUE(s.ok()) << n << " of " << number << ": " << s.ToString();
      }
    }
    return number;
  }
  void Write() {
    for (uint64_t n = 1; n <= kRounds; ++n) {
      WriteBatch batch;
      const std::string number = std::to_string(n);
      for (size_t i = 0; i < 2; ++i) {
        ASSERT_TRUE(batch.Put(Family(i), "a", number).ok());
        ASSERT_TRUE(batch.Put(Family(i), "z", number).ok());
      }
      ASSERT_TRUE(batch.Put(Family(n % 2), Key(n), Value(n, 300)).ok());
      const Status s = db_->Write(WriteOptions(), &batch);
      ASSERT_TRUE(s.ok()) << s.ToString();
      if (n % 97 == 0) {
        ASSERT_TRUE(db_->Flush(FlushOptions(), Family(n % 2)).ok());
      }
      if (n % 211 == 0) {
        ASSERT_TRUE(db_->CompactRange(CompactRangeOptions(), Family(n % 2), nullptr, nullptr).ok());
      }
      if (fiber::in_fiber()) fiber::yield();
    }
  }
  // Numbers never go back.
  void Read() {
    uint64_t last = 0;
    while (!done_.load()) {
      const uint64_t number = Number(secondary_.get(), handles_);
      ASSERT_GE(number, last);
      last = number;
      if (fiber::in_fiber()) fiber::yield();
    }
  }
  void CatchUpAllTheWhile() {
    while (!done_.load()) {
      CatchUp();
      if (HasFatalFailure()) return;
      catch_ups_.fetch_add(1);
      if (fiber::in_fiber()) fiber::yield();
    }
  }
  void Run(const Options& options) {
    OpenFamilies(options, 2);
    fiber::RuntimeOptions runtime_options;
    runtime_options.workers = 2;
    runtime_options.stack_size = size_t{256} << 10;
    fiber::Runtime runtime(runtime_options);
    std::vector<fiber::JoinHandle> fibers;
    fibers.push_back(runtime.spawn([this] { CatchUpAllTheWhile(); }));
    fibers.push_back(runtime.spawn([this] { Read(); }));
    fiber::Thread follower("follower", [this] { CatchUpAllTheWhile(); });
    fiber::Thread reader("reader", [this] { Read(); });
    fiber::Thread writer("writer", [this] { Write(); });
    writer.join();
    done_.store(true);
    reader.join();
    follower.join();
    for (fiber::JoinHandle& handle : fibers) handle.join();
    EXPECT_GT(catch_ups_.load(), 0u);
    CatchUp();
    EXPECT_EQ(Number(secondary_.get(), handles_), kRounds);
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(All(secondary_.get(), handles_[i]) == All(db_.get(), Family(i)));
    }
  }

  std::atomic<bool> done_{false};
  std::atomic<uint64_t> catch_ups_{0};
};

TEST_F(DbFollowingTest, SeesAPrefixOfWhatThePrimaryWrites) { Run(SmallOptions()); }

TEST_F(DbFollowingTest, SeesAPrefixOverRecycledLogsAndNewManifests) {
  Options options = SmallOptions();
  options.recycle_log_file_num = 2;
  options.wal_recovery_mode = WALRecoveryMode::kSkipAnyCorruptedRecords;
  options.max_manifest_file_size = 500;
  Run(options);
}

TEST_F(DbFollowingTest, SeesAPrefixOfWhatIsFlushedTogether) {
  Options options = SmallOptions();
  options.atomic_flush = true;
  Run(options);
}

}  // namespace
}  // namespace cairn
