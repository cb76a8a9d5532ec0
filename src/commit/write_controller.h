// Says whether writers must stop or slow down. db/ takes tokens when flush or compaction falls
// behind and drops them when it has caught up; the write path asks before each group.
//
// Thread safety: every method from anywhere; the three Is/Needs questions are lock-free.
#ifndef CAIRN_COMMIT_WRITE_CONTROLLER_H_
#define CAIRN_COMMIT_WRITE_CONTROLLER_H_

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "fiber/mutex.h"

namespace cairn {

class WriteController;

/// Holds its effect until destroyed. Must not outlive its controller.
class WriteControllerToken {
 public:
  WriteControllerToken(const WriteControllerToken&) = delete;
  WriteControllerToken& operator=(const WriteControllerToken&) = delete;
  ~WriteControllerToken() { count_->fetch_sub(1, std::memory_order_acq_rel); }

 private:
  friend class WriteController;
  explicit WriteControllerToken(std::atomic<int>* count) : count_(count) {
    count_->fetch_add(1, std::memory_order_acq_rel);
  }
  std::atomic<int>* const count_;
};

/// Bytes against time: when what was charged so far is paid for at the rates it was charged at.
/// Thread-safe.
class Pace {
 public:
  /// Charges `bytes` at `bytes_per_second`; returns how long to wait now, in microseconds. Waits
  /// below 1 ms are saved up and paid together: a sleep is not that exact.
  uint64_t Charge(uint64_t bytes, uint64_t bytes_per_second, uint64_t now_nanos);
  /// Forgets what is unpaid.
  void Reset();

 private:
  fiber::Mutex mutex_;
  uint64_t paid_until_ FIBER_GUARDED_BY(mutex_) = 0;  // on fiber::now_nanos()'s clock
};

class WriteController {
 public:
  /// Of all writes with low_pri together while compaction is behind; RocksDB's constant.
  static constexpr uint64_t kLowPriorityRate = uint64_t{1} << 20;

  /// In bytes per second.
  explicit WriteController(uint64_t max_delayed_write_rate);

  WriteController(const WriteController&) = delete;
  WriteController& operator=(const WriteController&) = delete;

  /// Writers wait while any such token lives.
  std::unique_ptr<WriteControllerToken> GetStopToken();
  /// Writers are held to `bytes_per_second` (the latest rate set counts) while any such token
  /// lives.
  std::unique_ptr<WriteControllerToken> GetDelayToken(uint64_t bytes_per_second);
  /// Compaction should use more threads.
  std::unique_ptr<WriteControllerToken> GetCompactionPressureToken();

  bool IsStopped() const { return stops_.load(std::memory_order_acquire) > 0; }
  bool NeedsDelay() const { return delays_.load(std::memory_order_acquire) > 0; }
  bool NeedSpeedupCompaction() const {
    return IsStopped() || NeedsDelay() || pressures_.load(std::memory_order_acquire) > 0;
  }

  /// How long a write of `bytes` must wait now, in microseconds, given `now_nanos`
  /// (fiber::now_nanos()). Charges the bytes. 0 while stopped (the stop has its own wait) and while
  /// nothing delays.
  uint64_t GetDelayMicros(uint64_t bytes, uint64_t now_nanos);
  /// The same for a write with low_pri, which also waits for nobody but itself: 0 unless
  /// NeedSpeedupCompaction().
  uint64_t GetLowPriorityDelayMicros(uint64_t bytes, uint64_t now_nanos);

  /// Clamped to 1 .. max_delayed_write_rate().
  void set_delayed_write_rate(uint64_t bytes_per_second);
  uint64_t delayed_write_rate() const { return rate_.load(std::memory_order_relaxed); }
  void set_max_delayed_write_rate(uint64_t bytes_per_second);
  uint64_t max_delayed_write_rate() const { return max_rate_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int> stops_{0};
  std::atomic<int> delays_{0};
  std::atomic<int> pressures_{0};
  std::atomic<uint64_t> max_rate_;
  std::atomic<uint64_t> rate_;
  Pace delayed_;
  Pace low_priority_;
};

}  // namespace cairn

#endif  // CAIRN_COMMIT_WRITE_CONTROLLER_H_
