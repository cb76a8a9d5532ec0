// See fiber/fork.h.
#include "fork.h"

#include <pthread.h>
#include <unistd.h>

#include <cstdlib>

#include "fiber/fork.h"
#include "safe_writer.h"

namespace fiber {
namespace detail {

constinit std::atomic<uint32_t> g_process_generation{0};

// Never freed, only used again: the child's handler walks it.
struct Descriptors {
  std::atomic<int> fd{-1};
  Descriptors* next = nullptr;
};
static constinit std::atomic<Descriptors*> g_descriptors{nullptr};

namespace {

void before() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  registry_lock()->lock();
  local_keys_lock()->lock();
  slots_lock()->lock();
  rings_lock()->lock();
  lock_stack_pools();
}

void unlock_all() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  unlock_stack_pools();
  rings_lock()->unlock();
  slots_lock()->unlock();
  local_keys_lock()->unlock();
  registry_lock()->unlock();
}

void in_child() {
  g_process_generation.fetch_add(1, std::memory_order_relaxed);
  forget_workers();
  unlock_all();
  forget_parked();
  forget_guest_worker();
  forget_blocking_pool();
  forget_thread_id();
  leave_worker();
  for (Descriptors* d = g_descriptors.load(std::memory_order_acquire); d != nullptr; d = d->next) {
    const int fd = d->fd.exchange(-1, std::memory_order_relaxed);
    if (fd >= 0) (void)::close(fd);
  }
}

// (101: before any object of the program, which may have a database.)
__attribute__((constructor(101))) void install() {
  (void)pthread_atfork(before, unlock_all, in_child);
}

}  // namespace

void refuse_after_fork(const char* what) {
  SafeWriter(2) << "fiber: " << what
                << " in a process that was forked from the one that it belongs to: its threads are "
                   "not here (fiber/fork.h)\n";
  abort();
}

}  // namespace detail

void close_on_fork(int fd) {
  using detail::g_descriptors;
  for (auto* d = g_descriptors.load(std::memory_order_acquire); d != nullptr; d = d->next) {
    int none = -1;
    if (d->fd.compare_exchange_strong(none, fd, std::memory_order_relaxed)) return;
  }
  auto* const made = new detail::Descriptors;
  made->fd.store(fd, std::memory_order_relaxed);
  made->next = g_descriptors.load(std::memory_order_relaxed);
  while (!g_descriptors.compare_exchange_weak(made->next, made, std::memory_order_release,
                                              std::memory_order_relaxed)) {
  }
}

void forget_on_fork(int fd) {
  for (auto* d = detail::g_descriptors.load(std::memory_order_acquire); d != nullptr; d = d->next) {
    int same = fd;
    if (d->fd.compare_exchange_strong(same, -1, std::memory_order_relaxed)) return;
  }
}

}  // namespace fiber
