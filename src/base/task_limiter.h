// What stands behind ConcurrentTaskLimiter: a count with a limit, and those who wait for room.
//
// Nobody polls: who is refused is called once when there may be room again, and asks again then.
//
// Thread safety: all of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/concurrent_task_limiter.h"

namespace cairn {

class TaskLimiter final : public ConcurrentTaskLimiter {
 public:
  class Waiter {
   public:
    virtual ~Waiter() = default;
    // Called on any thread, with the limiter's lock held: must not block, nor call the limiter.
    virtual void LimiterMayHaveRoom() = 0;
  };

  TaskLimiter(std::string name, int32_t limit) : name_(std::move(name)), limit_(limit) {}

  const std::string& GetName() const override { return name_; }
  void SetMaxOutstandingTask(int32_t limit) override;
  void ResetMaxOutstandingTask() override { SetMaxOutstandingTask(-1); }
  int32_t GetOutstandingTask() const override;

  // False: there is no room, and the waiter will be called.
  [[nodiscard]] bool TryBegin(Waiter* waiter);
  // Whether there is room or not.
  void Begin();
  void End();
  // The waiter will not be called any more.
  void Forget(Waiter* waiter);

 private:
  bool HasRoom() const FIBER_REQUIRES(mu_) { return limit_ < 0 || running_ < limit_; }
  void CallWaiters() FIBER_REQUIRES(mu_);

  const std::string name_;
  mutable fiber::Mutex mu_;
  int32_t limit_ FIBER_GUARDED_BY(mu_);
  int32_t running_ FIBER_GUARDED_BY(mu_) = 0;
  std::vector<Waiter*> waiters_ FIBER_GUARDED_BY(mu_);
};

// One task that counts, until this is destroyed or reset.
class LimitedTask {
 public:
  LimitedTask() = default;
  // A null limiter limits nothing. With a waiter it may be refused: see operator bool. Without one
  // it counts in any case. REQUIRES: of NewConcurrentTaskLimiter().
  LimitedTask(std::shared_ptr<ConcurrentTaskLimiter> limiter, TaskLimiter::Waiter* waiter);
  LimitedTask(LimitedTask&& other) noexcept;
  LimitedTask& operator=(LimitedTask&& other) noexcept;
  ~LimitedTask() { Reset(); }

  // The task may run.
  explicit operator bool() const { return admitted_; }
  void Reset();

 private:
  TaskLimiter* limiter() const { return static_cast<TaskLimiter*>(limiter_.get()); }

  std::shared_ptr<ConcurrentTaskLimiter> limiter_;  // null: nothing to give back
  bool admitted_ = false;
};

}  // namespace cairn
