// How long a read may take: what ReadOptions' deadline and io_timeout come to for the reads of
// files that it leads to. Made once for an operation of the user, applied to each file read.
//
// The clock is Env's: fiber::wall_micros(). A plain value.

#ifndef CAIRN_FS_READ_LIMITS_H_
#define CAIRN_FS_READ_LIMITS_H_

#include <chrono>
#include <cstdint>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/io_status.h"
#include "rocksdb/options.h"

namespace cairn {

struct ReadLimits {
  ReadLimits() = default;
  explicit ReadLimits(const ReadOptions& options)
      : deadline(options.deadline), io_timeout(options.io_timeout) {}

  // Since 1970; 0: none.
  std::chrono::microseconds deadline{0};
  // Of one file read; 0: none.
  std::chrono::microseconds io_timeout{0};

  // Whether there is a deadline and it has passed.
  bool Passed() const { return deadline.count() != 0 && PassedByClock(); }
  // Sets *io for a file read that begins now. TimedOut: it may not begin any more.
  [[nodiscard]] IOStatus Apply(IOOptions* io) const {
    if (deadline.count() == 0 && io_timeout.count() == 0) [[likely]]
      return IOStatus::OK();
    return ApplyByClock(io);
  }
  // The deadline as a now_nanos() value, for waits that are no reads; kNoDeadline if there is none.
  uint64_t NanosDeadline() const;

  static IOStatus TimedOut();

 private:
  bool PassedByClock() const;
  IOStatus ApplyByClock(IOOptions* io) const;
};

}  // namespace cairn

#endif  // CAIRN_FS_READ_LIMITS_H_
