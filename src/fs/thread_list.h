// Which background threads there are and what they do, for Env::GetThreadList().
//
// A thread of a pool is listed while it lives (ListedThread), and says what it does by a
// ThreadOperation. A thread that an Env of the user's lends for a job is listed for that long.
//
// Thread safety: the list may be asked for from anywhere; the rest is the thread's own.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/env.h"
#include "rocksdb/thread_status.h"

namespace cairn {

// The current thread is listed while this lives.
class ListedThread {
 public:
  explicit ListedThread(Env::Priority priority);
  ~ListedThread();
  ListedThread(const ListedThread&) = delete;
  ListedThread& operator=(const ListedThread&) = delete;

 private:
  friend class ThreadOperation;
  friend class ThreadStage;
  friend std::vector<ThreadStatus> ListThreads();

  ThreadStatus Status() const;

  const uint64_t id_;
  const ThreadStatus::ThreadType type_;
  ListedThread* const before_;  // of this context
  mutable fiber::Mutex mutex_;  // a leaf, but for that of the list
  std::string db_name_ FIBER_GUARDED_BY(mutex_);
  std::string family_name_ FIBER_GUARDED_BY(mutex_);
  ThreadStatus::OperationType operation_ FIBER_GUARDED_BY(mutex_) = ThreadStatus::OP_UNKNOWN;
  uint64_t start_nanos_ FIBER_GUARDED_BY(mutex_) = 0;
  // The thread's own: its operation is told.
  bool tracked_ = false;
  // Relaxed: figures to look at, which order nothing.
  std::atomic<ThreadStatus::OperationStage> stage_{ThreadStatus::STAGE_UNKNOWN};
  std::array<std::atomic<uint64_t>, ThreadStatus::kNumOperationProperties> properties_{};
};

// All that are listed now.
std::vector<ThreadStatus> ListThreads();

// What the current thread does while this lives. With `tracked` false it says nothing.
class ThreadOperation {
 public:
  ThreadOperation(bool tracked, ThreadStatus::OperationType operation, const std::string& db_name,
                  const std::string& family_name);
  ~ThreadOperation();
  ThreadOperation(const ThreadOperation&) = delete;
  ThreadOperation& operator=(const ThreadOperation&) = delete;

  void SetProperty(int i, uint64_t value);

  // Of the current thread's operation, if there is one.
  static void AddToProperty(ThreadStatus::OperationType operation, int i, uint64_t value);

 private:
  std::unique_ptr<ListedThread> own_;  // of a thread that is not listed otherwise
  ListedThread* thread_ = nullptr;     // null: not tracked
};

// The stage of the current thread's operation, if there is one, while this lives.
class ThreadStage {
 public:
  explicit ThreadStage(ThreadStatus::OperationStage stage);
  ~ThreadStage();
  ThreadStage(const ThreadStage&) = delete;
  ThreadStage& operator=(const ThreadStage&) = delete;

 private:
  ListedThread* thread_;  // null: nobody is told
  ThreadStatus::OperationStage before_ = ThreadStatus::STAGE_UNKNOWN;
};

}  // namespace cairn
