// fiber_std's mutexes, the lock types over them, and call_once.
#include "fiber/std/mutex.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "fiber/std/shared_mutex.h"
#include "std_testing.h"

namespace fiber_std {
namespace {

using namespace std::chrono_literals;
using namespace fiber_std::testing;  // NOLINT(google-build-using-namespace): std_testing.h
using std::chrono::steady_clock;

class StdMutexTest : public testing::ModalTest {
 protected:
  // Whether another context can take the lock now (a mutex must not be tried by its holder).
  template <class M>
  bool free_for_others(M& lock) {
    bool free = false;
    auto other = crew();
    other.start([&] {
      free = lock.try_lock();
      if (free) lock.unlock();
    });
    other.join();
    return free;
  }
  template <class M>
  bool shareable_for_others(M& lock) {
    bool free = false;
    auto other = crew();
    other.start([&] {
      free = lock.try_lock_shared();
      if (free) lock.unlock_shared();
    });
    other.join();
    return free;
  }

  // Many contexts add to one number under the lock, by every way of taking it that M has.
  template <class M>
  void counts_exactly() {
    run([this] {
      constexpr int kContexts = 6;
      const int each = 6000 / kScaleDown;
      M lock;
      int64_t count = 0, given_up = 0;
      {
        auto all = crew();
        for (int i = 0; i < kContexts; i++) {
          all.start([&, i] {
            int64_t lost = 0;
            for (int n = 0; n < each; n++) {
              bool held = true;
              if constexpr (requires { lock.try_lock_for(1us); }) {
                const int way = (n + i) % 5;
                if (way == 1) held = lock.try_lock_for(20us);
                if (way == 2) held = lock.try_lock_until(steady_clock::now() + 20us);
                if (way == 3) held = lock.try_lock_for(kForever);
                if (way == 0 || way == 4) lock.lock();
              } else {
                if ((n + i) % 3 == 0) {
                  held = lock.try_lock();
                } else {
                  lock.lock();
                }
              }
              if (!held) {
                lost++;
                this_thread::yield();
                continue;
              }
              const int64_t before = count;
              if ((n + i) % 7 == 0) this_thread::yield();
              count = before + 1;
              lock.unlock();
            }
            lock_guard guard(lock);
            given_up += lost;
          });
        }
      }
      EXPECT_EQ(count + given_up, int64_t{each} * kContexts);
      EXPECT_GE(count, each);
    });
  }

  template <class M>
  void times_out() {
    run([this] {
      M lock;
      lock.lock();
      auto others = crew();
      for (int i = 0; i < 2; i++) {
        others.start([&] {
          const Stopwatch watch;
          const auto start = steady_clock::now();
          EXPECT_FALSE(lock.try_lock_for(3ms));
          EXPECT_GE(watch.elapsed(), 3ms);
          EXPECT_FALSE(lock.try_lock_for(0s));
          EXPECT_FALSE(lock.try_lock_for(-1s));
          EXPECT_FALSE(lock.try_lock_until(start));
          const auto slow = SlowClock::now() + 1ms;
          EXPECT_FALSE(lock.try_lock_until(slow));
          EXPECT_GE(SlowClock::now(), slow);
          const auto fast = FastClock::now() + 16ms;
          EXPECT_FALSE(lock.try_lock_until(fast));
          EXPECT_GE(FastClock::now(), fast);
          EXPECT_FALSE(lock.try_lock_until(std::chrono::system_clock::now() + 1ms));
          // A waiter that is let in before its time comes, however far that is.
          EXPECT_FALSE(lock.try_lock_until(std::chrono::time_point<SlowClock>::min()));
        });
      }
      others.join();
      auto patient = crew();
      patient.start([&] {
        EXPECT_TRUE(lock.try_lock_for(std::chrono::hours::max()));
        lock.unlock();
      });
      patient.start([&] {
        EXPECT_TRUE(
            lock.try_lock_until(std::chrono::time_point<steady_clock, std::chrono::hours>::max()));
        lock.unlock();
      });
      patient.start([&] {
        EXPECT_TRUE(lock.try_lock_for(kForever));
        lock.unlock();
      });
      for (int i = 0; i < 10; i++) this_thread::yield();
      lock.unlock();
      patient.join();
      EXPECT_TRUE(free_for_others(lock));
    });
  }

  template <class M>
  void counts_levels() {
    run([this] {
      M lock;
      lock.lock();
      EXPECT_TRUE(lock.try_lock());
      lock.lock();
      EXPECT_FALSE(free_for_others(lock));
      lock.unlock();
      lock.unlock();
      EXPECT_FALSE(free_for_others(lock));
      lock.unlock();
      EXPECT_TRUE(free_for_others(lock));
    });
  }
};
FIBER_STD_MODES(StdMutexTest);

TEST_P(StdMutexTest, MutexExcludes) { counts_exactly<mutex>(); }
TEST_P(StdMutexTest, TimedMutexExcludes) { counts_exactly<timed_mutex>(); }
TEST_P(StdMutexTest, RecursiveMutexExcludes) { counts_exactly<recursive_mutex>(); }
TEST_P(StdMutexTest, RecursiveTimedMutexExcludes) { counts_exactly<recursive_timed_mutex>(); }
TEST_P(StdMutexTest, SharedMutexExcludes) { counts_exactly<shared_mutex>(); }
TEST_P(StdMutexTest, SharedTimedMutexExcludes) { counts_exactly<shared_timed_mutex>(); }

TEST_P(StdMutexTest, TimedMutexTimesOut) { times_out<timed_mutex>(); }
TEST_P(StdMutexTest, RecursiveTimedMutexTimesOut) { times_out<recursive_timed_mutex>(); }
TEST_P(StdMutexTest, SharedTimedMutexTimesOut) { times_out<shared_timed_mutex>(); }

TEST_P(StdMutexTest, RecursiveMutexIsFreeAfterAsManyUnlocks) { counts_levels<recursive_mutex>(); }
TEST_P(StdMutexTest, RecursiveTimedMutexIsFreeAfterAsManyUnlocks) {
  counts_levels<recursive_timed_mutex>();
  run([] {
    recursive_timed_mutex lock;
    lock.lock();
    EXPECT_TRUE(lock.try_lock_for(0s));
    EXPECT_TRUE(lock.try_lock_until(steady_clock::now()));
    for (int i = 0; i < 3; i++) lock.unlock();
  });
}

TEST_P(StdMutexTest, AMutexHeldIsNotFree) {
  run([this] {
    mutex lock;
    EXPECT_TRUE(free_for_others(lock));
    lock.lock();
    EXPECT_FALSE(free_for_others(lock));
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(free_for_others(lock));
    lock.unlock();
    EXPECT_TRUE(free_for_others(lock));
  });
}

// The errors are std::unique_lock's own; that they come shows that our mutexes fit into it.
TEST_P(StdMutexTest, UniqueLockOwnershipAndItsErrors) {
  run([this] {
    timed_mutex lock;
    unique_lock<timed_mutex> none;
    FIBER_STD_EXPECT_CODE(none.lock(), std::system_error, std::errc::operation_not_permitted);
    FIBER_STD_EXPECT_CODE((void)none.try_lock(), std::system_error,
                          std::errc::operation_not_permitted);
    FIBER_STD_EXPECT_CODE(none.unlock(), std::system_error, std::errc::operation_not_permitted);
    unique_lock deferred(lock, defer_lock);
    EXPECT_FALSE(deferred.owns_lock());
    EXPECT_TRUE(deferred.try_lock_for(1ms));
    FIBER_STD_EXPECT_CODE(deferred.lock(), std::system_error,
                          std::errc::resource_deadlock_would_occur);
    FIBER_STD_EXPECT_CODE((void)deferred.try_lock_for(1ms), std::system_error,
                          std::errc::resource_deadlock_would_occur);
    EXPECT_FALSE(free_for_others(lock));
    unique_lock moved(std::move(deferred));
    EXPECT_FALSE(deferred.owns_lock());
    EXPECT_TRUE(moved.owns_lock());
    moved.unlock();
    EXPECT_TRUE(free_for_others(lock));
    FIBER_STD_EXPECT_CODE(moved.unlock(), std::system_error, std::errc::operation_not_permitted);
    moved.lock();
    EXPECT_EQ(moved.release(), &lock);
    {
      lock_guard adopted(lock, adopt_lock);
    }
    EXPECT_TRUE(free_for_others(lock));
    {
      unique_lock timed(lock, 1ms);
    }
    {
      unique_lock timed(lock, steady_clock::now());
    }
    EXPECT_TRUE(free_for_others(lock));
    try {
      lock_guard guard(lock);
      throw 1;
    } catch (int) {
    }
    EXPECT_TRUE(free_for_others(lock));
  });
}

TEST_P(StdMutexTest, TryLockTakesAllOrNothing) {
  run([this] {
    mutex a;
    timed_mutex b;
    recursive_mutex c;
    EXPECT_EQ(try_lock(a, b, c), -1);
    EXPECT_FALSE(free_for_others(a));
    EXPECT_FALSE(free_for_others(b));
    EXPECT_FALSE(free_for_others(c));
    a.unlock();
    c.unlock();
    int failed = -2;
    auto other = crew();
    other.start([&] { failed = try_lock(a, b, c); });
    other.join();
    EXPECT_EQ(failed, 1);
    EXPECT_TRUE(free_for_others(a));
    EXPECT_TRUE(free_for_others(c));
    b.unlock();
  });
}

// Every order of the arguments at once: without the standard's avoidance this would lock up.
TEST_P(StdMutexTest, LockAndScopedLockTakeManyWithoutDeadlock) {
  run([this] {
    const int each = 3000 / kScaleDown;
    mutex a, b, c;
    int64_t count = 0;
    {
      auto all = crew();
      for (int i = 0; i < 6; i++) {
        all.start([&, i] {
          mutex* order[3] = {&a, &b, &c};
          std::rotate(order, order + i % 3, order + 3);
          if (i >= 3) std::swap(order[1], order[2]);
          for (int n = 0; n < each; n++) {
            if (n % 2 == 0) {
              scoped_lock all_three(*order[0], *order[1], *order[2]);
              const int64_t before = count;
              if (n % 8 == 0) this_thread::yield();
              count = before + 1;
            } else {
              lock(*order[0], *order[1], *order[2]);
              count++;
              for (mutex* held : order) held->unlock();
            }
          }
        });
      }
    }
    EXPECT_EQ(count, int64_t{each} * 6);
    {
      scoped_lock<> nothing;
    }
  });
}

TEST_P(StdMutexTest, SharedOrExclusive) {
  run([this] {
    shared_mutex plain;
    shared_timed_mutex timed;
    {
      shared_lock first(plain);
      shared_lock second(timed, 1ms);
      EXPECT_TRUE(second.owns_lock());
      EXPECT_TRUE(shareable_for_others(plain));
      EXPECT_TRUE(shareable_for_others(timed));
      EXPECT_FALSE(free_for_others(plain));
      EXPECT_FALSE(free_for_others(timed));
      FIBER_STD_EXPECT_CODE(second.lock(), std::system_error,
                            std::errc::resource_deadlock_would_occur);
      second.unlock();
      EXPECT_THROW(second.unlock(), std::system_error);  // gcc 12's own has the wrong code
    }
    EXPECT_TRUE(free_for_others(plain));
    unique_lock first(plain);
    unique_lock second(timed);
    EXPECT_FALSE(shareable_for_others(plain));
    EXPECT_FALSE(shareable_for_others(timed));
    bool late = true;
    auto other = crew();
    other.start([&] {
      const Stopwatch watch;
      late = timed.try_lock_shared_for(3ms) ||
             timed.try_lock_shared_until(std::chrono::system_clock::now() + 1ms);
      EXPECT_GE(watch.elapsed(), 3ms);
    });
    other.join();
    EXPECT_FALSE(late);
    second.unlock();
    EXPECT_TRUE(free_for_others(timed));
  });
}

// A writer that gives up lets the readers behind it join those inside.
TEST_P(StdMutexTest, AWriterThatTimesOutHoldsBackNobody) {
  run([this] {
    shared_timed_mutex lock;
    for (int round = 0; round < 20; round++) {
      lock.lock_shared();
      std::atomic<bool> tried{false};
      auto others = crew();
      others.start([&] {
        EXPECT_FALSE(lock.try_lock_for(1ms));
        tried = true;
      });
      for (int i = 0; i < 3; i++) {
        others.start([&] {
          // Behind the writer or after it; the first reader is inside all the time.
          EXPECT_TRUE(lock.try_lock_shared_for(kForever));
          while (!tried) this_thread::yield();
          lock.unlock_shared();
        });
      }
      others.join();
      lock.unlock_shared();
      EXPECT_TRUE(lock.try_lock());
      lock.unlock();
    }
  });
}

// Readers and writers with short deadlines: time-outs race against grants all the time.
TEST_P(StdMutexTest, SharedTimedMutexUnderTimeouts) {
  run([this] {
    const int each = 4000 / kScaleDown;
    shared_timed_mutex lock;
    int64_t a = 0, b = 0;
    std::atomic<int64_t> writes{0};
    {
      auto all = crew();
      for (int i = 0; i < 6; i++) {
        all.start([&, i] {
          for (int n = 0; n < each; n++) {
            const auto patience = std::chrono::microseconds((n * 7 + i * 13) % 60);
            if ((n + i) % 3 == 0) {
              if (!lock.try_lock_for(patience)) continue;
              a++;
              if (n % 5 == 0) this_thread::yield();
              b++;
              writes++;
              lock.unlock();
            } else {
              if (!lock.try_lock_shared_for(patience)) continue;
              EXPECT_EQ(a, b);
              if (n % 4 == 0) this_thread::yield();
              EXPECT_EQ(a, b);
              lock.unlock_shared();
            }
          }
        });
      }
    }
    EXPECT_EQ(a, writes);
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
    EXPECT_TRUE(lock.try_lock_shared());
    lock.unlock_shared();
  });
}

// Whoever gets the lock after its own time-out may destroy it, although the last reader is still
// inside of its unlock.
TEST_P(StdMutexTest, MayBeDestroyedAfterATimeOutByTheNextHolder) {
  run([this] {
    const int rounds = 500 / kScaleDown;
    struct Shared {
      shared_timed_mutex lock;
      std::atomic<int> state{0};
    };
    std::atomic<Shared*> box{nullptr};
    auto both = crew();
    both.start([&] {
      for (int n = 0; n < rounds; n++) {
        Shared* shared;
        while ((shared = box.exchange(nullptr)) == nullptr) this_thread::yield();
        shared->lock.lock_shared();
        shared->state = 1;
        while (shared->state != 2) this_thread::yield();
        shared->lock.unlock_shared();
      }
    });
    both.start([&] {
      for (int n = 0; n < rounds; n++) {
        Shared* shared = new Shared;
        box = shared;
        while (shared->state != 1) this_thread::yield();
        shared->state = 2;
        while (!shared->lock.try_lock_for(std::chrono::microseconds(n % 5))) this_thread::yield();
        shared->lock.unlock();
        delete shared;
      }
    });
  });
}

TEST_P(StdMutexTest, CallOnceRunsOnceAndAllSeeIt) {
  run([this] {
    for (int round = 0; round < 100 / kScaleDown + 1; round++) {
      once_flag flag;
      int value = 0;
      std::atomic<int> runs{0};
      auto all = crew();
      for (int i = 0; i < 6; i++) {
        all.start([&] {
          call_once(
              flag,
              [&runs](int& target, int n) {
                runs++;
                this_thread::yield();
                target = n;
                return "ignored";
              },
              std::ref(value), 42);
          EXPECT_EQ(value, 42);
        });
      }
      all.join();
      EXPECT_EQ(runs, 1);
    }
  });
}

TEST_P(StdMutexTest, AnExceptionalCallOnceLetsAnotherTry) {
  run([this] {
    once_flag flag;
    std::atomic<int> tries{0}, thrown{0};
    auto all = crew();
    for (int i = 0; i < 6; i++) {
      all.start([&] {
        try {
          call_once(flag, [&] {
            const int mine = ++tries;
            this_thread::yield();
            if (mine <= 3) throw std::runtime_error("no");
          });
        } catch (const std::runtime_error&) {
          thrown++;
        }
      });
    }
    all.join();
    EXPECT_EQ(tries, 4);
    EXPECT_EQ(thrown, 3);
  });
}

#ifndef NDEBUG
TEST(StdMutexDeathTest, DebugBuildsAbortAtAnUnlockOfWhatIsNotHeld) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(mutex().unlock(), "nobody holds it");
  EXPECT_DEATH(recursive_mutex().unlock(), "does not hold it");
}
#endif

template <class M>
void take_turns_by_each_way() {
  M lock;
  fiber::testing::expect_turns([&] { lock.lock(); }, [&] { lock.unlock(); });
  fiber::testing::expect_turns(
      [&] {
        while (!lock.try_lock()) {
        }
      },
      [&] { lock.unlock(); });
  if constexpr (requires { lock.lock_shared(); }) {
    fiber::testing::expect_turns([&] { lock.lock_shared(); }, [&] { lock.unlock_shared(); });
    fiber::testing::expect_turns(
        [&] {
          while (!lock.try_lock_shared()) {
          }
        },
        [&] { lock.unlock_shared(); });
  }
}

TEST(StdMutexTurnsTest, WhoLooksAgainAndAgainLetsOthersRun) {
  take_turns_by_each_way<mutex>();
  take_turns_by_each_way<timed_mutex>();
  take_turns_by_each_way<recursive_mutex>();
  take_turns_by_each_way<recursive_timed_mutex>();
  take_turns_by_each_way<shared_mutex>();
  take_turns_by_each_way<shared_timed_mutex>();
}

}  // namespace
}  // namespace fiber_std
