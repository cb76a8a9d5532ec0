// The mutex of a stripe of the lock table, and what its waiters sleep on: fiber's, or those of a
// user's factory (rocksdb/utilities/transaction_db_mutex.h).
#ifndef CAIRN_UTILITIES_LOCK_MUTEX_H_
#define CAIRN_UTILITIES_LOCK_MUTEX_H_

#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/transaction_db_mutex.h"

namespace cairn {

// A now_nanos() value: until when who wants a lock waits. `timeout_us`: 0: it does not; < 0: for
// ever.
inline uint64_t LockDeadline(int64_t timeout_us) {
  constexpr uint64_t kNanosPerMicro = 1000;
  if (timeout_us == 0) return 0;
  if (timeout_us < 0 || static_cast<uint64_t>(timeout_us) >= fiber::kNoDeadline / kNanosPerMicro) {
    return fiber::kNoDeadline;
  }
  return fiber::deadline_after(static_cast<uint64_t>(timeout_us) * kNanosPerMicro);
}

// Somebody waits on one mutex at a time.
class LockCondition {
 public:
  // `factory` null: fiber's.
  void Make(TransactionDBMutexFactory* factory) {
    if (factory != nullptr && custom_ == nullptr) custom_ = factory->AllocateCondVar();
  }
  // REQUIRES: the mutex on which somebody waits.
  void Notify() {
    if (custom_ != nullptr) [[unlikely]] {
      custom_->NotifyAll();
    } else {
      condition_.notify_one();
    }
  }

 private:
  friend class LockMutex;
  fiber::CondVar condition_;
  std::shared_ptr<TransactionDBCondVar> custom_;
};

class FIBER_CAPABILITY("lock mutex") LockMutex {
 public:
  LockMutex() = default;
  LockMutex(const LockMutex&) = delete;
  LockMutex& operator=(const LockMutex&) = delete;

  // REQUIRES: nobody uses it yet. `factory` null: fiber's.
  void Make(TransactionDBMutexFactory* factory) {
    if (factory != nullptr) custom_ = factory->AllocateMutex();
  }

  // SUSPENDS. A user's mutex is asked until it says OK.
  void Lock() FIBER_ACQUIRE() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    if (custom_ == nullptr) [[likely]] {
      mutex_.lock();
    } else {
      while (!custom_->Lock().ok()) {
      }
    }
  }
  // SUSPENDS. False: *s is not OK, as a user's mutex said. (fiber's is held for a few instructions,
  // whatever the timeout.)
  bool LockFor(int64_t timeout_us, Status* s)
      FIBER_TRY_ACQUIRE(true) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    if (custom_ == nullptr) [[likely]] {
      mutex_.lock();
      return true;
    }
    *s = timeout_us < 0 ? custom_->Lock() : custom_->TryLockFor(timeout_us);
    return s->ok();
  }
  void Unlock() FIBER_RELEASE() FIBER_NO_THREAD_SAFETY_ANALYSIS {
    if (custom_ == nullptr) [[likely]] {
      mutex_.unlock();
    } else {
      custom_->UnLock();
    }
  }

  // SUSPENDS. Sleeps until notified, or until `deadline` (a now_nanos() value), or for no reason:
  // OK. Else what a user's condition says.
  Status Wait(LockCondition* condition, uint64_t deadline)
      FIBER_REQUIRES(this) FIBER_NO_THREAD_SAFETY_ANALYSIS {
    if (custom_ == nullptr) [[likely]] {
      condition->condition_.wait_until(&mutex_, deadline);
      return Status::OK();
    }
    if (deadline == fiber::kNoDeadline) return condition->custom_->Wait(custom_);
    constexpr uint64_t kNanosPerMicro = 1000;
    const uint64_t now = fiber::now_nanos();
    const uint64_t micros = deadline <= now ? 0 : (deadline - now - 1) / kNanosPerMicro + 1;
    Status s = condition->custom_->WaitFor(custom_, static_cast<int64_t>(micros));
    return s.IsTimedOut() ? Status::OK() : s;
  }

 private:
  fiber::Mutex mutex_;
  std::shared_ptr<TransactionDBMutex> custom_;
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_LOCK_MUTEX_H_
