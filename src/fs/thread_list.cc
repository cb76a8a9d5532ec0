#include "fs/thread_list.h"

#include <set>
#include <utility>

#include "base/per_process.h"
#include "base/perf.h"
#include "fiber/clock.h"
#include "fiber/local.h"
#include "fiber/thread.h"

namespace cairn {
namespace {

struct List {
  fiber::Mutex mutex;
  std::set<const ListedThread*> threads FIBER_GUARDED_BY(mutex);
};

// Threads may end while the process does.
List& TheList() {
  static constinit PerProcess<List> list;
  return list.Get();
}

// Null: the context is not listed.
ListedThread*& Current() {
  static auto& current = *new fiber::local<ListedThread*>;
  return *current;
}

ThreadStatus::ThreadType TypeOf(Env::Priority priority) {
  switch (priority) {
    case Env::HIGH:
      return ThreadStatus::HIGH_PRIORITY;
    case Env::LOW:
      return ThreadStatus::LOW_PRIORITY;
    case Env::BOTTOM:
      return ThreadStatus::BOTTOM_PRIORITY;
    default:
      return ThreadStatus::USER;
  }
}

}  // namespace

ListedThread::ListedThread(Env::Priority priority)
    : id_(fiber::current_thread_id()),
      type_(TypeOf(priority)),
      before_(std::exchange(Current(), this)) {
  fiber::MutexLock lock(&TheList().mutex);
  TheList().threads.insert(this);
}

ListedThread::~ListedThread() {
  Current() = before_;
  fiber::MutexLock lock(&TheList().mutex);
  TheList().threads.erase(this);
}

ThreadStatus ListedThread::Status() const {
  fiber::MutexLock lock(&mutex_);
  uint64_t properties[ThreadStatus::kNumOperationProperties];
  for (int i = 0; i < ThreadStatus::kNumOperationProperties; ++i) {
    properties[i] = properties_[static_cast<size_t>(i)].load(std::memory_order_relaxed);
  }
  const bool works = operation_ != ThreadStatus::OP_UNKNOWN;
  const uint64_t micros = works ? (fiber::now_nanos() - start_nanos_) / 1000 : 0;
  const auto stage = stage_.load(std::memory_order_relaxed);
  return {id_,          type_,      db_name_,
          family_name_, operation_, micros,
          stage,        properties, ThreadStatus::STATE_UNKNOWN};
}

std::vector<ThreadStatus> ListThreads() {
  fiber::MutexLock lock(&TheList().mutex);
  std::vector<ThreadStatus> out;
  for (const ListedThread* thread : TheList().threads) out.push_back(thread->Status());
  return out;
}

ThreadOperation::ThreadOperation(bool tracked, ThreadStatus::OperationType operation,
                                 const std::string& db_name, const std::string& family_name) {
  thread_ = Current();
  if (thread_ == nullptr) {
    const auto priority = static_cast<Env::Priority>(Perf::State()->io.thread_pool_id);
    own_ = std::make_unique<ListedThread>(priority);
    thread_ = own_.get();
  }
  if (!tracked) {
    thread_ = nullptr;
    return;
  }
  thread_->tracked_ = true;
  for (auto& property : thread_->properties_) property.store(0, std::memory_order_relaxed);
  fiber::MutexLock lock(&thread_->mutex_);
  thread_->db_name_ = db_name;
  thread_->family_name_ = family_name;
  thread_->start_nanos_ = fiber::now_nanos();
  thread_->operation_ = operation;
}

ThreadOperation::~ThreadOperation() {
  if (thread_ == nullptr) return;
  thread_->tracked_ = false;
  {
    fiber::MutexLock lock(&thread_->mutex_);
    thread_->operation_ = ThreadStatus::OP_UNKNOWN;
    thread_->db_name_.clear();
    thread_->family_name_.clear();
  }
  for (auto& property : thread_->properties_) property.store(0, std::memory_order_relaxed);
}

void ThreadOperation::SetProperty(int i, uint64_t value) {
  if (thread_ == nullptr) return;
  thread_->properties_[static_cast<size_t>(i)].store(value, std::memory_order_relaxed);
}

void ThreadOperation::AddToProperty(ThreadStatus::OperationType operation, int i, uint64_t value) {
  ListedThread* const thread = Current();
  if (thread == nullptr || !thread->tracked_) return;
  fiber::MutexLock lock(&thread->mutex_);
  if (thread->operation_ != operation) return;
  thread->properties_[static_cast<size_t>(i)].fetch_add(value, std::memory_order_relaxed);
}

ThreadStage::ThreadStage(ThreadStatus::OperationStage stage) : thread_(Current()) {
  if (thread_ != nullptr && !thread_->tracked_) thread_ = nullptr;
  if (thread_ != nullptr) before_ = thread_->stage_.exchange(stage, std::memory_order_relaxed);
}

ThreadStage::~ThreadStage() {
  if (thread_ != nullptr) thread_->stage_.store(before_, std::memory_order_relaxed);
}

}  // namespace cairn
