// RateLimiter: who asks it, with which priority.
#include "rocksdb/rate_limiter.h"

#include <atomic>

#include "conformance.h"

namespace conformance {
namespace {

class RateLimiterTest : public DBTest {
 protected:
  // So fast that nobody waits long.
  void Limit(RateLimiter::Mode mode) {
    options_.rate_limiter.reset(NewGenericRateLimiter(1 << 30, 1000, 10, mode));
    options_.disable_auto_compactions = true;
  }
  int64_t Through(Env::IOPriority priority) {
    return options_.rate_limiter->GetTotalBytesThrough(priority);
  }
  uint64_t TableBytes() {
    uint64_t bytes = 0;
    for (const std::string& name : FilesEndingIn(".sst")) {
      uint64_t size = 0;
      EXPECT_OK(TheEnv()->GetFileSize(dir_ + "/" + name, &size));
      bytes += size;
    }
    return bytes;
  }
  void Fill() {
    Numbers numbers(1);
    for (int i = 0; i < 200; ++i) ASSERT_OK(Put(Key(i), numbers.Bytes(500)));
  }
};

TEST_F(RateLimiterTest, FlushesAreHigh) {
  Limit(RateLimiter::Mode::kWritesOnly);
  Open();
  Fill();
  EXPECT_EQ(0, Through(Env::IO_TOTAL));
  ASSERT_OK(Flush());
  EXPECT_EQ(static_cast<int64_t>(TableBytes()), Through(Env::IO_HIGH));
  EXPECT_EQ(0, Through(Env::IO_LOW));
  EXPECT_LT(0, options_.rate_limiter->GetTotalRequests(Env::IO_HIGH));
}

TEST_F(RateLimiterTest, CompactionsAreLow) {
  Limit(RateLimiter::Mode::kWritesOnly);
  Open();
  Fill();
  ASSERT_OK(Flush());
  Fill();
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_LE(100'000, Through(Env::IO_LOW));
  EXPECT_GE(150'000, Through(Env::IO_LOW)) << "what it read is not limited";
}

TEST_F(RateLimiterTest, ReadsOfCompactionsAreIfTheModeSaysSo) {
  Limit(RateLimiter::Mode::kAllIo);
  Open();
  Fill();
  ASSERT_OK(Flush());
  Fill();
  ASSERT_OK(Flush());
  ASSERT_OK(Compact());
  EXPECT_LE(300'000, Through(Env::IO_LOW));
}

TEST_F(RateLimiterTest, ReadsOfUsersAreIfTheyAsk) {
  Limit(RateLimiter::Mode::kAllIo);
  Open();
  Fill();
  ASSERT_OK(Flush());
  Open();
  const int64_t before = Through(Env::IO_USER);
  ReadOptions options;
  std::string value;
  ASSERT_OK(db_->Get(options, Key(3), &value));
  EXPECT_EQ(before, Through(Env::IO_USER));
  options.rate_limiter_priority = Env::IO_USER;
  ASSERT_OK(db_->Get(options, Key(100), &value));
  EXPECT_LT(before, Through(Env::IO_USER));
  // What is in the cache is free.
  const int64_t after = Through(Env::IO_USER);
  ASSERT_OK(db_->Get(options, Key(100), &value));
  EXPECT_EQ(after, Through(Env::IO_USER));
}

TEST_F(RateLimiterTest, LogsAreIfTheWriteAsks) {
  Limit(RateLimiter::Mode::kWritesOnly);
  Open();
  WriteOptions options;
  ASSERT_OK(db_->Put(options, "a", std::string(1000, 'v')));
  EXPECT_EQ(0, Through(Env::IO_USER));
  options.rate_limiter_priority = Env::IO_USER;
  ASSERT_OK(db_->Put(options, "a", std::string(1000, 'v')));
  EXPECT_LE(1000, Through(Env::IO_USER));
  EXPECT_GE(1100, Through(Env::IO_USER));
}

TEST_F(RateLimiterTest, OtherPrioritiesOfWritesAreRefused) {
  Limit(RateLimiter::Mode::kWritesOnly);
  Open();
  WriteOptions options;
  options.rate_limiter_priority = Env::IO_HIGH;
  EXPECT_CODE(InvalidArgument, db_->Put(options, "a", "1"));
  options.rate_limiter_priority = Env::IO_USER;
  options.disableWAL = true;
  EXPECT_CODE(InvalidArgument, db_->Put(options, "a", "1"));
  EXPECT_EQ("NOT_FOUND", Get("a"));
}

// As limiters were before statistics came.
class OldLimiter final : public RateLimiter {
 public:
  using RateLimiter::Request;
  void SetBytesPerSecond(int64_t /*bytes_per_second*/) override {}
  void Request(const int64_t bytes, const Env::IOPriority /*pri*/) override { through += bytes; }
  int64_t GetSingleBurstBytes() const override { return 1 << 20; }
  int64_t GetTotalBytesThrough(const Env::IOPriority /*pri*/) const override { return through; }
  int64_t GetTotalRequests(const Env::IOPriority /*pri*/) const override { return 0; }
  int64_t GetBytesPerSecond() const override { return 1 << 30; }

  std::atomic<int64_t> through{0};
};

TEST_F(RateLimiterTest, OneWithoutStatisticsIsAskedToo) {
  const auto limiter = std::make_shared<OldLimiter>();
  options_.rate_limiter = limiter;
  options_.statistics = CreateDBStatistics();
  Open();
  Fill();
  ASSERT_OK(Flush());
  EXPECT_EQ(static_cast<int64_t>(TableBytes()), limiter->through);
}

TEST_F(RateLimiterTest, ASlowOneMakesAFlushWait) {
  // 100 KiB in periods of 10 KiB, 10 ms each.
  options_.rate_limiter.reset(NewGenericRateLimiter(1 << 20, 10'000));
  Open();
  Fill();
  const uint64_t start = TheEnv()->NowMicros();
  ASSERT_OK(Flush());
  EXPECT_LE(50'000u, TheEnv()->NowMicros() - start);
  EXPECT_EQ(std::string(Get(Key(7))).size(), 500u);
}

TEST_F(RateLimiterTest, TheRateMayBeChanged) {
  std::unique_ptr<RateLimiter> limiter(NewGenericRateLimiter(1 << 20, 100'000));
  EXPECT_EQ(1 << 20, limiter->GetBytesPerSecond());
  EXPECT_EQ((1 << 20) / 10, limiter->GetSingleBurstBytes());
  limiter->SetBytesPerSecond(10 << 20);
  EXPECT_EQ(10 << 20, limiter->GetBytesPerSecond());
  EXPECT_EQ(1 << 20, limiter->GetSingleBurstBytes());
  const uint64_t start = TheEnv()->NowMicros();
  for (int i = 0; i < 30; ++i) {
    limiter->Request(100'000, Env::IO_HIGH, nullptr, RateLimiter::OpType::kWrite);
  }
  EXPECT_LE(150'000u, TheEnv()->NowMicros() - start);
  EXPECT_EQ(3'000'000, limiter->GetTotalBytesThrough(Env::IO_HIGH));
  EXPECT_EQ(30, limiter->GetTotalRequests(Env::IO_HIGH));
  EXPECT_EQ(3'000'000, limiter->GetTotalBytesThrough());
  EXPECT_EQ(0, limiter->GetTotalBytesThrough(Env::IO_LOW));
}

TEST_F(RateLimiterTest, AnAutomaticOneBeginsBelowItsLimit) {
  std::unique_ptr<RateLimiter> limiter(NewGenericRateLimiter(
      100 << 20, 100'000, 10, RateLimiter::Mode::kWritesOnly, /*auto_tuned=*/true));
  EXPECT_EQ(50 << 20, limiter->GetBytesPerSecond());
  EXPECT_TRUE(limiter->IsRateLimited(RateLimiter::OpType::kWrite));
  EXPECT_FALSE(limiter->IsRateLimited(RateLimiter::OpType::kRead));
}

TEST_F(RateLimiterTest, OneServesTwoDatabases) {
  Limit(RateLimiter::Mode::kWritesOnly);
  Open();
  Fill();
  ASSERT_OK(Flush());
  const int64_t first = Through(Env::IO_HIGH);
  DB* other = nullptr;
  ASSERT_OK(DB::Open(options_, root_ + "/other", &other));
  ASSERT_OK(other->Put(WriteOptions(), "a", std::string(5000, 'v')));
  ASSERT_OK(other->Flush(FlushOptions()));
  EXPECT_LT(first, Through(Env::IO_HIGH));
  delete other;
}

}  // namespace
}  // namespace conformance
