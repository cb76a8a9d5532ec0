// Who may change which keys: one lock for each of a few thousand stripes of the keys' hashes. A
// command that writes holds the stripes of its keys from its first read to the end of its commit;
// a read takes none. Stripes are taken in the order of their numbers, so nobody waits in a ring.
//
// With the lock of a stripe goes who wants to know that a key of it is changed: watchers (WATCH),
// which are all told, and waiters (BLPOP and its kin), which stand in a queue.
//
// Waiters are served in the order of their tickets, those who came first. A change of a key calls
// the first waiter of its queue alone. When that one has had its look, under the stripes of all its
// keys, it passes the call on to the next behind it, whether it took something, found nothing for
// it or went away; so a call reaches everybody whom it may concern, one at a time. Who finds
// something while one ahead of it in a queue has been called and has not looked gives way.
//
// Whoever made the change waits, when its stripes are free, until all who were called for it have
// looked (Handover): so a client that pushes an element for which another waits does not see it
// afterwards.

#ifndef CAIRN_SERVER_KEYSPACE_LOCK_TABLE_H_
#define CAIRN_SERVER_KEYSPACE_LOCK_TABLE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fiber/mutex.h"
#include "fiber/sync.h"

namespace cairn::server {

// What a change of a key does to one who watches it. Lives until it has unwatched all its keys.
struct Watcher {
  std::atomic<bool> changed{false};
};

// Counts those who were called and have not looked.
class Handover {
 public:
  void Add() { pending_.fetch_add(1, std::memory_order_relaxed); }
  void Done() {
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) none_left_.set();
  }
  // SUSPENDS. False: the deadline passed.
  bool WaitUntil(uint64_t deadline) { return none_left_.wait_until(deadline); }

 private:
  std::atomic<uint32_t> pending_{1};  // the first is of whoever made it
  fiber::Event none_left_;
};
using Handovers = std::set<std::shared_ptr<Handover>>;

// One who waits in the queues of some keys. Lives until it has left them.
class Waiter {
 public:
  // Set by a call; anybody may set it so that the waiter looks around.
  fiber::Event& event() { return event_; }
  bool called() const { return called_.load(std::memory_order_acquire); }

 private:
  friend class LockSet;

  fiber::Event event_;
  std::atomic<bool> called_{false};  // stored under a stripe of a key that it waits for
  fiber::Mutex mutex_;               // taken with stripes held
  Handovers handovers_ FIBER_GUARDED_BY(mutex_);
};

class LockTable {
 public:
  static constexpr uint32_t kStripes = 4096;

  LockTable() : stripes_(std::make_unique<Stripe[]>(kStripes)) {}

  static uint32_t StripeOf(uint32_t ns, std::string_view key);

  // Keys are watched or waited for, somewhere.
  bool watched() const { return watches_.load(std::memory_order_relaxed) != 0; }

  // SUSPENDS.
  void Watch(uint32_t ns, std::string_view key, Watcher* watcher);
  void Unwatch(uint32_t ns, std::string_view key, Watcher* watcher);

  // A place in all queues, behind all who have one. Never 0.
  uint64_t NextTicket() { return next_ticket_.fetch_add(1, std::memory_order_relaxed); }

 private:
  friend class LockSet;
  struct Watch_ {
    uint32_t ns;
    std::string key;
    Watcher* watcher;
  };
  using Queue = std::map<uint64_t, Waiter*>;  // by ticket
  using KeyView = std::pair<uint32_t, std::string_view>;
  struct KeyLess {
    using is_transparent = void;
    bool operator()(const KeyView& a, const KeyView& b) const { return a < b; }
  };
  using Queues = std::map<std::pair<uint32_t, std::string>, Queue, KeyLess>;
  struct alignas(64) Stripe {
    fiber::Mutex mutex;
    // Guarded by it.
    std::vector<Watch_> watches;
    Queues queues;  // none is empty
  };

  std::unique_ptr<Stripe[]> stripes_;
  std::atomic<uint64_t> watches_{0};
  std::atomic<uint64_t> next_ticket_{1};
};

// The stripes that one run of commands holds. Not thread safe; for one caller, again and again.
class LockSet {
 public:
  explicit LockSet(LockTable* table) : table_(table) {}
  ~LockSet() { Unlock(); }
  LockSet(const LockSet&) = delete;
  LockSet& operator=(const LockSet&) = delete;

  // REQUIRES: not locked.
  void Add(uint32_t ns, std::string_view key) { stripes_.push_back(LockTable::StripeOf(ns, key)); }
  void AddAll() { all_ = true; }
  // SUSPENDS.
  void Lock();
  // And forgets what was added.
  void Unlock();

  // Tells the watchers of a key and calls its first waiter. REQUIRES: its stripe is held.
  void Notify(uint32_t ns, std::string_view key);
  // Tells all watchers of a namespace and calls all its waiters. REQUIRES: all are held.
  void NotifyAll(uint32_t ns);
  // SUSPENDS until those who were called since the last Settle() have looked; at most a second.
  // REQUIRES: not locked.
  void Settle();

  // For waiters. All of these REQUIRE the key's stripe.
  void Join(uint32_t ns, std::string_view key, uint64_t ticket, Waiter* waiter);
  void Leave(uint32_t ns, std::string_view key, uint64_t ticket);
  // One who is ahead of the ticket has been called and has not looked.
  bool MustGiveWay(uint32_t ns, std::string_view key, uint64_t ticket);
  // Calls the next behind the ticket.
  void PassOn(uint32_t ns, std::string_view key, uint64_t ticket);
  // Around a look, under the stripes of all keys of the waiter: the calls so far are for this look,
  // and whom it calls in turn is waited for together with it. What Begin gives is kept until
  // EndLook(), which tells those who wait for it.
  void BeginLook(Waiter* waiter);
  void EndLook();

 private:
  void Call(Waiter* waiter);

  LockTable* const table_;
  std::vector<uint32_t> stripes_;
  bool all_ = false;
  bool locked_ = false;
  std::shared_ptr<Handover> own_;  // of the calls since the last Settle()
  Handovers inherited_;            // between BeginLook() and EndLook()
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_KEYSPACE_LOCK_TABLE_H_
