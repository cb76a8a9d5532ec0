// A child of a process that has a database open: what it calls returns at once and says why, it may
// leave in any way, and the parent's database is none the worse.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db/db_impl.h"
#include "db/testing/db_fixture.h"
#include "fiber/io.h"
#include "fiber/runtime.h"
#include "fiber/sanitizers.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "fs/testing/temp_dir.h"

namespace cairn {
namespace {

using testing::Key;

// What `child` returns is its process's exit status; 255: a signal ended it.
int InChild(const std::function<int()>& child) {
  // style: a second process is what these tests are about
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(120);  // a hang is a failure, too
    _exit(child());
  }
  int status = 0;
  // style: a second process is what these tests are about
  EXPECT_EQ(pid, waitpid(pid, &status, 0));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

class DbForkTest : public ::testing::Test {
 protected:
  DbForkTest() {
    options_.create_if_missing = true;
    options_.write_buffer_size = 64 << 10;
  }
  void SetUp() override {
#if defined(FIBER_TSAN) || (defined(FIBER_ASAN) && !defined(__clang__))
    // GCC 12's do not keep their allocators usable across a fork beside other threads, as glibc
    // does: a child hangs whenever one of them was allocating. Clang's for threads ends a child
    // that starts one.
    if (getenv("CAIRN_FORK_UNDER_SANITIZER") == nullptr) GTEST_SKIP() << "the sanitizer may hang";
#endif
    Open();
  }
  void Open() {
    db_.reset();
    const Status s = DB::Open(options_, dir_.path(), &db_);
    ASSERT_TRUE(s.ok()) << s.ToString();
  }
  void Put(uint64_t from, uint64_t to) {
    for (uint64_t i = from; i < to; ++i) {
      ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), std::string(200, 'v')).ok());
    }
  }
  void ExpectKeys(uint64_t count) {
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    uint64_t found = 0;
    for (it->SeekToFirst(); it->Valid(); it->Next()) EXPECT_EQ(Key(found++), it->key().ToString());
    EXPECT_TRUE(it->status().ok());
    EXPECT_EQ(count, found);
  }
  // 0: every call says that this is another process.
  int CallAll() {
    std::string value;
    std::vector<Status> said;
    said.push_back(db_->Put(WriteOptions(), "a", "b"));
    said.push_back(db_->Delete(WriteOptions(), "a"));
    said.push_back(db_->DeleteRange(WriteOptions(), db_->DefaultColumnFamily(), "a", "b"));
    WriteBatch batch;
    batch.Put("a", "b").PermitUncheckedError();
    said.push_back(db_->Write(WriteOptions(), &batch));
    said.push_back(db_->Get(ReadOptions(), Key(1), &value));
    std::vector<std::string> values;
    said.push_back(db_->MultiGet(ReadOptions(), std::vector<Slice>{"a"}, &values)[0]);
    said.push_back(db_->Flush(FlushOptions()));
    said.push_back(db_->FlushWAL(true));
    said.push_back(db_->SyncWAL());
    said.push_back(db_->CompactRange(CompactRangeOptions(), nullptr, nullptr));
    said.push_back(db_->SetOptions({{"disable_auto_compactions", "true"}}));
    said.push_back(db_->SetDBOptions({{"max_background_jobs", "3"}}));
    said.push_back(db_->PauseBackgroundWork());
    said.push_back(db_->ContinueBackgroundWork());
    said.push_back(db_->DisableFileDeletions());
    said.push_back(db_->EnableFileDeletions(true));
    said.push_back(db_->WaitForCompact(WaitForCompactOptions()));
    said.push_back(db_->VerifyChecksum(ReadOptions()));
    said.push_back(db_->Resume());
    std::vector<std::string> files;
    uint64_t size = 0;
    said.push_back(db_->GetLiveFiles(files, &size, true));
    VectorLogPtr logs;
    said.push_back(db_->GetSortedWalFiles(logs));
    ColumnFamilyHandle* handle = nullptr;
    said.push_back(db_->CreateColumnFamily(ColumnFamilyOptions(), "new", &handle));
    const std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    it->SeekToFirst();
    said.push_back(it->status());
    said.push_back(db_->Close());
    for (size_t i = 0; i < said.size(); ++i) {
      if (!said[i].IsNotSupported() || said[i].ToString().find("forked") == std::string::npos) {
        return static_cast<int>(i) + 1;
      }
    }
    if (db_->GetSnapshot() != nullptr || db_->GetProperty("rocksdb.stats", &value)) return 100;
    return 0;
  }

  testing::TempDir dir_{FileSystem::Default().get(), "fork"};
  Options options_;
  std::unique_ptr<DB> db_;
};

TEST_F(DbForkTest, EveryCallSaysSoAndTheParentGoesOn) {
  Put(0, 300);
  ASSERT_TRUE(db_->Flush(FlushOptions()).ok());
  Put(300, 400);
  EXPECT_EQ(0, InChild([this] {
              const int said = CallAll();
              db_.reset();
              return said;
            }));
  Put(400, 1000);
  ExpectKeys(1000);
  Open();
  ExpectKeys(1000);
}

TEST_F(DbForkTest, WhateverOtherThreadsHoldAtThatMoment) {
  std::atomic<bool> over{false};
  std::atomic<uint64_t> written{0};
  {
    fiber::Thread writer("writer", [&] {
      while (!over.load()) {
        Put(written.load(), written.load() + 1);
        written.fetch_add(1);
      }
    });
    for (int i = 0; i < 20; ++i) {
      const uint64_t before = written.load();
      while (written.load() < before + 20) fiber::yield();
      EXPECT_EQ(0, InChild([this] {
                  const int said = CallAll();
                  db_.reset();
                  return said;
                }));
    }
    over.store(true);
  }
  ExpectKeys(written.load());
  Open();
  ExpectKeys(written.load());
}

std::unique_ptr<DB>& StaticDatabase() {
  static std::unique_ptr<DB> db;
  return db;
}

TEST_F(DbForkTest, SnapshotsWithTimestampsAreTheParents) {
  const auto impl = [this] { return static_cast<DBImpl*>(db_.get()); };
  std::shared_ptr<const Snapshot> snapshot;
  ASSERT_TRUE(impl()->TakeSnapshot(5, &snapshot).ok());
  EXPECT_EQ(7, InChild([&] {
              // (Given back: to nobody, as others may have had the list's lock.)
              snapshot = nullptr;
              std::shared_ptr<const Snapshot> own;
              const bool refused = impl()->TakeSnapshot(6, &own).IsNotSupported();
              return refused && impl()->stamped_snapshots() == nullptr ? 7 : 1;
            }));
  EXPECT_EQ(snapshot, impl()->stamped_snapshots()->Find(5));
}

TEST_F(DbForkTest, AStaticDatabaseIsDestroyedInTheChild) {
#if defined(FIBER_ASAN)
  GTEST_SKIP() << "what the parent's other threads hold are leaks to a child that exits";
#endif
  Put(0, 300);
  StaticDatabase() = std::move(db_);
  EXPECT_EQ(7, InChild([] {
              std::exit(7);
              return 1;
            }));
  db_ = std::move(StaticDatabase());
  Put(300, 400);
  Open();
  ExpectKeys(400);
}

TEST_F(DbForkTest, OnAFiberToo) {
  Put(0, 300);
  fiber::RuntimeOptions workers;
  workers.workers = 2;
  fiber::Runtime runtime(workers);
  runtime.run([this] {
    EXPECT_EQ(0, InChild([this] {
                const int said = CallAll();
                db_.reset();
                // Files are a plain thread's from here on.
                const std::string path = dir_.File("of the child");
                if (!WriteStringToFile(FileSystem::Default().get(), "x", path).ok()) return 101;
                std::string text;
                if (!ReadFileToString(FileSystem::Default().get(), path, &text).ok()) return 102;
                return text == "x" ? said : 103;
              }));
    Put(300, 400);
    ExpectKeys(400);
  });
  Open();
  ExpectKeys(400);
}

TEST_F(DbForkTest, TheLockStaysTheParents) {
  Put(0, 10);
  const auto try_open = [this] {
    db_.reset();  // does not free it
    std::unique_ptr<DB> again;
    return DB::Open(options_, dir_.path(), &again).IsIOError() ? 0 : 1;
  };
  EXPECT_EQ(0, InChild(try_open));
  EXPECT_EQ(0, InChild(try_open));
  Put(10, 20);
  Open();
  ExpectKeys(20);
}

TEST_F(DbForkTest, AChildMayHaveADatabaseOfItsOwn) {
  Put(0, 300);
  testing::TempDir other(FileSystem::Default().get(), "fork-child");
  EXPECT_EQ(0, InChild([&] {
              db_.reset();
              const Status s = DB::Open(options_, other.path(), &db_);
              if (!s.ok()) return 1;
              for (uint64_t i = 0; i < 2000; ++i) {
                if (!db_->Put(WriteOptions(), Key(i), std::string(200, 'c')).ok()) return 2;
              }
              if (!db_->Flush(FlushOptions()).ok()) return 3;
              fiber::Runtime runtime(fiber::RuntimeOptions{});
              std::string value;
              if (!runtime.run([&] { return db_->Get(ReadOptions(), Key(7), &value); }).ok()) {
                return 4;
              }
              return db_->Close().ok() ? 0 : 5;
            }));
  Put(300, 400);
  ExpectKeys(400);
}

// The parent's threads, which it has not, would be those of its pools.
TEST_F(DbForkTest, AChildsEnvRunsWhatIsScheduled) {
  const auto run = [] {
    fiber::Event ran;
    Env::Default()->IncBackgroundThreadsIfNeeded(1, Env::HIGH);
    Env::Default()->Schedule([](void* event) { static_cast<fiber::Event*>(event)->set(); }, &ran,
                             Env::HIGH);
    ran.wait();
    return 0;
  };
  run();
  EXPECT_EQ(0, InChild(run));
  run();
}

// POSIX's locks end with their process; an open file's end with the last one that has it open.
TEST_F(DbForkTest, AChildThatOutlivesItsParentDoesNotHoldTheLock) {
  Put(0, 10);
  db_.reset();
  int orphan[2];
  int runs[2];
  ASSERT_EQ(0, pipe(orphan));
  ASSERT_EQ(0, pipe(runs));
  EXPECT_EQ(0, InChild([&] {
              if (!DB::Open(options_, dir_.path(), &db_).ok()) return 1;
              Put(10, 20);
              // style: a second process is what these tests are about
              if (fork() == 0) {
                char c = 'r';
                fiber::io::close(orphan[1]);
                (void)fiber::io::write(runs[1], &c, 1);
                (void)fiber::io::read(orphan[0], &c, 1);
                _exit(0);
              }
              char c;
              (void)fiber::io::read(runs[0], &c, 1);  // a child has it until it runs
              _exit(0);                               // dies without a close
            }));
  Open();
  ExpectKeys(20);
  for (const int fd : {orphan[0], orphan[1], runs[0], runs[1]}) fiber::io::close(fd);
}

}  // namespace
}  // namespace cairn
