// Writes that are inserted in no order (CommitOptions::unordered), without a database: who waits
// for whom, that nobody is inside where the memtables must stand still, and that all arrives.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"
#include "commit/commit_queue.h"
#include "commit/insertion_gate.h"
#include "commit/testing/fake_database.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/sync.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

using testing::FakeDatabase;

CommitOptions Unordered() {
  CommitOptions options;
  options.unordered = true;
  return options;
}

WriteOptions Unlogged() {
  WriteOptions options;
  options.disableWAL = true;
  return options;
}

// A wait that ends by this is a failure, not a matter of speed.
uint64_t LongEnough() { return fiber::deadline_after(60'000'000'000); }

TEST(UnorderedWritesTest, WhatIsNotLoggedPassesTheQueue) {
  FakeDatabase db(Unordered());
  fiber::Event appending, passed;
  db.on_append = [&](const Slice&) {
    appending.set();
    EXPECT_TRUE(passed.wait_until(LongEnough())) << "the unlogged write waited for the log";
    return IOStatus::OK();
  };
  fiber::Thread logged("logged", [&] {
    uint64_t seq = 0;
    ASSERT_TRUE(db.Put("logged", "1", {}, &seq).ok());
    EXPECT_EQ(seq, 1u);
  });
  appending.wait();
  uint64_t seq = 0;
  ASSERT_TRUE(db.Put("unlogged", "2", Unlogged(), &seq).ok());
  EXPECT_EQ(seq, 2u);
  EXPECT_EQ(db.Get("unlogged", 2), "2");
  EXPECT_EQ(db.Get("logged", 2), "ABSENT") << "it is published, but not inserted yet";
  passed.set();
  logged.join();
  EXPECT_EQ(db.Get("logged", 2), "1");
  EXPECT_EQ(db.groups, 1);
  const WriteCounters::Figures figures = db.queue()->counters();
  EXPECT_EQ(figures.writes, 2u);
  EXPECT_EQ(figures.keys, 2u);
  EXPECT_EQ(figures.wal_writes, 1u);
}

TEST(UnorderedWritesTest, WhatIsDueIsSeenToByALeader) {
  FakeDatabase db(Unordered());
  db.is_something_due = true;
  ASSERT_TRUE(db.Put("a", "1", Unlogged()).ok());
  EXPECT_EQ(db.groups, 1);
  db.is_something_due = false;
  ASSERT_TRUE(db.Put("a", "2", Unlogged()).ok());
  EXPECT_EQ(db.groups, 1);
  EXPECT_EQ(db.published(), 2u);
  EXPECT_EQ(db.Get("a", 2), "2");
}

// Holds up whoever compares the key "held", once.
class HoldingComparator final : public Comparator {
 public:
  const char* Name() const override { return "test.Holding"; }
  int Compare(const Slice& a, const Slice& b) const override {
    if ((a == "held" || b == "held") && !held_.exchange(true)) {
      arrived_.set();
      EXPECT_TRUE(go_on_.wait_until(LongEnough()));
    }
    return a.compare(b);
  }
  void FindShortestSeparator(std::string* /*start*/, const Slice& /*limit*/) const override {}
  void FindShortSuccessor(std::string* /*key*/) const override {}

  void WaitForArrival() const { arrived_.wait(); }
  void GoOn() const { go_on_.set(); }

 private:
  mutable std::atomic<bool> held_{false};
  mutable fiber::Event arrived_;
  mutable fiber::Event go_on_;
};

// A write whose insertion hangs until GoOn().
class HeldWrite {
 public:
  explicit HeldWrite(const WriteOptions& options = {}) {
    EXPECT_TRUE(db.Put("a", "first, so that there is something to compare with").ok());
    thread_ = std::make_unique<fiber::Thread>("held", [this, options] {
      EXPECT_TRUE(db.Put("held", "1", options).ok());
      is_done = true;
    });
    comparator_.WaitForArrival();
  }
  ~HeldWrite() {
    GoOn();
    EXPECT_EQ(db.Get("held", db.published()), "1");
  }
  void GoOn() {
    comparator_.GoOn();
    if (thread_ != nullptr) thread_->join();
    thread_ = nullptr;
  }
  // Lets `f` begin, and the held write go on a little later, however `f` gets on.
  void RunAcross(const std::function<void()>& f) {
    fiber::Event begins;
    fiber::Thread other("other", [&] {
      begins.set();
      f();
    });
    begins.wait();
    for (int i = 0; i < 100; ++i) fiber::yield();
    EXPECT_FALSE(is_done);
    GoOn();
    other.join();
  }

 private:
  HoldingComparator comparator_;

 public:
  FakeDatabase db{Unordered(), &comparator_};
  std::atomic<bool> is_done{false};

 private:
  std::unique_ptr<fiber::Thread> thread_;
};

TEST(UnorderedWritesTest, NobodyWaitsForTheInsertionOfOthers) {
  for (const WriteOptions& held : {WriteOptions(), Unlogged()}) {
    HeldWrite write(held);
    ASSERT_TRUE(write.db.Put("b", "2").ok());
    ASSERT_TRUE(write.db.Put("c", "3", Unlogged()).ok());
    EXPECT_EQ(write.db.Get("b", write.db.published()), "2");
    EXPECT_EQ(write.db.Get("c", write.db.published()), "3");
    EXPECT_EQ(write.db.Get("held", write.db.published()), "ABSENT");
    EXPECT_FALSE(write.is_done);
  }
}

TEST(UnorderedWritesTest, ExclusiveWaitsForThoseInside) {
  for (const WriteOptions& held : {WriteOptions(), Unlogged()}) {
    HeldWrite write(held);
    write.RunAcross([&] {
      CommitQueue::Exclusive exclusive(write.db.queue());
      EXPECT_EQ(write.db.entries(), write.db.published());
      EXPECT_EQ(write.db.Get("held", write.db.published()), "1");
    });
    ASSERT_TRUE(write.db.Put("z", "9", Unlogged()).ok()) << "the gate is open again";
  }
}

TEST(UnorderedWritesTest, DrainAndChecksAndHooksWaitForThoseInside) {
  {
    HeldWrite write;
    bool asked = false;
    write.db.on_prepare = [&](const WriteGroupInfo& info) {
      info.queue->Drain();
      EXPECT_EQ(write.db.entries(), write.db.published());
      asked = true;
      return Status::OK();
    };
    write.RunAcross([&] { EXPECT_TRUE(write.db.Put("b", "2").ok()); });
    EXPECT_TRUE(asked);
  }
  {
    HeldWrite write;
    bool asked = false;
    const CommitCheck check = [&] {
      EXPECT_EQ(write.db.entries(), write.db.published());
      asked = true;
      return Status::OK();
    };
    write.RunAcross([&] {
      WriteBatch batch;
      EXPECT_TRUE(batch.Put("b", "2").ok());
      EXPECT_TRUE(write.db.queue()->Write({}, &batch, nullptr, &check).ok());
    });
    EXPECT_TRUE(asked);
  }
  {
    HeldWrite write;
    SequenceNumber published = 0;
    const CommitHook hook = [&](SequenceNumber last) {
      published = last;
      EXPECT_EQ(write.db.entries(), last);
    };
    write.RunAcross([&] {
      WriteBatch batch;
      EXPECT_TRUE(batch.Put("b", "2").ok());
      EXPECT_TRUE(write.db.queue()->Write({}, &batch, nullptr, nullptr, nullptr, &hook).ok());
    });
    EXPECT_EQ(published, 3u);
  }
}

TEST(UnorderedWritesTest, AFailedLogOrCheckLeavesTheGateOpen) {
  FakeDatabase db(Unordered());
  const CommitCheck refuse = [] { return Status::Busy("no"); };
  WriteBatch batch;
  ASSERT_TRUE(batch.Put("b", "2").ok());
  EXPECT_TRUE(db.queue()->Write({}, &batch, nullptr, &refuse).IsBusy());
  db.on_prepare = [](const WriteGroupInfo& info) {
    info.queue->Drain();
    return Status::IOError("stopped");
  };
  EXPECT_TRUE(db.Put("a", "1").IsIOError());
  db.on_prepare = nullptr;
  db.on_append = [](const Slice&) { return IOStatus::NoSpace("full"); };
  EXPECT_TRUE(db.Put("a", "1").IsIOError());
  EXPECT_EQ(db.errors, 1);
  db.on_append = nullptr;
  EXPECT_EQ(db.entries(), 0u);
  const int groups = db.groups;
  ASSERT_TRUE(db.Put("a", "2", Unlogged()).ok());
  EXPECT_EQ(db.groups, groups) << "it passed the queue, so the gate is open";
  EXPECT_EQ(db.Get("a", db.published()), "2");
}

TEST(UnorderedWritesTest, AnUnappliableBatchIsReported) {
  for (const WriteOptions& options : {WriteOptions(), Unlogged()}) {
    FakeDatabase db(Unordered());
    WriteBatch blob;
    const Slice key("a"), value("b");
    const SliceParts value_parts(&value, 1);
    ASSERT_TRUE(WriteBatchInternal::AppendRecord(&blob, kTypeBlobIndex, 0, SliceParts(&key, 1),
                                                 &value_parts)
                    .ok());
    EXPECT_TRUE(db.queue()->Write(options, &blob).IsNotSupported());
    EXPECT_EQ(db.errors, 1);
  }
}

// Writers of all kinds, each of which finds what it wrote, while others want the memtables for
// themselves now and then.
void RunWriters(int threads, int fibers, int writes, uint64_t seed) {
  FakeDatabase db(Unordered());
  std::atomic<uint64_t> total{0};
  std::atomic<uint64_t> logged{0};
  const auto stands_still = [&db] { EXPECT_EQ(db.entries(), db.published()); };
  const CommitCheck check = [&] {
    stands_still();
    return Status::OK();
  };
  db.on_prepare = [&](const WriteGroupInfo& info) {
    if (info.leader_bytes % 5 == 0) {
      info.queue->Drain();
      stands_still();
    }
    return Status::OK();
  };
  const auto write_all = [&](int writer) {
    Random64 random(seed + static_cast<uint64_t>(writer));
    for (int n = 0; n < writes; ++n) {
      WriteBatch batch;
      const int entries = 1 + static_cast<int>(random.Uniform(4));
      const std::string value = std::to_string(n);
      for (int i = 0; i < entries; ++i) {
        ASSERT_TRUE(batch.Put(std::to_string(writer) + "/" + std::to_string(i), value).ok());
      }
      WriteOptions options;
      options.disableWAL = random.OneIn(3);
      options.sync = !options.disableWAL && random.OneIn(10);
      if (!options.disableWAL) logged += static_cast<uint64_t>(entries);
      uint64_t seq = 0;
      ASSERT_TRUE(
          db.queue()->Write(options, &batch, &seq, random.OneIn(30) ? &check : nullptr).ok());
      total += static_cast<uint64_t>(entries);
      ASSERT_GE(db.published(), seq + static_cast<uint64_t>(entries) - 1);
      ASSERT_EQ(db.Get(std::to_string(writer) + "/0", db.published()), value);
      if (random.OneIn(40)) {
        CommitQueue::Exclusive exclusive(db.queue());
        stands_still();
      }
    }
  };
  std::vector<std::unique_ptr<fiber::Thread>> all;
  for (int t = 0; t < threads; ++t) {
    all.push_back(std::make_unique<fiber::Thread>("write", [&, t] { write_all(t); }));
  }
  if (fibers > 0) {
    fiber::Runtime runtime({.workers = 2});
    std::vector<fiber::JoinHandle> handles;
    for (int f = 0; f < fibers; ++f) {
      handles.push_back(runtime.spawn([&, f] { write_all(threads + f); }));
    }
    handles.clear();
  }
  for (auto& thread : all) thread->join();
  EXPECT_EQ(db.published(), total.load());
  EXPECT_EQ(db.entries(), total.load());
  uint64_t in_log = 0;
  for (const std::string& record : db.log) in_log += BatchReader(record).count();
  EXPECT_EQ(in_log, logged.load());
  const WriteCounters::Figures figures = db.queue()->counters();
  EXPECT_EQ(figures.keys, total.load());
  EXPECT_EQ(figures.writes, static_cast<uint64_t>((threads + fibers) * writes));
}

TEST(UnorderedWritesTest, ThreadsAndFibers) {
  RunWriters(/*threads=*/4, /*fibers=*/12, /*writes=*/300, /*seed=*/1);
}

TEST(UnorderedWritesTest, WritersOfManySeeds) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    fiber::SimulationOptions options;
    options.seed = seed;
    options.interleave_stall_one_in = seed % 2 == 0 ? 20 : 0;
    const auto result = fiber::Simulation(options).run(
        [seed] { RunWriters(/*threads=*/3, /*fibers=*/3, /*writes=*/12, seed); });
    ASSERT_TRUE(result.ok()) << result.report;
  }
}

TEST(InsertionGateTest, NobodyIsInsideOfAClosedOne) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto result = fiber::Simulation(seed).run([] {
      InsertionGate gate;
      std::atomic<int> inside{0};
      int entered = 0, refused = 0;
      std::vector<std::unique_ptr<fiber::Thread>> threads;
      for (int t = 0; t < 3; ++t) {
        threads.push_back(std::make_unique<fiber::Thread>("enter", [&] {
          for (int i = 0; i < 20; ++i) {
            if (!gate.Enter()) {
              ++refused;
              fiber::yield();
              continue;
            }
            ++inside;
            ++entered;
            fiber::interleave();
            --inside;
            gate.Exit();
          }
        }));
      }
      for (int i = 0; i < 10; ++i) {
        gate.Close();
        EXPECT_EQ(inside, 0);
        gate.Close();
        EXPECT_EQ(inside, 0);
        gate.Open();
        fiber::yield();
      }
      for (auto& thread : threads) thread->join();
      EXPECT_EQ(entered + refused, 60);
      EXPECT_TRUE(gate.Enter());
      gate.Exit();
    });
    ASSERT_TRUE(result.ok()) << result.report;
  }
}

}  // namespace
}  // namespace cairn
