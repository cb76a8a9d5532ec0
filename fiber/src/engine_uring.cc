// See engine_uring.h.
#include "engine_uring.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

#include "fiber/clock.h"

namespace fiber::detail {

namespace {

// Of the kernel's futex2 interface (not in this liburing's header).
constexpr uint32_t kFutexSizeU32 = 2;
constexpr uint32_t kFutexPrivate = 128;
constexpr uint64_t kFutexMatchAny = 0xffffffff;

IoRequest* request_of(RingOp* op) {
  return reinterpret_cast<IoRequest*>(reinterpret_cast<char*>(op) - offsetof(IoRequest, ring));
}

}  // namespace

UringEngine::UringEngine(const RingOptions& ring_options, bool use_futex)
    : ring_options_(ring_options), use_futex_(use_futex && ring_support().has(kOpFutexWait)) {
  wake_op_.done = [](RingOp* op, int32_t) { static_cast<WakeOp*>(op)->armed = false; };
}

UringEngine::~UringEngine() {
  // The wait must be out of the kernel before its word is freed: it could swallow a wake-up that is
  // meant for what comes to lie at that address.
  while (wake_op_.armed) {
    wakeup();
    ring_->wait(UINT64_MAX);
  }
  ring_.reset();
  const int event_fd = event_fd_.load(std::memory_order_relaxed);
  if (event_fd >= 0) ::close(event_fd);
}

bool UringEngine::create_ring() {
  int event_fd = -1;
  RingOptions counted = ring_options_;
  counted.submissions = &submissions_;
  counted.operations = &operations_;
  if (!use_futex_) event_fd = ::eventfd(0, EFD_CLOEXEC);
  if ((!use_futex_ && event_fd < 0) || Ring::create(counted, &ring_) != 0) {
    if (event_fd >= 0) ::close(event_fd);
    ring_failed_ = true;
    return false;
  }
  event_fd_.store(event_fd, std::memory_order_relaxed);
  return true;
}

bool UringEngine::submit(IoRequest* request) {
  const bool batch = request->next != nullptr;
  while (request != nullptr) {
    IoRequest* const next = request->next;  // the request may be gone once it was submitted
    if (request->has_sqe && ring_support().has(request->ring.sqe.opcode) && have_ring()) {
      request->ring.done = [](RingOp* op, int32_t result) {
        IoRequest* const self = request_of(op);
        // A kernel thread that worked on it caught a signal: do it again, as every system call
        // here.
        if (result == -EINTR) {
          static_cast<UringEngine*>(self->engine)->ring_->push(op);
          return;
        }
        static_cast<UringEngine*>(self->engine)->pending_.subtract(1);
        self->complete(result);
      };
      request->engine = this;
      pending_.add();
      ring_->push(&request->ring);
    } else {
      submit_to_pool(request);
    }
    request = next;
  }
  if (ring_ != nullptr && (batch || ring_->unsubmitted() >= kSubmitAt)) ring_->flush();
  return true;
}

void UringEngine::arm_wake_op() {
  if (wake_op_.armed) return;
  const int event_fd = event_fd_.load(std::memory_order_relaxed);
  if (event_fd >= 0) {
    io_uring_prep_read(&wake_op_.sqe, event_fd, &wake_op_.buffer, sizeof(wake_op_.buffer), ~0ull);
  } else {
    io_uring_prep_rw(kOpFutexWait, &wake_op_.sqe, static_cast<int>(kFutexSizeU32 | kFutexPrivate),
                     wake_word_.address(), 0, WakeWord::kQuiet);
    wake_op_.sqe.addr3 = kFutexMatchAny;
  }
  wake_op_.armed = true;
  ring_->push_urgent(&wake_op_);
}

void UringEngine::poll(bool block, uint64_t deadline) {
  if (!block) {
    if (pending() != 0) ring_->submit();
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
    return;
  }
  arm_wake_op();
  uint64_t timeout = UINT64_MAX;
  if (deadline != kNoDeadline) {
    const uint64_t now = now_nanos();
    timeout = deadline > now ? deadline - now : 0;
  }
  ring_->wait(timeout);
  wake_word_.take();
}

void UringEngine::wakeup() {
  const int event_fd = event_fd_.load(std::memory_order_relaxed);
  if (event_fd < 0) {
    wake_word_.wake();
    return;
  }
  const uint64_t one = 1;
  // Cannot fail but by a signal: the counter is far from full.
  while (::write(event_fd, &one, sizeof(one)) < 0 && errno == EINTR) {
  }
}

}  // namespace fiber::detail
