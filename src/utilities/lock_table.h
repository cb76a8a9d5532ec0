// LockTable: shared and exclusive locks on keys, held by transactions until they give them back.
//
// A lock that nobody waits for costs a mutex of one of the stripes and a search in its hash table.
// Who cannot have a lock queues up at it and sleeps on a condition of its own. Who gives it back
// hands it to those at the head of the queue who can have it now, and wakes only them: a lock is
// never free while somebody waits for it, so that nobody overtakes. The queue is in the order of
// coming, except that holders of a shared lock who want it exclusively stand before all others
// (behind them they would wait for themselves).
//
//   granted: to an exclusive one, if nobody else holds it; to a shared one, if nobody holds it
//            exclusively; and to nobody behind one that is not granted
//
// Deadlocks. Who waits for a lock waits, at once or over those before it in the queue, for every
// holder of it, and for nobody who does not wait for these, too. So the graph "waits for" is: from
// a waiting owner to its lock, from a lock to its holders. No edges are kept: a search walks from
// owner to lock to owner. A circle can only be closed by one that begins to wait, and is looked for
// then, if it wants that: all other edges of the circle are there by then and stay, so none is
// missed, and as the search sees one moment of the graph, none is invented.
//
// What the search needs (who waits where, and the holders of each lock that has a queue) changes
// only under waits_mutex_. Holders of locks without a queue change under their stripe alone.
//
// Expiry. The head of a queue may take the lock from holders that have expired, if all that it
// waits for have. It wakes up for that; those behind need not.
//
// Memory: an entry for each locked key, at most `max_keys` per column family if that is positive.
// Of what is free a stripe keeps a few.
//
// Lock order: stripes in ascending order, waits_mutex_, counts_mutex_. Thread-safe; Lock()
// SUSPENDS.
#ifndef CAIRN_UTILITIES_LOCK_TABLE_H_
#define CAIRN_UTILITIES_LOCK_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/namespace.h"
#include "fiber/clock.h"
#include "fiber/mutex.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/utilities/transaction_db.h"
#include "utilities/lock_mutex.h"
#include "utilities/tracked_keys.h"

namespace cairn {

struct KeyLock;
struct LockWaiter;

// A transaction, as the table sees it. Has one user; must hold nothing when it goes.
class LockOwner {
 public:
  LockOwner() = default;
  LockOwner(const LockOwner&) = delete;
  LockOwner& operator=(const LockOwner&) = delete;
  virtual ~LockOwner() = default;

  struct Terms {
    TransactionID id = 0;
    uint64_t expires = fiber::kNoDeadline;  // a now_nanos() value
    bool detects_deadlocks = false;
    int64_t depth = 0;  // waiting owners that a search may visit
  };
  // REQUIRES: it holds nothing.
  void SetTerms(const Terms& terms) { terms_ = terms; }
  const Terms& terms() const { return terms_; }

  // It has expired, and somebody wants its locks. False: it cannot lose them any more. Called by
  // others, with a stripe's mutex held.
  virtual bool Steal() { return false; }

 private:
  friend class LockTable;
  friend class RangeLocks;
  friend class Holders;

  Terms terms_;
  LockCondition condition_;
  // --- Guarded by LockTable::waits_mutex_, or RangeLocks::mutex_
  LockWaiter* waiting_ = nullptr;
  size_t awaited_ = 0;   // locks that it holds and somebody waits for
  uint64_t search_ = 0;  // the last search that saw it
  // Where it waited in vain last.
  std::vector<TransactionID> missed_ids_;
  uint32_t missed_family_ = 0;
  std::string missed_key_;
};

// Who has a lock: as a rule one.
class Holders {
 public:
  size_t size() const { return first_ == nullptr ? 0 : 1 + more_.size(); }
  bool empty() const { return first_ == nullptr; }
  LockOwner* operator[](size_t i) const { return i == 0 ? first_ : more_[i - 1]; }
  bool Has(const LockOwner* owner) const;
  // Somebody beside it.
  bool HasOthers(const LockOwner* owner) const {
    return !empty() && (first_ != owner || !more_.empty());
  }
  void Add(LockOwner* owner);
  // REQUIRES: it is one.
  void Remove(const LockOwner* owner);
  // Of those that may expire.
  size_t expiring() const { return expiring_; }

 private:
  LockOwner* first_ = nullptr;
  std::vector<LockOwner*> more_;
  size_t expiring_ = 0;
};

class LockTable {
 public:
  struct Options {
    size_t stripes = 16;
    int64_t max_keys = 0;  // per column family; not positive: no limit
    size_t max_deadlocks = 0;
    std::shared_ptr<TransactionDBMutexFactory> mutexes;
  };
  explicit LockTable(const Options& options);
  ~LockTable();
  LockTable(const LockTable&) = delete;
  LockTable& operator=(const LockTable&) = delete;

  // As TrackedKeys keeps it.
  static uint64_t HashOf(uint32_t family, const Slice& key) {
    return TrackedKeys::HashOf(family, key);
  }

  // SUSPENDS. `timeout_us`: 0: does not wait; < 0: for ever. Again, and exclusive where it was
  // shared, are fine. TimedOut(kLockTimeout); Busy(kDeadlock); Busy(kLockLimit); what a user's
  // mutex and condition say.
  Status Lock(LockOwner* owner, uint64_t hash, uint32_t family, const Slice& key, bool exclusive,
              int64_t timeout_us);
  // Exclusive becomes shared.
  void Downgrade(LockOwner* owner, uint64_t hash, uint32_t family, const Slice& key);
  // Fine if it does not have it: expired, and taken by another.
  void Unlock(LockOwner* owner, uint64_t hash, uint32_t family, const Slice& key);

  // Whom it waits for at this moment, and which key; if it does not wait, what it waited for in
  // vain last. Any thread. The pointers may be null.
  std::vector<TransactionID> WaitingFor(const LockOwner* owner, uint32_t* family,
                                        std::string* key) const;
  // All locks of one moment.
  std::unordered_multimap<uint32_t, KeyLockInfo> Locks() const;

  // The newest first.
  std::vector<DeadlockPath> Deadlocks() const;
  void SetMaxDeadlocks(size_t count);

  // Of all stripes, for tests: entries in use, and kept for later.
  size_t Entries() const;
  size_t SpareEntries() const;

 private:
  struct Stripe;

  Stripe* StripeOf(uint64_t hash) const;
  // All of these REQUIRE the stripe's mutex.
  Status LockWithin(Stripe* stripe, LockOwner* owner, uint64_t hash, uint32_t family,
                    const Slice& key, bool exclusive, int64_t timeout_us);
  Status Await(Stripe* stripe, LockWaiter* waiter, int64_t timeout_us);
  // Of the holders beside `owner`, if all have expired. *next: when that may be.
  bool StealFor(const LockOwner* owner, KeyLock* lock, uint64_t* next);
  bool CountKey(uint32_t family);
  void UncountKey(uint32_t family);

  // And these waits_mutex_, as the lock has a queue.
  void Enqueue(LockWaiter* waiter) FIBER_REQUIRES(waits_mutex_);
  void Dequeue(LockWaiter* waiter) FIBER_REQUIRES(waits_mutex_);
  void Grant(KeyLock* lock) FIBER_REQUIRES(waits_mutex_);
  void AddHolder(KeyLock* lock, LockOwner* owner) FIBER_REQUIRES(waits_mutex_);
  void RemoveHolder(KeyLock* lock, LockOwner* owner) FIBER_REQUIRES(waits_mutex_);
  bool FindDeadlock(LockOwner* owner) FIBER_REQUIRES(waits_mutex_);
  void Remember(DeadlockPath path) FIBER_REQUIRES(waits_mutex_);

  const Options options_;
  const size_t stripe_count_;
  const std::unique_ptr<Stripe[]> stripes_;

  mutable fiber::Mutex waits_mutex_;
  uint64_t searches_ FIBER_GUARDED_BY(waits_mutex_) = 0;
  size_t max_deadlocks_ FIBER_GUARDED_BY(waits_mutex_);
  std::deque<DeadlockPath> deadlocks_ FIBER_GUARDED_BY(waits_mutex_);  // the newest first

  fiber::Mutex counts_mutex_;
  // Locked keys, if there is a limit.
  std::unordered_map<uint32_t, int64_t> counts_ FIBER_GUARDED_BY(counts_mutex_);
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_LOCK_TABLE_H_
