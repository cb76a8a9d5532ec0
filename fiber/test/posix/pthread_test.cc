// fiber/posix/pthread.h keeps pthread's contract on fibers and on plain threads: each case runs on
// both, and some with threads of both kinds at once.
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <vector>

#include "fiber/posix.h"
#include "fiber/runtime.h"
#include "fiber/std/thread.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber {
namespace {

class PthreadTest : public ::testing::TestWithParam<bool> {
 protected:
  // Two workers: what excludes must do so across them.
  void run(const std::function<void()>& body) {
    if (GetParam()) {
      Runtime runtime({.workers = 2});
      runtime.run(body);
    } else {
      body();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(OnThreadAndFiber, PthreadTest, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Fiber" : "Thread"; });

// A thread of pthread_create() that runs any function; joined at the end.
class Helper {
 public:
  explicit Helper(std::function<void()> body) : body_(std::move(body)) {
    EXPECT_EQ(0, posix::pthread_create(
                     &thread_, nullptr,
                     [](void* self) -> void* {
                       static_cast<Helper*>(self)->body_();
                       return nullptr;
                     },
                     this));
  }
  ~Helper() { EXPECT_EQ(0, posix::pthread_join(thread_, nullptr)); }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

 private:
  std::function<void()> body_;
  ::pthread_t thread_ = 0;
};

// Returns when `body` has.
void RunBeside(std::function<void()> body) { const Helper helper(std::move(body)); }

timespec soon(clockid_t clock, long nanos) {
  timespec time;
  ::clock_gettime(clock, &time);
  time.tv_nsec += nanos;
  time.tv_sec += time.tv_nsec / 1'000'000'000;
  time.tv_nsec %= 1'000'000'000;
  return time;
}

timespec far() {
  timespec time;
  ::clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 3600;
  return time;
}

// As C programs have them.
posix::pthread_mutex_t g_mutex = {};
posix::pthread_mutex_t g_recursive = {PTHREAD_MUTEX_RECURSIVE};
posix::pthread_cond_t g_cond = {};
posix::pthread_rwlock_t g_rwlock = {};
posix::pthread_once_t g_once = {};

int init_kind(posix::pthread_mutex_t* mutex, int kind) {
  pthread_mutexattr_t attributes;
  ::pthread_mutexattr_init(&attributes);
  EXPECT_EQ(0, ::pthread_mutexattr_settype(&attributes, kind));
  const int result = posix::pthread_mutex_init(mutex, &attributes);
  ::pthread_mutexattr_destroy(&attributes);
  return result;
}

TEST_P(PthreadTest, AMutexExcludesFibersAndPlainThreads) {
  run([] {
    int count = 0;
    const auto add = [&count] {
      for (int i = 0; i < 2000; i++) {
        EXPECT_EQ(0, posix::pthread_mutex_lock(&g_mutex));
        const int seen = count;
        if (i % 100 == 0) fiber::yield();
        count = seen + 1;
        EXPECT_EQ(0, posix::pthread_mutex_unlock(&g_mutex));
      }
    };
    {
      Thread plain("plain", add);
      Helper one(add), two(add);
    }
    EXPECT_EQ(6000, count);
  });
}

TEST_P(PthreadTest, AMutexIsInitialisedInRawMemoryAndDestroyed) {
  run([] {
    void* const memory = std::malloc(sizeof(posix::pthread_mutex_t));
    std::memset(memory, 0xab, sizeof(posix::pthread_mutex_t));
    auto* const mutex = static_cast<posix::pthread_mutex_t*>(memory);
    EXPECT_EQ(0, posix::pthread_mutex_init(mutex, nullptr));
    EXPECT_EQ(0, posix::pthread_mutex_trylock(mutex));
    EXPECT_EQ(EBUSY, posix::pthread_mutex_trylock(mutex));
    EXPECT_EQ(EBUSY, posix::pthread_mutex_destroy(mutex));
    EXPECT_EQ(0, posix::pthread_mutex_unlock(mutex));
    EXPECT_EQ(0, posix::pthread_mutex_destroy(mutex));
    std::free(memory);
  });
}

TEST_P(PthreadTest, ARecursiveMutexCountsItsOwnersLevels) {
  run([] {
    EXPECT_EQ(0, posix::pthread_mutex_lock(&g_recursive));
    EXPECT_EQ(0, posix::pthread_mutex_lock(&g_recursive));
    EXPECT_EQ(0, posix::pthread_mutex_trylock(&g_recursive));
    const auto other = [](int trylock, int unlock) {
      Helper helper([=] {
        EXPECT_EQ(trylock, posix::pthread_mutex_trylock(&g_recursive));
        EXPECT_EQ(unlock, posix::pthread_mutex_unlock(&g_recursive));
      });
    };
    for (int level = 3; level > 0; level--) {
      other(EBUSY, EPERM);
      EXPECT_EQ(0, posix::pthread_mutex_unlock(&g_recursive));
    }
    EXPECT_EQ(EPERM, posix::pthread_mutex_unlock(&g_recursive));
    other(0, 0);
  });
}

TEST_P(PthreadTest, AnErrorCheckingMutexTellsOfMisuse) {
  run([] {
    posix::pthread_mutex_t mutex;
    EXPECT_EQ(0, init_kind(&mutex, PTHREAD_MUTEX_ERRORCHECK));
    EXPECT_EQ(EPERM, posix::pthread_mutex_unlock(&mutex));
    EXPECT_EQ(0, posix::pthread_mutex_lock(&mutex));
    EXPECT_EQ(EDEADLK, posix::pthread_mutex_lock(&mutex));
    EXPECT_EQ(EBUSY, posix::pthread_mutex_trylock(&mutex));
    RunBeside([&mutex] { EXPECT_EQ(EPERM, posix::pthread_mutex_unlock(&mutex)); });
    EXPECT_EQ(0, posix::pthread_mutex_unlock(&mutex));
    posix::pthread_cond_t cond;
    EXPECT_EQ(EPERM, posix::pthread_cond_wait(&cond, &mutex));
  });
}

TEST_P(PthreadTest, WhatNoLockHereIsIsRefused) {
  run([] {
    pthread_mutexattr_t attributes;
    ::pthread_mutexattr_init(&attributes);
    ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    posix::pthread_mutex_t mutex;
    EXPECT_EQ(ENOTSUP, posix::pthread_mutex_init(&mutex, &attributes));
    ::pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_PRIVATE);
    ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    EXPECT_EQ(ENOTSUP, posix::pthread_mutex_init(&mutex, &attributes));
    ::pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_STALLED);
    ::pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    EXPECT_EQ(ENOTSUP, posix::pthread_mutex_init(&mutex, &attributes));
    ::pthread_mutexattr_destroy(&attributes);

    pthread_condattr_t cond_attributes;
    ::pthread_condattr_init(&cond_attributes);
    ::pthread_condattr_setpshared(&cond_attributes, PTHREAD_PROCESS_SHARED);
    posix::pthread_cond_t cond;
    EXPECT_EQ(ENOTSUP, posix::pthread_cond_init(&cond, &cond_attributes));
    ::pthread_condattr_destroy(&cond_attributes);

    pthread_rwlockattr_t lock_attributes;
    ::pthread_rwlockattr_init(&lock_attributes);
    ::pthread_rwlockattr_setpshared(&lock_attributes, PTHREAD_PROCESS_SHARED);
    posix::pthread_rwlock_t lock;
    EXPECT_EQ(ENOTSUP, posix::pthread_rwlock_init(&lock, &lock_attributes));
    ::pthread_rwlockattr_destroy(&lock_attributes);
    posix::pthread_spinlock_t spin;
    EXPECT_EQ(ENOTSUP, posix::pthread_spin_init(&spin, PTHREAD_PROCESS_SHARED));
  });
}

TEST_P(PthreadTest, TimedLocksEnd) {
  run([] {
    EXPECT_EQ(0, posix::pthread_mutex_lock(&g_mutex));
    RunBeside([] {
      const timespec time = soon(CLOCK_REALTIME, 2'000'000);
      EXPECT_EQ(ETIMEDOUT, posix::pthread_mutex_timedlock(&g_mutex, &time));
      const timespec monotonic = soon(CLOCK_MONOTONIC, 2'000'000);
      EXPECT_EQ(ETIMEDOUT, posix::pthread_mutex_clocklock(&g_mutex, CLOCK_MONOTONIC, &monotonic));
      const timespec past{1, 0};
      EXPECT_EQ(ETIMEDOUT, posix::pthread_mutex_timedlock(&g_mutex, &past));
      const timespec wrong{1, 1'000'000'000};
      EXPECT_EQ(EINVAL, posix::pthread_mutex_timedlock(&g_mutex, &wrong));
    });
    EXPECT_EQ(0, posix::pthread_mutex_unlock(&g_mutex));
    const timespec past{1, 0};
    EXPECT_EQ(0, posix::pthread_mutex_timedlock(&g_mutex, &past));  // free: nobody waits
    EXPECT_EQ(0, posix::pthread_mutex_unlock(&g_mutex));
  });
}

TEST_P(PthreadTest, AConditionWakesItsWaiters) {
  run([] {
    int stage = 0;
    int woken = 0;
    const auto waiter = [&] {
      posix::pthread_mutex_lock(&g_mutex);
      stage++;
      const timespec time = far();
      while (stage < 10) {
        EXPECT_EQ(0, stage % 2 == 0 ? posix::pthread_cond_wait(&g_cond, &g_mutex)
                                    : posix::pthread_cond_timedwait(&g_cond, &g_mutex, &time));
      }
      woken++;
      posix::pthread_mutex_unlock(&g_mutex);
    };
    {
      Helper one(waiter), two(waiter);
      Thread plain("plain", waiter);
      for (bool all = false; !all; fiber::yield()) {
        posix::pthread_mutex_lock(&g_mutex);
        all = stage == 3;
        if (all) stage = 10;
        posix::pthread_mutex_unlock(&g_mutex);
      }
      posix::pthread_cond_broadcast(&g_cond);
    }
    EXPECT_EQ(3, woken);
  });
}

// A program may wait like that again and again for what another one is to do.
TEST_P(PthreadTest, AWaitWhoseTimeHasComeLetsOthersHaveTheMutex) {
  run([] {
    for (const int kind : {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ERRORCHECK}) {
      posix::pthread_mutex_t mutex;
      ASSERT_EQ(0, init_kind(&mutex, kind));
      EXPECT_EQ(0, posix::pthread_mutex_lock(&mutex));
      bool done = false;
      Helper other([&] {
        EXPECT_EQ(0, posix::pthread_mutex_lock(&mutex));
        done = true;
        EXPECT_EQ(0, posix::pthread_mutex_unlock(&mutex));
      });
      const timespec past = {1, 0};
      while (!done) ASSERT_EQ(ETIMEDOUT, posix::pthread_cond_timedwait(&g_cond, &mutex, &past));
      EXPECT_EQ(0, posix::pthread_mutex_unlock(&mutex));
    }
  });
}

TEST_P(PthreadTest, ATimedWaitEndsOnTheClockOfItsCondition) {
  run([] {
    for (const clockid_t clock : {CLOCK_REALTIME, CLOCK_MONOTONIC}) {
      pthread_condattr_t attributes;
      ::pthread_condattr_init(&attributes);
      ::pthread_condattr_setclock(&attributes, clock);
      posix::pthread_cond_t cond;
      EXPECT_EQ(0, posix::pthread_cond_init(&cond, &attributes));
      ::pthread_condattr_destroy(&attributes);
      posix::pthread_mutex_lock(&g_mutex);
      const timespec time = soon(clock, 2'000'000);
      int result;
      do {  // may end for no reason, and does where a simulation's clock is ahead of this one
        result = posix::pthread_cond_timedwait(&cond, &g_mutex, &time);
      } while (result == 0);
      EXPECT_EQ(ETIMEDOUT, result);
      timespec now;
      ::clock_gettime(clock, &now);
      EXPECT_TRUE(now.tv_sec > time.tv_sec ||
                  (now.tv_sec == time.tv_sec && now.tv_nsec >= time.tv_nsec));
      EXPECT_EQ(EBUSY, posix::pthread_mutex_trylock(&g_mutex));  // held again
      const timespec wrong{1, -1};
      EXPECT_EQ(EINVAL, posix::pthread_cond_timedwait(&cond, &g_mutex, &wrong));
      posix::pthread_mutex_unlock(&g_mutex);
      EXPECT_EQ(0, posix::pthread_cond_destroy(&cond));
    }
  });
}

TEST_P(PthreadTest, AWaitLetsARecursiveMutexGoIfItIsHeldOnce) {
  run([] {
    bool set = false;
    posix::pthread_mutex_lock(&g_recursive);
    posix::pthread_mutex_lock(&g_recursive);
    EXPECT_EQ(EINVAL, posix::pthread_cond_wait(&g_cond, &g_recursive));
    posix::pthread_mutex_unlock(&g_recursive);
    Helper setter([&set] {
      posix::pthread_mutex_lock(&g_recursive);
      set = true;
      posix::pthread_mutex_unlock(&g_recursive);
      posix::pthread_cond_signal(&g_cond);
    });
    while (!set) EXPECT_EQ(0, posix::pthread_cond_wait(&g_cond, &g_recursive));
    EXPECT_EQ(0, posix::pthread_mutex_unlock(&g_recursive));
    EXPECT_EQ(EPERM, posix::pthread_mutex_unlock(&g_recursive));
  });
}

TEST_P(PthreadTest, AReaderWriterLockExcludes) {
  run([] {
    int value = 0;
    const auto write = [&value] {
      for (int i = 0; i < 500; i++) {
        EXPECT_EQ(0, posix::pthread_rwlock_wrlock(&g_rwlock));
        const int seen = value;
        if (i % 50 == 0) fiber::yield();
        value = seen + 1;
        EXPECT_EQ(0, posix::pthread_rwlock_unlock(&g_rwlock));
      }
    };
    const auto read = [&value] {
      for (int i = 0; i < 500; i++) {
        EXPECT_EQ(0, posix::pthread_rwlock_rdlock(&g_rwlock));
        const int seen = value;
        if (i % 50 == 0) fiber::yield();
        EXPECT_EQ(seen, value);
        EXPECT_EQ(0, posix::pthread_rwlock_unlock(&g_rwlock));
      }
    };
    {
      Helper a(write), b(write), c(read), d(read);
      Thread plain("plain", write);
    }
    EXPECT_EQ(1500, value);
    EXPECT_EQ(EPERM, posix::pthread_rwlock_unlock(&g_rwlock));
    EXPECT_EQ(0, posix::pthread_rwlock_destroy(&g_rwlock));
  });
}

// A program may take the lock shared again while a writer waits.
TEST_P(PthreadTest, AReaderComesAgainWhileAWriterWaits) {
  run([] {
    posix::pthread_rwlock_t lock;
    EXPECT_EQ(0, posix::pthread_rwlock_rdlock(&lock));
    {
      Helper writer([&lock] {
        EXPECT_EQ(0, posix::pthread_rwlock_wrlock(&lock));
        EXPECT_EQ(EDEADLK, posix::pthread_rwlock_rdlock(&lock));
        EXPECT_EQ(EDEADLK, posix::pthread_rwlock_wrlock(&lock));
        EXPECT_EQ(0, posix::pthread_rwlock_unlock(&lock));
      });
      while (lock.writers_waiting.load() == 0) fiber::yield();
      EXPECT_EQ(0, posix::pthread_rwlock_rdlock(&lock));
      EXPECT_EQ(EBUSY, posix::pthread_rwlock_trywrlock(&lock));
      EXPECT_EQ(EBUSY, posix::pthread_rwlock_destroy(&lock));
      EXPECT_EQ(0, posix::pthread_rwlock_unlock(&lock));
      EXPECT_EQ(0, posix::pthread_rwlock_unlock(&lock));
    }
    EXPECT_EQ(0, posix::pthread_rwlock_trywrlock(&lock));
    EXPECT_EQ(EBUSY, posix::pthread_rwlock_tryrdlock(&lock));
    EXPECT_EQ(0, posix::pthread_rwlock_unlock(&lock));
  });
}

TEST_P(PthreadTest, AWriterThatGivesUpLetsTheReadersBehindItIn) {
  run([] {
    pthread_rwlockattr_t attributes;
    ::pthread_rwlockattr_init(&attributes);
    ::pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    posix::pthread_rwlock_t lock;
    EXPECT_EQ(0, posix::pthread_rwlock_init(&lock, &attributes));
    ::pthread_rwlockattr_destroy(&attributes);
    for (int round = 0; round < 20; round++) {
      EXPECT_EQ(0, posix::pthread_rwlock_rdlock(&lock));
      {
        Helper writer([&lock] {
          const timespec time = soon(CLOCK_REALTIME, 1'000'000);
          EXPECT_EQ(ETIMEDOUT, posix::pthread_rwlock_timedwrlock(&lock, &time));
        });
        Helper reader([&lock] {
          const timespec time = far();
          EXPECT_EQ(0, posix::pthread_rwlock_timedrdlock(&lock, &time));
          EXPECT_EQ(0, posix::pthread_rwlock_unlock(&lock));
        });
      }
      EXPECT_EQ(0, posix::pthread_rwlock_unlock(&lock));
    }
  });
}

TEST_P(PthreadTest, ASemaphoreCounts) {
  run([] {
    posix::sem_t semaphore;
    ASSERT_EQ(0, posix::sem_init(&semaphore, 0, 1));
    EXPECT_EQ(0, posix::sem_wait(&semaphore));
    EXPECT_EQ(-1, posix::sem_trywait(&semaphore));
    EXPECT_EQ(EAGAIN, errno);
    const timespec past{1, 0}, wrong{1, -1};
    EXPECT_EQ(-1, posix::sem_timedwait(&semaphore, &past));
    EXPECT_EQ(ETIMEDOUT, errno);
    EXPECT_EQ(-1, posix::sem_timedwait(&semaphore, &wrong));
    EXPECT_EQ(EINVAL, errno);
    {
      const auto post = [&semaphore] {
        for (int i = 0; i < 50; i++) EXPECT_EQ(0, posix::sem_post(&semaphore));
      };
      Helper one(post);
      Thread plain("plain", post);
      const timespec time = far();
      for (int i = 0; i < 50; i++) {
        EXPECT_EQ(0, posix::sem_wait(&semaphore));
        EXPECT_EQ(0, posix::sem_timedwait(&semaphore, &time));
      }
    }
    int value = 7;
    EXPECT_EQ(0, posix::sem_getvalue(&semaphore, &value));
    EXPECT_EQ(0, value);
    EXPECT_EQ(0, posix::sem_destroy(&semaphore));
    EXPECT_EQ(-1, posix::sem_init(&semaphore, 1, 0));
    EXPECT_EQ(ENOSYS, errno);
    EXPECT_EQ(-1, posix::sem_init(&semaphore, 0, 1u << 31));
    EXPECT_EQ(EINVAL, errno);
    ASSERT_EQ(0, posix::sem_init(&semaphore, 0, (1u << 31) - 1));
    EXPECT_EQ(-1, posix::sem_post(&semaphore));
    EXPECT_EQ(EOVERFLOW, errno);
  });
}

TEST_P(PthreadTest, OnceRunsOnce) {
  static std::atomic<int> runs{0};
  static posix::pthread_once_t once;
  run([] {
    const auto call = [] {
      posix::pthread_once(&once, [] { runs++; });
      EXPECT_EQ(1, runs.load());
    };
    Helper one(call), two(call);
    Thread plain("plain", call);
    EXPECT_EQ(0, posix::pthread_once(&g_once, [] {}));
  });
}

TEST_P(PthreadTest, SpinLocksDoNotKeepTheWorker) {
  Runtime runtime;  // one worker: a lock that spins would hang
  posix::pthread_spinlock_t lock;
  ASSERT_EQ(0, posix::pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE));
  runtime.run([&lock] {
    int count = 0;
    const auto add = [&] {
      for (int i = 0; i < 10; i++) {
        EXPECT_EQ(0, posix::pthread_spin_lock(&lock));
        const int seen = count;
        EXPECT_EQ(EBUSY, posix::pthread_spin_trylock(&lock));
        fiber::yield();
        count = seen + 1;
        EXPECT_EQ(0, posix::pthread_spin_unlock(&lock));
      }
    };
    {
      Helper one(add), two(add);
    }
    EXPECT_EQ(20, count);
  });
  EXPECT_EQ(0, posix::pthread_spin_destroy(&lock));
}

TEST_P(PthreadTest, KeysAreEachContextsOwnAndDestroyedBeforeJoinReturns) {
  static std::atomic<int> destroyed{0};
  run([] {
    destroyed = 0;
    posix::pthread_key_t key;
    ASSERT_EQ(0, posix::pthread_key_create(
                     &key, [](void* value) { destroyed += *static_cast<int*>(value); }));
    static int values[3] = {1, 10, 100};
    EXPECT_EQ(nullptr, posix::pthread_getspecific(key));
    {
      const auto use = [key](int* value) {
        EXPECT_EQ(nullptr, posix::pthread_getspecific(key));
        EXPECT_EQ(0, posix::pthread_setspecific(key, value));
        for (int i = 0; i < 5; i++) {
          fiber::yield();
          EXPECT_EQ(value, posix::pthread_getspecific(key));
        }
      };
      Helper one([&] { use(&values[0]); }), two([&] { use(&values[1]); });
      Thread plain("plain", [&] { use(&values[2]); });
    }
    EXPECT_EQ(111, destroyed.load());
    EXPECT_EQ(0, posix::pthread_key_delete(key));
    EXPECT_EQ(EINVAL, posix::pthread_key_delete(key));
    EXPECT_EQ(EINVAL, posix::pthread_setspecific(key, &values[0]));
    EXPECT_EQ(nullptr, posix::pthread_getspecific(key));
    EXPECT_EQ(EINVAL, posix::pthread_setspecific(12345678, nullptr));
  });
}

TEST_P(PthreadTest, ADeletedKeysValuesAreNotDestroyedNorSeenByItsSuccessor) {
  static std::atomic<int> destroyed{0};
  run([] {
    destroyed = 0;
    static int value = 1;
    const auto count = [](void*) { destroyed++; };
    RunBeside([count] {
      posix::pthread_key_t first, second;
      ASSERT_EQ(0, posix::pthread_key_create(&first, count));
      EXPECT_EQ(0, posix::pthread_setspecific(first, &value));
      EXPECT_EQ(0, posix::pthread_key_delete(first));
      ASSERT_EQ(0, posix::pthread_key_create(&second, count));
      EXPECT_EQ(first, second);
      EXPECT_EQ(nullptr, posix::pthread_getspecific(second));
      EXPECT_EQ(0, posix::pthread_key_delete(second));
    });
    EXPECT_EQ(0, destroyed.load());
    std::vector<posix::pthread_key_t> keys;
    posix::pthread_key_t key;
    while (posix::pthread_key_create(&key, nullptr) == 0) keys.push_back(key);
    EXPECT_EQ(EAGAIN, posix::pthread_key_create(&key, nullptr));
    EXPECT_GE(keys.size(), 1000u);
    for (const auto each : keys) EXPECT_EQ(0, posix::pthread_key_delete(each));
  });
}

void* return_argument(void* argument) { return argument; }

TEST_P(PthreadTest, ThreadsReturnTheirResultsAndHaveNumbers) {
  run([] {
    static int anything;
    ::pthread_t thread = 0;
    ASSERT_EQ(0, posix::pthread_create(&thread, nullptr, return_argument, &anything));
    void* result = nullptr;
    EXPECT_EQ(0, posix::pthread_join(thread, &result));
    EXPECT_EQ(&anything, result);
    EXPECT_EQ(ESRCH, posix::pthread_join(thread, nullptr));
    EXPECT_EQ(EDEADLK, posix::pthread_join(posix::pthread_self(), nullptr));

    ::pthread_t seen = 0;
    const auto look = [](void* place) -> void* {
      *static_cast<::pthread_t*>(place) = posix::pthread_self();
      posix::pthread_exit(place);
    };
    ASSERT_EQ(0, posix::pthread_create(&thread, nullptr, look, &seen));
    EXPECT_EQ(0, posix::pthread_join(thread, &result));
    EXPECT_EQ(&seen, result);
    EXPECT_EQ(thread, seen);
    EXPECT_NE(thread, posix::pthread_self());
    fiber_std::thread other([&seen] { seen = posix::pthread_self(); });
    const uint64_t number = other.native_handle();
    other.join();
    EXPECT_EQ(number, seen);
  });
}

TEST_P(PthreadTest, DetachedThreadsGoOnAlone) {
  static std::atomic<int> ended;
  run([] {
    ended = 0;
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const auto end = [](void*) -> void* {
      ended++;
      return nullptr;
    };
    ::pthread_t born_so, made_so;
    ASSERT_EQ(0, posix::pthread_create(&born_so, &attributes, end, nullptr));
    ::pthread_attr_destroy(&attributes);
    const int result = posix::pthread_join(born_so, nullptr);
    EXPECT_TRUE(result == EINVAL || result == ESRCH) << result;  // still there, or not
    ASSERT_EQ(0, posix::pthread_create(&made_so, nullptr, end, nullptr));
    EXPECT_EQ(0, posix::pthread_detach(made_so));
    const int again = posix::pthread_detach(made_so);
    EXPECT_TRUE(again == EINVAL || again == ESRCH) << again;
    while (ended != 2) fiber::yield();
  });
}

TEST_P(PthreadTest, AFibersNumberIsItsOwnAndTheCallsKnowIt) {
  run([] {
    const pid_t mine = posix::gettid();
    EXPECT_EQ(mine, posix::gettid());
    EXPECT_EQ(mine, posix::syscall(SYS_gettid));
    EXPECT_EQ(GetParam(), mine >= 1 << 22);
    std::atomic<pid_t> other{0};
    RunBeside([&other] { other = posix::gettid(); });
    EXPECT_NE(mine, other.load());
    EXPECT_EQ(::getpid(), posix::syscall(SYS_getpid));
    if (GetParam()) {
      EXPECT_EQ(0, posix::setpriority(PRIO_PROCESS, static_cast<id_t>(mine), 19));
      EXPECT_EQ(0, posix::syscall(SYS_ioprio_set, 1, 0, 3 << 13));
      EXPECT_EQ(0, posix::sched_setaffinity(mine, 0, nullptr));
    }
  });
}

TEST(PthreadTurnsTest, WhoLooksAgainAndAgainLetsOthersRun) {
  posix::pthread_mutex_t mutex, recursive = {PTHREAD_MUTEX_RECURSIVE};
  for (posix::pthread_mutex_t* each : {&mutex, &recursive}) {
    testing::expect_turns([=] { posix::pthread_mutex_lock(each); },
                          [=] { posix::pthread_mutex_unlock(each); });
    testing::expect_turns(
        [=] {
          while (posix::pthread_mutex_trylock(each) != 0) {
          }
        },
        [=] { posix::pthread_mutex_unlock(each); });
  }
  posix::pthread_rwlock_t lock;
  for (auto* take : {&posix::pthread_rwlock_rdlock, &posix::pthread_rwlock_wrlock,
                     &posix::pthread_rwlock_tryrdlock, &posix::pthread_rwlock_trywrlock}) {
    testing::expect_turns(
        [&] {
          while (take(&lock) != 0) {
          }
        },
        [&] { posix::pthread_rwlock_unlock(&lock); });
  }
  posix::pthread_spinlock_t spin;
  for (auto* take : {&posix::pthread_spin_lock, &posix::pthread_spin_trylock}) {
    testing::expect_turns(
        [&] {
          while (take(&spin) != 0) {
          }
        },
        [&] { posix::pthread_spin_unlock(&spin); });
  }
}

}  // namespace
}  // namespace fiber
