// How long a read may take, its priority, and whose it is: what ReadOptions' deadline, io_timeout,
// cancelled, rate_limiter_priority and request_id come to for the reads of files that it leads to.
// Made once for an operation of the user, applied to each file read.
//
// The clock is Env's: fiber::wall_micros(). A plain value.

#ifndef CAIRN_FS_READ_LIMITS_H_
#define CAIRN_FS_READ_LIMITS_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/options.h"

namespace cairn {

struct ReadLimits {
  ReadLimits() = default;
  explicit ReadLimits(const ReadOptions& options)
      : deadline(options.deadline),
        io_timeout(options.io_timeout),
        cancelled(options.cancelled),
        priority(options.rate_limiter_priority),
        activity(options.io_activity),
        request_id(options.request_id) {}

  // Since 1970; 0: none.
  std::chrono::microseconds deadline{0};
  // Of one file read; 0: none.
  std::chrono::microseconds io_timeout{0};
  const std::atomic<bool>* cancelled = nullptr;  // may be null
  Env::IOPriority priority = Env::IO_TOTAL;      // IO_TOTAL: not limited
  Env::IOActivity activity = Env::IOActivity::kUnknown;
  const std::string* request_id = nullptr;  // the user's; may be null

  // Whether the deadline has passed, or the read is cancelled. Error() tells which.
  bool Over() const { return (deadline.count() != 0 || cancelled != nullptr) && OverNow(); }
  IOStatus Error() const;
  // The same of options, which costs two comparisons where there is no limit.
  static bool AreOver(const ReadOptions& options) {
    return (options.deadline.count() != 0 || options.cancelled != nullptr) &&
           ReadLimits(options).OverNow();
  }
  // Sets *io for a file read that begins now. TimedOut or Aborted: it may not begin any more.
  [[nodiscard]] IOStatus Apply(IOOptions* io) const {
    io->rate_limiter_priority = priority;
    io->io_activity = activity;
    io->request_id = request_id;
    if (deadline.count() == 0 && io_timeout.count() == 0 && cancelled == nullptr) [[likely]]
      return IOStatus::OK();
    return ApplyNow(io);
  }
  // The deadline as a now_nanos() value, for waits that are no reads; kNoDeadline if there is none.
  uint64_t NanosDeadline() const;

 private:
  bool IsCancelled() const {
    // Relaxed: it guards nothing.
    return cancelled != nullptr && cancelled->load(std::memory_order_relaxed);
  }
  bool OverNow() const;
  IOStatus ApplyNow(IOOptions* io) const;
};

}  // namespace cairn

#endif  // CAIRN_FS_READ_LIMITS_H_
