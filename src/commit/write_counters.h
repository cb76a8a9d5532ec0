// What went through a commit queue since it was made. The present leader counts, or several do who
// say so; anybody may look: each is a figure for itself (relaxed).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/namespace.h"

namespace cairn {

class WriteCounters {
 public:
  struct Figures {
    uint64_t writes = 0;
    uint64_t keys = 0;
    uint64_t groups = 0;
    uint64_t bytes = 0;  // of batches
    uint64_t wal_writes = 0;
    uint64_t wal_bytes = 0;

    void Add(const Figures& other) {
      writes += other.writes;
      keys += other.keys;
      groups += other.groups;
      bytes += other.bytes;
      wal_writes += other.wal_writes;
      wal_bytes += other.wal_bytes;
    }
  };

  // One caller at a time: no read-modify-write, which a lone writer would feel.
  void CountGroup(uint64_t writers, uint64_t keys, uint64_t bytes, bool logged) {
    Add(&writes_, writers);
    Add(&keys_, keys);
    Add(&groups_, 1);
    Add(&bytes_, bytes);
    if (!logged) return;
    Add(&wal_writes_, writers);
    Add(&wal_bytes_, bytes);
  }

  // Of one writer without a log; several callers at once.
  void CountShared(uint64_t keys, uint64_t bytes) {
    writes_.fetch_add(1, std::memory_order_relaxed);
    keys_.fetch_add(keys, std::memory_order_relaxed);
    groups_.fetch_add(1, std::memory_order_relaxed);
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
  }

  Figures figures() const {
    return {Get(writes_), Get(keys_), Get(groups_), Get(bytes_), Get(wal_writes_), Get(wal_bytes_)};
  }

 private:
  using Counter = std::atomic<uint64_t>;
  static uint64_t Get(const Counter& counter) { return counter.load(std::memory_order_relaxed); }
  static void Add(Counter* counter, uint64_t n) {
    counter->store(Get(*counter) + n, std::memory_order_relaxed);
  }

  Counter writes_{0}, keys_{0}, groups_{0}, bytes_{0}, wal_writes_{0}, wal_bytes_{0};
};

}  // namespace cairn
