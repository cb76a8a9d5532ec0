// fiber_std::promise, future, shared_future, packaged_task, async.
#include "fiber/std/future.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fiber/local.h"
#include "fiber/sync.h"
#include "std_testing.h"

#if defined(FIBER_TSAN)
// The count of references to an exception is changed inside of libstdc++.so, which is not
// instrumented: its last release, by whichever thread, looks like a race with the handlers of
// others (std::promise has it too).
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:std::__exception_ptr::exception_ptr::_M_release\n";
}
#endif

namespace fiber_std {
namespace {

using namespace std::chrono_literals;
using namespace fiber_std::testing;  // NOLINT(google-build-using-namespace): std_testing.h
using std::chrono::steady_clock;

class StdFutureTest : public testing::ModalTest {};
FIBER_STD_MODES(StdFutureTest);

TEST_P(StdFutureTest, ThePromisesValueReachesTheFuture) {
  run([this] {
    for (int round = 0; round < 300 / kScaleDown + 1; round++) {
      auto value = std::make_unique<promise<std::string>>();
      promise<void> nothing;
      promise<int&> reference;
      int target = 0;
      future<std::string> f = value->get_future();
      future<void> g = nothing.get_future();
      future<int&> h = reference.get_future();
      auto other = crew();
      other.start([&] {
        value->set_value("a value that is too long for the small string");
        reference.set_value(target);
      });
      other.start([&] { nothing.set_value(); });
      EXPECT_TRUE(f.valid());
      EXPECT_EQ(f.get(), "a value that is too long for the small string");
      EXPECT_FALSE(f.valid());
      g.get();
      h.get() = 5;
      EXPECT_EQ(target, 5);
      other.join();
    }
  });
}

// Who got the value may destroy the promise although its set_value() has not returned.
TEST_P(StdFutureTest, ThePromiseMayBeDestroyedByWhoGotTheValue) {
  run([this] {
    for (int round = 0; round < 500 / kScaleDown + 1; round++) {
      auto given = std::make_unique<promise<int>>();
      future<int> f = given->get_future();
      auto other = crew();
      other.start([raw = given.get()] { raw->set_value(3); });
      EXPECT_EQ(f.get(), 3);
      given.reset();
    }
  });
}

TEST_P(StdFutureTest, AnExceptionReachesTheFuture) {
  run([this] {
    promise<int> given;
    shared_future<int> f = given.get_future().share();
    auto other = crew();
    other.start([&] {
      given.set_exception(std::make_exception_ptr(std::runtime_error("out of the thread")));
    });
    for (int i = 0; i < 2; i++) {
      try {
        (void)f.get();
        ADD_FAILURE() << "no exception";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "out of the thread");
      }
    }
  });
}

TEST_P(StdFutureTest, Errors) {
  run([] {
    promise<int> given;
    future<int> f = given.get_future();
    FIBER_STD_EXPECT_CODE((void)given.get_future(), future_error,
                          future_errc::future_already_retrieved);
    given.set_value(1);
    FIBER_STD_EXPECT_CODE(given.set_value(2), future_error, future_errc::promise_already_satisfied);
    FIBER_STD_EXPECT_CODE(given.set_exception(std::make_exception_ptr(1)), future_error,
                          future_errc::promise_already_satisfied);
    FIBER_STD_EXPECT_CODE(given.set_value_at_thread_exit(2), future_error,
                          future_errc::promise_already_satisfied);
    EXPECT_EQ(f.get(), 1);
    FIBER_STD_EXPECT_CODE((void)f.get(), future_error, future_errc::no_state);
    FIBER_STD_EXPECT_CODE(f.wait(), future_error, future_errc::no_state);
    promise<int> moved(std::move(given));
    FIBER_STD_EXPECT_CODE(given.set_value(1), future_error, future_errc::no_state);
    FIBER_STD_EXPECT_CODE((void)given.get_future(), future_error, future_errc::no_state);
    packaged_task<int()> none;
    EXPECT_FALSE(none.valid());
    FIBER_STD_EXPECT_CODE(none(), future_error, future_errc::no_state);
    FIBER_STD_EXPECT_CODE((void)none.get_future(), future_error, future_errc::no_state);
    FIBER_STD_EXPECT_CODE(none.reset(), future_error, future_errc::no_state);
  });
}

TEST_P(StdFutureTest, ABrokenPromiseIsTold) {
  run([this] {
    future<int> f, g;
    {
      promise<int> given;
      f = given.get_future();
      packaged_task<int()> task([] { return 1; });
      g = task.get_future();
    }
    FIBER_STD_EXPECT_CODE((void)f.get(), future_error, future_errc::broken_promise);
    FIBER_STD_EXPECT_CODE((void)g.get(), future_error, future_errc::broken_promise);
    // Also to one that waits already.
    auto given = std::make_unique<promise<void>>();
    future<void> h = given->get_future();
    auto other = crew();
    other.start([&] { FIBER_STD_EXPECT_CODE(h.get(), future_error, future_errc::broken_promise); });
    for (int i = 0; i < 5; i++) this_thread::yield();
    given.reset();
    other.join();
    // Assigning over a promise abandons the old one.
    promise<int> old;
    future<int> k = old.get_future();
    old = promise<int>();
    FIBER_STD_EXPECT_CODE((void)k.get(), future_error, future_errc::broken_promise);
  });
}

TEST_P(StdFutureTest, AValueWhoseCopyThrowsLeavesThePromiseUnsatisfied) {
  run([] {
    struct Moody {
      bool bad;
      explicit Moody(bool is_bad) : bad(is_bad) {}
      Moody(const Moody& other) : bad(other.bad) {
        if (bad) throw std::runtime_error("no copy");
      }
    };
    promise<Moody> given;
    future<Moody> f = given.get_future();
    const Moody bad(true), good(false);
    EXPECT_THROW(given.set_value(bad), std::runtime_error);
    EXPECT_EQ(f.wait_for(0s), future_status::timeout);
    given.set_value(good);
    EXPECT_FALSE(f.get().bad);
  });
}

TEST_P(StdFutureTest, WaitsTimeOut) {
  run([] {
    promise<int> given;
    future<int> f = given.get_future();
    const Stopwatch watch;
    const auto start = steady_clock::now();
    EXPECT_EQ(f.wait_for(2ms), future_status::timeout);
    EXPECT_EQ(f.wait_until(start + 4ms), future_status::timeout);
    EXPECT_GE(watch.elapsed(), 4ms);
    EXPECT_EQ(f.wait_for(-1s), future_status::timeout);
    EXPECT_EQ(f.wait_until(start), future_status::timeout);
    const auto slow = SlowClock::now() + 1ms;
    EXPECT_EQ(f.wait_until(slow), future_status::timeout);
    EXPECT_GE(SlowClock::now(), slow);
    given.set_value(1);
    EXPECT_EQ(f.wait_for(0s), future_status::ready);
    EXPECT_EQ(f.wait_until(start), future_status::ready);
    EXPECT_EQ(f.wait_for(std::chrono::hours::max()), future_status::ready);
    EXPECT_TRUE(f.valid());
  });
}

TEST_P(StdFutureTest, ManyShareOneResult) {
  run([this] {
    promise<std::unique_ptr<int>> given;
    future<std::unique_ptr<int>> single = given.get_future();
    shared_future<std::unique_ptr<int>> shared = single.share();
    EXPECT_FALSE(single.valid());
    EXPECT_TRUE(shared.valid());
    std::atomic<const int*> seen{nullptr};
    std::atomic<int> same{0};
    auto all = crew();
    for (int i = 0; i < 5; i++) {
      all.start([&, mine = shared] {
        const std::unique_ptr<int>& value = mine.get();
        const int* expected = nullptr;
        seen.compare_exchange_strong(expected, value.get());
        same += seen == value.get() && *value == 9;
      });
    }
    given.set_value(std::make_unique<int>(9));
    all.join();
    EXPECT_EQ(same, 5);
    shared_future<void> none;
    EXPECT_FALSE(none.valid());
  });
}

TEST_P(StdFutureTest, APackagedTaskRunsOnceAndCarriesItsException) {
  run([this] {
    packaged_task task([](int n) {
      if (n < 0) throw std::out_of_range("negative");
      return n * 2;
    });
    static_assert(std::is_same_v<decltype(task), packaged_task<int(int)>>);
    future<int> f = task.get_future();
    FIBER_STD_EXPECT_CODE((void)task.get_future(), future_error,
                          future_errc::future_already_retrieved);
    auto other = crew();
    other.start([&] { task(21); });
    EXPECT_EQ(f.get(), 42);
    other.join();
    FIBER_STD_EXPECT_CODE(task(1), future_error, future_errc::promise_already_satisfied);
    task.reset();
    f = task.get_future();
    task(-1);
    EXPECT_THROW((void)f.get(), std::out_of_range);
    // Unfinished, reset: the old future hears of it.
    task.reset();
    f = task.get_future();
    task.reset();
    FIBER_STD_EXPECT_CODE((void)f.get(), future_error, future_errc::broken_promise);
    packaged_task<int(int)> moved(std::move(task));
    EXPECT_FALSE(task.valid());
    f = moved.get_future();
    thread(std::move(moved), 4).join();
    EXPECT_EQ(f.get(), 8);
    packaged_task<void(std::unique_ptr<int>)> takes(
        [](std::unique_ptr<int> p) { EXPECT_EQ(*p, 1); });
    takes(std::make_unique<int>(1));
    takes.get_future().get();
  });
}

TEST_P(StdFutureTest, AsyncRunsOnAThreadOfItsOwn) {
  run([] {
    const thread::id me = this_thread::get_id();
    future<thread::id> f = async(launch::async, [] { return this_thread::get_id(); });
    EXPECT_NE(f.get(), me);
    auto moved = std::make_unique<int>(4);
    EXPECT_EQ(
        async([](std::unique_ptr<int> a, int b) { return *a + b; }, std::move(moved), 3).get(), 7);
    int target = 0;
    async([](int& out) { out = 1; }, std::ref(target)).get();
    EXPECT_EQ(target, 1);
    EXPECT_EQ(&async([&]() -> int& { return target; }).get(), &target);
    EXPECT_EQ(async(&std::string::size, std::string("four")).get(), 4u);
  });
}

TEST_P(StdFutureTest, AsyncCarriesExceptions) {
  run([] {
    future<void> f = async(launch::async, [] { throw std::logic_error("inside"); });
    f.wait();
    EXPECT_THROW(f.get(), std::logic_error);
    future<int> g = async(launch::deferred, []() -> int { throw 7; });
    try {
      (void)g.get();
      ADD_FAILURE() << "no exception";
    } catch (int thrown) {
      EXPECT_EQ(thrown, 7);
    }
  });
}

TEST_P(StdFutureTest, TheLastFutureOfAnAsyncWaitsForItsThread) {
  run([] {
    std::atomic<bool> ended{false};
    {
      shared_future<void> last;
      {
        fiber::Event go;
        shared_future<void> f = async(launch::async, [&] {
                                  go.wait();
                                  for (int i = 0; i < 10; i++) this_thread::yield();
                                  ended = true;
                                }).share();
        last = f;
        EXPECT_EQ(f.wait_for(0s), future_status::timeout);
        go.set();
        f.wait();
      }
      EXPECT_TRUE(ended);
      ended = false;
    }
    {
      (void)async(launch::async, [&] { ended = true; });
    }
    EXPECT_TRUE(ended);
  });
}

// Waiting is as good as joining: the thread's own values are gone.
TEST_P(StdFutureTest, AsyncIsReadyWhenItsThreadsValuesAreGone) {
  run([] {
    struct Mark {
      std::atomic<bool>* gone = nullptr;
      ~Mark() {
        for (int i = 0; i < 3; i++) this_thread::yield();
        *gone = true;
      }
    };
    static fiber::local<Mark> mark;
    for (int round = 0; round < 50 / kScaleDown + 1; round++) {
      std::atomic<bool> gone{false};
      future<void> f = async(launch::async, [&] { mark->gone = &gone; });
      if (round % 2 == 0) {
        f.wait();
      } else {
        EXPECT_EQ(f.wait_for(kForever), future_status::ready);
      }
      EXPECT_TRUE(gone);
    }
  });
}

TEST_P(StdFutureTest, ADeferredAsyncRunsOnceOnTheFirstThatWaits) {
  run([this] {
    const thread::id me = this_thread::get_id();
    int calls = 0;
    future<thread::id> f = async(launch::deferred, [&] {
      calls++;
      return this_thread::get_id();
    });
    EXPECT_EQ(f.wait_for(1ms), future_status::deferred);
    EXPECT_EQ(f.wait_until(steady_clock::now() + 1h), future_status::deferred);
    EXPECT_EQ(calls, 0);
    f.wait();
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(f.wait_for(0s), future_status::ready);
    EXPECT_EQ(f.get(), me);
    EXPECT_EQ(calls, 1);
    {
      (void)async(launch::deferred, [&] { calls++; });
    }
    EXPECT_EQ(calls, 1);  // nobody waited
    std::atomic<int> runs{0};
    shared_future<int> shared = async(launch::deferred, [&] {
                                  runs++;
                                  this_thread::yield();
                                  return 3;
                                }).share();
    auto all = crew();
    for (int i = 0; i < 5; i++) all.start([&, mine = shared] { EXPECT_EQ(mine.get(), 3); });
    all.join();
    EXPECT_EQ(runs, 1);
  });
}

TEST_P(StdFutureTest, AtThreadExitTheResultComesAfterTheThreadsValuesAreGone) {
  run([this] {
    struct Mark {
      std::atomic<int>* gone = nullptr;
      ~Mark() { ++*gone; }
    };
    static fiber::local<Mark> mark;
    for (int round = 0; round < 50 / kScaleDown + 1; round++) {
      std::atomic<int> gone{0};
      promise<int> value;
      promise<void> nothing;
      promise<int&> reference;
      promise<int> failure;
      packaged_task<int()> task([] { return 4; });
      int target = 0;
      future<int> f = value.get_future();
      future<void> g = nothing.get_future();
      future<int&> h = reference.get_future();
      future<int> k = failure.get_future();
      future<int> t = task.get_future();
      fiber::Event set, checked;
      auto other = crew();
      other.start([&] {
        mark->gone = &gone;
        {
          // Gone before the thread is: the result is there all the same.
          promise<int> moved(std::move(value));
          moved.set_value_at_thread_exit(3);
        }
        nothing.set_value_at_thread_exit();
        reference.set_value_at_thread_exit(target);
        failure.set_exception_at_thread_exit(std::make_exception_ptr(std::runtime_error("late")));
        task.make_ready_at_thread_exit();
        FIBER_STD_EXPECT_CODE(nothing.set_value(), future_error,
                              future_errc::promise_already_satisfied);
        set.set();
        checked.wait();
      });
      set.wait();
      EXPECT_EQ(f.wait_for(0s), future_status::timeout);
      EXPECT_EQ(g.wait_for(100us), future_status::timeout);
      EXPECT_EQ(t.wait_for(0s), future_status::timeout);
      EXPECT_EQ(gone, 0);
      checked.set();
      EXPECT_EQ(f.get(), 3);
      EXPECT_EQ(gone, 1);
      g.get();
      EXPECT_EQ(&h.get(), &target);
      EXPECT_THROW((void)k.get(), std::runtime_error);
      EXPECT_EQ(t.get(), 4);
    }
  });
}

// Counts what is allocated through it and not yet given back.
template <class T>
struct CountingAllocator {
  using value_type = T;
  explicit CountingAllocator(int* counter) : live(counter) {}
  template <class U>
  CountingAllocator(const CountingAllocator<U>& other) : live(other.live) {}
  T* allocate(size_t n) {
    ++*live;
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T* p, size_t n) {
    --*live;
    std::allocator<T>().deallocate(p, n);
  }
  friend bool operator==(const CountingAllocator&, const CountingAllocator&) = default;
  int* live;
};

TEST_P(StdFutureTest, AllocatesWhereItIsTold) {
  run([] {
    static_assert(std::uses_allocator_v<promise<int>, CountingAllocator<int>>);
    int live = 0;
    {
      promise<int> given(std::allocator_arg, CountingAllocator<int>(&live));
      EXPECT_EQ(live, 1);
      future<int> f = given.get_future();
      given.set_value(2);
      EXPECT_EQ(f.get(), 2);
    }
    EXPECT_EQ(live, 0);
  });
}

}  // namespace
}  // namespace fiber_std
