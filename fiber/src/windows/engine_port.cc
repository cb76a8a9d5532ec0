// See engine_port.h.
#include "engine_port.h"

#include <cerrno>
#include <climits>

#include "descriptor.h"
#include "futex.h"
#include "handles.h"
#include "os_clock.h"
#include "raw_lock.h"
#include "system.h"
#include "win_error.h"

namespace fiber::detail {

namespace {

// What a completion packet says by its key.
constexpr ULONG_PTR kOperation = 1;
constexpr ULONG_PTR kWake = 2;      // for the leader
constexpr ULONG_PTR kAnswered = 3;  // of a request that was over at once

constexpr ULONG kBatch = 64;

// Never closed.
HANDLE port() {
  static const HANDLE made = CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 0);
  return made;
}

std::atomic<PortEngine*> g_leader{nullptr};

RawLock g_lock;
PortEngine* g_followers FIBER_GUARDED_BY(g_lock) = nullptr;

// The request of an operation, by the address of its OVERLAPPED.
IoRequest* request_of(OVERLAPPED* overlapped) {
  return reinterpret_cast<IoRequest*>(reinterpret_cast<char*>(overlapped) -
                                      offsetof(IoRequest, op) - offsetof(IoOperation, overlapped));
}

// Whether the descriptor's operations come to the port.
bool enter_port(HandleEntry* entry) {
  for (;;) {
    uint8_t state = entry->port.load(std::memory_order_acquire);
    if (state == HandleEntry::kInPort) return true;
    if (state == HandleEntry::kRefused) return false;
    if (state == HandleEntry::kEntering) {  // by another thread, for a moment
      SwitchToThread();
      continue;
    }
    if (!entry->port.compare_exchange_strong(state, HandleEntry::kEntering,
                                             std::memory_order_acq_rel)) {
      continue;
    }
    const HANDLE handle = entry->handle.load(std::memory_order_acquire);
    const bool entered =
        CreateIoCompletionPort(handle, port(), kOperation, 0) != nullptr &&
        SetFileCompletionNotificationModes(
            handle, FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE) != 0;
    entry->port.store(entered ? HandleEntry::kInPort : HandleEntry::kRefused,
                      std::memory_order_release);
    return entered;
  }
}

}  // namespace

bool completion_port_works() { return port() != nullptr; }

bool PortEngine::submit(IoRequest* request) {
  if (port() == nullptr) return false;
  while (request != nullptr) {
    IoRequest* const next = request->next;  // the request may be gone once it was submitted
    submit_one(request);
    request = next;
  }
  return true;
}

void PortEngine::submit_one(IoRequest* request) {
  if (request->op.kind == IoOperation::Kind::kNone) {
    submit_to_pool(request);
    return;
  }
  HandleEntry* const entry = handle_entry(request->op.fd);
  if (entry != nullptr && !enter_port(entry)) {
    if (request->fd < 0) {
      submit_to_pool(request);  // it was not made by us, or is a standard handle
    } else {
      request->answered = true;
      request->result = -ENOTSOCK;
    }
    return;
  }
  request->engine = this;
  request->in_engine = true;
  pending_.add();
  // From here on another thread may complete it.
  const bool over_is_called = request->group->over != nullptr;
  const int64_t result = start_operation(&request->op, nullptr);
  if (result == -EINPROGRESS) {
    operations_.add();
    return;
  }
  if (over_is_called) {
    // Who waits for it does not look at `answered`, and its group must not be told from inside.
    request->op.overlapped = {};
    request->result = result;
    if (PostQueuedCompletionStatus(port(), 0, kAnswered,
                                   reinterpret_cast<OVERLAPPED*>(&request->op.overlapped))) {
      return;
    }
  }
  request->in_engine = false;
  pending_.subtract(1);
  if (over_is_called) {  // no memory for the packet: it is read once more
    submit_to_pool(request);
    return;
  }
  request->answered = true;
  request->result = result;
}

void PortEngine::cancel(IoRequest* request) {
  if (request->in_engine) cancel_operation(&request->op);
}

void PortEngine::land(IoRequest* request, PortEngine* taker) {
  // (`in_engine` stays: the owner may be about to cancel, which then finds nothing to do.)
  PortEngine* const owner = static_cast<PortEngine*>(request->engine);
  if (owner == taker) {
    owner->pending_.subtract(1);
  } else {
    owner->landed_elsewhere_.fetch_add(1, std::memory_order_relaxed);
  }
}

void PortEngine::settle_pending() {
  if (landed_elsewhere_.load(std::memory_order_relaxed) == 0) return;
  pending_.subtract(landed_elsewhere_.exchange(0, std::memory_order_relaxed));
}

void PortEngine::take_completions(uint32_t millis) {
  OVERLAPPED_ENTRY entries[kBatch];
  ULONG count = 0;
  if (!GetQueuedCompletionStatusEx(port(), entries, kBatch, &count, millis, FALSE)) return;
  for (ULONG i = 0; i < count; i++) {
    const OVERLAPPED_ENTRY& entry = entries[i];
    if (entry.lpCompletionKey == kWake) {
      // Of the leader, if there is one still: whoever leads now may as well look.
      if (g_leader.load(std::memory_order_seq_cst) != this &&
          g_leader.load(std::memory_order_seq_cst) != nullptr) {
        PostQueuedCompletionStatus(port(), 0, kWake, nullptr);
      }
      continue;
    }
    IoRequest* const request = request_of(entry.lpOverlapped);
    const int64_t result =
        entry.lpCompletionKey == kAnswered ? request->result : result_of(&request->op);
    land(request, this);
    request->complete(result);
  }
}

bool PortEngine::take_wake() {
  return word_.load(std::memory_order_relaxed) == kWoken &&
         word_.exchange(kQuiet, std::memory_order_acquire) == kWoken;
}

bool PortEngine::lead() {
  PortEngine* none = nullptr;
  return g_leader.compare_exchange_strong(none, this, std::memory_order_seq_cst);
}

void PortEngine::stop_leading() {
  g_leader.store(nullptr, std::memory_order_seq_cst);
  // Somebody else who has operations pending goes into the port.
  RawLockGuard guard(&g_lock);
  if (g_followers == nullptr) return;
  PortEngine* const next = g_followers;
  g_followers = next->next_follower_;
  next->following_ = false;
  // Under the lock: it cannot be gone, for it takes the lock before it leaves follow().
  next->word_.store(kWoken, std::memory_order_seq_cst);
  futex_wake(&next->word_, INT_MAX);
}

void PortEngine::follow(uint64_t deadline) {
  {
    RawLockGuard guard(&g_lock);
    next_follower_ = g_followers;
    g_followers = this;
    following_ = true;
  }
  // The leader may have left before it could see us: then nobody would be in the port.
  if (g_leader.load(std::memory_order_seq_cst) != nullptr) futex_wait(&word_, kQuiet, deadline);
  RawLockGuard guard(&g_lock);
  if (!following_) return;
  PortEngine** at = &g_followers;
  while (*at != this) at = &(*at)->next_follower_;
  *at = next_follower_;
  following_ = false;
}

void PortEngine::poll(bool block, uint64_t deadline) {
  settle_pending();
  if (!block) {
    if (pending() == 0 || cycles() - last_poll_ < kPollMicros * cycles_per_microsecond()) return;
    take_completions(0);
    last_poll_ = cycles();
    return;
  }
  if (pending() == 0) {
    if (!take_wake()) futex_wait(&word_, kQuiet, deadline);
    (void)take_wake();
    return;
  }
  if (!lead()) {
    if (!take_wake()) follow(deadline);
    (void)take_wake();
    return;
  }
  // A waker that does not see us lead has set the word before we look at it.
  take_completions(word_.load(std::memory_order_seq_cst) == kWoken ? 0 : os_millis_until(deadline));
  stop_leading();
  (void)take_wake();
  settle_pending();
  last_poll_ = cycles();
}

void PortEngine::wakeup() {
  word_.store(kWoken, std::memory_order_seq_cst);
  if (g_leader.load(std::memory_order_seq_cst) == this) {
    PostQueuedCompletionStatus(port(), 0, kWake, nullptr);
  } else {
    futex_wake(&word_, INT_MAX);
  }
}

}  // namespace fiber::detail
