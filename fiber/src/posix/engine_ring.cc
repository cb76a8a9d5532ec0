// See engine_ring.h.
#include "engine_ring.h"

#include <sched.h>
#include <time.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "context.h"

namespace fiber::detail {

namespace {

// Without these a ring could drop completions, or could not wait with a timeout (Linux 5.11).
constexpr unsigned kNeededFeatures =
    IORING_FEAT_NODROP | IORING_FEAT_EXT_ARG | IORING_FEAT_RW_CUR_POS | IORING_FEAT_SUBMIT_STABLE;

// From best to least; each was added by a later kernel than the next (6.1, 6.0, 5.19, 5.18).
// DEFER_TASKRUN lets completions be processed only when the worker asks for them, COOP_TASKRUN
// without interrupting it; TASKRUN_FLAG tells without a system call that there are some.
constexpr unsigned kFlagSets[] = {
    IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
        IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
    IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
        IORING_SETUP_SINGLE_ISSUER,
    IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG,
    IORING_SETUP_SUBMIT_ALL,
    0,
};

// Threads of the kernel that at most block for operations that a file system cannot do without
// (FUSE, network file systems, most metadata): so many of those run at once. The kernel's own
// default is four for each processor, which would make a thousand reads of remote storage queue up
// behind eight. They are made when needed and end when idle.
constexpr unsigned kKernelThreads = 1024;

// With a thousand connections the stack of a fiber that waits has long left the caches. Its
// operation lies on it, among what the fiber and its scheduler touch next: fetch all of a batch at
// once instead of one miss after the other.
void warm_up(const RingOp* op) {
  const char* const at = reinterpret_cast<const char*>(op);
  for (int offset = -256; offset <= 256; offset += 64) __builtin_prefetch(at + offset);
}

// The thread sanitizer does not see liburing map and unmap its rings: a new one at the address of
// an old one looks to it like the same memory.
#if defined(FIBER_TSAN)
char ring_memory;
void ring_mapped() { __tsan_acquire(&ring_memory); }
void ring_to_be_unmapped() { __tsan_release(&ring_memory); }
#else
void ring_mapped() {}
void ring_to_be_unmapped() {}
#endif

void exit_ring(io_uring* ring) {
  ring_to_be_unmapped();
  io_uring_queue_exit(ring);
}

int init_ring(unsigned entries, unsigned completions, unsigned flags, io_uring* ring) {
  io_uring_params params;
  std::memset(&params, 0, sizeof(params));
  params.flags = flags | IORING_SETUP_CQSIZE;
  params.cq_entries = completions;
  int error = io_uring_queue_init_params(entries, ring, &params);
  if (error != 0) return error;
  ring_mapped();
  if ((params.features & kNeededFeatures) != kNeededFeatures) {
    exit_ring(ring);
    return -ENOSYS;
  }
  return 0;
}

RingSupport probe() {
  RingSupport support;
  io_uring ring;
  for (unsigned flags : kFlagSets) {
    support.setup_flags = flags;
    support.error = init_ring(4, 8, flags, &ring);
    if (support.error != -EINVAL) break;
  }
  if (support.error != 0) return support;

  // A filter may allow the setup and refuse the rest: go once through it all.
  io_uring_prep_nop(io_uring_get_sqe(&ring));
  const int submitted = io_uring_submit_and_wait(&ring, 1);
  io_uring_probe* ops = io_uring_get_probe_ring(&ring);
  if (submitted != 1) {
    support.error = submitted < 0 ? submitted : -EIO;
  } else if (ops == nullptr) {
    support.error = -ENOSYS;
  } else {
    for (int op = 0; op <= ops->last_op && op < ops->ops_len; ++op) {
      support.ops[op] = (ops->ops[op].flags & IO_URING_OP_SUPPORTED) != 0;
    }
    if (!support.has(IORING_OP_READ) || !support.has(IORING_OP_WRITE)) support.error = -ENOSYS;
  }
  io_uring_free_probe(ops);
  exit_ring(&ring);
  return support;
}

}  // namespace

const RingSupport& ring_support() {
  static const RingSupport support = probe();
  return support;
}

int Ring::create(const RingOptions& options, std::unique_ptr<Ring>* out) {
  const RingSupport& support = ring_support();
  if (support.error != 0) return support.error;
  std::unique_ptr<Ring> ring(new Ring);
  const unsigned flags = options.setup_flags == ~0u ? support.setup_flags : options.setup_flags;
  const int error = init_ring(options.entries, options.completions, flags, &ring->ring_);
  if (error != 0) {
    ring->max_in_flight_ = 0;  // tells the destructor that there is no ring
    return error;
  }
  unsigned kernel_threads[2] = {kKernelThreads, 0};  // 0: sockets' and pipes' stay as they are
  // Best effort: kernels before 5.15 refuse, and keep their own limit.
  (void)io_uring_register_iowq_max_workers(&ring->ring_, kernel_threads);
  // The last place is push_urgent()'s.
  ring->max_in_flight_ = options.completions - 1;
  ring->submissions_ = options.submissions;
  ring->operations_ = options.operations;
  *out = std::move(ring);
  return 0;
}

Ring::~Ring() {
  files_.reset();
  if (max_in_flight_ != 0) exit_ring(&ring_);
}

void Ring::push(RingOp* op) {
  if (waiting_.empty() && (op->endless || in_flight_ < max_in_flight_) && place(op)) return;
  waiting_.push_back(op);
}

void Ring::push_urgent(RingOp* op) {
  if (place(op)) return;
  flush();
  if (place(op)) return;
  // The kernel takes nothing for the moment: the next wait() begins with this.
  waiting_.push_front(op);
  if (!op->endless) urgent_waits_ = true;
}

bool Ring::place(RingOp* op) {
  io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
  if (sqe == nullptr) return false;
  *sqe = op->sqe;
  if (files_ != nullptr) files_->apply(sqe);
  io_uring_sqe_set_data(sqe, op);
  ++queued_;
  ++(op->endless ? endless_ : in_flight_);
  return true;
}

void Ring::fill() {
  while (!waiting_.empty() &&
         (in_flight_ < max_in_flight_ || urgent_waits_ || waiting_.front()->endless)) {
    if (!place(waiting_.front())) return;
    if (!waiting_.pop_front()->endless) urgent_waits_ = false;
  }
}

bool Ring::has_completions() const {
  return io_uring_cq_ready(&ring_) != 0 ||
         (IO_URING_READ_ONCE(*ring_.sq.kflags) & (IORING_SQ_TASKRUN | IORING_SQ_CQ_OVERFLOW)) != 0;
}

unsigned Ring::take_completions() {
  unsigned completed = 0;
  for (;;) {
    io_uring_cqe* cqe;
    unsigned head;
    unsigned seen = 0;
    // The queue's head moves before the callbacks run: they may push, and a push may submit.
    struct Result {
      RingOp* op;
      int32_t value;
      uint32_t flags;
    } results[32];
    io_uring_for_each_cqe(&ring_, head, cqe) {
      results[seen++] = {static_cast<RingOp*>(io_uring_cqe_get_data(cqe)), cqe->res, cqe->flags};
      if (seen == 32) break;
    }
    if (seen == 0) return completed;
    io_uring_cq_advance(&ring_, seen);
    completed += seen;
    for (unsigned i = 0; i < seen; ++i) warm_up(results[i].op);
    for (unsigned i = 0; i < seen; ++i) --(results[i].op->endless ? endless_ : in_flight_);
    for (unsigned i = 0; i < seen; ++i) {
      RingOp* const op = results[i].op;
      op->flags = results[i].flags;
      op->done(op, results[i].value);
    }
  }
}

void Ring::count_submitted() {
  const unsigned left = io_uring_sq_ready(&ring_);
  if (left != queued_ && submissions_ != nullptr) {
    submissions_->add();
    operations_->add(queued_ - left);
  }
  queued_ = left;
}

void Ring::enter_failed(int error) {
  // -EBUSY: completions must be taken first. -EAGAIN: the kernel is short of memory for requests.
  // -EINTR: a signal. All pass; the entries are still in the queue and go with the next call.
  if (error == -EAGAIN) sched_yield();
}

void Ring::flush() {
  for (;;) {
    fill();
    if (queued_ == 0) return;
    const int result = io_uring_submit(&ring_);
    count_submitted();
    if (result < 0) {
      enter_failed(result);
      return;
    }
  }
}

unsigned Ring::submit() {
  fill();
  if (queued_ != 0 && waiting_.empty()) {
    // The usual case: one system call for both directions.
    const int result = io_uring_submit_and_get_events(&ring_);
    if (result < 0) enter_failed(result);
    count_submitted();
    return take_completions();
  }
  flush();
  return reap();
}

unsigned Ring::reap() {
  if (!has_completions()) return 0;
  if (io_uring_cq_ready(&ring_) == 0) io_uring_get_events(&ring_);
  return take_completions();
}

unsigned Ring::wait(uint64_t timeout_ns) {
  if (io_uring_cq_ready(&ring_) != 0) return submit();
  // More than one submission queue full cannot go in the call that waits.
  if (!waiting_.empty()) flush();
  io_uring_cqe* cqe = nullptr;
  int result;
  if (timeout_ns == UINT64_MAX) {
    result = io_uring_submit_and_wait(&ring_, 1);
  } else {
    __kernel_timespec timeout;
    timeout.tv_sec = static_cast<int64_t>(timeout_ns / 1000000000);
    timeout.tv_nsec = static_cast<int64_t>(timeout_ns % 1000000000);
    result = io_uring_submit_and_wait_timeout(&ring_, &cqe, 1, &timeout, nullptr);
  }
  if (result < 0 && result != -ETIME) enter_failed(result);
  count_submitted();
  return reap();
}

}  // namespace fiber::detail
