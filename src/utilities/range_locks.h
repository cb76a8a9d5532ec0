// RangeLocks: shared and exclusive locks on ranges of keys, a single key being a range of its own.
// What rocksdb::NewRangeLockManager() makes; a database that is opened with it locks by it alone,
// in place of its LockTable.
//
// For each column family: the locked parts of the key space, in order and apart from each other.
// A part has one holder, or several that share it. A lock that begins or ends inside of a part
// cuts it in two; neighbours with the same holders grow together again. Where a part begins and
// ends is said by cuts: places between the keys.
//
// Who cannot have a lock waits for one of those in its way, its blocker, and is looked at again
// when that one goes; so that one hot key costs each who leaves it one look, however many wait:
//   - who has no lock by now waits behind those that came before and want what excludes it, too,
//     and nobody overtakes. Who waits behind somebody has nothing that others could wait for.
//   - who has some waits for holders only, or it could wait for somebody who waits for it.
// So a circle goes from waiting owners to holders and on, and can only be closed by one that
// begins to wait: it is looked for then, always (as in RocksDB).
//
// A transaction gives all back at once, at its end: a key inside of a range that it locked as well
// could not be given back alone. Nothing expires.
//
// Memory: about what the parts take is counted. Over the limit, neighbouring parts that one owner
// alone has exclusively become one, with all between them (lock escalation), but for where the
// user's function says that there is a barrier; if that is not enough, no more locks are given.
//
// Thread-safe; one mutex. Lock() SUSPENDS.
#ifndef CAIRN_UTILITIES_RANGE_LOCKS_H_
#define CAIRN_UTILITIES_RANGE_LOCKS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/transaction.h"
#include "rocksdb/utilities/transaction_db.h"
#include "utilities/lock_mutex.h"
#include "utilities/lock_table.h"

namespace cairn {

class RangeLocks final : public RangeLockManagerHandle {
 public:
  // `mutexes` null: fiber's.
  explicit RangeLocks(std::shared_ptr<TransactionDBMutexFactory> mutexes);
  ~RangeLocks() override;
  RangeLocks(const RangeLocks&) = delete;
  RangeLocks& operator=(const RangeLocks&) = delete;

  // One database at a time has it. False: another one does.
  bool Attach();
  void Detach();

  // SUSPENDS. Both ends belong to the range. `timeout_us`: 0: does not wait; < 0: for ever. Again,
  // and exclusive where it was shared, are fine. InvalidArgument: the range ends before it begins;
  // TimedOut(kLockTimeout); Busy(kDeadlock); Busy(kLockLimit); what a user's mutex and condition
  // say.
  Status Lock(LockOwner* owner, uint32_t family, const Comparator* comparator,
              const Endpoint& start, const Endpoint& end, bool exclusive, int64_t timeout_us);
  // All that it has.
  void Release(LockOwner* owner);

  // As LockTable::WaitingFor(); *key is where the range begins.
  std::vector<TransactionID> WaitingFor(const LockOwner* owner, uint32_t* family,
                                        std::string* key) const;
  // Those of single keys.
  std::unordered_multimap<uint32_t, KeyLockInfo> KeyLocks() const;

  // --- RangeLockManagerHandle
  LockManager* getLockManager() override { return nullptr; }
  int SetMaxLockMemory(size_t max_lock_memory) override;
  size_t GetMaxLockMemory() override;
  void SetEscalationBarrierFunc(EscalationBarrierFunc func) override;
  RangeLockStatus GetRangeLockStatusData() override;
  Counters GetStatus() override;
  std::vector<RangeDeadlockPath> GetRangeDeadlockInfoBuffer() override;
  void SetRangeDeadlockInfoBufferSize(uint32_t target_size) override;

 private:
  // A place between keys: just before or just behind what an Endpoint stands for.
  struct Cut {
    std::string key;
    bool infinite;  // Endpoint::inf_suffix
    bool behind;
  };
  struct CutOrder {
    const Comparator* comparator;
    bool operator()(const Cut& a, const Cut& b) const;
  };
  struct Range {
    Cut start, end;
  };
  struct Part {
    Cut end;
    bool exclusive;
    std::vector<LockOwner*> holders;  // sorted; one if exclusive

    bool IsOf(const LockOwner* owner) const { return holders.size() == 1 && holders[0] == owner; }
  };
  using Parts = std::map<Cut, Part, CutOrder>;  // by where they start
  struct Waiter;
  struct Family {
    explicit Family(const Comparator* comparator) : parts(CutOrder{comparator}) {}
    Parts parts;
    std::list<Waiter*> waiters;  // in the order of coming
  };
  struct Waiter {
    LockOwner* owner;
    uint32_t id;  // of the family
    Family* family;
    Range range;
    bool exclusive;
    std::list<Waiter*>::iterator place = {};  // in Family::waiters
    uint64_t ticket = 0;                      // in the order of coming
    bool queues = false;                      // has no lock by now
    const void* blocker = nullptr;            // a LockOwner that has locks, or a Waiter:
    const Waiter* behind = nullptr;           // which is this one
    bool ended = false;                       // with `status`, by whom it waited for
    Status status = {};
  };
  struct Owned {
    std::vector<std::pair<uint32_t, Range>> ranges;  // families and what was asked for in them
    Waiter* waiting = nullptr;
  };

  Family* FamilyOf(uint32_t id, const Comparator* comparator) FIBER_REQUIRES(mutex_);
  void DropFamilyIfUnused(uint32_t id) FIBER_REQUIRES(mutex_);
  void ForgetIfIdle(const LockOwner* owner) FIBER_REQUIRES(mutex_);

  static size_t BytesOf(const Cut& start, const Part& part);
  static Parts::iterator FirstWithin(Parts* parts, const Range& range);
  static void SplitAt(Parts* parts, const Cut& cut, size_t* bytes);
  // Neighbours within the range, and those beside it, that have the same holders.
  void Join(Parts* parts, const Range& range) FIBER_REQUIRES(mutex_);
  // REQUIRES: nobody is in the way.
  void Cover(Parts* parts, const Range& range, LockOwner* owner, bool exclusive)
      FIBER_REQUIRES(mutex_);
  void EraseOwner(Parts* parts, const Range& range, LockOwner* owner) FIBER_REQUIRES(mutex_);

  static bool Overlap(const Family& family, const Range& a, const Range& b);
  // Calls `visit` with each holder in the waiter's way, some more than once, while it says true.
  template <class F>
  static void ForEachExcluder(const Waiter& waiter, const F& visit);
  // Who came before and excludes it.
  static const Waiter* InFront(const Waiter& waiter);
  // What it must wait for now; null: it can have the lock.
  static void FindBlocker(Waiter* waiter);
  // Those that waited for `gone`, which may be a holder or a waiter, get their locks, or others to
  // wait for.
  void LookAgain(const void* gone) FIBER_REQUIRES(mutex_);

  bool Has(const Waiter& waiter);
  // Busy(kLockLimit), or the owner has it.
  Status Grant(const Waiter& waiter) FIBER_REQUIRES(mutex_);
  Status Await(Waiter* waiter, int64_t timeout_us) FIBER_REQUIRES(mutex_);
  // False: nothing that can be escalated makes room for so many bytes more.
  bool MakeRoom(const Waiter& asking, size_t bytes) FIBER_REQUIRES(mutex_);
  bool MayBridge(const Family& family, const Range& gap, const LockOwner* owner,
                 const Waiter& asking) const FIBER_REQUIRES(mutex_);
  void Escalate(uint32_t id, Family* family, const Waiter& asking) FIBER_REQUIRES(mutex_);
  bool FindDeadlock(const Waiter& waiter) FIBER_REQUIRES(mutex_);

  const std::shared_ptr<TransactionDBMutexFactory> mutexes_;
  mutable LockMutex mutex_;
  bool attached_ FIBER_GUARDED_BY(mutex_) = false;
  std::map<uint32_t, std::unique_ptr<Family>> families_ FIBER_GUARDED_BY(mutex_);
  std::unordered_map<const LockOwner*, Owned> owned_ FIBER_GUARDED_BY(mutex_);
  // By what they wait for; the order of coming within one.
  std::unordered_map<const void*, std::deque<Waiter*>> blocked_ FIBER_GUARDED_BY(mutex_);
  size_t bytes_ FIBER_GUARDED_BY(mutex_) = 0;
  size_t max_bytes_ FIBER_GUARDED_BY(mutex_);
  uint64_t escalations_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t waits_ FIBER_GUARDED_BY(mutex_) = 0;
  EscalationBarrierFunc barrier_ FIBER_GUARDED_BY(mutex_);
  size_t max_deadlocks_ FIBER_GUARDED_BY(mutex_);
  std::deque<RangeDeadlockPath> deadlocks_ FIBER_GUARDED_BY(mutex_);  // the newest first
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_RANGE_LOCKS_H_
