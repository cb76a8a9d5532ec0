// fiber_std::condition_variable, condition_variable_any, notify_all_at_thread_exit.
#include "fiber/std/condition_variable.h"

#include <atomic>
#include <deque>
#include <memory>
#include <optional>

#include "fiber/std/shared_mutex.h"
#include "std_testing.h"

namespace fiber_std {
namespace {

using namespace std::chrono_literals;
using namespace fiber_std::testing;  // NOLINT(google-build-using-namespace): std_testing.h
using std::chrono::steady_clock;

class StdConditionTest : public testing::ModalTest {
 protected:
  // Producers and consumers over a short queue. A lost wake-up hangs.
  template <class Cond, class M>
  void loses_nothing() {
    run([this] {
      constexpr int kProducers = 3, kConsumers = 3;
      const int each = 3000 / kScaleDown;
      M lock;
      Cond not_empty, not_full;
      std::deque<int> queue;
      int64_t put = 0, taken = 0;
      int producing = kProducers;
      {
        auto all = crew();
        for (int i = 0; i < kProducers + kConsumers; i++) {
          if (i % 2 == 0) {
            all.start([&] {
              for (int n = 0; n < each; n++) {
                unique_lock held(lock);
                not_full.wait(held, [&] { return queue.size() < 3; });
                queue.push_back(n);
                put += n;
                not_empty.notify_one();
              }
              unique_lock held(lock);
              if (--producing == 0) not_empty.notify_all();
            });
          } else {
            all.start([&, i] {
              for (;;) {
                unique_lock held(lock);
                auto ready = [&] { return !queue.empty() || producing == 0; };
                if (i == 1) {
                  while (!not_empty.wait_for(held, 50us, ready)) {
                  }
                } else if (i == 3) {
                  while (!not_empty.wait_until(held, steady_clock::now() + 50us, ready)) {
                  }
                } else {
                  not_empty.wait(held, ready);
                }
                if (queue.empty()) return;
                taken += queue.front();
                queue.pop_front();
                held.unlock();
                not_full.notify_one();
              }
            });
          }
        }
      }
      EXPECT_EQ(put, taken);
    });
  }

  template <class Cond, class M>
  void times_out() {
    run([] {
      M lock;
      Cond cond;
      unique_lock held(lock);
      // A wait may end early for no reason: over and over until it says that the time has come.
      const Stopwatch watch;
      const auto start = steady_clock::now();
      const auto until = start + 3ms;
      while (cond.wait_until(held, until) != cv_status::timeout) {
      }
      EXPECT_GE(watch.elapsed(), 3ms);
      EXPECT_TRUE(held.owns_lock());
      EXPECT_FALSE(cond.wait_for(held, 3ms, [] { return false; }));
      EXPECT_GE(watch.elapsed(), 6ms);
      EXPECT_TRUE(cond.wait_for(held, 0s, [] { return true; }));
      EXPECT_FALSE(cond.wait_for(held, -1s, [] { return false; }));
      EXPECT_FALSE(cond.wait_until(held, start, [] { return false; }));
      EXPECT_EQ(cond.wait_until(held, start), cv_status::timeout);
      EXPECT_FALSE(
          cond.wait_until(held, std::chrono::system_clock::now() + 1ms, [] { return false; }));
      const auto slow = SlowClock::now() + 1ms;
      EXPECT_FALSE(cond.wait_until(held, slow, [] { return false; }));
      EXPECT_GE(SlowClock::now(), slow);
      const auto fast = FastClock::now() + 16ms;
      EXPECT_FALSE(cond.wait_until(held, fast, [] { return false; }));
      EXPECT_GE(FastClock::now(), fast);
      int calls = 0;
      EXPECT_TRUE(cond.wait_for(held, kForever, [&] { return ++calls == 1; }));
    });
  }

  // notify_all reaches all that wait; they need the lock one after the other.
  template <class Cond, class M>
  void notify_all_reaches_all() {
    run([this] {
      for (int round = 0; round < 200 / kScaleDown + 1; round++) {
        M lock;
        Cond cond;
        int waiting = 0, woken = 0;
        bool go = false;
        auto all = crew();
        for (int i = 0; i < 5; i++) {
          all.start([&] {
            unique_lock held(lock);
            waiting++;
            cond.wait(held, [&] { return go; });
            woken++;
          });
        }
        for (;;) {
          unique_lock held(lock);
          if (waiting == 5) break;
          held.unlock();
          this_thread::yield();
        }
        {
          unique_lock held(lock);
          go = true;
        }
        cond.notify_all();
        all.join();
        EXPECT_EQ(woken, 5);
      }
    });
  }
};
FIBER_STD_MODES(StdConditionTest);

TEST_P(StdConditionTest, LosesNothing) { loses_nothing<condition_variable, mutex>(); }
TEST_P(StdConditionTest, AnyLosesNothing) { loses_nothing<condition_variable_any, timed_mutex>(); }
TEST_P(StdConditionTest, TimesOut) { times_out<condition_variable, mutex>(); }
TEST_P(StdConditionTest, AnyTimesOut) { times_out<condition_variable_any, recursive_mutex>(); }
TEST_P(StdConditionTest, NotifyAllReachesAll) {
  notify_all_reaches_all<condition_variable, mutex>();
}
TEST_P(StdConditionTest, AnyNotifyAllReachesAll) {
  notify_all_reaches_all<condition_variable_any, shared_mutex>();
}

// One notification per waiter is enough, and one that comes while nobody waits is not kept.
TEST_P(StdConditionTest, EachNotifyOneReleasesOne) {
  run([this] {
    mutex lock;
    condition_variable cond;
    condition_variable_any any;
    cond.notify_one();
    any.notify_all();
    int waiting = 0, tickets = 0, passed = 0;
    auto all = crew();
    for (int i = 0; i < 6; i++) {
      all.start([&, i] {
        unique_lock held(lock);
        waiting++;
        auto ticket = [&] { return tickets > 0; };
        if (i % 2 == 0) {
          cond.wait(held, ticket);
        } else {
          any.wait(held, ticket);
        }
        tickets--;
        passed++;
      });
    }
    for (int n = 0; n < 3;) {
      unique_lock held(lock);
      if (waiting < 6 || tickets > 0) {
        held.unlock();
        this_thread::yield();
        continue;
      }
      n++;
      tickets += 1;
      cond.notify_one();
      // Only one of the two kinds at a time.
      while (tickets > 0) {
        held.unlock();
        this_thread::yield();
        held.lock();
      }
      tickets += 1;
      any.notify_one();
    }
    all.join();
    EXPECT_EQ(passed, 6);
    EXPECT_EQ(tickets, 0);
  });
}

// Those that have been notified need the condition variable no more, even before they wake up.
TEST_P(StdConditionTest, MayBeDestroyedOnceAllAreNotified) {
  run([this] {
    for (int round = 0; round < 300 / kScaleDown + 1; round++) {
      mutex lock;
      auto cond = std::make_unique<condition_variable>();
      auto any = std::make_unique<condition_variable_any>();
      bool go = false;
      int waiting = 0;
      auto all = crew();
      for (int i = 0; i < 4; i++) {
        all.start([&, i] {
          unique_lock held(lock);
          waiting++;
          // Only one wait each: a spurious wake-up would make the loop touch what is gone, so the
          // condition decides before the first.
          if (go) return;
          if (i % 2 == 0) {
            cond->wait(held);
          } else {
            any->wait(held);
          }
        });
      }
      for (;;) {
        unique_lock held(lock);
        if (waiting == 4) {
          go = true;
          cond->notify_all();
          any->notify_all();
          cond.reset();
          any.reset();
          break;
        }
        held.unlock();
        this_thread::yield();
      }
    }
  });
}

TEST_P(StdConditionTest, AnyWaitsWithASharedLock) {
  run([this] {
    shared_mutex lock;
    condition_variable_any cond;
    bool go = false;
    std::atomic<int> inside{0};
    auto all = crew();
    for (int i = 0; i < 4; i++) {
      all.start([&] {
        shared_lock held(lock);
        cond.wait(held, [&] { return go; });
        EXPECT_TRUE(held.owns_lock());
        inside++;
        while (inside < 4) this_thread::yield();  // all share it at once
      });
    }
    {
      unique_lock held(lock);
      go = true;
    }
    cond.notify_all();
    all.join();
    EXPECT_EQ(inside, 4);
  });
}

// A lock of one's own, whose unlock() and lock() wait for something else.
TEST_P(StdConditionTest, AnyTakesALockThatSuspendsInItsUnlock) {
  run([this] {
    struct Slow {
      mutex inner;
      int unlocks = 0;
      void lock() {
        inner.lock();
        this_thread::yield();
      }
      void unlock() {
        unlocks++;
        this_thread::sleep_for(50us);
        inner.unlock();
        this_thread::sleep_for(50us);
      }
    } lock;
    condition_variable_any cond;
    int turn = 0;
    auto both = crew();
    for (int i = 0; i < 2; i++) {
      both.start([&, i] {
        for (int n = 0; n < 20; n++) {
          unique_lock held(lock);
          cond.wait(held, [&] { return turn == i; });
          turn = 1 - i;
          cond.notify_one();
        }
      });
    }
    both.join();
    EXPECT_GE(lock.unlocks, 40);
  });
}

TEST_P(StdConditionTest, AnyWaitEndsWhenAStopIsRequested) {
  run([this] {
    for (int round = 0; round < 200 / kScaleDown + 1; round++) {
      mutex lock;
      condition_variable_any cond;
      stop_source stop;
      auto all = crew();
      for (int i = 0; i < 3; i++) {
        all.start([&, i] {
          unique_lock held(lock);
          const auto never = [] { return false; };
          bool result = true;
          if (i == 0) result = cond.wait(held, stop.get_token(), never);
          if (i == 1) result = cond.wait_for(held, stop.get_token(), kForever, never);
          if (i == 2) {
            result = cond.wait_until(held, stop.get_token(), steady_clock::now() + kForever, never);
          }
          EXPECT_FALSE(result);
          EXPECT_TRUE(held.owns_lock());
        });
      }
      for (int i = 0; i < round % 8; i++) this_thread::yield();
      EXPECT_TRUE(stop.request_stop());
    }
  });
}

TEST_P(StdConditionTest, AnyWaitWithATokenStillWaitsForTheConditionAndTheTime) {
  run([this] {
    mutex lock;
    condition_variable_any cond;
    stop_source stop;
    unique_lock held(lock);
    const Stopwatch watch;
    const auto start = steady_clock::now();
    EXPECT_FALSE(cond.wait_for(held, stop.get_token(), 2ms, [] { return false; }));
    EXPECT_FALSE(cond.wait_until(held, stop.get_token(), start + 4ms, [] { return false; }));
    EXPECT_GE(watch.elapsed(), 4ms);
    const auto slow = SlowClock::now() + 1ms;
    EXPECT_FALSE(cond.wait_until(held, stop.get_token(), slow, [] { return false; }));
    EXPECT_GE(SlowClock::now(), slow);
    bool go = false;
    auto other = crew();
    other.start([&] {
      {
        lock_guard guard(lock);
        go = true;
      }
      cond.notify_one();
    });
    EXPECT_TRUE(cond.wait(held, stop.get_token(), [&] { return go; }));
    held.unlock();
    other.join();
    held.lock();
    EXPECT_TRUE(cond.wait(held, stop_token(), [&] { return go; }));
    stop.request_stop();
    EXPECT_TRUE(cond.wait(held, stop.get_token(), [&] { return go; }));
    EXPECT_FALSE(cond.wait(held, stop.get_token(), [] { return false; }));
  });
}

TEST_P(StdConditionTest, NotifiesAllAtThreadExitAfterTheLocalsAreGone) {
  run([this] {
    for (int round = 0; round < 50 / kScaleDown + 1; round++) {
      mutex lock;
      condition_variable cond;
      bool done = false;
      struct Mark {
        std::atomic<bool>* gone = nullptr;
        ~Mark() { *gone = true; }
      };
      static fiber::local<Mark> mark;
      std::atomic<bool> gone{false};
      auto other = crew();
      other.start([&] {
        unique_lock held(lock);
        done = true;
        notify_all_at_thread_exit(cond, std::move(held));
        EXPECT_FALSE(held.owns_lock());
        mark->gone = &gone;
      });
      unique_lock held(lock);
      cond.wait(held, [&] { return done; });
      EXPECT_TRUE(gone);
    }
  });
}

}  // namespace
}  // namespace fiber_std
