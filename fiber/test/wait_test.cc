// wait()/wake(): the primitive under everything.
#include "fiber/wait.h"

#include <gtest/gtest.h>

#include "fiber/random.h"
#include "testing.h"

namespace fiber {
namespace {

using testing::far_deadline;
using testing::kMillisecond;
using testing::kScaleDown;
using testing::run_mixed;

TEST(WaitTest, ReturnsAtOnceIfTheValueDiffers) {
  std::atomic<uint32_t> word{1};
  EXPECT_EQ(wait(&word, 0), WaitResult::kValueChanged);
}

TEST(WaitTest, TimesOut) {
  Runtime runtime;
  auto body = [] {
    std::atomic<uint32_t> word{1};
    const uint64_t start = now_nanos();
    EXPECT_EQ(wait(&word, 1, start + 3 * kMillisecond), WaitResult::kTimedOut);
    EXPECT_GE(now_nanos() - start, 3 * kMillisecond);
    EXPECT_EQ(wait(&word, 1, 0), WaitResult::kTimedOut);
    EXPECT_EQ(wake(&word, 1), 0u);  // it has left the queue
  };
  body();
  runtime.run(body);
}

TEST(WaitTest, WakesTheOldestFirstAndCounts) {
  Runtime runtime;
  runtime.run([] {
    std::atomic<uint32_t> word{0};
    std::string order;
    std::vector<JoinHandle> handles;
    for (char name : {'a', 'b', 'c', 'd'}) {
      handles.push_back(spawn([&, name] {
        EXPECT_EQ(wait(&word, 0), WaitResult::kWoken);
        order += name;
      }));
    }
    yield();
    EXPECT_EQ(wake(&word, 1), 1u);
    yield();
    EXPECT_EQ(order, "a");
    EXPECT_EQ(wake(&word, 2), 2u);
    yield();
    EXPECT_EQ(order, "abc");
    EXPECT_EQ(wake(&word, SIZE_MAX), 1u);
    handles.clear();
    EXPECT_EQ(wake(&word, 1), 0u);
  });
}

// Many words (more than buckets have room for one each), waits with and without deadlines, wakes at
// random: every waiter gets through, none stays in a queue.
TEST(WaitTest, ManyAddressesAndDeadlines) {
  constexpr int kWords = 64;
  const int contexts = 40, each = 4000 / kScaleDown;
  std::vector<std::atomic<uint32_t>> words(kWords);
  std::atomic<int> running{contexts};
  std::atomic<int64_t> results[3] = {};
  run_mixed(2, 36, 4, [&](int) {
    for (int n = 0; n < each; n++) {
      std::atomic<uint32_t>& word = words[random_u64() % kWords];
      if (random_u64() % 2 == 0) {
        word.fetch_add(1);
        wake(&word, 1 + random_u64() % 3);
      } else {
        const WaitResult result = wait(&word, word.load(), deadline_after(random_u64() % 200000));
        results[static_cast<int>(result)]++;
      }
    }
    // The last waits have deadlines: nobody needs a wake to come through.
    running--;
  });
  EXPECT_EQ(running.load(), 0);
  for (auto& word : words) EXPECT_EQ(wake(&word, SIZE_MAX), 0u);
}

// One token goes round through contexts of both kinds, each waiting on its own word.
TEST(WaitTest, TokenRing) {
  constexpr int kContexts = 10;
  const uint32_t rounds = 3000 / kScaleDown;
  struct alignas(64) Cell {
    std::atomic<uint32_t> word{0};
  };
  std::vector<Cell> cells(kContexts);
  run_mixed(2, 7, 3, [&](int i) {
    Cell& mine = cells[static_cast<size_t>(i)];
    Cell& next = cells[static_cast<size_t>(i + 1) % kContexts];
    for (uint32_t n = 0; n < rounds; n++) {
      if (i != 0 || n != 0) {
        const uint32_t expected = i == 0 ? n - 1 : n;
        while (mine.word.load() == expected) {
          ASSERT_NE(wait(&mine.word, expected, far_deadline()), WaitResult::kTimedOut);
        }
      }
      next.word.fetch_add(1);
      wake(&next.word, 1);
    }
  });
}

}  // namespace
}  // namespace fiber
