// Courtesy: how a flush or a compaction shares the processors with the clients.
//
// On a machine whose processors are all busy, a background thread that takes its fair share takes
// it in time slices of milliseconds, and whoever stands behind the writer that it displaced waits
// as long: that is what the slowest thousandth of writes consists of. So as long as nothing is
// urgent the work is done on a thread of low priority, which also offers the processor back every
// quarter of a millisecond: it takes what the clients leave, and little bites beyond that. When the
// work falls behind (who runs the job says what that means) it goes on at normal priority, until
// it has caught up. An unprivileged thread cannot raise its priority again, so that there are two
// threads, of which one works and the other waits for it.
//
// On an idle machine none of this makes a difference.
#pragma once

#include <cstdint>
#include <functional>

#include "base/namespace.h"

namespace cairn {

class Courtesy {
 public:
  // `urgent` is asked once in a few bites, on either thread; empty: always urgent.
  explicit Courtesy(std::function<bool()> urgent) : urgent_(std::move(urgent)) {}
  Courtesy(const Courtesy&) = delete;
  Courtesy& operator=(const Courtesy&) = delete;

  // Calls `step` until it returns false. A step is a small part of a bite. It runs on this thread
  // or another one, never on both: it must not depend on thread-locals from one call to the next.
  // SUSPENDS.
  void Run(const std::function<bool()>& step);

  // Processor time that was spent on other threads than the caller's, in nanoseconds.
  uint64_t cpu_nanos_elsewhere() const { return cpu_nanos_elsewhere_; }

 private:
  bool IsUrgent() const { return !urgent_ || urgent_(); }
  bool RunUrgently(const std::function<bool()>& step) const;
  bool RunPolitely(const std::function<bool()>& step);

  const std::function<bool()> urgent_;
  uint64_t cpu_nanos_elsewhere_ = 0;
};

}  // namespace cairn
