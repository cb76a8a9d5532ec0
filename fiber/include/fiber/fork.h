// fork(): what of this library a child process may use.
//
// Only the thread that called fork() exists in the child: workers, pool threads and the threads of
// Runtime, Thread and BackgroundCall objects made before do not, and rings are shared with the
// parent. A child of a process that uses fibers is meant to leave, by exec() or _exit(); what it
// must not use says so at once instead of waiting for threads that are not there:
//
//   Runtime::run(), spawn() of a Runtime made before,   a message and abort()
//   join() of a fiber made before, the end of the fiber
//   that forked
//   ~Runtime, Thread::join() of one made before         returns at once
//   file I/O on the fiber that forked                   a plain thread's: blocking system calls
//   default_runtime(), a new Runtime, a new Thread,     work: they are made anew
//   gather(), locks and waits among the child's own
//   threads
//   a lock that another thread held when fork() came    never free again: use process_generation()
//                                                       before
//
// vfork(), posix_spawn() and a bare clone() run no handlers: between them and exec() nothing of
// this library may be called.
#pragma once

#include <atomic>
#include <cstdint>

namespace fiber {

namespace detail {
extern std::atomic<uint32_t> g_process_generation;
}  // namespace detail

// Another number in each child than in its parent: who keeps the one of when it was made sees that
// it belongs to another process. One relaxed load.
inline uint32_t process_generation() {
  // Relaxed: it changes in a process with one thread.
  return detail::g_process_generation.load(std::memory_order_relaxed);
}

// The descriptor is closed in each child of this process until forget_on_fork(): for a lock of an
// open file (io::lock_file), which a child would hold on to after the parent's death. From any
// thread.
void close_on_fork(int fd);
void forget_on_fork(int fd);

}  // namespace fiber
