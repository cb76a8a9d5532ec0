// Expected: what each key must hold, while many clients write it.
//
// A key's versions are numbered from 1; version 0 is "never written". What version n of a key is,
// a value or a deletion, follows from the key and n, so the table needs two numbers for a key: the
// latest version that was issued, and the latest that was acknowledged. A reader notes the second
// before it reads and the first afterwards: what it found must be a version from the one to the
// other.
//
// Thread safety: a key is written by who holds its lock; the rest by anybody at any time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fiber/mutex.h"

namespace stress {

// splitmix64.
inline uint64_t Hash(uint64_t n) {
  n += 0x9e3779b97f4a7c15ull;
  n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9ull;
  n = (n ^ (n >> 27)) * 0x94d049bb133111ebull;
  return n ^ (n >> 31);
}

// A generator; not thread-safe.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(Hash(seed)) {}
  uint64_t Next() { return Hash(state_++); }
  uint64_t Below(uint64_t n) { return Next() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t state_;
};

using Version = uint32_t;

std::string KeyText(uint64_t key);
// The number of a key, or nothing if no key has this text.
std::optional<uint64_t> KeyNumber(std::string_view text, uint64_t keys);
bool IsDeletion(uint64_t key, Version version);
// REQUIRES: not a deletion.
std::string ValueText(uint64_t key, Version version);

class Expected {
 public:
  explicit Expected(uint64_t keys);

  uint64_t keys() const { return keys_; }
  // Of a key and those that share its lock.
  fiber::Mutex& Lock(uint64_t key) { return locks_[LockNumber(key)]; }
  static uint64_t LockNumber(uint64_t key) { return key % kLocks; }

  // By the holder of the key's lock: the version that it is about to write; it was acknowledged.
  Version Issue(uint64_t key);
  void Acknowledge(uint64_t key, Version version);

  Version issued(uint64_t key) const { return issued_[key].load(std::memory_order_acquire); }
  Version acknowledged(uint64_t key) const {
    return acknowledged_[key].load(std::memory_order_acquire);
  }
  std::vector<Version> AllAcknowledged() const;

  // Whether a read that found `value` (nothing: no such key) saw a version from `from` to `to`.
  // False: *error says what is wrong.
  static bool Fits(uint64_t key, Version from, Version to, const std::optional<std::string>& value,
                   std::string* error);

  // After a restart, with nobody writing: the least version from `from` on that is what was found
  // counts as the latest. False: as above.
  bool Restart(uint64_t key, Version from, const std::optional<std::string>& value,
               std::string* error);

 private:
  static constexpr uint64_t kLocks = 256;

  const uint64_t keys_;
  std::unique_ptr<fiber::Mutex[]> locks_;
  // Release when stored: who sees the number sees that the write was called, respectively returned.
  std::unique_ptr<std::atomic<Version>[]> issued_;
  std::unique_ptr<std::atomic<Version>[]> acknowledged_;
};

}  // namespace stress
