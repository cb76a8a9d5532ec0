// Memory that clients size: what they send, what a command makes of it, what waits to be sent to
// them. All of it together stays below a limit; who asks for more gets an error, where the process
// would end otherwise. Small amounts are not counted: their number is limited by that of clients.
//
// Thread safe; a MemoryShare is of one owner.

#ifndef CAIRN_SERVER_KEYSPACE_MEMORY_BUDGET_H_
#define CAIRN_SERVER_KEYSPACE_MEMORY_BUDGET_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace cairn::server {

class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t limit) : limit_(limit) {}

  uint64_t limit() const { return limit_; }
  uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  uint64_t left() const { return limit_ - std::min(limit_, used()); }

 private:
  friend class MemoryShare;
  bool Take(uint64_t bytes) {
    // Who fails has taken nothing, but may make another one fail that comes at the same moment.
    if (bytes <= limit_ && used_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_) {
      return true;
    }
    if (bytes <= limit_) Give(bytes);
    return false;
  }
  void Give(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

  const uint64_t limit_;
  std::atomic<uint64_t> used_{0};
};

// What one owner has of it; given back at the end.
class MemoryShare {
 public:
  // What an owner has beside the budget.
  static constexpr uint64_t kFree = 64 << 10;
  // Taken at a time, so that the counter that all share is rarely touched.
  static constexpr uint64_t kStep = 256 << 10;

  explicit MemoryShare(MemoryBudget* budget) : budget_(budget) {}
  ~MemoryShare() { Set(0); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // The owner has so many bytes, or is about to. False: there are not as many, and it has what it
  // had. Less is always granted.
  bool Set(uint64_t bytes) {
    const uint64_t wanted = bytes <= kFree ? 0 : (bytes + kStep - 1) / kStep * kStep;
    if (wanted == taken_) return true;
    if (wanted > taken_) {
      if (!budget_->Take(wanted - taken_)) return false;
    } else {
      budget_->Give(taken_ - wanted);
    }
    taken_ = wanted;
    return true;
  }

 private:
  MemoryBudget* const budget_;
  uint64_t taken_ = 0;
};

// Half of what the process may use beside the `needed` bytes that it uses anyhow: of the machine's
// memory, its control group's, or the limit of its address space (ulimit -v).
uint64_t DefaultMemoryLimit(uint64_t needed);

}  // namespace cairn::server

#endif  // CAIRN_SERVER_KEYSPACE_MEMORY_BUDGET_H_
