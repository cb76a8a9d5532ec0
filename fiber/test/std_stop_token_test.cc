// fiber_std::stop_token, stop_source, stop_callback.
#include "fiber/std/stop_token.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "fiber/sync.h"
#include "std_testing.h"

namespace fiber_std {
namespace {

class StdStopTest : public testing::ModalTest {};
FIBER_STD_MODES(StdStopTest);

TEST_P(StdStopTest, WhoSharesAStateSeesTheRequest) {
  run([] {
    stop_source source;
    const stop_token token = source.get_token();
    EXPECT_TRUE(source.stop_possible());
    EXPECT_TRUE(token.stop_possible());
    EXPECT_FALSE(token.stop_requested());
    stop_source copy = source;
    EXPECT_EQ(copy, source);
    EXPECT_EQ(copy.get_token(), token);
    EXPECT_TRUE(copy.request_stop());
    EXPECT_FALSE(source.request_stop());
    EXPECT_TRUE(token.stop_requested());
    EXPECT_TRUE(source.stop_requested());
    stop_source other;
    EXPECT_NE(other, source);
    swap(other, source);
    EXPECT_TRUE(other.stop_requested());
    EXPECT_FALSE(source.stop_requested());
  });
}

TEST_P(StdStopTest, NoStopIsPossibleWithoutASource) {
  run([] {
    EXPECT_FALSE(stop_token().stop_possible());
    EXPECT_FALSE(stop_source(nostopstate).stop_possible());
    EXPECT_FALSE(stop_source(nostopstate).request_stop());
    stop_token orphan, stopped;
    {
      stop_source source;
      orphan = source.get_token();
      stop_source second = source;
      source = stop_source(nostopstate);
      EXPECT_TRUE(orphan.stop_possible());
      EXPECT_TRUE(second.stop_possible());
    }
    EXPECT_FALSE(orphan.stop_possible());
    {
      stop_source source;
      stopped = source.get_token();
      source.request_stop();
    }
    EXPECT_TRUE(stopped.stop_possible());  // it has happened
    int calls = 0;
    {
      stop_callback never(orphan, [&] { calls++; });
    }
    {
      stop_callback never(stop_token(), [&] { calls++; });
    }
    EXPECT_EQ(calls, 0);
    {
      stop_callback at_once(stopped, [&] { calls++; });
    }
    EXPECT_EQ(calls, 1);
  });
}

TEST_P(StdStopTest, CallbacksRunOnceOnTheRequester) {
  run([] {
    stop_source source;
    int calls = 0;
    const thread::id me = this_thread::get_id();
    stop_callback first(source.get_token(), [&] { calls += this_thread::get_id() == me; });
    std::optional<stop_callback<std::function<void()>>> gone;
    gone.emplace(source.get_token(), [&] { calls += 100; });
    stop_callback third(source.get_token(), [&] { calls += this_thread::get_id() == me; });
    gone.reset();
    source.request_stop();
    source.request_stop();
    EXPECT_EQ(calls, 2);
  });
}

TEST_P(StdStopTest, ACallbackMayDestroyItselfAndTheSource) {
  run([] {
    auto source = std::make_unique<stop_source>();
    std::optional<stop_callback<std::function<void()>>> self;
    int calls = 0;
    self.emplace(source->get_token(), [&] {
      calls++;
      source.reset();
      int* const counted = &calls;  // the captures go with the callback
      self.reset();
      ++*counted;
    });
    stop_source* const requester = source.get();
    EXPECT_TRUE(requester->request_stop());
    EXPECT_EQ(calls, 2);
  });
}

// The destructor waits for a callback that runs elsewhere, also where "elsewhere" is another fiber
// of the same worker.
TEST_P(StdStopTest, TheDestructorWaitsForARunningCallback) {
  run([this] {
    for (int round = 0; round < 100 / testing::kScaleDown + 1; round++) {
      stop_source source;
      fiber::Event inside;
      std::atomic<bool> finished{false};
      auto callback =
          std::make_unique<stop_callback<std::function<void()>>>(source.get_token(), [&] {
            inside.set();
            for (int i = 0; i < 20; i++) this_thread::yield();
            finished = true;
          });
      auto others = crew();
      others.start([&] { source.request_stop(); });
      others.start([&] {
        inside.wait();
        callback.reset();
        EXPECT_TRUE(finished);
      });
    }
  });
}

TEST_P(StdStopTest, ComesAndGoesWhileTheRequestIsMade) {
  run([this] {
    for (int round = 0; round < 200 / testing::kScaleDown + 1; round++) {
      stop_source source;
      std::atomic<int> calls{0};
      auto all = crew();
      for (int i = 0; i < 4; i++) {
        all.start([&, token = source.get_token()] {
          // Until the request is seen: each callback is called once or not at all, and the last,
          // made after it was seen, at once.
          for (;;) {
            const bool seen = token.stop_requested();
            int mine = 0;
            {
              stop_callback callback(token, [&] { mine++; });
              if (seen) {
                EXPECT_EQ(mine, 1);
              }
              this_thread::yield();
            }
            EXPECT_LE(mine, 1);
            calls += mine;
            if (seen) return;
          }
        });
      }
      for (int i = 0; i < round % 10; i++) this_thread::yield();
      std::atomic<int> firsts{0};
      for (int i = 0; i < 2; i++) all.start([&] { firsts += source.request_stop(); });
      all.join();
      EXPECT_GE(calls, 4);
      EXPECT_EQ(firsts, 1);
    }
  });
}

}  // namespace
}  // namespace fiber_std
