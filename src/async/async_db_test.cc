// AsyncDB: the answers are the database's, in every form; what is in flight overlaps, is bounded,
// and can be cancelled anywhere.
#include "cairn/async.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "db/testing/db_fixture.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "read/testing/slow_disk.h"

namespace cairn::async {
namespace {

using rocksdb::ReadOptions;
using rocksdb::WriteOptions;
using testing::Key;
using testing::Value;

constexpr uint64_t kMillis = 1'000'000;  // nanoseconds

std::chrono::microseconds In(int64_t micros) {
  return std::chrono::microseconds(static_cast<int64_t>(fiber::wall_micros()) + micros);
}

std::unique_ptr<AsyncDB> Make(rocksdb::DB* db, const Options& options = {}) {
  std::unique_ptr<AsyncDB> async;
  const Status s = AsyncDB::Create(db, options, &async);
  EXPECT_TRUE(s.ok()) << s.ToString();
  return async;
}

// A coroutine that runs by itself and frees itself.
struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::abort(); }
  };
};

// A user's executor: one thread that takes tasks in order.
class Loop {
 public:
  ~Loop() {
    Post([this] { ended_ = true; });
    thread_.join();
  }
  void Post(std::function<void()> task) {
    fiber::MutexLock lock(&mu_);
    tasks_.push_back(std::move(task));
    ++posted_;
    some_.notify_one();
  }
  Executor executor() {
    return [this](std::function<void()> task) { Post(std::move(task)); };
  }
  int posted() {
    fiber::MutexLock lock(&mu_);
    return posted_;
  }

 private:
  void Run() {
    while (!ended_) {
      std::function<void()> task;
      {
        fiber::MutexLock lock(&mu_);
        while (tasks_.empty()) some_.wait(&mu_);
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  fiber::Mutex mu_;
  fiber::CondVar some_;
  std::deque<std::function<void()>> tasks_;
  int posted_ = 0;
  bool ended_ = false;  // the loop's thread only
  fiber::Thread thread_{"loop", [this] { Run(); }};
};

// ---- On a disk in memory, real threads

class AsyncDbTest : public testing::DbTest {};

TEST_F(AsyncDbTest, EveryFormAgreesWithTheDatabase) {
  Open();
  Loop loop;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    Options options;
    options.workers = 2;
    if (seed == 2) options.executor = loop.executor();
    const std::unique_ptr<AsyncDB> async = Make(db_.get(), options);
    Random64 random(seed);
    std::map<std::string, std::string> model;
    for (uint64_t i = 0; i < 300; ++i) {
      ASSERT_TRUE(async->Delete(WriteOptions(), Key(i)).Future().get().ok());
    }
    for (int step = 0; step < 1500; ++step) {
      const std::string key = Key(random.Uniform(300));
      switch (random.Uniform(8)) {
        case 0:
        case 1: {
          const std::string value = Value(static_cast<uint64_t>(step), random.Uniform(600));
          ASSERT_TRUE(async->Put(WriteOptions(), key, value).Future().get().ok());
          model[key] = value;
          break;
        }
        case 2: {
          rocksdb::WriteBatch batch;
          const std::string other = Key(random.Uniform(300));
          ASSERT_TRUE(batch.Put(key, "batch").ok());
          ASSERT_TRUE(batch.Delete(other).ok());
          ASSERT_TRUE(async->Write(WriteOptions(), std::move(batch)).Future().get().ok());
          model[key] = "batch";
          model.erase(other);
          break;
        }
        case 3:
          if (random.OneIn(20)) {
            ASSERT_TRUE(async->Flush(rocksdb::FlushOptions()).Future().get().ok());
          }
          break;
        case 4: {
          GetResult got = async->Get(ReadOptions(), key).Future().get();
          const auto it = model.find(key);
          ASSERT_EQ(it != model.end(), got.status.ok()) << got.status.ToString();
          if (got.status.ok()) {
            ASSERT_EQ(it->second, got.value.ToString());
          }
          break;
        }
        case 5: {
          std::vector<std::string> keys;
          for (int i = 0; i < 8; ++i) keys.push_back(Key(random.Uniform(320)));
          fiber::Event over;
          MultiGetResult result;
          async->MultiGet(ReadOptions(), keys).Then([&](MultiGetResult r) {
            result = std::move(r);
            over.set();
          });
          over.wait();
          for (size_t i = 0; i < keys.size(); ++i) {
            const auto it = model.find(keys[i]);
            ASSERT_EQ(it != model.end(), result.statuses[i].ok());
            if (it != model.end()) {
              ASSERT_EQ(it->second, result.values[i].ToString());
            }
          }
          break;
        }
        case 6: {
          const std::unique_ptr<AsyncIterator> iterator = async->NewIterator(ReadOptions());
          auto it = model.lower_bound(key);
          Position at = iterator->Seek(key).Future().get();
          for (int i = 0; i < 5; ++i) {
            ASSERT_TRUE(at.status.ok());
            ASSERT_EQ(it != model.end(), at.valid);
            if (!at.valid) break;
            ASSERT_EQ(it->first, at.key);
            ASSERT_EQ(it->second, at.value);
            ++it;
            at = iterator->Next().Future().get();
          }
          break;
        }
        default: {
          const std::unique_ptr<AsyncIterator> iterator = async->NewIterator(ReadOptions());
          std::map<std::string, std::string> all;
          Entries part;
          do {
            part = iterator->Collect(1 + random.Uniform(100)).Future().get();
            ASSERT_TRUE(part.status.ok()) << part.status.ToString();
            all.insert(part.entries.begin(), part.entries.end());
          } while (!part.at_end);
          ASSERT_EQ(model, all);
        }
      }
    }
    EXPECT_TRUE(async->Close().ok());
    EXPECT_EQ(0u, async->in_flight());
  }
}

TEST_F(AsyncDbTest, IteratorsGoBothWays) {
  Open();
  const std::unique_ptr<AsyncDB> async = Make(db_.get());
  for (uint64_t i = 0; i < 10; ++i) ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), "v").ok());
  const std::unique_ptr<AsyncIterator> it = async->NewIterator(ReadOptions());
  EXPECT_TRUE(it->Next().Future().get().status.IsInvalidArgument());
  EXPECT_EQ(Key(9), it->SeekToLast().Future().get().key);
  EXPECT_EQ(Key(8), it->Prev().Future().get().key);
  EXPECT_EQ(Key(9), it->Next().Future().get().key);
  const Position end = it->Next().Future().get();
  EXPECT_TRUE(end.status.ok());
  EXPECT_FALSE(end.valid);
  EXPECT_EQ(Key(4), it->SeekForPrev(Key(4) + "x").Future().get().key);
  EXPECT_EQ(Key(0), it->SeekToFirst().Future().get().key);
  const Entries two = it->Collect(100, /*max_bytes=*/2 * (Key(0).size() + 1)).Future().get();
  EXPECT_EQ(2u, two.entries.size());
  EXPECT_FALSE(two.at_end);
  EXPECT_EQ(1u, it->Collect(100, /*max_bytes=*/0).Future().get().entries.size());
  const Entries rest = it->Collect(100).Future().get();
  EXPECT_EQ(7u, rest.entries.size());
  EXPECT_EQ(Key(3), rest.entries[0].first);
  EXPECT_TRUE(rest.at_end);
}

TEST_F(AsyncDbTest, WhatMemoryAnswersIsAnsweredInTheCall) {
  Open();
  ASSERT_TRUE(db_->Put(WriteOptions(), "a", "1").ok());
  const std::unique_ptr<AsyncDB> async = Make(db_.get());
  const uint64_t here = fiber::current_thread_id();
  int calls = 0;
  async->Get(ReadOptions(), "a").Then([&](GetResult got) {
    EXPECT_EQ(here, fiber::current_thread_id());
    EXPECT_EQ("1", got.value.ToString());
    ++calls;
  });
  EXPECT_EQ(1, calls);
  async->MultiGet(ReadOptions(), {"a", "b"}).Then([&](MultiGetResult got) {
    EXPECT_TRUE(got.statuses[0].ok());
    EXPECT_TRUE(got.statuses[1].IsNotFound());
    ++calls;
  });
  EXPECT_EQ(2, calls);
  // A coroutine does not suspend for it, whatever its executor.
  Loop loop;
  [](AsyncDB* db, Executor executor, int* count) -> Detached {
    Call call;
    call.executor = std::move(executor);
    const GetResult got = co_await db->Get(ReadOptions(), "a", std::move(call));
    EXPECT_TRUE(got.status.ok());
    ++*count;
  }(async.get(), loop.executor(), &calls);
  EXPECT_EQ(3, calls);
  EXPECT_EQ(0, loop.posted());
}

Detached ReadAndWrite(AsyncDB* db, Executor executor, uint64_t thread, int number, int* failures,
                      fiber::Latch* over) {
  Call call;
  call.executor = executor;
  auto check = [&](bool good) { *failures += !good || fiber::current_thread_id() != thread; };
  for (int i = 0; i < 20; ++i) {
    const std::string key = Key(static_cast<uint64_t>(number * 100 + i));
    const Status put = co_await db->Put(WriteOptions(), key, "x" + key, call);
    check(put.ok());
    const GetResult got = co_await db->Get(ReadOptions(), key, call);
    check(got.status.ok() && got.value.ToString() == "x" + key);
    const std::unique_ptr<AsyncIterator> it = db->NewIterator(ReadOptions());
    const Position at = co_await it->Seek(key, call);
    check(at.valid && at.key == key);
    std::vector<std::string> keys;
    keys.push_back(key);
    const MultiGetResult many = co_await db->MultiGet(ReadOptions(), std::move(keys), call);
    check(many.statuses[0].ok());
  }
  const Status flushed = co_await db->Flush(rocksdb::FlushOptions(), call);
  check(flushed.ok());
  over->count_down();
}

TEST_F(AsyncDbTest, CoroutinesStayOnTheirSingleThread) {
  Open();
  Options options;
  options.workers = 2;
  const std::unique_ptr<AsyncDB> async = Make(db_.get(), options);
  constexpr int kCoroutines = 20;
  int failures = 0;  // the loop's thread only
  fiber::Latch over(kCoroutines);
  {
    Loop loop;
    for (int i = 0; i < kCoroutines; ++i) {
      loop.Post([&, i] {
        ReadAndWrite(async.get(), loop.executor(), fiber::current_thread_id(), i, &failures, &over);
      });
    }
    over.wait();
  }
  EXPECT_EQ(0, failures);
}

TEST_F(AsyncDbTest, CoroutinesWithoutAnExecutorGoOnOnWorkers) {
  Open();
  const std::unique_ptr<AsyncDB> async = Make(db_.get());
  fiber::Event over;
  [](AsyncDB* db, fiber::Event* event) -> Detached {
    const Status put = co_await db->Put(WriteOptions(), "a", "1");
    EXPECT_TRUE(put.ok());
    EXPECT_TRUE(fiber::in_fiber());
    const Status again = co_await db->Put(WriteOptions(), "a", "2");
    EXPECT_TRUE(again.ok());
    // Closing from here would wait for itself.
    EXPECT_TRUE(db->Close().IsInvalidArgument());
    event->set();
  }(async.get(), &over);
  over.wait();
  EXPECT_TRUE(async->Close().ok());
}

TEST_F(AsyncDbTest, ACoroutineMayBeDestroyedWhileItWaits) {
  Open();
  struct Owned {
    struct promise_type {
      Owned get_return_object() {
        return {std::coroutine_handle<promise_type>::from_promise(*this)};
      }
      std::suspend_never initial_suspend() { return {}; }
      std::suspend_always final_suspend() noexcept { return {}; }
      void return_void() {}
      void unhandled_exception() { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
  };
  const std::unique_ptr<AsyncDB> async = Make(db_.get());
  Loop loop;
  fiber::Latch over(100);
  int resumed = 0;  // the loop's thread only
  for (int i = 0; i < 100; ++i) {
    loop.Post([&] {
      const Owned it = [](AsyncDB* db, Executor executor, int* count) -> Owned {
        Call call;
        call.executor = std::move(executor);
        const Status put = co_await db->Put(WriteOptions(), "a", "1", std::move(call));
        EXPECT_TRUE(put.ok());
        ++*count;
      }(async.get(), loop.executor(), &resumed);
      it.handle.destroy();  // its resumption may be on the way already
      over.count_down();
    });
  }
  over.wait();
  EXPECT_TRUE(async->Close().ok());
  fiber::Event drained;
  loop.Post([&] { drained.set(); });
  drained.wait();
  EXPECT_EQ(0, resumed);
}

TEST_F(AsyncDbTest, ClosedAndBadArguments) {
  Open();
  std::unique_ptr<AsyncDB> async;
  Options options;
  EXPECT_TRUE(AsyncDB::Create(nullptr, options, &async).IsInvalidArgument());
  options.max_in_flight = 0;
  EXPECT_TRUE(AsyncDB::Create(db_.get(), options, &async).IsInvalidArgument());
  options.max_in_flight = 1;
  options.workers = 5000;
  EXPECT_TRUE(AsyncDB::Create(db_.get(), options, &async).IsInvalidArgument());
  async = Make(db_.get());
  auto late = async->Get(ReadOptions(), "a");
  EXPECT_TRUE(async->Close().ok());
  EXPECT_TRUE(async->Close(AsyncDB::InFlight::kCancel).ok());
  EXPECT_TRUE(std::move(late).Future().get().status.IsShutdownInProgress());
  EXPECT_TRUE(async->Put(WriteOptions(), "a", "1").Future().get().IsShutdownInProgress());
  std::vector<std::string> keys = {"a", "b"};
  const MultiGetResult many = async->MultiGet(ReadOptions(), keys).Future().get();
  ASSERT_EQ(2u, many.statuses.size());
  EXPECT_TRUE(many.statuses[1].IsShutdownInProgress());
}

TEST_F(AsyncDbTest, RefusedBeforeItBegins) {
  Open();
  ASSERT_TRUE(db_->Put(WriteOptions(), "a", "1").ok());
  const std::unique_ptr<AsyncDB> async = Make(db_.get());
  std::stop_source source;
  source.request_stop();
  Call stopped;
  stopped.stop = source.get_token();
  EXPECT_TRUE(async->Get(ReadOptions(), "a", stopped).Future().get().status.IsAborted());
  EXPECT_TRUE(async->Put(WriteOptions(), "b", "1", stopped).Future().get().IsAborted());
  Call late;
  late.deadline = In(-1);
  EXPECT_TRUE(async->Get(ReadOptions(), "a", late).Future().get().status.IsTimedOut());
  EXPECT_TRUE(async->Put(WriteOptions(), "b", "1", late).Future().get().IsTimedOut());
  GetResult none = async->Get(ReadOptions(), "b").Future().get();
  EXPECT_TRUE(none.status.IsNotFound());
}

// Requests to stop from other threads, at any moment.
TEST_F(AsyncDbTest, StopsRaceWithEnds) {
  Open();
  for (uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(db_->Put(WriteOptions(), Key(i), Value(i, 200)).ok());
  }
  Options options;
  options.workers = 2;
  const std::unique_ptr<AsyncDB> async = Make(db_.get(), options);
  constexpr int kRounds = 500;
  std::atomic<int> delivered{0}, bad{0};
  std::vector<std::stop_source> sources(kRounds);
  fiber::Thread stopper("stopper", [&] {
    Random64 random(9);
    for (std::stop_source& source : sources) {
      source.request_stop();
      if (random.OneIn(4)) fiber::yield();
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    Call call;
    call.stop = sources[static_cast<size_t>(i)].get_token();
    async->Put(WriteOptions(), Key(7), "new", std::move(call)).Then([&](const Status& s) {
      bad += !s.ok() && !s.IsAborted();
      ++delivered;
    });
  }
  stopper.join();
  EXPECT_TRUE(async->Close().ok());
  EXPECT_EQ(kRounds, delivered.load());
  EXPECT_EQ(0, bad.load());
}

// ---- On a slow disk, in simulated time

// A database of a few hundred blocks, none of them cached.
struct SlowDb {
  static constexpr uint64_t kKeys = 2000;

  SlowDb() {
    rocksdb::Options options;
    options.env = env.get();
    options.create_if_missing = true;
    options.compression = rocksdb::kNoCompression;
    options.disable_auto_compactions = true;
    rocksdb::BlockBasedTableOptions table;
    table.no_block_cache = true;
    table.block_size = 256;
    options.table_factory.reset(NewBlockBasedTableFactory(table));
    const Status s = rocksdb::DB::Open(options, "/db", &db);
    EXPECT_TRUE(s.ok()) << s.ToString();
    for (uint64_t i = 0; i < kKeys; ++i) {
      EXPECT_TRUE(db->Put(WriteOptions(), Key(i), Value(i, 200)).ok());
    }
    EXPECT_TRUE(db->Flush(rocksdb::FlushOptions()).ok());
    std::string value;
    EXPECT_TRUE(db->Get(ReadOptions(), Key(0), &value).ok());  // the table is open
    disk->ResetCounts();
  }
  void Hang() {
    std::vector<std::string> names;
    EXPECT_TRUE(disk->GetChildren("/db", rocksdb::IOOptions(), &names, nullptr).ok());
    for (const std::string& name : names) disk->hung.insert("/db/" + name);
  }

  const std::shared_ptr<SlowDisk> disk = std::make_shared<SlowDisk>();
  const std::unique_ptr<rocksdb::Env> env = NewCompositeEnv(disk);
  std::unique_ptr<rocksdb::DB> db;
};

void Simulate(uint64_t seeds, const std::function<void(uint64_t seed)>& body) {
  for (uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const fiber::SimulationResult result = fiber::Simulation(seed).run([&] { body(seed); });
    ASSERT_TRUE(result.ok()) << result.report;
  }
}

TEST(AsyncDbSimulation, ThousandsInFlightOverlapOnTwoWorkers) {
  Simulate(3, [](uint64_t) {
    SlowDb slow;
    Options options;
    options.workers = 2;
    const std::unique_ptr<AsyncDB> async = Make(slow.db.get(), options);
    uint64_t good = 0;
    for (uint64_t i = 0; i < SlowDb::kKeys; ++i) {
      async->Get(ReadOptions(), Key(i)).Then([&good, i](const GetResult& got) {
        good += got.status.ok() && got.value.ToString() == Value(i, 200);
      });
    }
    EXPECT_TRUE(async->Close().ok());
    EXPECT_EQ(SlowDb::kKeys, good);
    EXPECT_EQ(SlowDb::kKeys, static_cast<uint64_t>(slow.disk->reads));
    EXPECT_GT(slow.disk->most_at_once, 1000);
  });
}

TEST(AsyncDbSimulation, BackPressureHoldsTheCaller) {
  Simulate(5, [](uint64_t) {
    SlowDb slow;
    Options options;
    options.workers = 2;
    options.max_in_flight = 4;
    const std::unique_ptr<AsyncDB> async = Make(slow.db.get(), options);
    int good = 0;
    for (uint64_t i = 0; i < 40; ++i) {
      async->Get(ReadOptions(), Key(i * 10)).Then([&](const GetResult& got) {
        good += got.status.ok();
        // A callback may ask for more, also when there is no place left.
        async->Get(ReadOptions(), Key(3)).Then([&](const GetResult& more) {
          good += more.status.ok();
        });
      });
    }
    while (good < 80) fiber::sleep_for(kMillis);
    EXPECT_LE(slow.disk->most_at_once, 4);
    // Nobody waits longer than the deadline for a place.
    slow.Hang();
    for (int i = 0; i < 4; ++i) async->Get(ReadOptions(), Key(5)).Then([](const GetResult&) {});
    Call call;
    call.deadline = In(2000);
    bool late = false;
    async->Get(ReadOptions(), Key(6), call).Then([&](const GetResult& got) {
      late = got.status.IsTimedOut();
    });
    EXPECT_TRUE(late);
    EXPECT_TRUE(async->Close(AsyncDB::InFlight::kCancel).ok());
  });
}

TEST(AsyncDbSimulation, OrItIsBusy) {
  Simulate(5, [](uint64_t) {
    SlowDb slow;
    slow.Hang();
    EXPECT_TRUE(slow.db->Put(WriteOptions(), "memory", "1").ok());
    Options options;
    options.max_in_flight = 3;
    options.when_full = WhenFull::kBusy;
    const std::unique_ptr<AsyncDB> async = Make(slow.db.get(), options);
    int aborted = 0, busy = 0;
    for (uint64_t i = 0; i < 5; ++i) {
      async->Get(ReadOptions(), Key(i)).Then([&](const GetResult& got) {
        aborted += got.status.IsAborted();
        busy += got.status.IsBusy();
      });
    }
    EXPECT_EQ(2, busy);
    EXPECT_EQ(3u, async->in_flight());
    bool found = false;
    async->Get(ReadOptions(), "memory").Then([&](const GetResult& got) {
      found = got.status.ok();
    });
    EXPECT_TRUE(found);  // it needs no place
    EXPECT_TRUE(async->Close(AsyncDB::InFlight::kCancel).ok());
    EXPECT_EQ(3, aborted);
  });
}

TEST(AsyncDbSimulation, ClosingWaitsForWhatIsInFlightOrCancelsIt) {
  Simulate(10, [](uint64_t seed) {
    const bool cancel = seed % 2 == 0;
    SlowDb slow;
    Options options;
    options.workers = 2;
    const std::unique_ptr<AsyncDB> async = Make(slow.db.get(), options);
    const std::unique_ptr<AsyncIterator> it = async->NewIterator(ReadOptions());
    const uint64_t start = fiber::now_nanos();
    int ok = 0, aborted = 0;
    uint64_t last = 0;
    auto note = [&](const Status& s) {
      ok += s.ok();
      aborted += s.IsAborted();
      last = fiber::now_nanos() - start;
    };
    for (uint64_t i = 0; i < 50; ++i) {
      async->Get(ReadOptions(), Key(i * 7)).Then([&](const GetResult& r) { note(r.status); });
    }
    it->Collect(1000).Then([&](const Entries& r) { note(r.status); });
    async->Put(WriteOptions(), "a", "1").Then([&](const Status& s) {
      EXPECT_TRUE(s.ok() || s.IsAborted());
    });
    EXPECT_TRUE(async->Close(cancel ? AsyncDB::InFlight::kCancel : AsyncDB::InFlight::kWait).ok());
    EXPECT_EQ(51, ok + aborted);
    if (cancel) {
      EXPECT_GT(aborted, 0);
    } else {
      EXPECT_EQ(51, ok);
    }
    EXPECT_EQ(0u, async->in_flight());
  });
}

TEST(AsyncDbSimulation, DeadlinesEndEveryKindOfWait) {
  Simulate(10, [](uint64_t) {
    SlowDb slow;
    slow.Hang();
    Options options;
    options.workers = 2;
    const std::unique_ptr<AsyncDB> async = Make(slow.db.get(), options);
    const std::unique_ptr<AsyncIterator> it = async->NewIterator(ReadOptions());
    Call call;
    call.deadline = In(5000);
    const uint64_t start = fiber::now_nanos();
    int late = 0;
    auto note = [&](const Status& s) {
      EXPECT_TRUE(s.IsTimedOut()) << s.ToString();
      EXPECT_GE(fiber::now_nanos() - start, 5 * kMillis - 2000);
      EXPECT_LE(fiber::now_nanos() - start, 6 * kMillis);
      ++late;
    };
    async->Get(ReadOptions(), Key(1), call).Then([&](const GetResult& r) { note(r.status); });
    std::vector<std::string> keys = {Key(1), Key(900)};
    async->MultiGet(ReadOptions(), keys, call).Then([&](const MultiGetResult& r) {
      note(r.statuses[0]);
      EXPECT_TRUE(r.statuses[1].IsTimedOut());
    });
    it->SeekToFirst(call).Then([&](const Position& r) { note(r.status); });
    while (late < 3) fiber::sleep_for(kMillis / 10);
    EXPECT_LE(fiber::now_nanos() - start, 6 * kMillis);
    // The next movement of the iterator waits for the one that hangs, and can be late, too.
    call.deadline = In(1000);
    bool over = false;
    it->SeekToFirst(call).Then([&](const Position& r) { over = r.status.IsTimedOut(); });
    fiber::sleep_for(2 * kMillis);
    EXPECT_TRUE(over);
    slow.disk->hung.clear();
    EXPECT_TRUE(async->Close().ok());
  });
}

// Operations of every kind, some stopped and some late at times drawn from the seed.
TEST(AsyncDbSimulation, CancellingIsSafeAtAnyPoint) {
  Simulate(40, [](uint64_t seed) {
    SlowDb slow;
    Options options;
    options.workers = 2;
    options.max_in_flight = 16;
    const std::unique_ptr<AsyncDB> async = Make(slow.db.get(), options);
    constexpr int kClients = 6;
    int asked = 0, answered = 0, ok = 0;
    auto client = [&](uint64_t who) {
      Random64 random(seed * 100 + who);
      std::unique_ptr<AsyncIterator> it = async->NewIterator(ReadOptions());
      for (int step = 0; step < 12; ++step) {
        std::stop_source source;
        Call call;
        if (!random.OneIn(4)) call.stop = source.get_token();
        if (random.OneIn(4)) call.deadline = In(static_cast<int64_t>(random.Uniform(3000)));
        ++asked;
        auto note = [&](const Status& s) {
          ++answered;
          ok += s.ok();
          EXPECT_TRUE(s.ok() || s.IsAborted() || s.IsTimedOut()) << s.ToString();
        };
        const uint64_t i = random.Uniform(SlowDb::kKeys);
        switch (random.Uniform(6)) {
          case 0:
            async->Put(WriteOptions(), "new" + Key(i), "1", call).Then(note);
            break;
          case 1: {
            std::vector<std::string> keys = {Key(i), Key((i + 500) % SlowDb::kKeys)};
            ReadOptions read;
            read.async_io = random.OneIn(2);
            async->MultiGet(read, keys, call).Then([&, note, i](const MultiGetResult& r) {
              note(r.statuses[0]);
              if (r.statuses[0].ok()) {
                EXPECT_EQ(Value(i, 200), r.values[0].ToString());
              }
            });
            break;
          }
          case 2:
            it->Seek(Key(i), call).Then([&, note, i](const Position& r) {
              note(r.status);
              if (r.status.ok()) {
                EXPECT_EQ(Key(i), r.key);
              }
            });
            break;
          case 3:
            it->Collect(20, 10000, call).Then([&, note](const Entries& r) { note(r.status); });
            break;
          case 4:
            if (random.OneIn(5)) {
              it = async->NewIterator(ReadOptions());
            }
            [[fallthrough]];
          default:
            async->Get(ReadOptions(), Key(i), call).Then([&, note, i](const GetResult& r) {
              note(r.status);
              if (r.status.ok()) {
                EXPECT_EQ(Value(i, 200), r.value.ToString());
              }
            });
        }
        fiber::sleep_for(random.Uniform(2 * kMillis));
        source.request_stop();
      }
    };
    {
      fiber::Thread threads[kClients];
      for (uint64_t i = 0; i < kClients; ++i) {
        threads[i] = fiber::Thread("client", [&, i] { client(i); });
      }
      for (fiber::Thread& thread : threads) thread.join();
    }
    EXPECT_TRUE(
        async->Close(seed % 2 == 0 ? AsyncDB::InFlight::kCancel : AsyncDB::InFlight::kWait).ok());
    EXPECT_EQ(asked, answered);
    EXPECT_GT(ok, 0);
    EXPECT_EQ(0u, async->in_flight());
  });
}

}  // namespace
}  // namespace cairn::async
