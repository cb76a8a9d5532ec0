// Mutex, SharedMutex, CondVar: semantics, and exclusion between fibers and plain threads on one
// object.
#include "fiber/mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <memory>

#include "fiber/random.h"
#include "fiber/sync.h"
#include "testing.h"

namespace fiber {
namespace {

using testing::far_deadline;
using testing::kMillisecond;
using testing::kScaleDown;
using testing::run_mixed;

TEST(MutexTest, TryLockFailsWhileHeldAndSucceedsAfter) {
  Mutex mutex;
  ASSERT_TRUE(mutex.try_lock());
  mutex.assert_held();
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(MutexTest, RelockableScope) {
  Mutex mutex;
  {
    MutexLock lock(&mutex);
    lock.unlock();
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
    lock.lock();
    EXPECT_FALSE(mutex.try_lock());
  }
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

struct Mix {
  int workers, fibers, threads;
};
class MixedTest : public ::testing::TestWithParam<Mix> {};
INSTANTIATE_TEST_SUITE_P(Mixes, MixedTest,
                         ::testing::Values(Mix{1, 0, 4}, Mix{1, 8, 0}, Mix{2, 8, 0}, Mix{1, 4, 1},
                                           Mix{2, 16, 4}, Mix{4, 100, 4}));

TEST_P(MixedTest, MutexCountsExactly) {
  const Mix mix = GetParam();
  const int total = 400000 / kScaleDown;
  const int contexts = mix.fibers + mix.threads;
  const int each = total / contexts;
  Mutex mutex;
  int64_t count = 0;
  run_mixed(mix.workers, mix.fibers, mix.threads, [&](int i) {
    for (int n = 0; n < each; n++) {
      if ((n + i) % 16 == 0) {
        while (!mutex.try_lock()) yield();
      } else {
        mutex.lock();
      }
      const int64_t before = count;
      if ((n + i) % 7 == 0) yield();  // a suspension inside the lock
      count = before + 1;
      mutex.unlock();
      if ((n + i) % 31 == 0) yield();
    }
  });
  EXPECT_EQ(count, int64_t{each} * contexts);
}

TEST_P(MixedTest, SharedMutexExcludesWritersAndCountsExactly) {
  const Mix mix = GetParam();
  const int contexts = mix.fibers + mix.threads;
  const int each = 100000 / kScaleDown / contexts;
  SharedMutex mutex;
  int64_t a = 0, b = 0;
  std::atomic<int64_t> writes{0};
  run_mixed(mix.workers, mix.fibers, mix.threads, [&](int i) {
    for (int n = 0; n < each; n++) {
      if ((n + i) % 4 == 0) {
        if ((n + i) % 12 == 0) {
          if (!mutex.try_lock()) continue;
        } else {
          mutex.lock();
        }
        a++;
        if ((n + i) % 7 == 0) yield();
        b++;
        writes++;
        mutex.unlock();
      } else {
        if ((n + i) % 5 == 0) {
          if (!mutex.try_lock_shared()) continue;
        } else {
          mutex.lock_shared();
        }
        EXPECT_EQ(a, b);
        if ((n + i) % 9 == 0) yield();
        EXPECT_EQ(a, b);
        mutex.unlock_shared();
      }
    }
  });
  EXPECT_EQ(a, writes.load());
  EXPECT_EQ(b, writes.load());
}

// Every item put is taken exactly once; a lost wake-up would hang.
TEST_P(MixedTest, CondVarQueueLosesNothing) {
  const Mix mix = GetParam();
  const int contexts = mix.fibers + mix.threads;
  const int producers = contexts / 2;
  const int each = 40000 / kScaleDown / producers;
  Mutex mutex;
  CondVar not_empty, not_full;
  std::deque<int> queue;
  int64_t put = 0, taken = 0;
  int producing = producers;
  run_mixed(mix.workers, mix.fibers, mix.threads, [&](int i) {
    if (i % 2 == 0 && i / 2 < producers) {
      for (int n = 0; n < each; n++) {
        MutexLock lock(&mutex);
        while (queue.size() >= 3) not_full.wait(&mutex);
        queue.push_back(n);
        put += n;
        not_empty.notify_one();
      }
      MutexLock lock(&mutex);
      if (--producing == 0) not_empty.notify_all();
    } else {
      for (;;) {
        MutexLock lock(&mutex);
        while (queue.empty() && producing > 0) {
          if (i % 3 == 0) {
            (void)not_empty.wait_until(&mutex, deadline_after(kMillisecond / 10));
          } else {
            not_empty.wait(&mutex);
          }
        }
        if (queue.empty()) return;
        taken += queue.front();
        queue.pop_front();
        not_full.notify_one();
      }
    }
  });
  EXPECT_EQ(put, taken);
  EXPECT_TRUE(queue.empty());
}

TEST(MutexTest, NobodyStarvesBehindOneThatRelocksAtOnce) {
  // One fiber takes the lock again the moment it lets go; the others get it all the same, within
  // milliseconds.
  Mutex mutex;
  std::atomic<bool> stop{false};
  run_mixed(2, 3, 1, [&](int i) {
    if (i == 0) {
      while (!stop) {
        mutex.lock();
        yield();
        mutex.unlock();
      }
      return;
    }
    for (int n = 0; n < 20; n++) {
      mutex.lock();
      mutex.unlock();
    }
    static std::atomic<int> done;
    if (++done % 3 == 0) stop = true;
  });
}

// A lock in memory that is freed by the next holder: an unlock that touched it after its release
// would be a use after free (ASan) or a race (TSan).
TEST(MutexTest, MayBeDestroyedByTheNextHolder) {
  struct Shared {
    Mutex mutex;
    int references = 0;
  };
  const int rounds = 20000 / kScaleDown;
  for (const bool with_fiber : {false, true}) {
    std::vector<Shared*> objects;
    for (int n = 0; n < rounds; n++) objects.push_back(new Shared{.references = 2});
    run_mixed(1, with_fiber ? 1 : 0, with_fiber ? 1 : 2, [&](int) {
      for (Shared* object : objects) {
        object->mutex.lock();
        const bool last = --object->references == 0;
        object->mutex.unlock();
        if (last) delete object;
      }
    });
  }
}

TEST(SharedMutexTest, ReadersShareWritersDoNot) {
  SharedMutex mutex;
  mutex.lock_shared();
  EXPECT_TRUE(mutex.try_lock_shared());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock_shared();
  mutex.unlock_shared();
  EXPECT_TRUE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock_shared());
  EXPECT_FALSE(mutex.try_lock());
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock_shared());
  mutex.unlock_shared();
}

TEST(SharedMutexTest, AWaitingWriterHoldsBackLaterReaders) {
  Runtime runtime;
  runtime.run([] {
    SharedMutex mutex;
    std::string order;
    mutex.lock_shared();
    JoinHandle writer = spawn([&] {
      WriterLock lock(&mutex);
      order += "w";
    });
    yield();
    EXPECT_FALSE(mutex.try_lock_shared());
    JoinHandle reader = spawn([&] {
      ReaderLock lock(&mutex);
      order += "r";
    });
    yield();
    EXPECT_EQ(order, "");
    mutex.unlock_shared();
    reader.join();
    writer.join();
    EXPECT_EQ(order, "wr");
  });
}

TEST(CondVarTest, TimesOutAndHoldsTheMutexAgain) {
  for (const bool on_fiber : {false, true}) {
    Runtime runtime;
    auto body = [] {
      Mutex mutex;
      CondVar cv;
      mutex.lock();
      const uint64_t start = now_nanos();
      EXPECT_FALSE(cv.wait_until(&mutex, start + 5 * kMillisecond));
      EXPECT_GE(now_nanos() - start, 5 * kMillisecond);
      EXPECT_FALSE(mutex.try_lock());
      EXPECT_FALSE(cv.wait_until(&mutex, start));  // a deadline in the past
      mutex.unlock();
    };
    if (on_fiber) {
      runtime.run(body);
    } else {
      body();
    }
  }
}

TEST(CondVarTest, NotifyOneWakesTheOldestOnly) {
  Runtime runtime;
  runtime.run([] {
    Mutex mutex;
    CondVar cv;
    std::string order;
    std::vector<JoinHandle> waiters;
    for (char name : {'a', 'b', 'c'}) {
      waiters.push_back(spawn([&, name] {
        MutexLock lock(&mutex);
        cv.wait(&mutex);
        order += name;
      }));
      yield();
    }
    cv.notify_one();
    yield();
    EXPECT_EQ(order, "a");
    cv.notify_all();
    waiters.clear();
    EXPECT_EQ(order, "abc");
    cv.notify_all();  // nobody there
  });
}

// Two contexts take turns on one CondVar: every lost wake-up hangs.
TEST(CondVarTest, PingPongAcrossAllKindsOfContext) {
  const int rounds = 40000 / kScaleDown;
  for (const Mix mix : {Mix{1, 2, 0}, Mix{2, 2, 0}, Mix{1, 1, 1}, Mix{1, 0, 2}}) {
    Mutex mutex;
    CondVar cv;
    int turn = 0;
    run_mixed(mix.workers, mix.fibers, mix.threads, [&](int i) {
      for (int n = 0; n < rounds; n++) {
        MutexLock lock(&mutex);
        while (turn != i) ASSERT_TRUE(cv.wait_until(&mutex, far_deadline()));
        turn = 1 - i;
        cv.notify_one();
      }
    });
  }
}

}  // namespace
}  // namespace fiber
