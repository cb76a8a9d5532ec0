// RateLimiter: how many bytes per second flushes and compactions may write, and, if asked for,
// read, so that they leave the device to the users. One may serve several databases
// (DBOptions::rate_limiter).
//
// Who is limited: flushes (IO_HIGH) and compactions (IO_LOW), both as IO_USER while writers are
// held up by them; what reads with ReadOptions::rate_limiter_priority, and the log of writes with
// WriteOptions::rate_limiter_priority.
//
// Thread safety: everything may be called from any thread or fiber.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rocksdb/env.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class RateLimiter {
 public:
  enum class OpType { kRead, kWrite };
  enum class Mode { kReadsOnly, kWritesOnly, kAllIo };

  explicit RateLimiter(Mode mode = Mode::kWritesOnly) : mode_(mode) {}
  virtual ~RateLimiter() = default;

  virtual void SetBytesPerSecond(int64_t bytes_per_second) = 0;
  // The most that one Request may ask for; 0: a period's share.
  virtual Status SetSingleBurstBytes(int64_t /*single_burst_bytes*/) {
    return Status::NotSupported("SetSingleBurstBytes");
  }

  // Returns when `bytes` may be read or written; at most GetSingleBurstBytes() of them. SUSPENDS a
  // fiber, blocks a thread. `stats` (may be null) counts who had to wait.
  virtual void Request(int64_t bytes, Env::IOPriority pri, Statistics* /*stats*/) {
    Request(bytes, pri);
  }
  // The same without statistics: an implementation has at least one of the two.
  virtual void Request(int64_t /*bytes*/, Env::IOPriority /*pri*/) {}
  virtual void Request(int64_t bytes, Env::IOPriority pri, Statistics* stats, OpType op_type) {
    if (IsRateLimited(op_type)) Request(bytes, pri, stats);
  }
  // The same for as much of `bytes` as one Request may have, rounded down to the alignment of
  // direct I/O (0: none), but not to nothing. Returns how much that was.
  virtual size_t RequestToken(size_t bytes, size_t alignment, Env::IOPriority io_priority,
                              Statistics* stats, OpType op_type);

  virtual int64_t GetSingleBurstBytes() const = 0;
  // Since it was made; IO_TOTAL: of all priorities.
  virtual int64_t GetTotalBytesThrough(Env::IOPriority pri = Env::IO_TOTAL) const = 0;
  virtual int64_t GetTotalRequests(Env::IOPriority pri = Env::IO_TOTAL) const = 0;
  // Who waits now.
  virtual Status GetTotalPendingRequests(int64_t* /*total_pending_requests*/,
                                         const Env::IOPriority /*pri*/ = Env::IO_TOTAL) const {
    return Status::NotSupported("GetTotalPendingRequests");
  }
  virtual int64_t GetBytesPerSecond() const = 0;

  virtual bool IsRateLimited(OpType op_type) {
    return !(mode_ == Mode::kWritesOnly && op_type == OpType::kRead) &&
           !(mode_ == Mode::kReadsOnly && op_type == OpType::kWrite);
  }

 protected:
  Mode GetMode() { return mode_; }

 private:
  const Mode mode_;
};

// rate_bytes_per_sec: the limit. refill_period_us: how often the bytes of a period are given out;
// longer ones make larger bursts, shorter ones cost more. fairness: once in so many times a lower
// priority goes first, so that it does not starve. auto_tuned: the limit moves between a twentieth
// of rate_bytes_per_sec and all of it, as the demand does. single_burst_bytes: see
// SetSingleBurstBytes. Null if rate_bytes_per_sec, refill_period_us or fairness is not positive.
RateLimiter* NewGenericRateLimiter(int64_t rate_bytes_per_sec,
                                   int64_t refill_period_us = 100 * 1000, int32_t fairness = 10,
                                   RateLimiter::Mode mode = RateLimiter::Mode::kWritesOnly,
                                   bool auto_tuned = false, int64_t single_burst_bytes = 0);

}  // namespace ROCKSDB_NAMESPACE
