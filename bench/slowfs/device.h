// Device: the slow storage that slowfs pretends to be. It says when a request is answered, and
// counts.
//
// A request's answer is due its delay after it arrived. With max_parallel > 0 the device serves so
// many requests at once: a request that arrives while all slots are taken begins when the first of
// them is free, as in a queue that is served in the order of arrival. The data is read or written
// meanwhile; if that took longer than the delay, the answer goes out at once. One thread sends the
// answers that are due, so waiting requests cost no thread each.
//
// What is counted, since the mount or the last reset:
//   rounds  the length of the longest chain of reads each of which arrived after the one before it
//           was answered: a read's depth is one more than the largest depth of the reads that were
//           answered before it arrived, and `rounds` is the largest depth. For one client this is
//           the number of storage round trips that stood one behind the other; reads in flight
//           together are one round. Clients that do not wait for one another still form chains, so
//           it is to be read over one operation between two resets. Readahead of the kernel counts
//           as reads do. Reads in flight at a reset are not part of what follows it.
//   the others are explained in Text().
//
// Thread safety: all functions may be called from any thread, but Start() and Stop() from one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/function.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "fiber/thread_annotations.h"
#include "slowfs/storage.h"

namespace slowfs {

// All in microseconds, at most kMaxDelay.
struct Delays {
  static constexpr uint64_t kMaxDelay = 60'000'000;
  uint64_t read = 1000;
  uint64_t read_jitter = 0;  // a read takes uniformly 0 to this longer
  uint64_t write = 0;
  uint64_t sync = 0;
};

class Device : public Storage {
 public:
  enum class Kind { kRead, kWrite, kSync };

  // A request between its arrival and its answer.
  struct Request {
    Kind kind;
    uint64_t arrived;  // nanoseconds, as fiber::now_nanos()
    uint64_t due;
    uint64_t depth;  // reads: see `rounds` above
    uint64_t epoch;  // the number of resets before it arrived
  };

  // max_parallel: how many requests are served at once; 0: any number.
  Device(const Delays& delays, uint64_t max_parallel);
  // REQUIRES: Stop() was called if Start() was.
  ~Device() override = default;

  // Starts the thread that answers.
  void Start() override;
  // Answers all that wait, now, and ends the thread. Nothing may be handed to Finish() afterwards.
  void Stop() override;

  // To be called when a request arrives; every request needs its Finish().
  Request Arrive(Kind kind);
  // The request's work is done, `bytes` were moved. Calls `answer`, which must not block, when the
  // request is due: on the calling thread, before the return, if it is already.
  void Finish(const Request& request, uint64_t bytes, fiber::Function answer);

  // Reads, writes and syncs take their time; all else is done at once.
  void Run(const Operation& operation, const Act& act, Answer answer) override;
  // The counts and the settings: lines "name value".
  std::string Text() override;
  // A line that was written to the control file: "reset", or "delay", "jitter", "write_delay" or
  // "sync_delay" and a number of microseconds. 0, or -EINVAL without effect.
  int Command(std::string_view line) override;

 private:
  struct Pending {
    uint64_t due;
    uint64_t order;
    Request request;
    fiber::Function answer;
    bool operator<(const Pending& other) const {  // so that a heap has the earliest on top
      return due != other.due ? due > other.due : order > other.order;
    }
  };
  struct Counts {
    uint64_t reads = 0;
    uint64_t read_bytes = 0;
    uint64_t answered_reads = 0;
    uint64_t read_nanos = 0;
    uint64_t max_reads_in_flight = 0;
    uint64_t rounds = 0;
    uint64_t answered_depth = 0;
    uint64_t writes = 0;
    uint64_t write_bytes = 0;
    uint64_t syncs = 0;
  };

  uint64_t DelayNanos(Kind kind) const FIBER_REQUIRES(mutex_);
  void Answered(const Request& request) FIBER_REQUIRES(mutex_);
  void SendAnswers();

  const uint64_t max_parallel_;
  fiber::Mutex mutex_;
  fiber::CondVar changed_;
  fiber::Thread thread_;
  Delays delays_ FIBER_GUARDED_BY(mutex_);
  Counts counts_ FIBER_GUARDED_BY(mutex_);
  uint64_t epoch_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t order_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t reads_in_flight_ FIBER_GUARDED_BY(mutex_) = 0;
  // A heap: when each of the max_parallel_ slots is free, the earliest on top.
  std::vector<uint64_t> slots_ FIBER_GUARDED_BY(mutex_);
  std::vector<Pending> queue_ FIBER_GUARDED_BY(mutex_);  // a heap
  bool stopped_ FIBER_GUARDED_BY(mutex_) = false;
};

}  // namespace slowfs
