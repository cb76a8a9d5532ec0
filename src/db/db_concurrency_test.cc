// Threads and fibers at once on one database, with buffers so small that flush and compaction never
// rest: writers read their own writes, readers see each batch as a whole and time go forward only,
// snapshots stay. Meant for tsan.
#include <array>
#include <atomic>
#include <functional>

#include "db/testing/db_fixture.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/write_batch.h"

namespace cairn {
namespace {

using testing::Key;
using testing::Value;

constexpr int kWritersEach = 2;  // on threads, and as many on fibers
constexpr int kReadersEach = 2;
constexpr uint64_t kWritesPerWriter = 600;
constexpr int kCounters = 3;  // keys that one batch sets to the same number

class DbConcurrencyTest : public testing::DbTest {
 protected:
  void SetUp() override {
    options_ = SmallOptions();
    options_.max_background_jobs = 4;
    options_.max_subcompactions = 3;
    fiber::RuntimeOptions runtime;
    runtime.workers = 2;
    runtime.stack_size = size_t{256} << 10;
    runtime_ = std::make_unique<fiber::Runtime>(runtime);
  }
  void TearDown() override {
    db_.reset();
    runtime_.reset();
  }

  // Runs `body` with the numbers 0..each-1 on threads and each..2*each-1 on fibers; Join() waits
  // for all.
  void Start(int each, const std::function<void(int)>& body) {
    for (int i = 0; i < each; ++i) {
      threads_.push_back(
          std::make_unique<fiber::Thread>("t" + std::to_string(i), [body, i] { body(i); }));
      fibers_.push_back(runtime_->spawn([body, i, each] { body(each + i); }));
    }
  }
  void Join() {
    for (auto& thread : threads_) thread->join();
    for (fiber::JoinHandle& handle : fibers_) handle.join();
    threads_.clear();
    fibers_.clear();
  }

  static std::string Counter(int group, int i) {
    return "counter" + std::to_string(group) + "/" + std::string(1, static_cast<char>('a' + 9 * i));
  }
  // Sets all counters of a group to `number` in one batch.
  Status WriteCounters(int group, uint64_t number) {
    WriteBatch batch;
    for (int i = 0; i < kCounters; ++i) {
      Status s = batch.Put(Counter(group, i), std::to_string(number));
      if (!s.ok()) return s;
    }
    return db_->Write(WriteOptions(), &batch);
  }
  // The number that all counters of a group have, 0 before the first; -1: they differ, or an error.
  int64_t Agree(const std::vector<std::string>& values) {
    for (const std::string& value : values) {
      if (value != values[0]) return -1;
    }
    return values[0].empty() ? 0 : std::stoll(values[0]);
  }
  int64_t CountersByMultiGet(int group) {
    std::vector<std::string> names;
    for (int i = 0; i < kCounters; ++i) names.push_back(Counter(group, i));
    std::vector<std::string> values;
    const std::vector<Status> statuses =
        db_->MultiGet(ReadOptions(), std::vector<Slice>(names.begin(), names.end()), &values);
    for (const Status& s : statuses) {
      if (!s.ok() && !s.IsNotFound()) return -1;
    }
    return Agree(values);
  }
  int64_t CountersBySnapshot(int group) {
    ManagedSnapshot snapshot(db_.get());
    ReadOptions options;
    options.snapshot = snapshot.snapshot();
    std::vector<std::string> values(kCounters);
    for (int i = 0; i < kCounters; ++i) {
      const Status s = db_->Get(options, Counter(group, i), &values[i]);
      if (!s.ok() && !s.IsNotFound()) return -1;
    }
    return Agree(values);
  }
  int64_t CountersByIterator(int group) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    const std::string prefix = "counter" + std::to_string(group) + "/";
    std::vector<std::string> values;
    for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix); it->Next()) {
      values.push_back(it->value().ToString());
    }
    if (!it->status().ok()) return -1;
    if (values.empty()) return 0;
    return values.size() == kCounters ? Agree(values) : -1;
  }

  // One write in so many is not logged; 0: each is.
  void RunWriters(uint32_t unlogged_one_in) {
    Open(options_);
    std::atomic<int> failures{0};
    Start(kWritersEach, [&](int writer) {
      Random64 random(100 + writer);
      std::map<std::string, std::string> own;
      for (uint64_t i = 0; i < kWritesPerWriter; ++i) {
        const std::string key = "w" + std::to_string(writer) + Key(random.Uniform(150));
        WriteOptions options;
        options.disableWAL = unlogged_one_in != 0 && random.OneIn(unlogged_one_in);
        Status s;
        if (random.OneIn(6)) {
          s = db_->Delete(options, key);
          own.erase(key);
        } else {
          own[key] = Value(random.Next() >> 40, 50 + random.Uniform(600));
          s = db_->Put(options, key, own[key]);
        }
        if (!s.ok()) ++failures;
        const std::string other = "w" + std::to_string(writer) + Key(random.Uniform(150));
        std::string value;
        s = db_->Get(ReadOptions(), other, &value);
        const auto it = own.find(other);
        if (it == own.end() ? !s.IsNotFound() : !s.ok() || value != it->second) ++failures;
      }
      // All of it, and nothing else, in its range.
      std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
      const std::string prefix = "w" + std::to_string(writer) + "key";
      auto at = own.begin();
      for (it->Seek(prefix); it->Valid() && it->key().starts_with(prefix); it->Next(), ++at) {
        if (at == own.end() || it->key() != Slice(at->first) || it->value() != Slice(at->second)) {
          ++failures;
          break;
        }
      }
      if (at != own.end() || !it->status().ok()) ++failures;
    });
    Join();
    EXPECT_EQ(failures.load(), 0);
    const testing::Contents before = Scan();
    Close();
    Open(options_);
    EXPECT_TRUE(Scan() == before);
  }

  Options options_;
  std::unique_ptr<fiber::Runtime> runtime_;
  std::vector<std::unique_ptr<fiber::Thread>> threads_;
  std::vector<fiber::JoinHandle> fibers_;
};

TEST_F(DbConcurrencyTest, WritersReadTheirOwnWrites) { RunWriters(/*unlogged_one_in=*/0); }

TEST_F(DbConcurrencyTest, WritersReadTheirOwnUnorderedWrites) {
  options_.unordered_write = true;
  RunWriters(/*unlogged_one_in=*/3);
}

TEST_F(DbConcurrencyTest, WritersReadTheirOwnUnloggedWrites) {
  options_.unordered_write = true;
  options_.memtable_protection_bytes_per_key = 4;
  RunWriters(/*unlogged_one_in=*/1);
}

TEST_F(DbConcurrencyTest, ReadersSeeBatchesAsAWholeAndTimeGoForward) {
  Open(options_);
  std::atomic<int> writing{2 * kWritersEach};
  std::atomic<int> failures{0};
  std::atomic<uint64_t> reads{0};
  std::array<std::atomic<int64_t>, 2 * kWritersEach> acknowledged{};
  Start(kWritersEach, [&](int group) {
    for (uint64_t i = 1; i <= kWritesPerWriter; ++i) {
      if (!WriteCounters(group, i).ok()) ++failures;
      acknowledged[group].store(static_cast<int64_t>(i));
      // Ballast, so that memtables fill.
      if (!db_->Put(WriteOptions(), "ballast" + Key(i % 100), Value(i, 300)).ok()) ++failures;
    }
    --writing;
  });
  Start(kReadersEach, [&](int reader) {
    std::array<int64_t, 2 * kWritersEach> seen{};
    for (uint64_t i = reader; writing.load() > 0; ++i) {
      const int group = static_cast<int>(i % (2 * kWritersEach));
      const int64_t at_least = std::max(seen[group], acknowledged[group].load());
      const int64_t now = i % 3 == 0   ? CountersByMultiGet(group)
                          : i % 3 == 1 ? CountersBySnapshot(group)
                                       : CountersByIterator(group);
      if (now < at_least) ++failures;
      seen[group] = std::max(seen[group], now);
      reads.fetch_add(1);
      if (fiber::in_fiber()) fiber::yield();
    }
  });
  // Flush and manual compaction from fibers and threads beside it.
  Start(1, [&](int) {
    while (writing.load() > 0) {
      if (!db_->Flush(FlushOptions()).ok()) ++failures;
      if (!db_->CompactRange(CompactRangeOptions(), nullptr, nullptr).ok()) ++failures;
    }
  });
  Join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_GT(reads.load(), 0u);
  for (int group = 0; group < 2 * kWritersEach; ++group) {
    EXPECT_EQ(CountersByMultiGet(group), static_cast<int64_t>(kWritesPerWriter));
  }
  Close();
}

TEST_F(DbConcurrencyTest, SnapshotsAndIteratorsStayFixedWhileAllChanges) {
  Open(options_);
  PutRange(0, 200, 1, 200);
  std::atomic<int> watching{2 * kReadersEach};
  std::atomic<int> failures{0};
  Start(kWritersEach, [&](int writer) {
    Random64 random(writer);
    while (watching.load() > 0) {
      const std::string key = Key(random.Uniform(250));
      const Status s = random.OneIn(4) ? db_->Delete(WriteOptions(), key)
                                       : db_->Put(WriteOptions(), key, Value(random.Next(), 300));
      if (!s.ok()) ++failures;
      if (fiber::in_fiber()) fiber::yield();
    }
  });
  Start(kReadersEach, [&](int) {
    for (int round = 0; round < 4; ++round) {
      ManagedSnapshot snapshot(db_.get());
      ReadOptions options;
      options.snapshot = snapshot.snapshot();
      std::unique_ptr<Iterator> kept(db_->NewIterator(options));
      std::vector<std::pair<std::string, std::string>> first;
      for (kept->SeekToFirst(); kept->Valid(); kept->Next()) {
        first.emplace_back(kept->key().ToString(), kept->value().ToString());
      }
      if (first.empty() || !kept->status().ok()) ++failures;
      for (int again = 0; again < 3; ++again) {
        std::unique_ptr<Iterator> fresh(db_->NewIterator(options));
        Iterator* const it = again == 0 ? kept.get() : fresh.get();
        size_t i = first.size();
        for (it->SeekToLast(); it->Valid() && i > 0; it->Prev()) {
          --i;
          if (it->key() != Slice(first[i].first) || it->value() != Slice(first[i].second)) {
            ++failures;
          }
        }
        if (i != 0 || it->Valid() || !it->status().ok()) ++failures;
        std::string value;
        const auto& [key, expected] = first[first.size() / 2];
        if (!db_->Get(options, key, &value).ok() || value != expected) ++failures;
      }
    }
    --watching;
  });
  Join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_EQ(Property("num-snapshots"), "0");
  Close();
}

TEST_F(DbConcurrencyTest, SyncedWritesOfManyAreAllDurable) {
  Open(options_);
  std::atomic<int> failures{0};
  Start(kWritersEach, [&](int writer) {
    WriteOptions sync;
    for (uint64_t i = 0; i < 150; ++i) {
      sync.sync = i % 3 != 0 || i == 149;
      const std::string key = "w" + std::to_string(writer) + Key(i);
      if (!db_->Put(sync, key, Value(i, 400)).ok()) ++failures;
    }
  });
  Join();
  ASSERT_EQ(failures.load(), 0);
  disk_.memory->CrashAndFreeze();
  db_.reset();
  disk_.memory->DropUnsynced();
  Open(options_);
  for (int writer = 0; writer < 2 * kWritersEach; ++writer) {
    for (uint64_t i = 0; i < 150; ++i) {
      ASSERT_EQ(Get("w" + std::to_string(writer) + Key(i)), Value(i, 400)) << writer << " " << i;
    }
  }
}

TEST_F(DbConcurrencyTest, FailingWritesAndResumeBesideReaders) {
  Open(options_);
  PutRange(0, 100, 1, 200);
  std::atomic<int> writing{2 * kWritersEach};
  std::atomic<int> failures{0};
  std::array<std::map<std::string, std::string>, 2 * kWritersEach> acknowledged;
  disk_.faults->SetFileFilter(
      [](const std::string& path) { return path.find("/LOG") == std::string::npos; });
  disk_.faults->FailRandomly(7, fault::kAppend | fault::kSync, 150, IOStatus::NoSpace("injected"));
  Start(kWritersEach, [&](int writer) {
    for (uint64_t i = 0; i < 300; ++i) {
      const std::string key = "w" + std::to_string(writer) + Key(i);
      if (db_->Put(WriteOptions(), key, Value(i, 300)).ok()) {
        acknowledged[writer][key] = Value(i, 300);
      } else {
        db_->Resume().PermitUncheckedError();
      }
    }
    --writing;
  });
  Start(kReadersEach, [&](int reader) {
    Random64 random(reader);
    while (writing.load() > 0) {
      const uint64_t i = random.Uniform(100);
      std::string value;
      if (!db_->Get(ReadOptions(), Key(i), &value).ok() || value != Value(1000000 + i, 200)) {
        ++failures;
      }
      if (fiber::in_fiber()) fiber::yield();
    }
  });
  Join();
  EXPECT_EQ(failures.load(), 0);
  Kill();
  Open(options_);
  for (const auto& writes : acknowledged) {
    for (const auto& [key, value] : writes) ASSERT_EQ(Get(key), value) << key;
  }
}

TEST_F(DbConcurrencyTest, StoppedWritersGoOnWhenTheFlushDoes) {
  Open(options_);
  ASSERT_TRUE(db_->PauseBackgroundWork().ok());
  WriteOptions no_slowdown;
  no_slowdown.no_slowdown = true;
  uint64_t written = 0;
  Status s;
  while (s.ok() && written < 2000) {
    s = db_->Put(no_slowdown, Key(written), Value(written, 500));
    if (s.ok()) ++written;
  }
  EXPECT_TRUE(s.IsIncomplete()) << s.ToString();
  EXPECT_EQ(Property("is-write-stopped"), "1");
  std::atomic<int> failures{0};
  Start(kWritersEach, [&](int writer) {
    if (!db_->Put(WriteOptions(), "stopped" + std::to_string(writer), "v").ok()) ++failures;
  });
  EXPECT_EQ(Get(Key(0)), Value(0, 500)) << "reads do not wait";
  ASSERT_TRUE(db_->ContinueBackgroundWork().ok());
  Join();
  EXPECT_EQ(failures.load(), 0);
  EXPECT_EQ(Get(Key(written)), "NOT_FOUND") << "the refused write";
  EXPECT_EQ(Scan().size(), written + 2 * kWritersEach);
  Close();
}

TEST_F(DbConcurrencyTest, LivesOnAFiberFromOpenToClose) {
  for (int round = 0; round < 4; ++round) {
    runtime_->run([&] {
      Open(options_);
      ExpectModel();
      PutRange(round * 30, round * 30 + 300, round, 400);
      if (round % 2 == 0) Flush();
      Close();  // with whatever flush and compaction are under way
    });
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
  Open(options_);
  ExpectModel();
}

// A file system that lets one creation of a table wait.
class GateFileSystem final : public FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  static const char* kClassName() { return "GateFileSystem"; }
  const char* Name() const override { return kClassName(); }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& options,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* dbg) override {
    if (name.ends_with(".sst")) {
      fiber::MutexLock lock(&mutex_);
      if (std::exchange(armed_, false)) {
        waiting_ = true;
        changed_.notify_all();
        while (waiting_) changed_.wait(&mutex_);
      }
    }
    return FileSystemWrapper::NewWritableFile(name, options, file, dbg);
  }
  void Arm() {
    fiber::MutexLock lock(&mutex_);
    armed_ = true;
  }
  void AwaitWaiter() {
    fiber::MutexLock lock(&mutex_);
    while (!waiting_) changed_.wait(&mutex_);
  }
  void Open() {
    fiber::MutexLock lock(&mutex_);
    waiting_ = false;
    changed_.notify_all();
  }

 private:
  fiber::Mutex mutex_;
  fiber::CondVar changed_;
  bool armed_ = false;
  bool waiting_ = false;
};

// A manual compaction waits for an automatic one that fills a level above what was the base level
// when the manual one began. What is newer in level 0 must not go below it.
TEST_F(DbConcurrencyTest, AManualCompactionAsksForTheBaseLevelWhenItPicks) {
  const auto gate = std::make_shared<GateFileSystem>(disk_.faults);
  const std::unique_ptr<Env> env = NewCompositeEnv(gate);
  options_.env = env.get();
  options_.write_buffer_size = 8 << 20;
  options_.level_compaction_dynamic_level_bytes = true;
  options_.max_bytes_for_level_base = 128 << 10;
  options_.disable_auto_compactions = true;
  Simulate([&] {
    Open(options_);
    PutRange(0, 3000, 1);
    Compact();
    ASSERT_NE(Property("num-files-at-level6"), "0");
    // 300 KB in the last level: the base level is 5, as long as level 0 holds less than that.
    for (uint64_t version : {2, 3}) {
      PutRange(0, 300, version);
      Flush();
    }
    gate->Arm();
    ASSERT_TRUE(db_->EnableAutoCompaction({db_->DefaultColumnFamily()}).ok());
    gate->AwaitWaiter();
    PutRange(0, 6000, 4);
    Flush();
    fiber::Thread manual("manual", [&] { Compact(); });
    fiber::sleep_for(1'000'000'000);  // it waits now
    gate->Open();
    manual.join();
    ExpectModel();
  });
}

}  // namespace
}  // namespace cairn
