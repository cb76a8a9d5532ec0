#include "compaction/courtesy.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "fiber/clock.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

// The threads that `steps` steps ran on, in the order of their first one.
struct Trace {
  void Note() {
    const uint64_t id = fiber::current_thread_id();
    if (threads.empty() || threads.back() != id) threads.push_back(id);
    ++steps;
  }
  std::vector<uint64_t> threads;
  int steps = 0;
};

TEST(Courtesy, WithoutAnybodyToAskAllIsUrgent) {
  Trace trace;
  Courtesy courtesy({});
  courtesy.Run([&] {
    trace.Note();
    return trace.steps < 1000;
  });
  EXPECT_EQ(trace.steps, 1000);
  EXPECT_EQ(trace.threads, std::vector<uint64_t>{fiber::current_thread_id()});
  EXPECT_EQ(courtesy.cpu_nanos_elsewhere(), 0u);
}

TEST(Courtesy, WorkThatIsNotUrgentRunsOnAnotherThread) {
  Trace trace;
  Courtesy courtesy([] { return false; });
  const uint64_t end = fiber::now_nanos() + 3'000'000;  // several bites
  uint64_t cpu_start = 0;
  courtesy.Run([&] {
    if (trace.steps == 0) cpu_start = fiber::thread_cpu_nanos();
    trace.Note();
    // (Windows counts a thread's time in whole ticks of its clock.)
    return fiber::now_nanos() < end || fiber::thread_cpu_nanos() == cpu_start;
  });
  ASSERT_EQ(trace.threads.size(), 1u);
  EXPECT_NE(trace.threads[0], fiber::current_thread_id());
  EXPECT_GT(courtesy.cpu_nanos_elsewhere(), 0u);
}

TEST(Courtesy, ComesBackWhenItBecomesUrgentAndLeavesWhenItNoLongerIs) {
  Trace trace;
  std::atomic<bool> urgent{false};
  Courtesy courtesy([&] { return urgent.load(); });
  const uint64_t me = fiber::current_thread_id();
  // Polite until it has been, urgent until it has been here, polite to the end.
  courtesy.Run([&] {
    trace.Note();
    if (trace.threads.size() == 1) urgent = true;
    if (trace.threads.size() == 2) urgent = false;
    return trace.threads.size() < 3;
  });
  ASSERT_EQ(trace.threads.size(), 3u);
  EXPECT_NE(trace.threads[0], me);
  EXPECT_EQ(trace.threads[1], me);
  EXPECT_NE(trace.threads[2], me);
}

TEST(Courtesy, OneStepIsCalledOnce) {
  for (const bool urgent : {false, true}) {
    int steps = 0;
    Courtesy courtesy([urgent] { return urgent; });
    courtesy.Run([&] {
      ++steps;
      return false;
    });
    EXPECT_EQ(steps, 1);
  }
}

}  // namespace
}  // namespace cairn
