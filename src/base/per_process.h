// What a process has one of, and a forked child one of its own.
//
// In a child only the thread that called fork() exists (fiber/fork.h): a lock that another one held
// then is never free again, and a list of threads names those of the parent. So a table of the
// whole process with a lock in it is made anew in the child, where it is first asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "fiber/fork.h"

namespace cairn {

// A static variable, constinit. Never destroyed, nor are those of the parent: whoever ends with the
// process may still ask. Thread safe.
template <class T>
class PerProcess {
 public:
  constexpr PerProcess() = default;
  PerProcess(const PerProcess&) = delete;
  PerProcess& operator=(const PerProcess&) = delete;

  // This process's. The first call makes it.
  T& Get() {
    Held* held = held_.load(std::memory_order_acquire);
    while (held == nullptr || held->generation != fiber::process_generation()) {
      auto made = std::make_unique<Held>();
      made->before = held;
      if (held_.compare_exchange_strong(held, made.get(), std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        held = made.release();
      }
    }
    return held->value;
  }

 private:
  struct Held {
    const uint32_t generation = fiber::process_generation();
    Held* before = nullptr;  // of the parent process: still reachable, for who looks for leaks
    T value;
  };

  std::atomic<Held*> held_{nullptr};
};

}  // namespace cairn
