// See engine_uring.h.
#include "engine_uring.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "fiber/clock.h"
#include "futex.h"
#include "worker.h"

namespace fiber::detail {

namespace {

// Of the kernel's futex2 interface (not in this liburing's header).
constexpr uint32_t kFutexSizeU32 = 2;
constexpr uint32_t kFutexPrivate = 128;
constexpr uint64_t kFutexMatchAny = 0xffffffff;

// How long a ring that ends waits for its own wait to be over, and how often.
constexpr uint64_t kDisarmNanos = 10'000'000;
constexpr int kTriesToDisarm = 100;
// Nor does a sleep in the ring last longer, so that a wake-up that is lost is only late; and after
// so many of these the wait for them counts as lost.
constexpr uint64_t kLongestSleepNanos = 200'000'000;
constexpr int kUntoldIsLost = 4;

IoRequest* request_of(RingOp* op) {
  return reinterpret_cast<IoRequest*>(reinterpret_cast<char*>(op) - offsetof(IoRequest, op.ring));
}

}  // namespace

UringEngine::UringEngine(const RingOptions& ring_options, bool use_futex)
    : ring_options_(ring_options),
      use_futex_(use_futex && ring_support().has(kOpFutexWait)),
      waits_to_lose_(ring_options.lost_waits) {
  make_wake_op();
}

UringEngine::~UringEngine() {
  // The wait must be out of the kernel before its word is freed: it could swallow a wake-up that is
  // meant for what comes to lie at that address. (Not for ever: a wait that is lost never ends, and
  // neither did the process.)
  for (int tries = 0; wake_op_->armed && tries < kTriesToDisarm; ++tries) {
    wakeup();
    ring_->wait(kDisarmNanos);
  }
  ring_.reset();
  const int event_fd = event_fd_.load(std::memory_order_relaxed);
  if (event_fd >= 0) ::close(event_fd);
  delete instead_.load(std::memory_order_relaxed);
}

bool UringEngine::create_ring() {
  int event_fd = -1;
  RingOptions counted = ring_options_;
  counted.submissions = &submissions_;
  counted.operations = &operations_;
  if (!use_futex_) event_fd = ::eventfd(0, EFD_CLOEXEC);
  if ((!use_futex_ && event_fd < 0) || Ring::create(counted, &ring_) != 0) {
    if (event_fd >= 0) ::close(event_fd);
    // Release: a late waker may look into it.
    instead_.store(new EpollEngine, std::memory_order_release);
    return false;
  }
  event_fd_.store(event_fd, std::memory_order_relaxed);
  // A guest's thread may do other things for long, and would keep closed files open.
  if (Worker* const worker = Worker::current(); worker != nullptr && worker->group() != nullptr)
    ring_->register_files([](void* w) { (void)static_cast<Worker*>(w)->notify(); }, worker);
  return true;
}

bool UringEngine::submit(IoRequest* request) {
  const bool batch = request->next != nullptr;
  bool sockets = false;
  while (request != nullptr) {
    IoRequest* const next = request->next;  // the request may be gone once it was submitted
    const bool in_ring = request->op.has_sqe && ring_support().has(request->op.ring.sqe.opcode);
    if (!in_ring && request->fd < 0) {
      submit_to_pool(request);
    } else if (!have_ring()) {
      EpollEngine* const instead = instead_.load(std::memory_order_relaxed);
      request->next = nullptr;
      instead->submit(request);
      follow(instead);
    } else {
      request->engine = this;
      pending_.add();
      request->in_engine = true;
      if (request->fd >= 0) {
        sockets = true;
        request->op.ring.endless = true;
      }
      if (in_ring) {
        push(request);
      } else {
        push_poll(request);
      }
    }
    request = next;
  }
  if (ring_ != nullptr &&
      (batch || ring_->unsubmitted() >= (sockets ? kSubmitSocketsAt : kSubmitAt)))
    ring_->flush();
  return true;
}

void UringEngine::flush() {
  if (ring_ != nullptr) ring_->flush();
}

void UringEngine::push(IoRequest* request) {
  request->op.ring.done = [](RingOp* op, int32_t result) {
    IoRequest* const self = request_of(op);
    static_cast<UringEngine*>(self->engine)->completed(self, result);
  };
  ring_->push(&request->op.ring);
}

void UringEngine::push_poll(IoRequest* request) {
  io_uring_prep_poll_add(&request->op.ring.sqe, request->fd,
                         static_cast<unsigned>(request->events));
  request->op.ring.done = [](RingOp* op, int32_t result) {
    IoRequest* const self = request_of(op);
    static_cast<UringEngine*>(self->engine)
        ->completed(self, result >= 0 ? static_cast<int32_t>(self->block(self)) : result);
  };
  ring_->push(&request->op.ring);
}

void UringEngine::completed(IoRequest* request, int32_t result) {
  if (!request->cancelled) {
    // A kernel thread that worked on it caught a signal: do it again, as every system call here.
    if (result == -EINTR) {
      push(request);
      return;
    }
    // Kernels before 5.18 do not wait for a descriptor that is non-blocking; and another may have
    // been faster.
    if (result == -EAGAIN && request->fd >= 0) {
      push_poll(request);
      return;
    }
  } else if (result == -EINTR || result == -EAGAIN) {
    result = -ECANCELED;
  }
  pending_.subtract(1);
  request->in_engine = false;
  request->complete(result);
}

void UringEngine::cancel(IoRequest* request) {
  if (EpollEngine* const instead = instead_.load(std::memory_order_relaxed)) {
    instead->cancel(request);
    follow(instead);
    return;
  }
  if (!request->in_engine || request->cancelled) return;
  request->cancelled = true;
  if (ring_->withdraw(&request->op.ring)) {
    completed(request, -ECANCELED);
    return;
  }
  request->group->pending.fetch_add(1, std::memory_order_relaxed);
  RingOp* const op = &request->cancel_op->op;
  io_uring_prep_cancel(&op->sqe, &request->op.ring, 0);
  request->cancel_op->request = request;
  op->done = [](RingOp* self, int32_t) {
    // The request is still there: its fiber waits for this too.
    IoRequest* const target = reinterpret_cast<CancelOp*>(self)->request;
    static_cast<UringEngine*>(target->engine)->pending_.subtract(1);
    target->group->part_done();
  };
  pending_.add();
  // Not behind operations that wait for a place: it may be what makes room for them. The request
  // itself is before it in the queue, or in the kernel.
  op->endless = true;
  ring_->push_urgent(op);
}

void UringEngine::make_wake_op() {
  wake_op_ = std::make_unique<WakeOp>();
  wake_op_->done = [](RingOp* op, int32_t) { static_cast<WakeOp*>(op)->armed = false; };
}

void UringEngine::arm_wake_op() {
  if (wake_op_->armed) return;
  const int event_fd = event_fd_.load(std::memory_order_relaxed);
  if (event_fd >= 0) {
    io_uring_prep_read(&wake_op_->sqe, event_fd, &wake_op_->buffer, sizeof(wake_op_->buffer),
                       ~0ull);
  } else {
    const bool lost = waits_to_lose_ > 0;
    if (lost) --waits_to_lose_;
    io_uring_prep_rw(kOpFutexWait, &wake_op_->sqe, static_cast<int>(kFutexSizeU32 | kFutexPrivate),
                     lost ? &never_ : wake_word_.address(), 0, WakeWord::kQuiet);
    wake_op_->sqe.addr3 = kFutexMatchAny;
  }
  wake_op_->armed = true;
  ring_->push_urgent(wake_op_.get());
}

void UringEngine::poll(bool block, uint64_t deadline) {
  if (EpollEngine* const instead = instead_.load(std::memory_order_relaxed)) {
    instead->poll(block, deadline);
    follow(instead);
    return;
  }
  if (ring_ != nullptr) ring_->drop_closed_files();
  if (!block) {
    // A poll that takes long itself (sockets do their work in it) must not be followed by the next
    // at once.
    if (pending() != 0 && cycles() - last_poll_ >= kPollMicros * cycles_per_microsecond()) {
      ring_->submit();
      last_poll_ = cycles();
    }
    return;
  }
  const bool woken = wake_word_.take();
  // With an eventfd the word is not what wakeup() changes once there is a ring: sleep in the ring
  // then.
  if (pending() == 0 && event_fd_.load(std::memory_order_relaxed) < 0) {
    if (!woken) wake_word_.sleep(deadline);
    wake_word_.take();
    return;
  }
  if (woken) {
    ring_->submit();
    last_poll_ = cycles();
    return;
  }
  arm_wake_op();
  uint64_t timeout = kLongestSleepNanos;
  if (deadline != kNoDeadline) {
    const uint64_t now = now_nanos();
    timeout = std::min(timeout, deadline > now ? deadline - now : 0);
  }
  ring_->wait(timeout);
  last_poll_ = cycles();
  const bool told = !wake_op_->armed;
  if (!wake_word_.take() || told) {
    untold_ = 0;
  } else if (++untold_ == kUntoldIsLost) {
    untold_ = 0;
    lost_.push_back(std::move(wake_op_));
    make_wake_op();
  }
}

void UringEngine::wakeup() {
  if (EpollEngine* const instead = instead_.load(std::memory_order_acquire)) {
    instead->wakeup();
    return;
  }
  wake_word_.wake(event_fd_.load(std::memory_order_relaxed));
}

}  // namespace fiber::detail
