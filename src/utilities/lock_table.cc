#include "utilities/lock_table.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/hash.h"
#include "base/perf.h"

namespace cairn {

namespace {

constexpr size_t kFirstBuckets = 16;
constexpr size_t kSpareEntries = 64;    // of a stripe
constexpr size_t kSpareKeyBytes = 256;  // longer keys' memory is not kept

}  // namespace

// A key that somebody has locked. Holders and queue: see the table's head.
struct KeyLock {
  std::unique_ptr<KeyLock> next;  // in the bucket, or among the spare ones
  uint64_t hash;
  uint32_t family;
  bool exclusive;
  std::string key;
  Holders holders;
  LockWaiter* head = nullptr;  // of the queue
  LockWaiter* tail = nullptr;
};

// On the stack of who waits.
struct LockWaiter {
  LockOwner* const owner;
  KeyLock* const lock;
  const bool exclusive;
  const bool upgrades;  // has the lock shared
  bool granted = false;
  LockWaiter* before = nullptr;
  LockWaiter* behind = nullptr;
};

bool Holders::Has(const LockOwner* owner) const {
  return first_ == owner || std::find(more_.begin(), more_.end(), owner) != more_.end();
}

void Holders::Add(LockOwner* owner) {
  if (first_ == nullptr) {
    first_ = owner;
  } else {
    more_.push_back(owner);
  }
  expiring_ += owner->terms().expires != fiber::kNoDeadline;
}

void Holders::Remove(const LockOwner* owner) {
  expiring_ -= owner->terms().expires != fiber::kNoDeadline;
  LockOwner*& place = first_ == owner ? first_ : *std::find(more_.begin(), more_.end(), owner);
  if (more_.empty()) {
    place = nullptr;
  } else {
    place = more_.back();
    more_.pop_back();
  }
}

// --- Stripes: a hash table each

struct alignas(64) LockTable::Stripe {
  LockMutex mutex;
  // A power of two; those of an entry's low hash bits. All guarded by mutex.
  std::vector<std::unique_ptr<KeyLock>> buckets{kFirstBuckets};
  size_t count = 0;
  std::unique_ptr<KeyLock> spare;
  size_t spare_count = 0;

  // Where the key's entry is, or a null one where it belongs.
  std::unique_ptr<KeyLock>* Find(uint64_t hash, uint32_t family, const Slice& key) {
    std::unique_ptr<KeyLock>* place = &buckets[hash & (buckets.size() - 1)];
    while (*place != nullptr &&
           ((*place)->hash != hash || (*place)->family != family || Slice((*place)->key) != key)) {
      place = &(*place)->next;
    }
    return place;
  }

  KeyLock* Insert(std::unique_ptr<KeyLock>* place, uint64_t hash, uint32_t family,
                  const Slice& key) {
    std::unique_ptr<KeyLock> entry = std::move(spare);
    if (entry != nullptr) {
      spare = std::move(entry->next);
      --spare_count;
    } else {
      entry = std::make_unique<KeyLock>();
    }
    KeyLock* const lock = entry.get();
    lock->hash = hash;
    lock->family = family;
    lock->key.assign(key.data(), key.size());
    *place = std::move(entry);
    if (++count > buckets.size()) Resize(2 * buckets.size());
    return lock;
  }

  void Erase(std::unique_ptr<KeyLock>* place) {
    std::unique_ptr<KeyLock> entry = std::move(*place);
    *place = std::move(entry->next);
    --count;
    if (spare_count < kSpareEntries) {
      if (entry->key.capacity() > kSpareKeyBytes) entry->key = std::string();
      entry->next = std::move(spare);
      spare = std::move(entry);
      ++spare_count;
    }
    // Not at once what was needed a moment ago.
    if (buckets.size() > kFirstBuckets && count < buckets.size() / 8) Resize(buckets.size() / 2);
  }

  void Resize(size_t size) {
    std::vector<std::unique_ptr<KeyLock>> old(size);
    old.swap(buckets);
    for (std::unique_ptr<KeyLock>& bucket : old) {
      while (bucket != nullptr) {
        std::unique_ptr<KeyLock> entry = std::move(bucket);
        bucket = std::move(entry->next);
        std::unique_ptr<KeyLock>& place = buckets[entry->hash & (size - 1)];
        entry->next = std::move(place);
        place = std::move(entry);
      }
    }
  }
};

LockTable::LockTable(const Options& options)
    : options_(options),
      stripe_count_(std::max<size_t>(1, options.stripes)),
      stripes_(std::make_unique<Stripe[]>(stripe_count_)),
      max_deadlocks_(options.max_deadlocks) {
  for (size_t i = 0; i < stripe_count_; ++i) stripes_[i].mutex.Make(options_.mutexes.get());
}

LockTable::~LockTable() = default;

LockTable::Stripe* LockTable::StripeOf(uint64_t hash) const {
  return &stripes_[FastRange64(hash, stripe_count_)];
}

bool LockTable::CountKey(uint32_t family) {
  if (options_.max_keys <= 0) return true;
  fiber::MutexLock lock(&counts_mutex_);
  int64_t& count = counts_[family];
  if (count >= options_.max_keys) return false;
  ++count;
  return true;
}

void LockTable::UncountKey(uint32_t family) {
  if (options_.max_keys <= 0) return;
  fiber::MutexLock lock(&counts_mutex_);
  const auto found = counts_.find(family);
  if (--found->second == 0) counts_.erase(found);
}

// --- Locking

Status LockTable::Lock(LockOwner* owner, uint64_t hash, uint32_t family, const Slice& key,
                       bool exclusive, int64_t timeout_us) {
  Stripe* const stripe = StripeOf(hash);
  Status s;
  if (!stripe->mutex.LockFor(timeout_us, &s)) return s;
  s = LockWithin(stripe, owner, hash, family, key, exclusive, timeout_us);
  stripe->mutex.Unlock();
  return s;
}

Status LockTable::LockWithin(Stripe* stripe, LockOwner* owner, uint64_t hash, uint32_t family,
                             const Slice& key, bool exclusive, int64_t timeout_us) {
  std::unique_ptr<KeyLock>* const place = stripe->Find(hash, family, key);
  if (*place == nullptr) {
    if (!CountKey(family)) return Status::Busy(Status::kLockLimit);
    KeyLock* const lock = stripe->Insert(place, hash, family, key);
    lock->exclusive = exclusive;
    lock->holders.Add(owner);
    return Status::OK();
  }
  KeyLock* const lock = place->get();
  const bool has = lock->holders.Has(owner);
  if (has && (!exclusive || lock->exclusive)) return Status::OK();
  if (has && !lock->holders.HasOthers(owner)) {
    lock->exclusive = true;
    return Status::OK();
  }
  if (!has && !exclusive && !lock->exclusive && lock->head == nullptr) {
    lock->holders.Add(owner);
    return Status::OK();
  }
  LockWaiter waiter{owner, lock, exclusive, has};
  return Await(stripe, &waiter, timeout_us);
}

Status LockTable::Await(Stripe* stripe, LockWaiter* waiter,
                        int64_t timeout_us) FIBER_NO_THREAD_SAFETY_ANALYSIS {
  LockOwner* const owner = waiter->owner;
  KeyLock* const lock = waiter->lock;
  const uint64_t deadline = LockDeadline(timeout_us);
  owner->condition_.Make(options_.mutexes.get());
  {
    fiber::MutexLock waits(&waits_mutex_);
    Enqueue(waiter);
  }
  const Perf perf;
  const PerfTimer timer(perf, &PerfContext::key_lock_wait_time);
  Status s;
  for (bool first = true; !waiter->granted; first = false) {
    uint64_t wake = deadline;
    if (lock->head == waiter) {
      uint64_t next;
      if (StealFor(owner, lock, &next)) break;
      wake = std::min(deadline, next);
    }
    const bool timed_out = deadline != fiber::kNoDeadline && fiber::now_nanos() >= deadline;
    if (timed_out) s = Status::TimedOut(Status::kLockTimeout);
    fiber::MutexLock waits(&waits_mutex_);
    if (s.ok() && first) {
      perf.Count(&PerfContext::key_lock_wait_count);
      if (owner->terms_.detects_deadlocks && FindDeadlock(owner)) {
        s = Status::Busy(Status::kDeadlock);
      }
    }
    if (!s.ok()) {
      if (timed_out) {
        for (size_t i = 0; i < lock->holders.size(); ++i) {
          if (lock->holders[i] == owner) continue;
          owner->missed_ids_.push_back(lock->holders[i]->terms_.id);
        }
        owner->missed_family_ = lock->family;
        owner->missed_key_ = lock->key;
      }
      Dequeue(waiter);
      Grant(lock);
      return s;
    }
    waits.unlock();
    s = stripe->mutex.Wait(&owner->condition_, wake);
  }
  return Status::OK();
}

// (Those that are stolen from, while another is not, have lost anyway: they cannot commit.)
bool LockTable::StealFor(const LockOwner* owner, KeyLock* lock, uint64_t* next) {
  *next = fiber::kNoDeadline;
  if (lock->holders.expiring() == 0) return false;
  uint64_t latest = 0;
  for (size_t i = 0; i < lock->holders.size(); ++i) {
    if (lock->holders[i] == owner) continue;
    latest = std::max(latest, lock->holders[i]->terms_.expires);
  }
  if (latest == fiber::kNoDeadline) return false;
  if (fiber::now_nanos() < latest) {
    *next = latest;
    return false;
  }
  for (size_t i = 0; i < lock->holders.size(); ++i) {
    if (lock->holders[i] != owner && !lock->holders[i]->Steal()) return false;
  }
  fiber::MutexLock waits(&waits_mutex_);
  for (size_t i = lock->holders.size(); i-- > 0;) {
    if (lock->holders[i] != owner) RemoveHolder(lock, lock->holders[i]);
  }
  Grant(lock);
  return true;
}

void LockTable::Downgrade(LockOwner* owner, uint64_t hash, uint32_t family, const Slice& key) {
  Stripe* const stripe = StripeOf(hash);
  stripe->mutex.Lock();
  KeyLock* const lock = stripe->Find(hash, family, key)->get();
  if (lock != nullptr && lock->exclusive && lock->holders.Has(owner)) {
    lock->exclusive = false;
    if (lock->head != nullptr) {
      fiber::MutexLock waits(&waits_mutex_);
      Grant(lock);
    }
  }
  stripe->mutex.Unlock();
}

void LockTable::Unlock(LockOwner* owner, uint64_t hash, uint32_t family, const Slice& key) {
  Stripe* const stripe = StripeOf(hash);
  stripe->mutex.Lock();
  std::unique_ptr<KeyLock>* const place = stripe->Find(hash, family, key);
  KeyLock* const lock = place->get();
  if (lock != nullptr && lock->holders.Has(owner)) {
    if (lock->head != nullptr) {
      fiber::MutexLock waits(&waits_mutex_);
      RemoveHolder(lock, owner);
      Grant(lock);
    } else {
      lock->holders.Remove(owner);
    }
    if (lock->holders.empty()) {
      assert(lock->head == nullptr);
      stripe->Erase(place);
      UncountKey(family);
    }
  }
  stripe->mutex.Unlock();
}

// --- Queues

void LockTable::Enqueue(LockWaiter* waiter) {
  KeyLock* const lock = waiter->lock;
  if (lock->head == nullptr) {
    for (size_t i = 0; i < lock->holders.size(); ++i) ++lock->holders[i]->awaited_;
  }
  LockWaiter* behind = nullptr;
  if (waiter->upgrades) {
    behind = lock->head;
    while (behind != nullptr && behind->upgrades) behind = behind->behind;
  }
  waiter->behind = behind;
  waiter->before = behind != nullptr ? behind->before : lock->tail;
  (waiter->before != nullptr ? waiter->before->behind : lock->head) = waiter;
  (behind != nullptr ? behind->before : lock->tail) = waiter;
  waiter->owner->waiting_ = waiter;
  waiter->owner->missed_ids_.clear();
  waiter->owner->missed_family_ = 0;
  waiter->owner->missed_key_.clear();
}

void LockTable::Dequeue(LockWaiter* waiter) {
  KeyLock* const lock = waiter->lock;
  (waiter->before != nullptr ? waiter->before->behind : lock->head) = waiter->behind;
  (waiter->behind != nullptr ? waiter->behind->before : lock->tail) = waiter->before;
  waiter->owner->waiting_ = nullptr;
  if (lock->head != nullptr) return;
  for (size_t i = 0; i < lock->holders.size(); ++i) --lock->holders[i]->awaited_;
}

void LockTable::AddHolder(KeyLock* lock, LockOwner* owner) {
  lock->holders.Add(owner);
  owner->awaited_ += lock->head != nullptr;
}

void LockTable::RemoveHolder(KeyLock* lock, LockOwner* owner) {
  lock->holders.Remove(owner);
  owner->awaited_ -= lock->head != nullptr;
}

void LockTable::Grant(KeyLock* lock) {
  while (LockWaiter* const first = lock->head) {
    if (first->exclusive ? lock->holders.HasOthers(first->owner)
                         : lock->exclusive && !lock->holders.empty()) {
      break;
    }
    Dequeue(first);
    if (!lock->holders.Has(first->owner)) AddHolder(lock, first->owner);
    lock->exclusive = first->exclusive;
    first->granted = true;
    first->owner->condition_.Notify();
  }
  // The head has to know when it may steal.
  if (lock->head != nullptr && lock->holders.expiring() > 0) {
    lock->head->owner->condition_.Notify();
  }
}

// --- Deadlocks

bool LockTable::FindDeadlock(LockOwner* owner) {
  if (owner->awaited_ == 0) return false;
  struct Node {
    LockOwner* owner;
    size_t parent;
  };
  constexpr size_t kNone = SIZE_MAX;
  const uint64_t search = ++searches_;
  std::vector<Node> nodes;
  LockOwner* from = owner;
  size_t parent = kNone;
  while (true) {
    const Holders& holders = from->waiting_->lock->holders;
    for (size_t i = 0; i < holders.size(); ++i) {
      LockOwner* const next = holders[i];
      // An upgrade does not wait for itself; who does not wait is no part of a circle.
      if (next == from || next->waiting_ == nullptr || next->search_ == search) continue;
      if (static_cast<int64_t>(nodes.size()) >= owner->terms_.depth) {
        Remember(DeadlockPath(static_cast<int64_t>(fiber::wall_micros() / 1'000'000), true));
        return true;
      }
      next->search_ = search;
      nodes.push_back({next, parent});
      if (next != owner) continue;
      std::vector<DeadlockInfo> path;
      for (size_t at = nodes.size() - 1; at != kNone; at = nodes[at].parent) {
        const LockWaiter& waiter = *nodes[at].owner->waiting_;
        path.push_back(
            {nodes[at].owner->terms_.id, waiter.lock->family, waiter.exclusive, waiter.lock->key});
      }
      std::reverse(path.begin(), path.end());
      Remember(
          DeadlockPath(std::move(path), static_cast<int64_t>(fiber::wall_micros() / 1'000'000)));
      return true;
    }
    parent = parent == kNone ? 0 : parent + 1;
    if (parent == nodes.size()) return false;
    from = nodes[parent].owner;
  }
}

void LockTable::Remember(DeadlockPath path) {
  deadlocks_.push_front(std::move(path));
  if (deadlocks_.size() > max_deadlocks_) deadlocks_.pop_back();
}

std::vector<DeadlockPath> LockTable::Deadlocks() const {
  fiber::MutexLock waits(&waits_mutex_);
  return {deadlocks_.begin(), deadlocks_.end()};
}

void LockTable::SetMaxDeadlocks(size_t count) {
  fiber::MutexLock waits(&waits_mutex_);
  max_deadlocks_ = count;
  while (deadlocks_.size() > max_deadlocks_) deadlocks_.pop_back();
}

// --- What others see

std::vector<TransactionID> LockTable::WaitingFor(const LockOwner* owner, uint32_t* family,
                                                 std::string* key) const {
  fiber::MutexLock waits(&waits_mutex_);
  const LockWaiter* const waiter = owner->waiting_;
  if (family != nullptr) *family = waiter ? waiter->lock->family : owner->missed_family_;
  if (key != nullptr) *key = waiter ? waiter->lock->key : owner->missed_key_;
  if (waiter == nullptr) return owner->missed_ids_;
  std::vector<TransactionID> ids;
  for (size_t i = 0; i < waiter->lock->holders.size(); ++i) {
    const LockOwner* const holder = waiter->lock->holders[i];
    if (holder != owner) ids.push_back(holder->terms_.id);
  }
  return ids;
}

std::unordered_multimap<uint32_t, KeyLockInfo> LockTable::Locks() const
    FIBER_NO_THREAD_SAFETY_ANALYSIS {
  std::unordered_multimap<uint32_t, KeyLockInfo> result;
  for (size_t i = 0; i < stripe_count_; ++i) stripes_[i].mutex.Lock();
  for (size_t i = 0; i < stripe_count_; ++i) {
    for (const std::unique_ptr<KeyLock>& bucket : stripes_[i].buckets) {
      for (const KeyLock* lock = bucket.get(); lock != nullptr; lock = lock->next.get()) {
        KeyLockInfo info{lock->key, {}, lock->exclusive};
        for (size_t h = 0; h < lock->holders.size(); ++h) {
          info.ids.push_back(lock->holders[h]->terms_.id);
        }
        result.emplace(lock->family, std::move(info));
      }
    }
  }
  for (size_t i = 0; i < stripe_count_; ++i) stripes_[i].mutex.Unlock();
  return result;
}

size_t LockTable::Entries() const FIBER_NO_THREAD_SAFETY_ANALYSIS {
  size_t count = 0;
  for (size_t i = 0; i < stripe_count_; ++i) {
    stripes_[i].mutex.Lock();
    count += stripes_[i].count;
    stripes_[i].mutex.Unlock();
  }
  return count;
}

size_t LockTable::SpareEntries() const FIBER_NO_THREAD_SAFETY_ANALYSIS {
  size_t count = 0;
  for (size_t i = 0; i < stripe_count_; ++i) {
    stripes_[i].mutex.Lock();
    count += stripes_[i].spare_count;
    stripes_[i].mutex.Unlock();
  }
  return count;
}

}  // namespace cairn
