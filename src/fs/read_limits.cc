#include "fs/read_limits.h"

#include <algorithm>

#include "fiber/clock.h"

namespace cairn {
namespace {

using std::chrono::microseconds;

// Not positive: the deadline has passed.
microseconds Left(microseconds deadline) {
  const auto now = static_cast<int64_t>(fiber::wall_micros());
  return deadline.count() <= now ? microseconds(0) : microseconds(deadline.count() - now);
}

}  // namespace

IOStatus ReadLimits::Error() const {
  return IsCancelled() ? IOStatus::Aborted("the read was cancelled")
                       : IOStatus::TimedOut("the read's deadline has passed");
}

bool ReadLimits::OverNow() const {
  return IsCancelled() || (deadline.count() != 0 && Left(deadline).count() == 0);
}

IOStatus ReadLimits::ApplyNow(IOOptions* io) const {
  if (IsCancelled()) return Error();
  microseconds timeout = std::max(io_timeout, microseconds(0));
  if (deadline.count() != 0) {
    const microseconds left = Left(deadline);
    if (left.count() == 0) return Error();
    timeout = timeout.count() == 0 ? left : std::min(timeout, left);
  }
  io->timeout = timeout;
  return IOStatus::OK();
}

uint64_t ReadLimits::NanosDeadline() const {
  if (deadline.count() == 0) return fiber::kNoDeadline;
  const auto left = static_cast<uint64_t>(Left(deadline).count());
  return left > fiber::kNoDeadline / 1000 ? fiber::kNoDeadline : fiber::deadline_after(left * 1000);
}

}  // namespace cairn
