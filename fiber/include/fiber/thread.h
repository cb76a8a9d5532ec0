// Thread: an OS thread of its own, for work that should not share a worker (compaction, flush).
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fiber/function.h"

namespace fiber {

class Thread {
 public:
  // No thread.
  Thread();
  // Starts. The name is cut to 15 bytes. `nice` is added to the thread's niceness (best effort).
  // Aborts with a message if the system refuses a thread.
  Thread(std::string name, Function function, int nice = 0);
  // The same, into *out, without aborting: 0 or -errno.
  static int create(std::string name, Function function, int nice, Thread* out);
  Thread(Thread&& other) noexcept;
  // Joins the one it holds first.
  Thread& operator=(Thread&& other) noexcept;
  // Joins.
  ~Thread();

  bool joinable() const { return state_ != nullptr; }
  // SUSPENDS a fiber, blocks a thread, until the thread has ended. REQUIRES: joinable(), not from
  // itself.
  void join();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// The kernel's id of the calling thread.
uint64_t current_thread_id();

}  // namespace fiber
