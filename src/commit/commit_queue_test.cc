// The commit queue without a database (testing/fake_database.h), while threads and fibers write.
#include "commit/commit_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"
#include "commit/testing/fake_database.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/sync.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

using testing::FakeDatabase;

// A wait that ends by this is a failure, not a matter of speed.
uint64_t FarDeadline() { return fiber::deadline_after(60'000'000'000); }

// Everything that was logged, replayed into a map.
std::map<std::string, std::string> Replay(const std::vector<std::string>& log) {
  std::map<std::string, std::string> result;
  SequenceNumber next = 1;
  for (const std::string& rep : log) {
    BatchReader reader(rep);
    EXPECT_EQ(reader.sequence(), next);
    uint32_t count = 0;
    BatchRecord record;
    while (reader.Next(&record)) {
      if (!record.counted) continue;
      ++count;
      if (record.type == kTypeValue) {
        result[record.key.ToString()] = record.value.ToString();
      } else {
        result.erase(record.key.ToString());
      }
    }
    EXPECT_TRUE(reader.status().ok());
    EXPECT_EQ(count, reader.count());
    next += count;
  }
  return result;
}

TEST(CommitQueueTest, ALoneWriterIsItsOwnGroup) {
  FakeDatabase db;
  uint64_t seq = 0;
  ASSERT_TRUE(db.Put("a", "1", {}, &seq).ok());
  EXPECT_EQ(seq, 1u);
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("b", "2").ok());
  ASSERT_TRUE(batch.Delete("a").ok());
  ASSERT_TRUE(db.queue()->Write({}, &batch, &seq).ok());
  EXPECT_EQ(seq, 2u);
  EXPECT_EQ(WriteBatchInternal::Sequence(&batch), 2u);
  EXPECT_EQ(db.published(), 3u);
  EXPECT_EQ(db.Get("a", 3), "DELETED");
  EXPECT_EQ(db.Get("a", 2), "1");
  EXPECT_EQ(db.groups, 2);
  EXPECT_EQ(db.appends, 2);
  EXPECT_EQ(db.syncs, 0);
  ASSERT_EQ(db.log.size(), 2u);
  EXPECT_EQ(db.log[1], batch.Data()) << "a single batch is logged as it is";
}

TEST(CommitQueueTest, SyncAndDisableWalAreObeyed) {
  FakeDatabase db;
  WriteOptions sync;
  sync.sync = true;
  ASSERT_TRUE(db.Put("a", "1", sync).ok());
  EXPECT_EQ(db.syncs, 1);
  WriteOptions no_wal;
  no_wal.disableWAL = true;
  ASSERT_TRUE(db.Put("b", "2", no_wal).ok());
  EXPECT_EQ(db.appends, 1);
  EXPECT_EQ(db.Get("b", 2), "2");
  WriteBatch empty;
  ASSERT_TRUE(db.queue()->Write(sync, &empty).ok());
  EXPECT_EQ(db.appends, 1) << "nothing to log";
  EXPECT_EQ(db.syncs, 2) << "but something to sync";
  EXPECT_EQ(db.published(), 2u);
}

// Holds the first leader in prepare until `release`, so that a known set of writers queues behind
// it.
class Gate {
 public:
  void Install(FakeDatabase* db) {
    db->on_prepare = [this](const WriteGroupInfo&) {
      if (!passed_.exchange(true)) {
        arrived_.set();
        open_.wait();
      }
      return Status::OK();
    };
  }
  void WaitForLeader() { arrived_.wait(); }
  void Open() { open_.set(); }

 private:
  std::atomic<bool> passed_{false};
  fiber::Event arrived_;
  fiber::Event open_;
};

// Starts `n` writers as fibers of one worker while the gate is closed: a fiber has joined when the
// next one runs.
class QueuedWriters {
 public:
  explicit QueuedWriters(FakeDatabase* db) : db_(db) { gate_.Install(db); }

  void Run(int n, const std::function<void(int)>& writer) {
    fiber::Runtime runtime({.workers = 1});
    runtime.run([&] {
      std::vector<fiber::JoinHandle> handles;
      handles.push_back(fiber::spawn([&] { ASSERT_TRUE(db_->Put("leader", "x").ok()); }));
      gate_.WaitForLeader();
      for (int i = 0; i < n; ++i) {
        handles.push_back(fiber::spawn([&writer, i] { writer(i); }));
        fiber::yield();
      }
      for (int i = 0; i < 3; ++i) fiber::yield();
      gate_.Open();
    });
  }

 private:
  FakeDatabase* const db_;
  Gate gate_;
};

TEST(CommitQueueTest, OneRecordServesAllThatWait) {
  FakeDatabase db;
  QueuedWriters(&db).Run(10, [&db](int i) {
    uint64_t seq = 0;
    ASSERT_TRUE(db.Put("k" + std::to_string(i), "v", {}, &seq).ok());
    EXPECT_EQ(seq, 2u + i) << "in the order of joining";
    EXPECT_GE(db.published(), 11u) << "acknowledged means visible";
  });
  // The leader's group formed after the gate opened, with everybody in it.
  EXPECT_EQ(db.appends, 1);
  EXPECT_EQ(db.published(), 11u);
  EXPECT_EQ(Replay(db.log).size(), 11u);
}

TEST(CommitQueueTest, AGroupEndsAtWhatDoesNotFit) {
  FakeDatabase db;
  QueuedWriters(&db).Run(6, [&db](int i) {
    WriteOptions options;
    options.sync = i == 2;
    options.disableWAL = i == 4;
    ASSERT_TRUE(db.Put("k" + std::to_string(i), "v", options).ok());
  });
  // leader k0 k1 | k2(sync) k3 | k4 (no log) | k5
  EXPECT_EQ(db.groups, 4);
  EXPECT_EQ(db.appends, 3);
  EXPECT_EQ(db.syncs, 1);
  EXPECT_EQ(db.entries(), 7u);
}

TEST(CommitQueueTest, ASmallLeaderDoesNotWaitForABigBatch) {
  FakeDatabase db;
  QueuedWriters(&db).Run(3, [&db](int i) {
    ASSERT_TRUE(db.Put("k" + std::to_string(i), std::string(i == 1 ? 200 << 10 : 10, 'v')).ok());
  });
  // leader k0 | k1 k2
  EXPECT_EQ(db.groups, 2);
  EXPECT_EQ(db.appends, 2);
}

// Four queue behind a leader: the first and the last put "k0" and "k3", the other two call `write`.
void RunTwoAmongPuts(FakeDatabase* db,
                     const std::function<void(int i, const std::string& key)>& write) {
  QueuedWriters(db).Run(4, [&](int i) {
    const std::string key = "k" + std::to_string(i);
    if (i == 1 || i == 2) {
      write(i, key);
    } else {
      ASSERT_TRUE(db->Put(key, "v").ok());
    }
  });
}

TEST(CommitQueueTest, ACheckedWriteSeesAllThatPrecedesIt) {
  FakeDatabase db;
  std::atomic<int> checks{0};
  RunTwoAmongPuts(&db, [&](int i, const std::string& key) {
    WriteBatch batch;
    ASSERT_TRUE(batch.Put(key, "v").ok());
    const CommitCheck check = [&db, &checks, i] {
      ++checks;
      // The leader and the writers before, and nobody behind.
      EXPECT_EQ(db.published(), i == 1 ? 2u : 3u);
      EXPECT_EQ(db.entries(), i == 1 ? 2u : 3u);
      return Status::OK();
    };
    ASSERT_TRUE(db.queue()->Write({}, &batch, nullptr, &check).ok());
  });
  EXPECT_EQ(checks, 2);
  // leader k0 | k1 | k2 | k3
  EXPECT_EQ(db.appends, 4);
  EXPECT_EQ(db.entries(), 5u);
}

TEST(CommitQueueTest, ARefusedWriteTakesNobodyAlong) {
  FakeDatabase db;
  QueuedWriters(&db).Run(5, [&](int i) {
    const std::string key = "k" + std::to_string(i);
    WriteBatch batch;
    ASSERT_TRUE(batch.Put(key, "v").ok());
    const CommitCheck check = [] { return Status::Busy(); };
    const bool refused = i % 2 == 0;
    const Status s = db.queue()->Write({}, &batch, nullptr, refused ? &check : nullptr);
    EXPECT_EQ(refused, s.IsBusy()) << i << s.ToString();
    EXPECT_EQ(!refused, s.ok()) << i << s.ToString();
  });
  EXPECT_EQ(db.errors, 0) << "a refusal is no error of the database";
  EXPECT_EQ(db.published(), 3u) << "no sequence number is used up";
  EXPECT_EQ(Replay(db.log).size(), 3u);
}

TEST(CommitQueueTest, ARefusedWriteIsNotSynced) {
  FakeDatabase db;
  WriteBatch empty;
  WriteOptions sync;
  sync.sync = true;
  const CommitCheck check = [] { return Status::Busy(); };
  EXPECT_TRUE(db.queue()->Write(sync, &empty, nullptr, &check).IsBusy());
  EXPECT_EQ(db.syncs, 0);
  EXPECT_EQ(db.appends, 0);
}

TEST(CommitQueueTest, AHookSeesItsOwnWriteAndNoneBehind) {
  for (const bool pipelined : {false, true}) {
    CommitOptions options;
    options.pipelined = pipelined;
    options.measure_overlap = false;  // each group hands over early
    FakeDatabase db(options);
    std::atomic<int> calls{0};
    RunTwoAmongPuts(&db, [&](int i, const std::string& key) {
      WriteBatch batch;
      if (i == 1) {
        ASSERT_TRUE(batch.Put(key, "v").ok());
        ASSERT_TRUE(batch.Put(key, "w").ok());
      }
      const CommitHook hook = [&db, &calls, i](SequenceNumber last) {
        ++calls;
        EXPECT_EQ(last, 4u) << i << ": the leader, k0 and two of k1; none of the empty batch";
        EXPECT_EQ(db.published(), 4u) << i;
      };
      ASSERT_TRUE(db.queue()->Write({}, &batch, nullptr, nullptr, nullptr, &hook).ok());
    });
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(db.published(), 5u);
  }
}

TEST(CommitQueueTest, AHookHearsOfNoWriteThatFails) {
  FakeDatabase db;
  db.on_append = [](const Slice&) { return IOStatus::IOError("disk is gone"); };
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("k", "v").ok());
  const CommitHook hook = [](SequenceNumber) { ADD_FAILURE() << "called"; };
  EXPECT_TRUE(db.queue()->Write({}, &batch, nullptr, nullptr, nullptr, &hook).IsIOError());
}

TEST(CommitQueueTest, AFailedLogFailsTheWholeGroup) {
  FakeDatabase db;
  db.on_append = [](const Slice&) { return IOStatus::IOError("disk is gone"); };
  QueuedWriters queued(&db);
  fiber::Runtime runtime({.workers = 1});
  std::atomic<int> failed{0};
  std::atomic<bool> opened{false};
  fiber::Event go;
  db.on_prepare = [&](const WriteGroupInfo&) {
    if (!opened.exchange(true)) go.wait();
    return Status::OK();
  };
  runtime.run([&] {
    std::vector<fiber::JoinHandle> handles;
    for (int i = 0; i < 5; ++i) {
      handles.push_back(fiber::spawn([&, i] {
        const Status s = db.Put("k" + std::to_string(i), "v");
        EXPECT_TRUE(s.IsIOError());
        EXPECT_NE(s.ToString().find("disk is gone"), std::string::npos);
        ++failed;
      }));
      fiber::yield();
    }
    go.set();
  });
  EXPECT_EQ(failed, 5);
  EXPECT_EQ(db.errors, 1);
  EXPECT_EQ(db.published(), 0u) << "no sequence number is used up";
  EXPECT_EQ(db.entries(), 0u);
}

TEST(CommitQueueTest, AFailedSyncOrPrepareFailsTheWrite) {
  FakeDatabase db;
  db.on_sync = [] { return IOStatus::IOError("sync"); };
  WriteOptions sync;
  sync.sync = true;
  EXPECT_TRUE(db.Put("a", "1", sync).IsIOError());
  EXPECT_EQ(db.errors, 1);
  EXPECT_EQ(db.entries(), 0u);
  db.on_prepare = [](const WriteGroupInfo&) { return Status::ShutdownInProgress(); };
  EXPECT_TRUE(db.Put("a", "1").IsShutdownInProgress());
  EXPECT_EQ(db.errors, 1) << "prepare failed before anything was touched";
  db.on_prepare = nullptr;
  EXPECT_TRUE(db.Put("a", "1").ok());
}

TEST(CommitQueueTest, AnUnappliableBatchIsReported) {
  FakeDatabase db;
  WriteBatch blob;
  const Slice key("a"), value("b");
  const SliceParts value_parts(&value, 1);
  ASSERT_TRUE(
      WriteBatchInternal::AppendRecord(&blob, kTypeBlobIndex, 0, SliceParts(&key, 1), &value_parts)
          .ok());
  EXPECT_TRUE(db.queue()->Write({}, &blob).IsNotSupported());
  EXPECT_EQ(db.errors, 1);
}

// Six groups of writers, each of which gathers while the one before is logged. What prepare() is
// told of each, and what it says to a group that is led in passing.
std::vector<bool> LedInPassing(const Status& in_passing) {
  FakeDatabase db;
  std::vector<bool> seen;
  db.on_prepare = [&](const WriteGroupInfo& info) {
    seen.push_back(info.in_passing);
    return info.in_passing ? in_passing : Status::OK();
  };
  fiber::Runtime runtime({.workers = 1});
  runtime.run([&] {
    std::vector<fiber::JoinHandle> handles;
    int started = 0;
    const auto start_two = [&] {
      for (int i = 0; i < 2; ++i) {
        handles.push_back(fiber::spawn(
            [&db, n = started++] { EXPECT_TRUE(db.Put("k" + std::to_string(n), "1").ok()); }));
      }
      fiber::yield();
    };
    db.on_append = [&](const Slice&) {
      if (started < 10) start_two();
      return IOStatus::OK();
    };
    EXPECT_TRUE(db.Put("first", "1").ok());
    // There may come more while one is waited for.
    for (size_t i = 0; i < handles.size(); ++i) fiber::JoinHandle(std::move(handles[i])).join();
  });
  EXPECT_EQ(db.entries(), 11u);
  EXPECT_EQ(db.appends.load(), 6);
  return seen;
}

TEST(CommitQueueTest, ALeaderLeadsTheGroupsThatGatheredMeanwhile) {
  EXPECT_EQ(LedInPassing(Status::OK()), (std::vector<bool>{false, true, true, true, false, true}))
      << "a fiber leads four groups in a row";
}

TEST(CommitQueueTest, WhatTakesTimeIsLeftToTheGroupsOwnLeader) {
  EXPECT_EQ(LedInPassing(Status::Busy()), (std::vector<bool>{false, true, false, true, false, true,
                                                             false, true, false, true, false}));
}

TEST(CommitQueueTest, NoSlowdownDoesNotWaitOutAStall) {
  FakeDatabase db;
  fiber::Event stalled;
  fiber::Event resume;
  fiber::Event stall_now;
  std::atomic<bool> first{true};
  db.on_prepare = [&](const WriteGroupInfo& info) {
    if (info.no_slowdown) return Status::OK();
    if (first.exchange(false)) {
      stall_now.wait();
      CommitQueue::StallScope stall(info.queue);
      stalled.set();
      resume.wait();
    }
    return Status::OK();
  };
  WriteOptions impatient;
  impatient.no_slowdown = true;
  fiber::Runtime runtime({.workers = 1});
  runtime.run([&] {
    std::vector<fiber::JoinHandle> handles;
    handles.push_back(fiber::spawn([&] { EXPECT_TRUE(db.Put("slow", "1").ok()); }));
    fiber::yield();
    // These joined before the stall: patient and impatient mixed, an impatient one last.
    for (int i = 0; i < 6; ++i) {
      handles.push_back(fiber::spawn([&, i] {
        const bool is_impatient = i % 2 == 1;
        const Status s =
            db.Put("k" + std::to_string(i), "1", is_impatient ? impatient : WriteOptions());
        EXPECT_EQ(s.IsIncomplete(), is_impatient) << s.ToString();
      }));
      fiber::yield();
    }
    stall_now.set();
    stalled.wait();
    EXPECT_TRUE(db.Put("during", "1", impatient).IsIncomplete());
    handles.push_back(fiber::spawn([&] { EXPECT_TRUE(db.Put("patient", "1").ok()); }));
    fiber::yield();
    resume.set();
  });
  EXPECT_TRUE(db.Put("after", "1", impatient).ok());
  EXPECT_EQ(db.entries(), 6u);
}

TEST(CommitQueueTest, ExclusiveShutsWritersOut) {
  FakeDatabase db;
  int guarded = 0;  // plain on purpose
  db.on_prepare = [&](const WriteGroupInfo&) {
    ++guarded;
    return Status::OK();
  };
  constexpr int kThreads = 3;
  constexpr int kEach = 300;
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.push_back(std::make_unique<fiber::Thread>("write", [&, t] {
      for (int i = 0; i < kEach; ++i) {
        if (i % 10 == 0) {
          CommitQueue::Exclusive exclusive(db.queue());
          ++guarded;
        } else {
          ASSERT_TRUE(db.Put(std::to_string(t) + "-" + std::to_string(i), "v").ok());
        }
      }
    }));
  }
  for (auto& t : threads) t->join();
  EXPECT_EQ(db.entries(), uint64_t{kThreads * kEach * 9 / 10});
  EXPECT_GE(guarded, kThreads * kEach / 10);
}

TEST(CommitQueueTest, TheNextGroupSyncsWhileASyncedOneIsInserted) {
  FakeDatabase db;
  fiber::Event first_publishes, second_synced;
  std::atomic<int> synced{0};
  db.on_sync = [&] {
    if (++synced == 2) second_synced.set();
    return IOStatus::OK();
  };
  db.on_publish = [&](SequenceNumber last) {
    if (last != 1) return;
    first_publishes.set();
    EXPECT_TRUE(second_synced.wait_until(FarDeadline())) << "the first group kept the lead";
  };
  WriteOptions sync;
  sync.sync = true;
  fiber::Thread first("first", [&] {
    ASSERT_TRUE(db.Put("k", "old", sync).ok());
    EXPECT_GE(db.published(), 1u);
  });
  first_publishes.wait();
  ASSERT_TRUE(db.Put("k", "new", sync).ok());
  // The second was not acknowledged before the first could be seen.
  EXPECT_EQ(db.published(), 2u);
  EXPECT_EQ(db.Get("k", 1), "old");
  EXPECT_EQ(db.Get("k", 2), "new");
  first.join();
}

TEST(CommitQueueTest, OnlyPipelinedGroupsWithoutSyncHandOverEarly) {
  for (const bool pipelined : {false, true}) {
    CommitOptions options;
    options.pipelined = pipelined;
    options.measure_overlap = false;
    FakeDatabase db(options);
    fiber::Event first_publishes, second_logged;
    db.on_append = [&](const Slice&) {
      if (db.appends == 2) second_logged.set();
      return IOStatus::OK();
    };
    db.on_publish = [&](SequenceNumber last) {
      if (last != 1) return;
      first_publishes.set();
      // In vain without: a leader that keeps the lead cannot be waited for in another way.
      EXPECT_EQ(
          second_logged.wait_until(pipelined ? FarDeadline() : fiber::deadline_after(20'000'000)),
          pipelined);
    };
    fiber::Thread first("first", [&] { ASSERT_TRUE(db.Put("a", "1").ok()); });
    first_publishes.wait();
    ASSERT_TRUE(db.Put("b", "2").ok());
    EXPECT_EQ(db.published(), 2u);
    first.join();
  }
}

// In virtual time: a record takes 100 microseconds, an insertion as long or none.
TEST(CommitQueueTest, PipelinedGroupsKeepTheLeadUnlessEnoughGoesOnAtOnce) {
  for (const uint64_t insert_nanos : {0, 20'000, 100'000}) {
    bool overlapped = false;
    const auto result = fiber::Simulation(1).run([&] {
      CommitOptions options;
      options.pipelined = true;
      FakeDatabase db(options);
      bool inserts = false;
      db.on_append = [&](const Slice&) {
        overlapped |= inserts;
        fiber::sleep_for(100'000);
        return IOStatus::OK();
      };
      db.on_insert = [&] {
        inserts = true;
        if (insert_nanos > 0) fiber::sleep_for(insert_nanos);
      };
      db.on_publish = [&](SequenceNumber) { inserts = false; };
      std::vector<fiber::Thread> writers;
      for (int w = 0; w < 3; ++w) {
        writers.emplace_back("write", [&db, w] {
          for (int i = 0; i < 20; ++i) {
            ASSERT_TRUE(db.Put(std::to_string(w), std::to_string(i)).ok());
          }
        });
      }
      for (fiber::Thread& writer : writers) writer.join();
    });
    EXPECT_TRUE(result.ok()) << result.report;
    EXPECT_EQ(overlapped, insert_nanos == 100'000) << insert_nanos;
  }
}

// Three writers: one inserts, one is logged and waits for it with the lead, so the third gathers.
TEST(CommitQueueTest, OneGroupAtMostIsLoggedAndNotInserted) {
  const auto result = fiber::Simulation(1).run([] {
    FakeDatabase db;
    int logged = 0;
    int published = 0;
    db.on_append = [&](const Slice&) {
      ++logged;
      return IOStatus::OK();
    };
    db.on_insert = [] { fiber::sleep_for(1'000'000); };
    db.on_publish = [&](SequenceNumber) {
      EXPECT_LE(logged - published, 2);
      ++published;
    };
    std::vector<fiber::Thread> writers;
    for (int w = 0; w < 8; ++w) {
      writers.emplace_back("write", [&db, w] {
        WriteOptions sync;
        sync.sync = true;  // hands over early
        for (int i = 0; i < 20; ++i) {
          ASSERT_TRUE(db.Put(std::to_string(w), std::to_string(i), sync).ok());
        }
      });
    }
    for (fiber::Thread& writer : writers) writer.join();
    EXPECT_EQ(published, logged);
    EXPECT_LT(logged, 80) << "groups of one writer";
  });
  EXPECT_TRUE(result.ok()) << result.report;
}

TEST(CommitQueueTest, AnExclusiveHolderSeesNoGroupUnderWay) {
  CommitOptions options;
  options.pipelined = true;
  options.measure_overlap = false;
  FakeDatabase db(options);
  fiber::Event publishes, exclusive_asked;
  db.on_publish = [&](SequenceNumber) {
    publishes.set();
    (void)exclusive_asked.wait_until(fiber::deadline_after(20'000'000));
  };
  fiber::Thread writer("write", [&] { ASSERT_TRUE(db.Put("a", "1").ok()); });
  publishes.wait();
  {
    CommitQueue::Exclusive exclusive(db.queue());
    EXPECT_EQ(db.published(), 1u);
  }
  writer.join();
}

TEST(CommitQueueTest, AFailedSyncBehindAGroupUnderWayFailsOnlyItsOwnGroup) {
  FakeDatabase db;
  fiber::Event first_publishes, second_failed;
  std::atomic<int> syncs{0};
  db.on_sync = [&] { return ++syncs == 1 ? IOStatus::OK() : IOStatus::IOError("sync"); };
  db.on_publish = [&](SequenceNumber) {
    first_publishes.set();
    EXPECT_TRUE(second_failed.wait_until(FarDeadline()));
  };
  WriteOptions sync;
  sync.sync = true;
  fiber::Thread first("first", [&] { EXPECT_TRUE(db.Put("a", "1", sync).ok()); });
  first_publishes.wait();
  EXPECT_TRUE(db.Put("b", "2", sync).IsIOError());
  second_failed.set();
  first.join();
  EXPECT_EQ(db.published(), 1u);
  EXPECT_EQ(db.entries(), 1u);
  EXPECT_EQ(db.errors, 1);
}

// In virtual time: a sync takes 10 ms, coming back with the next write no time worth mentioning.
TEST(CommitQueueTest, ASyncGroupWaitsForThoseThatWereJustWoken) {
  constexpr int kWriters = 6;
  constexpr int kWrites = 30;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    int syncs = 0;
    const auto result = fiber::Simulation(seed).run([&syncs] {
      FakeDatabase db;
      db.on_sync = [] {
        fiber::sleep_for(10'000'000);
        return IOStatus::OK();
      };
      {
        std::vector<fiber::Thread> writers;
        for (int w = 0; w < kWriters; ++w) {
          writers.emplace_back("write", [&db, w] {
            WriteOptions sync;
            sync.sync = true;
            for (int i = 0; i < kWrites; ++i) {
              ASSERT_TRUE(db.Put(std::to_string(w), std::to_string(i), sync).ok());
            }
          });
        }
        for (fiber::Thread& writer : writers) writer.join();
      }
      syncs = db.syncs;
    });
    EXPECT_TRUE(result.ok()) << result.report;
    // Without the wait every second sync serves one writer: twice as many.
    EXPECT_LE(syncs, kWrites * 3 / 2);
  }
}

struct StressOptions {
  uint32_t parallel_min_entries = 64;
  bool measure_insertion = true;
  int threads = 3;
  int fibers = 12;
  int workers = 2;
  int writes = 400;
  int max_batch = 4;
  bool pipelined = false;
  bool measure_overlap = true;
};

// Writers on threads and fibers at once, of all kinds; readers check that what is published is
// there, whole batches only.
void Stress(const StressOptions& o) {
  const uint64_t seed = fiber::random_u64();
  SCOPED_TRACE("seed " + std::to_string(seed));
  CommitOptions options;
  options.parallel_insert_min_entries = o.parallel_min_entries;
  options.measure_insertion = o.measure_insertion;
  options.pipelined = o.pipelined;
  options.measure_overlap = o.measure_overlap;
  FakeDatabase db(options);
  std::atomic<bool> done{false};
  std::atomic<uint64_t> total{0};

  // Each writer rewrites its own `max_batch` keys to one number per batch: a batch seen in part
  // shows two numbers.
  const auto key_of = [](int writer, int i) {
    return std::to_string(writer) + "/" + std::to_string(i);
  };
  const auto write_all = [&](int writer) {
    Random64 random(seed + writer);
    uint64_t last_seq = 0;
    for (int n = 0; n < o.writes; ++n) {
      WriteBatch batch;
      for (int i = 0; i < o.max_batch; ++i) {
        ASSERT_TRUE(batch.Put(key_of(writer, i), std::to_string(n)).ok());
      }
      WriteOptions write_options;
      write_options.sync = random.OneIn(20);
      write_options.no_slowdown = random.OneIn(15);
      uint64_t seq = 0;
      ASSERT_TRUE(db.queue()->Write(write_options, &batch, &seq).ok());
      ASSERT_GT(seq, last_seq);
      ASSERT_GE(db.published(), seq + o.max_batch - 1);
      last_seq = seq;
      total += o.max_batch;
      const int i = static_cast<int>(random.Uniform(o.max_batch));
      ASSERT_EQ(db.Get(key_of(writer, i), db.published()), std::to_string(n))
          << "reads its own write";
      if (random.OneIn(50)) CommitQueue::Exclusive exclusive(db.queue());
    }
  };
  const int writers = o.threads + o.fibers;
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  for (int t = 0; t < o.threads; ++t) {
    threads.push_back(std::make_unique<fiber::Thread>("write", [&, t] { write_all(t); }));
  }
  fiber::Thread reader("read", [&] {
    Random64 random(seed ^ 1);
    while (!done.load(std::memory_order_acquire)) {
      const SequenceNumber snapshot = db.published();
      const int w = static_cast<int>(random.Uniform(writers));
      const std::string first = db.Get(key_of(w, 0), snapshot);
      for (int i = 1; i < o.max_batch; ++i) ASSERT_EQ(db.Get(key_of(w, i), snapshot), first);
      fiber::yield();
    }
  });
  {
    fiber::Runtime runtime({.workers = o.workers});
    std::vector<fiber::JoinHandle> handles;
    for (int f = 0; f < o.fibers; ++f) {
      handles.push_back(runtime.spawn([&, f] { write_all(o.threads + f); }));
    }
    handles.clear();
  }
  for (auto& t : threads) t->join();
  done.store(true, std::memory_order_release);
  reader.join();

  EXPECT_EQ(db.published(), total.load());
  EXPECT_EQ(db.entries(), total.load());
  const auto replayed = Replay(db.log);
  EXPECT_EQ(replayed.size(), static_cast<size_t>(writers * o.max_batch));
  for (const auto& [key, value] : replayed) EXPECT_EQ(value, std::to_string(o.writes - 1));
}

TEST(CommitQueueStressTest, ThreadsAndFibers) { Stress({}); }
TEST(CommitQueueStressTest, ParallelInsertion) {
  Stress({.parallel_min_entries = 1,
          .measure_insertion = false,
          .threads = 4,
          .fibers = 8,
          .writes = 400});
}
TEST(CommitQueueStressTest, InsertionByMeasurement) {
  Stress({.parallel_min_entries = 1, .threads = 4, .fibers = 8, .writes = 400});
}
TEST(CommitQueueStressTest, Pipelined) { Stress({.pipelined = true, .measure_overlap = false}); }
TEST(CommitQueueStressTest, PipelinedByMeasurement) {
  Stress({.max_batch = 50, .pipelined = true});
}
TEST(CommitQueueStressTest, PipelinedWithParallelInsertion) {
  Stress({.parallel_min_entries = 1,
          .measure_insertion = false,
          .threads = 4,
          .fibers = 8,
          .pipelined = true,
          .measure_overlap = false});
}
TEST(CommitQueueStressTest, ThreadsOnly) {
  Stress({.threads = 6, .fibers = 0, .workers = 1, .writes = 500});
}
TEST(CommitQueueStressTest, ManyFibersOnOneWorker) {
  Stress({.parallel_min_entries = 1,
          .measure_insertion = false,
          .threads = 0,
          .fibers = 50,
          .workers = 1,
          .writes = 100});
}

}  // namespace
}  // namespace cairn
