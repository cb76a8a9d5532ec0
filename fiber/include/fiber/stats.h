// Counters of the scheduler and the rings, of one worker or summed over a runtime (Runtime::stats).
// They cost the hot paths a plain addition each; reading them is thread safe, never stops a worker,
// and gives figures that are a moment old. All count from the start of the worker. And, of the
// whole process, how often threads slept and were woken (futex_calls).
#pragma once

#include <cstddef>
#include <cstdint>

namespace fiber {

struct Stats {
  // Switches from one fiber, or from the worker's own stack, to another; and yields for which
  // nobody was ready.
  uint64_t switches = 0;
  // Fibers started on their worker (a stolen one: by the thief).
  uint64_t spawns = 0;
  // Fibers made ready by the worker's own fibers, timers and completions.
  uint64_t wakes_local = 0;
  // Fibers made ready by other threads. Of these, and of new fibers handed over by others,
  // wakes_by_system_call found the worker asleep.
  uint64_t wakes_remote = 0;
  uint64_t wakes_by_system_call = 0;
  // Times that the worker went to sleep in the kernel.
  uint64_t sleeps = 0;
  // Fibers, not started yet, that this worker took from another one.
  uint64_t steals = 0;
  // Fibers that moved to this worker by migrate().
  uint64_t migrations = 0;
  // System calls that handed operations to the kernel's ring, and how many operations they handed
  // over: ring_operations / ring_submissions is the mean batch.
  uint64_t ring_submissions = 0;
  uint64_t ring_operations = 0;
  // Fibers that have not ended: started and parked, ready or running, or waiting to be started.
  uint64_t live = 0;
  // Operations that the fibers wait for now.
  uint64_t io_pending = 0;

  Stats& operator+=(const Stats& other) {
    switches += other.switches;
    spawns += other.spawns;
    wakes_local += other.wakes_local;
    wakes_remote += other.wakes_remote;
    wakes_by_system_call += other.wakes_by_system_call;
    sleeps += other.sleeps;
    steals += other.steals;
    migrations += other.migrations;
    ring_submissions += other.ring_submissions;
    ring_operations += other.ring_operations;
    live += other.live;
    io_pending += other.io_pending;
    return *this;
  }
};

// Calls by which threads of this process slept on a futex of this library's, or woke one that did
// (or was about to): the waits of plain threads, which a lock, a signal or fiber::wait() puts to
// sleep, and of workers that have no ring to sleep in. Those of simulated threads count as if they
// were real. For what a protocol on these costs, in calls for each operation: unlike a time, it
// does not depend on what else the machine does.
struct FutexCalls {
  uint64_t sleeps = 0;
  uint64_t wakes = 0;
};
FutexCalls futex_calls();

// How deep the stacks of fibers have been used, in bytes, rounded up to pages: the deepest of all
// stacks of the process, whose owners may have ended (a recycled stack keeps its pages). Counts
// resident pages (mincore): what the kernel has swapped out is missed. Costs a system call for each
// stack that there ever was at once; not for a hot path. Nothing is counted while fibers run.
size_t stack_high_water();

}  // namespace fiber
