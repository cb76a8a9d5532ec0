// The RateLimiter that NewGenericRateLimiter makes: each period gives out its share of bytes, to
// who waits, by priority, and keeps what is left for who comes.
//
// Thread safety: any thread or fiber.
#pragma once

#include <array>
#include <deque>

#include "base/namespace.h"
#include "base/random.h"
#include "fiber/mutex.h"
#include "rocksdb/rate_limiter.h"

namespace cairn {

struct RateLimiterOptions {
  int64_t bytes_per_second = 0;
  int64_t period_micros = 0;
  int32_t fairness = 1;
  RateLimiter::Mode mode = RateLimiter::Mode::kWritesOnly;
  bool auto_tuned = false;
  int64_t burst_bytes = 0;  // 0: a period's share
};

class GenericRateLimiter final : public RateLimiter {
 public:
  explicit GenericRateLimiter(const RateLimiterOptions& options);

  using RateLimiter::Request;
  void SetBytesPerSecond(int64_t bytes_per_second) override;
  Status SetSingleBurstBytes(int64_t bytes) override;
  void Request(int64_t bytes, Env::IOPriority priority, Statistics* statistics,
               OpType op_type) override;
  void Request(int64_t bytes, Env::IOPriority priority, Statistics* statistics) override {
    RequestOf(OpType::kWrite, bytes, priority, statistics);
  }
  void Request(int64_t bytes, Env::IOPriority priority) override {
    Request(bytes, priority, nullptr);
  }
  int64_t GetSingleBurstBytes() const override;
  int64_t GetTotalBytesThrough(Env::IOPriority priority) const override;
  int64_t GetTotalRequests(Env::IOPriority priority) const override;
  Status GetTotalPendingRequests(int64_t* total, Env::IOPriority priority) const override;
  int64_t GetBytesPerSecond() const override;

 private:
  // Counted for `op_type`, whichever is limited.
  void RequestOf(OpType op_type, int64_t bytes, Env::IOPriority priority, Statistics* statistics);
  // Returns whether it had to wait.
  bool WaitForTurn(int64_t bytes, Env::IOPriority priority, Statistics* statistics);
  struct Waiter {
    int64_t wanted;
    bool served = false;
  };
  // By Env::IOPriority.
  using Counters = std::array<int64_t, Env::IO_TOTAL>;

  void SetRate(int64_t bytes_per_second) FIBER_REQUIRES(mutex_);
  // Begins the next period, if it is time, and gives out what there is.
  void RefillIfDue() FIBER_REQUIRES(mutex_);
  void GiveOut() FIBER_REQUIRES(mutex_);
  // The priorities in the order of this period.
  std::array<int, Env::IO_TOTAL> Order() FIBER_REQUIRES(mutex_);
  void Tune() FIBER_REQUIRES(mutex_);
  bool SomebodyWaits() const FIBER_REQUIRES(mutex_);
  static int64_t Sum(const Counters& counters, Env::IOPriority priority);

  const RateLimiterOptions options_;
  mutable fiber::Mutex mutex_;
  fiber::CondVar changed_;
  Random64 random_ FIBER_GUARDED_BY(mutex_);
  int64_t rate_ FIBER_GUARDED_BY(mutex_) = 0;  // bytes per second
  int64_t period_bytes_ FIBER_GUARDED_BY(mutex_) = 0;
  int64_t burst_bytes_ FIBER_GUARDED_BY(mutex_) = 0;  // 0: a period's share
  int64_t available_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t next_period_ FIBER_GUARDED_BY(mutex_) = 0;  // nanoseconds
  std::array<std::deque<Waiter*>, Env::IO_TOTAL> waiters_ FIBER_GUARDED_BY(mutex_);
  Counters bytes_through_ FIBER_GUARDED_BY(mutex_) = {};
  Counters requests_ FIBER_GUARDED_BY(mutex_) = {};
  // Since the rate was tuned: when that was, and in how many periods somebody had to wait.
  uint64_t tuned_at_ FIBER_GUARDED_BY(mutex_) = 0;
  int64_t drained_ FIBER_GUARDED_BY(mutex_) = 0;
};

}  // namespace cairn
