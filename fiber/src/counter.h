// Counter: a number that one thread writes and any thread reads. An increment is a plain load and
// store: no locked instruction, because there is one writer.
#pragma once

#include <atomic>
#include <cstdint>

namespace fiber::detail {

class Counter {
 public:
  // The writer's thread.
  void add(uint64_t n = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  void subtract(uint64_t n) {
    value_.store(value_.load(std::memory_order_relaxed) - n, std::memory_order_relaxed);
  }
  // Any thread; a moment old. Relaxed: a figure, which orders nothing.
  uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

}  // namespace fiber::detail
