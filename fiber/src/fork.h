// What the parts of the runtime do when the process forks. Called by fork.cc only: prepare holds
// the global locks, so that what they guard is whole in the child; the rest is the child's, on its
// only thread. Nothing here allocates.
#pragma once

#include "raw_lock.h"

namespace fiber::detail {

RawLock* registry_lock();    // registry.cc
RawLock* local_keys_lock();  // local.cc
RawLock* slots_lock();       // cpu.cc
RawLock* rings_lock();       // registered_files.cc
void lock_stack_pools();     // stack.cc
void unlock_stack_pools();

void forget_parked();         // parking_lot.cc: who waits is not there
void forget_workers();        // registry.cc. REQUIRES: registry_lock()
void forget_guest_worker();   // guest.cc: its ring is the parent's
void forget_blocking_pool();  // engine_blocking_pool.cc
void forget_thread_id();      // thread.cc
// worker.cc: the calling fiber goes on as a plain thread, and fibers get new numbers.
void leave_worker();

// The message about what a child cannot have, and abort().
[[noreturn]] void refuse_after_fork(const char* what);

}  // namespace fiber::detail
