// See registry.h.
#include "registry.h"

#include "fiber/cpu.h"
#include "fork.h"
#include "raw_lock.h"
#include "worker.h"

namespace fiber::detail {
namespace {

constinit RawLock g_lock;
constinit Worker* g_first FIBER_GUARDED_BY(g_lock) = nullptr;

constexpr int kTries = 1000000;

}  // namespace

RawLock* registry_lock() FIBER_NO_THREAD_SAFETY_ANALYSIS { return &g_lock; }
void forget_workers() FIBER_NO_THREAD_SAFETY_ANALYSIS { g_first = nullptr; }

void register_worker(Worker* worker) {
  RawLockGuard guard(&g_lock);
  worker->previous_registered = nullptr;
  worker->next_registered = g_first;
  if (g_first != nullptr) g_first->previous_registered = worker;
  g_first = worker;
}

void unregister_worker(Worker* worker) {
  RawLockGuard guard(&g_lock);
  Worker* const before = worker->previous_registered;
  Worker* const after = worker->next_registered;
  (before != nullptr ? before->next_registered : g_first) = after;
  if (after != nullptr) after->previous_registered = before;
}

bool visit_workers(void (*visit)(const Worker*, void*), void* argument) {
  for (int i = 0; i < kTries; i++) {
    if (g_lock.try_lock()) {
      for (const Worker* worker = g_first; worker != nullptr; worker = worker->next_registered)
        visit(worker, argument);
      g_lock.unlock();
      return true;
    }
    cpu_relax();
  }
  return false;
}

}  // namespace fiber::detail
