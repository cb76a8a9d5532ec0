#include "fs/generic_rate_limiter.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/simulation.h"
#include "fiber/thread.h"
#include "fs/limited_file_system.h"
#include "fs/memory_file_system.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

// A limiter of 1000 bytes per second in periods of a tenth of one, on a simulated clock.
class GenericRateLimiterTest : public ::testing::Test {
 protected:
  void Simulate(const std::function<void()>& body) {
    const fiber::SimulationResult result = fiber::Simulation(7).run(body);
    ASSERT_TRUE(result.ok()) << result.report;
  }
  static std::unique_ptr<RateLimiter> Make(int32_t fairness = 1, bool auto_tuned = false) {
    return std::unique_ptr<RateLimiter>(
        NewGenericRateLimiter(1000, 100'000, fairness, RateLimiter::Mode::kAllIo, auto_tuned));
  }
  static void Write(RateLimiter* limiter, int64_t bytes, Env::IOPriority priority = Env::IO_LOW) {
    limiter->Request(bytes, priority, nullptr, RateLimiter::OpType::kWrite);
  }
  static double Seconds(uint64_t since) {
    return static_cast<double>(fiber::now_nanos() - since) / kSecond;
  }
};

TEST_F(GenericRateLimiterTest, KeepsToTheRate) {
  Simulate([] {
    const auto limiter = Make();
    EXPECT_EQ(limiter->GetBytesPerSecond(), 1000);
    EXPECT_EQ(limiter->GetSingleBurstBytes(), 100);
    const uint64_t start = fiber::now_nanos();
    for (int i = 0; i < 100; ++i) Write(limiter.get(), 100);
    EXPECT_NEAR(Seconds(start), 10, 0.3);
    EXPECT_EQ(limiter->GetTotalBytesThrough(Env::IO_LOW), 10'000);
    EXPECT_EQ(limiter->GetTotalBytesThrough(Env::IO_HIGH), 0);
    EXPECT_EQ(limiter->GetTotalBytesThrough(), 10'000);
    EXPECT_EQ(limiter->GetTotalRequests(), 100);
  });
}

TEST_F(GenericRateLimiterTest, WhoComesSeldomDoesNotWait) {
  Simulate([] {
    const auto limiter = Make();
    uint64_t waited = 0;
    for (int i = 0; i < 20; ++i) {
      fiber::sleep_for(kSecond / 5);
      const uint64_t start = fiber::now_nanos();
      Write(limiter.get(), 90);
      waited += fiber::now_nanos() - start;
    }
    EXPECT_LT(waited, kSecond / 1000);
  });
}

TEST_F(GenericRateLimiterTest, ALargeRequestIsServedInParts) {
  Simulate([] {
    const auto limiter = Make();
    ASSERT_TRUE(limiter->SetSingleBurstBytes(500).ok());
    EXPECT_EQ(limiter->GetSingleBurstBytes(), 500);
    const uint64_t start = fiber::now_nanos();
    Write(limiter.get(), 500);
    EXPECT_NEAR(Seconds(start), 0.5, 0.15);
    EXPECT_TRUE(limiter->SetSingleBurstBytes(-1).IsInvalidArgument());
  });
}

TEST_F(GenericRateLimiterTest, HigherPrioritiesGoFirst) {
  Simulate([] {
    const auto limiter = Make();
    std::vector<fiber::Thread> threads;
    std::vector<Env::IOPriority> order;
    Write(limiter.get(), 100);  // what there is
    for (const Env::IOPriority priority :
         {Env::IO_LOW, Env::IO_MID, Env::IO_HIGH, Env::IO_USER, Env::IO_LOW}) {
      threads.emplace_back("writer", [&, priority] {
        Write(limiter.get(), 100, priority);
        order.push_back(priority);
      });
    }
    int64_t waiting = 0;
    while (waiting < 5) {
      fiber::yield();
      ASSERT_TRUE(limiter->GetTotalPendingRequests(&waiting).ok());
    }
    ASSERT_TRUE(limiter->GetTotalPendingRequests(&waiting, Env::IO_LOW).ok());
    EXPECT_EQ(waiting, 2);
    for (fiber::Thread& thread : threads) thread.join();
    EXPECT_EQ(order, (std::vector<Env::IOPriority>{Env::IO_USER, Env::IO_HIGH, Env::IO_MID,
                                                   Env::IO_LOW, Env::IO_LOW}));
  });
}

TEST_F(GenericRateLimiterTest, LowOnesDoNotStarve) {
  Simulate([] {
    const auto limiter = Make(/*fairness=*/4);
    bool low_done = false;
    int high = 0;
    fiber::Thread low("low", [&] {
      Write(limiter.get(), 100, Env::IO_LOW);
      low_done = true;
    });
    std::vector<fiber::Thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back("high", [&] {
        while (!low_done && high < 10'000) {
          Write(limiter.get(), 100, Env::IO_HIGH);
          ++high;
        }
      });
    }
    low.join();
    for (fiber::Thread& thread : threads) thread.join();
    EXPECT_LT(high, 1000);
  });
}

TEST_F(GenericRateLimiterTest, TheRateMayBeChanged) {
  Simulate([] {
    const auto limiter = Make();
    limiter->SetBytesPerSecond(10'000);
    EXPECT_EQ(limiter->GetBytesPerSecond(), 10'000);
    const uint64_t start = fiber::now_nanos();
    for (int i = 0; i < 100; ++i) Write(limiter.get(), 1000);
    EXPECT_NEAR(Seconds(start), 10, 0.3);
    limiter->SetBytesPerSecond(0);
    EXPECT_EQ(limiter->GetBytesPerSecond(), 10'000) << "nonsense is passed over";
  });
}

TEST_F(GenericRateLimiterTest, ATunedRateFollowsTheDemand) {
  Simulate([] {
    const auto limiter = Make(/*fairness=*/1, /*auto_tuned=*/true);
    EXPECT_EQ(limiter->GetBytesPerSecond(), 500);
    uint64_t start = fiber::now_nanos();
    while (Seconds(start) < 200) Write(limiter.get(), limiter->GetSingleBurstBytes());
    EXPECT_GT(limiter->GetBytesPerSecond(), 800);
    start = fiber::now_nanos();
    while (Seconds(start) < 30) {
      fiber::sleep_for(kSecond);
      Write(limiter.get(), 1);
    }
    EXPECT_EQ(limiter->GetBytesPerSecond(), 50);
  });
}

TEST_F(GenericRateLimiterTest, ModesSayWhoIsLimited) {
  using Type = RateLimiter::OpType;
  const auto limited = [](RateLimiter::Mode mode) {
    const std::unique_ptr<RateLimiter> limiter(NewGenericRateLimiter(1000, 1000, 1, mode));
    return std::string(limiter->IsRateLimited(Type::kRead) ? "r" : "") +
           (limiter->IsRateLimited(Type::kWrite) ? "w" : "");
  };
  EXPECT_EQ(limited(RateLimiter::Mode::kReadsOnly), "r");
  EXPECT_EQ(limited(RateLimiter::Mode::kWritesOnly), "w");
  EXPECT_EQ(limited(RateLimiter::Mode::kAllIo), "rw");
}

TEST_F(GenericRateLimiterTest, TokensAreAligned) {
  const std::unique_ptr<RateLimiter> limiter(NewGenericRateLimiter(10'000'000, 1000));
  EXPECT_EQ(limiter->GetSingleBurstBytes(), 10'000);
  const auto token = [&](size_t bytes, size_t alignment, Env::IOPriority priority) {
    return limiter->RequestToken(bytes, alignment, priority, nullptr, RateLimiter::OpType::kWrite);
  };
  EXPECT_EQ(token(100'000, 4096, Env::IO_LOW), 8192u);
  EXPECT_EQ(token(100'000, 0, Env::IO_LOW), 10'000u);
  EXPECT_EQ(token(100, 4096, Env::IO_LOW), 4096u);
  EXPECT_EQ(token(100'000, 4096, Env::IO_TOTAL), 100'000u);
}

TEST_F(GenericRateLimiterTest, NonsenseMakesNone) {
  EXPECT_EQ(NewGenericRateLimiter(0), nullptr);
  EXPECT_EQ(NewGenericRateLimiter(-1), nullptr);
  EXPECT_EQ(NewGenericRateLimiter(1, 0), nullptr);
  EXPECT_EQ(NewGenericRateLimiter(1, 1, 0), nullptr);
  // The largest rate does not overflow.
  const std::unique_ptr<RateLimiter> limiter(NewGenericRateLimiter(INT64_MAX));
  EXPECT_GT(limiter->GetSingleBurstBytes(), int64_t{1} << 40);
}

TEST_F(GenericRateLimiterTest, FilesAskByTheirPriority) {
  const std::shared_ptr<RateLimiter> limiter(
      NewGenericRateLimiter(int64_t{1} << 40, 100'000, 10, RateLimiter::Mode::kAllIo));
  LimitedFileSystem fs(std::make_shared<MemoryFileSystem>(), limiter, nullptr);
  std::unique_ptr<FSWritableFile> file;
  ASSERT_TRUE(fs.NewWritableFile("/f", FileOptions(), &file, nullptr).ok());
  ASSERT_TRUE(file->Append("0123456789", IOOptions(), nullptr).ok());
  EXPECT_EQ(limiter->GetTotalBytesThrough(), 0);
  file->SetIOPriority(Env::IO_HIGH);
  ASSERT_TRUE(file->Append("0123456789", IOOptions(), nullptr).ok());
  EXPECT_EQ(limiter->GetTotalBytesThrough(Env::IO_HIGH), 10);
  ASSERT_TRUE(file->Close(IOOptions(), nullptr).ok());

  std::unique_ptr<FSRandomAccessFile> read;
  ASSERT_TRUE(fs.NewRandomAccessFile("/f", FileOptions(), &read, nullptr).ok());
  char scratch[20];
  Slice result;
  IOOptions options;
  ASSERT_TRUE(read->Read(0, 5, options, &result, scratch, nullptr).ok());
  EXPECT_EQ(limiter->GetTotalBytesThrough(), 10);
  options.rate_limiter_priority = Env::IO_LOW;
  ASSERT_TRUE(read->Read(0, 5, options, &result, scratch, nullptr).ok());
  EXPECT_EQ(result.ToString(), "01234");
  EXPECT_EQ(limiter->GetTotalBytesThrough(Env::IO_LOW), 5);
}

TEST_F(GenericRateLimiterTest, RequestsAreCountedByWhatTheyAreFor) {
  Simulate([] {
    const std::shared_ptr<Statistics> statistics = CreateDBStatistics();
    const auto ticks = [&](Tickers ticker) { return statistics->getTickerCount(ticker); };
    const std::unique_ptr<RateLimiter> limiter(
        NewGenericRateLimiter(1000, 100'000, 1, RateLimiter::Mode::kWritesOnly));
    const auto ask = [&](RateLimiter::OpType type) {
      limiter->Request(60, Env::IO_LOW, statistics.get(), type);
    };
    ask(RateLimiter::OpType::kRead);  // is not limited
    EXPECT_EQ(ticks(RATE_LIMITER_REQUESTS_READ), 0u);
    ask(RateLimiter::OpType::kWrite);
    EXPECT_EQ(ticks(RATE_LIMITER_REQUESTS_WRITE), 1u);
    EXPECT_EQ(ticks(RATE_LIMITER_BYTES_WRITE), 60u);
    EXPECT_EQ(ticks(RATE_LIMITER_DELAYED_REQUESTS_WRITE), 0u);
    ask(RateLimiter::OpType::kWrite);  // 40 bytes are left of this period
    EXPECT_EQ(ticks(RATE_LIMITER_REQUESTS_WRITE), 2u);
    EXPECT_EQ(ticks(RATE_LIMITER_DELAYED_REQUESTS_WRITE), 1u);
    EXPECT_EQ(ticks(NUMBER_RATE_LIMITER_DRAINS), 1u);
    EXPECT_NEAR(static_cast<double>(ticks(RATE_LIMITER_TOTAL_WAIT_MICROS_WRITE)), 100'000, 20'000);
    HistogramData waits;
    statistics->histogramData(RATE_LIMITER_WAIT_MICROS_WRITE, &waits);
    EXPECT_EQ(waits.count, 1u);
    EXPECT_EQ(waits.sum, ticks(RATE_LIMITER_TOTAL_WAIT_MICROS_WRITE));

    const auto all = Make();  // reads, too
    all->Request(10, Env::IO_LOW, statistics.get(), RateLimiter::OpType::kRead);
    EXPECT_EQ(ticks(RATE_LIMITER_REQUESTS_READ), 1u);
    EXPECT_EQ(ticks(RATE_LIMITER_BYTES_READ), 10u);
    all->Request(10, Env::IO_LOW, statistics.get());  // without a word: a write
    EXPECT_EQ(ticks(RATE_LIMITER_REQUESTS_WRITE), 3u);
  });
}

}  // namespace
}  // namespace cairn
