// The tests of fiber_std run each body three times: between plain threads, between fibers, and
// between both on the same objects.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/std/thread.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber_std::testing {

using fiber::testing::kScaleDown;

// Longer than anything takes that does not hang.
inline constexpr std::chrono::seconds kForever{120};

// The time since it was made. In a simulation by both clocks, for a deadline that a test takes from
// the real one moves on with either.
class Stopwatch {
 public:
  std::chrono::nanoseconds elapsed() const {
    const std::chrono::nanoseconds real = std::chrono::steady_clock::now() - start_;
    const auto simulated = std::chrono::nanoseconds(fiber::now_nanos() - simulated_start_);
    return fiber::Simulation::inside() ? real + simulated : real;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  uint64_t simulated_start_ = fiber::now_nanos();
};

enum class Mode { kThreads, kFibers, kMixed };

inline std::string mode_name(const ::testing::TestParamInfo<Mode>& info) {
  switch (info.param) {
    case Mode::kThreads:
      return "Threads";
    case Mode::kFibers:
      return "Fibers";
    default:
      return "Mixed";
  }
}

class ModalTest : public ::testing::TestWithParam<Mode> {
 protected:
  // Runs the test's body: on a fiber of a runtime with two workers, or right here.
  void run(const std::function<void()>& body) {
    if (GetParam() == Mode::kFibers) {
      fiber::Runtime runtime({.workers = 2, .name = "std_test"});
      runtime.run(body);
    } else {
      body();
    }
  }

  // What the body runs beside itself: fibers, plain threads, or by turns a fiber and a thread.
  // Joins them when it goes.
  class Crew {
   public:
    explicit Crew(Mode mode) : mode_(mode) {}
    ~Crew() { join(); }
    void start(fiber::Function function) {
      const bool on_fiber = mode_ == Mode::kFibers || (mode_ == Mode::kMixed && count_ % 2 == 0);
      count_++;
      if (on_fiber) {
        fibers_.emplace_back(std::move(function));
      } else {
        threads_.emplace_back("crew", std::move(function));
      }
    }
    void join() {
      for (thread& member : fibers_) member.join();
      fibers_.clear();
      threads_.clear();
    }

   private:
    const Mode mode_;
    int count_ = 0;
    std::vector<thread> fibers_;
    std::vector<fiber::Thread> threads_;
  };
  Crew crew() { return Crew(GetParam()); }
};

#define FIBER_STD_MODES(suite)                                                                     \
  INSTANTIATE_TEST_SUITE_P(                                                                        \
      All, suite,                                                                                  \
      ::testing::Values(::fiber_std::testing::Mode::kThreads, ::fiber_std::testing::Mode::kFibers, \
                        ::fiber_std::testing::Mode::kMixed),                                       \
      ::fiber_std::testing::mode_name)

// Runs the statement, which must throw `exception` with this code.
#define FIBER_STD_EXPECT_CODE(statement, exception, expected_code)                    \
  do {                                                                                \
    try {                                                                             \
      statement;                                                                      \
      ADD_FAILURE() << #statement " did not throw";                                   \
    } catch (const exception& thrown) {                                               \
      EXPECT_EQ(thrown.code(), std::make_error_code(expected_code)) << thrown.what(); \
    }                                                                                 \
  } while (false)

// A clock that runs `kSpeedup` times as fast as the steady one, from its own start.
struct FastClock {
  using rep = int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<FastClock>;
  static constexpr bool is_steady = true;
  static constexpr int kSpeedup = 8;
  static time_point now() {
    return time_point(duration(static_cast<rep>(fiber::now_nanos()) * kSpeedup));
  }
};

// One that runs at a quarter of the speed: who waits by the steady clock wakes too early.
struct SlowClock {
  using rep = int64_t;
  using period = std::nano;
  using duration = std::chrono::nanoseconds;
  using time_point = std::chrono::time_point<SlowClock>;
  static constexpr bool is_steady = true;
  static time_point now() { return time_point(duration(static_cast<rep>(fiber::now_nanos()) / 4)); }
};

}  // namespace fiber_std::testing
