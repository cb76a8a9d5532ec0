// One io_uring: probing what the kernel offers, queueing operations, submitting them and taking
// their completions.
//
// Called by the io_uring engine (engine_uring.h), which adds fibers to it. Knows nothing of fibers
// itself.
//
// Thread safety: ring_support() from any thread. A Ring belongs to the thread that created it.
// Invariants:
//  - An operation is in exactly one place: the waiting list, the submission queue or the kernel. It
//    is completed exactly once, after the kernel has let go of its buffers.
//  - At most `completions` operations are in the submission queue and the kernel together, so that
//    the completion queue cannot overflow; what comes on top waits in a list. Thus "queue full" is
//    never seen outside. Not counted are those that wait for a peer (RingOp::endless), of which
//    there may be any number: should more of them end at once than the queue holds, the kernel
//    keeps the rest in a list of its own (IORING_FEAT_NODROP).
#pragma once

#include <liburing.h>

#include <bitset>
#include <cstdint>
#include <memory>

#include "counter.h"
#include "fifo.h"
#include "registered_files.h"

namespace fiber::detail {

// Newer than the header of liburing 2.3; the numbers are the kernel's interface.
inline constexpr uint8_t kOpFutexWait = 51;
inline constexpr uint8_t kOpFtruncate = 55;

// What this process may do with io_uring on this kernel. Probed once, with the first call.
struct RingSupport {
  // 0: usable. Else -errno of the step that failed: -ENOSYS (kernel without it or too old), -EPERM
  // or -EACCES (refused by seccomp or by kernel.io_uring_disabled), -ENOMEM ...
  int error = 0;
  // The setup flags that the kernel took, of SINGLE_ISSUER, DEFER_TASKRUN, COOP_TASKRUN,
  // TASKRUN_FLAG, SUBMIT_ALL.
  unsigned setup_flags = 0;
  std::bitset<256> ops;

  bool has(uint8_t opcode) const { return ops[opcode]; }
};
const RingSupport& ring_support();

// One operation. Filled by io_uring_prep_*(&op.sqe, ...), then pushed; lives with its caller until
// completed. user_data of the sqe is the ring's.
struct RingOp {
  io_uring_sqe sqe;
  // Called by the ring's thread, out of Ring::submit(), reap() or wait(). The operation may vanish
  // inside. It may push new operations.
  void (*done)(RingOp*, int32_t result) = nullptr;
  RingOp* next = nullptr;
  // Of the completion: IORING_CQE_F_*. Set before `done` is called.
  uint32_t flags = 0;
  // May stay in the kernel for ever (a wait for a peer), so it does not count among the operations
  // in flight: others must not wait for a place until it ends.
  bool endless = false;
};

struct RingOptions {
  unsigned entries = 128;       // of the submission queue
  unsigned completions = 2048;  // of the completion queue: the most operations in flight
  // IORING_SETUP_*; ~0u: what ring_support() found best.
  unsigned setup_flags = ~0u;
  // For tests: so many waits for a wake-up never end.
  int lost_waits = 0;
  // Where to count the system calls that hand over operations, and the operations; may be null.
  Counter* submissions = nullptr;
  Counter* operations = nullptr;
};

class Ring {
 public:
  // -errno on failure, with *out untouched.
  static int create(const RingOptions& options, std::unique_ptr<Ring>* out);
  // No operation may be in flight.
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Queues an operation; it starts with the next submit() or wait(). Always succeeds.
  void push(RingOp* op);

  // As push(), but before all that waits for a place, and also when `completions` operations are in
  // flight: for one operation at a time, the one that ends a wait(), and
  // for endless ones.
  void push_urgent(RingOp* op);

  // Takes back an operation that waits for a place: it will not complete. False: it is in the
  // submission queue or the kernel.
  bool withdraw(RingOp* op) { return waiting_.remove(op); }

  // Operations pushed and not yet given to the kernel.
  unsigned unsubmitted() const { return queued_ + static_cast<unsigned>(waiting_.size()); }
  // Operations pushed and not yet completed.
  unsigned pending() const {
    return in_flight_ + endless_ + static_cast<unsigned>(waiting_.size());
  }

  // Gives what is queued to the kernel, without running completions.
  void flush();
  // Gives what is queued to the kernel and takes the completions that are there. Does not block.
  // Returns how many operations completed.
  unsigned submit();
  // Takes completions without submitting; no system call unless the kernel says that it has some to
  // hand over.
  unsigned reap();
  // As submit(), and blocks until an operation completes or `timeout_ns` have passed (UINT64_MAX:
  // no limit). May return early with 0.
  unsigned wait(uint64_t timeout_ns);

  // True if reap() would find something.
  bool has_completions() const;

  unsigned setup_flags() const { return ring_.flags; }

  // From now on the ring registers the files that may be (registered_files.h), if the kernel can.
  void register_files(void (*wake)(void*), void* argument) {
    files_ = RegisteredFiles::create(&ring_, wake, argument);
  }
  // Before the thread sleeps, and now and then.
  void drop_closed_files() {
    if (files_ != nullptr && files_->must_drop()) files_->drop_closed();
  }

 private:
  Ring() = default;
  // Moves operations from the waiting list to the submission queue while there is room.
  void fill();
  bool place(RingOp* op);
  unsigned take_completions();
  // After a system call that took operations from the queue.
  void count_submitted();
  // Deals with a result of io_uring_enter that is not success.
  void enter_failed(int error);

  io_uring ring_;
  std::unique_ptr<RegisteredFiles> files_;  // null: none
  unsigned max_in_flight_ = 0;
  unsigned queued_ = 0;     // in the submission queue
  unsigned in_flight_ = 0;  // queued or with the kernel, but for ...
  unsigned endless_ = 0;    // ... these
  Fifo<RingOp> waiting_;
  bool urgent_waits_ = false;  // the front of waiting_ came by push_urgent()
  Counter* submissions_ = nullptr;
  Counter* operations_ = nullptr;
};

}  // namespace fiber::detail
