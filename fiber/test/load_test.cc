// Under load: timers and I/O under a busy run queue, exceptions of many fibers at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "fiber/net.h"
#include "fiber/runtime.h"
#include "fiber/stats.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "testing.h"

namespace fiber {
namespace {

using testing::kMillisecond;
using testing::kScaleDown;

// The bound that the library promises: what is due is served at the first suspension that comes so
// long after it was due. Told by the order of events, not by how long they took: a slow machine
// delays the suspension and the service alike.
constexpr uint64_t kServedWithinNanos = 100000;

// Fibers that keep the run queue busy, and note what they see. `due` is when the event was due, set
// before it is or as soon as that is known; `served` is set by the fiber that waited for it.
struct BusyQueue {
  static constexpr int kFibers = 8;
  std::atomic<uint64_t> due{UINT64_MAX};
  bool served = false;
  bool stop = false;
  int late_suspensions = 0;  // begun 100 us or more after `due`, with the event not served

  std::vector<JoinHandle> start() {
    std::vector<JoinHandle> handles;
    for (int i = 0; i < kFibers; i++) {
      handles.push_back(spawn([this] {
        while (!stop) {
          const uint64_t limit = due.load(std::memory_order_acquire);
          if (!served && limit != UINT64_MAX && now_nanos() >= limit + kServedWithinNanos)
            late_suspensions++;
          yield();
        }
      }));
    }
    return handles;
  }
  // The suspension that serves puts the waiting fiber behind those in the queue, each of which may
  // suspend once more before it runs.
  static constexpr int kAllowed = 1 + kFibers;
};

TEST(ServiceTest, ATimerIsServedAtTheFirstSuspensionAfterItsTime) {
  Runtime runtime;
  for (int round = 0; round < 50 / kScaleDown + 1; round++) {
    runtime.run([] {
      BusyQueue busy;
      std::vector<JoinHandle> handles = busy.start();
      const uint64_t deadline = deadline_after(300000);
      busy.due = deadline;
      sleep_until(deadline);
      busy.served = true;
      EXPECT_LE(busy.late_suspensions, BusyQueue::kAllowed);
      busy.stop = true;
    });
  }
}

TEST(ServiceTest, ACompletionIsServedAtTheFirstSuspensionAfterIt) {
  Runtime runtime;
  if (runtime.engine() != Engine::kIoUring) GTEST_SKIP() << "the pool completes by the inbox";
  constexpr int kRounds = 50 / kScaleDown + 1;
  int late_rounds = 0;
  for (int round = 0; round < kRounds; round++) {
    std::array<int, 2> ends;
    ASSERT_EQ(net::socket_pair(ends.data()), 0);
    runtime.run([&] {
      BusyQueue busy;
      std::vector<JoinHandle> handles = busy.start();
      Thread writer("writer", [&] {
        sleep_for(300000);
        ASSERT_EQ(net::send(ends[1], "x", 1), 1);
        busy.due.store(now_nanos(), std::memory_order_release);
      });
      char byte;
      ASSERT_EQ(net::recv(ends[0], &byte, 1), 1);
      busy.served = true;
      late_rounds += busy.late_suspensions > BusyQueue::kAllowed;
      busy.stop = true;
      writer.join();
    });
    for (int fd : ends) net::close(fd);
  }
  // The writer may be displaced before the kernel has told the ring: seen once in hundreds of runs.
  EXPECT_LE(late_rounds, 1 + kRounds / 10);
}

TEST(ServiceTest, AWakeByAThreadIsServedAtTheNextSuspension) {
  Runtime runtime;
  for (int round = 0; round < 50 / kScaleDown + 1; round++) {
    runtime.run([&] {
      BusyQueue busy;
      std::vector<JoinHandle> handles = busy.start();
      Event event;
      Thread setter("setter", [&] {
        event.set();
        busy.due.store(now_nanos() - kServedWithinNanos, std::memory_order_release);  // at once
      });
      event.wait();
      busy.served = true;
      EXPECT_LE(busy.late_suspensions, BusyQueue::kAllowed);
      busy.stop = true;
      setter.join();
    });
  }
}

// Each fiber is in a catch block, with an exception of its own and a nested one, while the others
// of its worker throw and catch.
TEST(ExceptionLoadTest, CatchBlocksOfManyFibersInterleave) {
  Runtime runtime;
  constexpr int kFibers = 20;
  int inside = 0, most_inside = 0;
  runtime.run([&] {
    std::vector<JoinHandle> handles;
    for (int i = 0; i < kFibers; i++) {
      handles.push_back(spawn([&, i] {
        const std::string mine = "fiber " + std::to_string(i);
        for (int n = 0; n < 10; n++) {
          try {
            throw std::runtime_error(mine);
          } catch (const std::runtime_error& outer) {
            inside++;
            most_inside = std::max(most_inside, inside);
            yield();
            try {
              yield();
              std::throw_with_nested(std::logic_error(mine + " nested"));
            } catch (const std::logic_error& inner) {
              yield();
              EXPECT_EQ(inner.what(), mine + " nested");
              const std::exception_ptr held = std::current_exception();
              yield();
              try {
                std::rethrow_if_nested(inner);
                ADD_FAILURE();
              } catch (const std::runtime_error& nested) {
                yield();
                EXPECT_EQ(nested.what(), mine);
              }
              EXPECT_EQ(std::current_exception(), held);
            }
            yield();
            EXPECT_EQ(outer.what(), mine);
            inside--;
          }
          EXPECT_EQ(std::current_exception(), nullptr);
          EXPECT_EQ(std::uncaught_exceptions(), 0);
        }
      }));
    }
  });
  EXPECT_EQ(most_inside, kFibers);  // they were indeed in them all at once
}

}  // namespace
}  // namespace fiber
