// FaultState: the faults of a FaultInjectionFileSystem (cairn/fault_injection.h), which it and its
// files ask before each operation.
//
// Thread-safe; one mutex. Faults may change at any time; each operation asks once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "base/random.h"
#include "cairn/fault_injection.h"
#include "fiber/mutex.h"
#include "rocksdb/slice.h"

namespace cairn::fault::detail {

// What is to become of an operation.
struct Verdict {
  IOStatus error;          // not OK: it fails
  bool torn = false;       // an Append that fails writes a part first
  bool wrong_bit = false;  // a read gets a wrong bit
  uint64_t random = 0;     // which part, which bit

  bool ok() const { return error.ok(); }
};

class FaultState {
 public:
  // See FaultInjectionFileSystem.
  RuleId AddRule(Rule rule);
  uint64_t Hits(RuleId rule) const;
  void RemoveRule(RuleId rule);
  void FailNthOperation(uint64_t n, uint32_t operations, IOStatus error, uint64_t times);
  void FailRandomly(uint64_t seed, uint32_t operations, uint32_t one_in, IOStatus error);
  void SetFilesystemActive(bool active, IOStatus error);
  void SetReadOnly(bool read_only);
  void SetFreeBytes(uint64_t bytes);
  void SetFileFilter(std::function<bool(const std::string&)> filter);
  void FlipBits(const std::string& path, uint64_t offset, uint8_t mask);
  void Heal();
  uint64_t OperationCount(uint32_t operations) const;
  int OpenWritableFiles() const { return open_writable_.load(std::memory_order_relaxed); }
  int OpenReadableFiles() const { return open_readable_.load(std::memory_order_relaxed); }
  std::vector<std::string> OpenFileNames() const;

  // For the file system and its files.
  Verdict Ask(Operation operation, const std::string& path);
  // How many of `wanted` bytes still fit; takes them off the free ones.
  uint64_t TakeSpace(uint64_t wanted);
  // Changes what was read from `offset` on as FlipBits() and the verdict say. `result` then lies in
  // `scratch`, which has room for it.
  void Damage(const std::string& path, const Verdict& verdict, uint64_t offset, Slice* result,
              char* scratch);
  void NoteOpened(const std::string& path, bool writable);
  void NoteClosed(const std::string& path, bool writable);

 private:
  struct Active {
    Rule rule;
    uint64_t passed = 0;  // of `after`
    uint64_t hits = 0;
    Random64 random{1};
  };

  RuleId AddLocked(Rule rule) FIBER_REQUIRES(mu_);
  Verdict AskRules(Operation operation, const std::string& path) FIBER_REQUIRES(mu_);

  std::atomic<int> open_writable_{0};  // statistics only: relaxed
  std::atomic<int> open_readable_{0};
  std::atomic<bool> any_flips_{false};  // a hint that spares readers the mutex

  mutable fiber::Mutex mu_;
  bool active_ FIBER_GUARDED_BY(mu_) = true;
  IOStatus inactive_error_ FIBER_GUARDED_BY(mu_);
  bool read_only_ FIBER_GUARDED_BY(mu_) = false;
  std::map<RuleId, Active> rules_ FIBER_GUARDED_BY(mu_);
  RuleId last_rule_ FIBER_GUARDED_BY(mu_) = 0;
  RuleId nth_rule_ FIBER_GUARDED_BY(mu_) = 0;     // FailNthOperation's; 0: none
  RuleId random_rule_ FIBER_GUARDED_BY(mu_) = 0;  // FailRandomly's
  uint64_t free_bytes_ FIBER_GUARDED_BY(mu_) = UINT64_MAX;
  std::function<bool(const std::string&)> filter_ FIBER_GUARDED_BY(mu_);
  std::map<std::string, std::map<uint64_t, uint8_t>> flips_ FIBER_GUARDED_BY(mu_);
  std::map<std::string, int> open_files_ FIBER_GUARDED_BY(mu_);
  uint64_t op_counts_[10] FIBER_GUARDED_BY(mu_) = {};
};

}  // namespace cairn::fault::detail
