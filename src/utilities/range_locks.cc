#include "utilities/range_locks.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <unordered_set>

#include "base/perf.h"
#include "base/timestamps.h"
#include "fiber/clock.h"

namespace cairn {
namespace {

constexpr size_t kDefaultMaxBytes = size_t{64} << 20;
constexpr uint64_t kMicrosPerSecond = 1'000'000;
// Of a node of a map, and of what the allocator adds to a key.
constexpr size_t kNodeBytes = 48;

// As RocksDB orders endpoints: the user's comparator decides by the first bytes, as many as both
// have; then the shorter one, which stands before or behind all that goes on from it.
int Compare(const Comparator* comparator, const Slice& a, bool a_infinite, const Slice& b,
            bool b_infinite) {
  const size_t both = std::min(a.size(), b.size());
  const int order = CompareBare(comparator, Slice(a.data(), both), Slice(b.data(), both));
  if (order != 0) return order;
  if (a.size() < b.size()) return a_infinite ? 1 : -1;
  if (a.size() > b.size()) return b_infinite ? -1 : 1;
  return static_cast<int>(a_infinite) - static_cast<int>(b_infinite);
}

}  // namespace

bool RangeLocks::CutOrder::operator()(const Cut& a, const Cut& b) const {
  const int order = Compare(comparator, a.key, a.infinite, b.key, b.infinite);
  return order != 0 ? order < 0 : a.behind < b.behind;
}

RangeLocks::RangeLocks(std::shared_ptr<TransactionDBMutexFactory> mutexes)
    : mutexes_(std::move(mutexes)),
      max_bytes_(kDefaultMaxBytes),
      max_deadlocks_(kInitialMaxDeadlocks) {
  mutex_.Make(mutexes_.get());
}

RangeLocks::~RangeLocks() = default;

bool RangeLocks::Attach() {
  mutex_.Lock();
  const bool was = std::exchange(attached_, true);
  mutex_.Unlock();
  return !was;
}

void RangeLocks::Detach() {
  mutex_.Lock();
  attached_ = false;
  mutex_.Unlock();
}

// --- Parts

size_t RangeLocks::BytesOf(const Cut& start, const Part& part) {
  return kNodeBytes + sizeof(Parts::value_type) + start.key.size() + part.end.key.size() +
         part.holders.size() * sizeof(LockOwner*);
}

RangeLocks::Parts::iterator RangeLocks::FirstWithin(Parts* parts, const Range& range) {
  const CutOrder before = parts->key_comp();
  auto part = parts->upper_bound(range.start);
  if (part != parts->begin() && before(range.start, std::prev(part)->second.end)) --part;
  return part;
}

void RangeLocks::SplitAt(Parts* parts, const Cut& cut, size_t* bytes) {
  const CutOrder before = parts->key_comp();
  auto part = parts->lower_bound(cut);
  if (part == parts->begin()) return;
  --part;
  if (!before(cut, part->second.end)) return;
  *bytes -= BytesOf(part->first, part->second);
  Part right = part->second;
  part->second.end = cut;
  *bytes += BytesOf(part->first, part->second) + BytesOf(cut, right);
  parts->emplace_hint(std::next(part), cut, std::move(right));
}

void RangeLocks::Join(Parts* parts, const Range& range) {
  const CutOrder before = parts->key_comp();
  auto part = parts->lower_bound(range.start);
  if (part != parts->begin()) --part;
  while (part != parts->end()) {
    const auto next = std::next(part);
    if (next == parts->end() || before(range.end, next->first)) return;
    if (before(part->second.end, next->first) || part->second.exclusive != next->second.exclusive ||
        part->second.holders != next->second.holders) {
      part = next;
      continue;
    }
    bytes_ -= BytesOf(part->first, part->second) + BytesOf(next->first, next->second);
    part->second.end = std::move(next->second.end);
    bytes_ += BytesOf(part->first, part->second);
    parts->erase(next);
  }
}

void RangeLocks::Cover(Parts* parts, const Range& range, LockOwner* owner, bool exclusive) {
  const CutOrder before = parts->key_comp();
  SplitAt(parts, range.start, &bytes_);
  SplitAt(parts, range.end, &bytes_);
  const auto insert = [&](Parts::iterator hint, const Cut& start,
                          const Cut& end) FIBER_REQUIRES(mutex_) {
    const auto added = parts->emplace_hint(hint, start, Part{end, exclusive, {owner}});
    bytes_ += BytesOf(added->first, added->second);
  };
  auto part = parts->lower_bound(range.start);
  if (exclusive) {
    while (part != parts->end() && before(part->first, range.end)) {
      bytes_ -= BytesOf(part->first, part->second);
      part = parts->erase(part);
    }
    insert(part, range.start, range.end);
  } else {
    Cut from = range.start;
    for (; part != parts->end() && before(part->first, range.end); ++part) {
      if (before(from, part->first)) insert(part, from, part->first);
      from = part->second.end;
      std::vector<LockOwner*>& holders = part->second.holders;
      const auto place = std::lower_bound(holders.begin(), holders.end(), owner);
      if (place != holders.end() && *place == owner) continue;
      holders.insert(place, owner);
      bytes_ += sizeof(LockOwner*);
    }
    if (before(from, range.end)) insert(part, from, range.end);
  }
  Join(parts, range);
}

void RangeLocks::EraseOwner(Parts* parts, const Range& range, LockOwner* owner) {
  const CutOrder before = parts->key_comp();
  auto part = FirstWithin(parts, range);
  while (part != parts->end() && before(part->first, range.end)) {
    std::vector<LockOwner*>& holders = part->second.holders;
    const auto place = std::lower_bound(holders.begin(), holders.end(), owner);
    if (place == holders.end() || *place != owner) {
      ++part;
    } else if (holders.size() == 1) {
      bytes_ -= BytesOf(part->first, part->second);
      part = parts->erase(part);
    } else {
      holders.erase(place);
      bytes_ -= sizeof(LockOwner*);
      ++part;
    }
  }
  Join(parts, range);
}

// --- Who is in the way of whom

bool RangeLocks::Overlap(const Family& family, const Range& a, const Range& b) {
  const CutOrder before = family.parts.key_comp();
  return before(a.start, b.end) && before(b.start, a.end);
}

template <class F>
void RangeLocks::ForEachExcluder(const Waiter& waiter, const F& visit) {
  Parts* const parts = &waiter.family->parts;
  const CutOrder before = parts->key_comp();
  for (auto part = FirstWithin(parts, waiter.range);
       part != parts->end() && before(part->first, waiter.range.end); ++part) {
    if (!waiter.exclusive && !part->second.exclusive) continue;
    for (LockOwner* const holder : part->second.holders) {
      if (holder != waiter.owner && !visit(holder)) return;
    }
  }
}

const RangeLocks::Waiter* RangeLocks::InFront(const Waiter& waiter) {
  const CutOrder before = waiter.family->parts.key_comp();
  for (auto at = waiter.place; at != waiter.family->waiters.begin();) {
    const Waiter* const earlier = *--at;
    if (!Overlap(*waiter.family, earlier->range, waiter.range)) continue;
    if (waiter.exclusive || earlier->exclusive) return earlier;
    // Both share. Whom the other one found may do for this one, so that many who want to share the
    // same need not look past each other.
    if (!earlier->queues || before(waiter.range.start, earlier->range.start) ||
        before(earlier->range.end, waiter.range.end)) {
      continue;
    }
    if (earlier->behind == nullptr) return nullptr;
    if (Overlap(*waiter.family, earlier->behind->range, waiter.range)) return earlier->behind;
  }
  return nullptr;
}

void RangeLocks::FindBlocker(Waiter* waiter) {
  waiter->behind = waiter->queues ? InFront(*waiter) : nullptr;
  waiter->blocker = waiter->behind;
  if (waiter->behind != nullptr) return;
  ForEachExcluder(*waiter, [&](const LockOwner* holder) {
    waiter->blocker = holder;
    return false;
  });
}

void RangeLocks::LookAgain(const void* gone) {
  std::deque<const void*> all{gone};
  for (; !all.empty(); all.pop_front()) {
    const auto found = blocked_.find(all.front());
    if (found == blocked_.end()) continue;
    std::deque<Waiter*> waiters = std::move(found->second);
    blocked_.erase(found);
    // In the order of coming: each looks at what those before it found.
    std::sort(waiters.begin(), waiters.end(),
              [](const Waiter* a, const Waiter* b) { return a->ticket < b->ticket; });
    for (Waiter* const waiter : waiters) {
      FindBlocker(waiter);
      if (waiter->blocker != nullptr) {
        blocked_[waiter->blocker].push_back(waiter);
        continue;
      }
      waiter->family->waiters.erase(waiter->place);
      owned_[waiter->owner].waiting = nullptr;
      waiter->ended = true;
      waiter->status = Grant(*waiter);
      waiter->owner->condition_.Notify();
      all.push_back(waiter);
    }
  }
}

// --- Locking

RangeLocks::Family* RangeLocks::FamilyOf(uint32_t id, const Comparator* comparator) {
  std::unique_ptr<Family>& family = families_[id];
  if (family == nullptr) family = std::make_unique<Family>(comparator);
  return family.get();
}

void RangeLocks::DropFamilyIfUnused(uint32_t id) {
  const auto family = families_.find(id);
  if (family == families_.end()) return;
  if (family->second->parts.empty() && family->second->waiters.empty()) families_.erase(family);
}

Status RangeLocks::Lock(LockOwner* owner, uint32_t family, const Comparator* comparator,
                        const Endpoint& start, const Endpoint& end, bool exclusive,
                        int64_t timeout_us) {
  if (Compare(comparator, start.slice, start.inf_suffix, end.slice, end.inf_suffix) > 0) {
    return Status::InvalidArgument("The range of keys to be locked ends before it begins");
  }
  Status s;
  if (!mutex_.LockFor(timeout_us, &s)) return s;
  Waiter waiter{owner,
                family,
                FamilyOf(family, comparator),
                {{start.slice.ToString(), start.inf_suffix, /*behind=*/false},
                 {end.slice.ToString(), end.inf_suffix, /*behind=*/true}},
                exclusive};
  waiter.place = waiter.family->waiters.end();
  if (!Has(waiter)) {
    const auto owned = owned_.find(owner);
    waiter.queues = owned == owned_.end() || owned->second.ranges.empty();
    FindBlocker(&waiter);
    s = waiter.blocker == nullptr ? Grant(waiter) : Await(&waiter, timeout_us);
  }
  DropFamilyIfUnused(family);
  mutex_.Unlock();
  return s;
}

bool RangeLocks::Has(const Waiter& waiter) {
  Parts* const parts = &waiter.family->parts;
  const CutOrder before = parts->key_comp();
  const auto part = FirstWithin(parts, waiter.range);
  if (part == parts->end() || before(waiter.range.start, part->first) ||
      before(part->second.end, waiter.range.end)) {
    return false;
  }
  const std::vector<LockOwner*>& holders = part->second.holders;
  return std::binary_search(holders.begin(), holders.end(), waiter.owner) &&
         (part->second.exclusive || !waiter.exclusive);
}

Status RangeLocks::Grant(const Waiter& waiter) {
  const Range& range = waiter.range;
  const size_t keys = range.start.key.size() + range.end.key.size();
  if (!MakeRoom(waiter, kNodeBytes + sizeof(Parts::value_type) + sizeof(Range) + 2 * keys)) {
    ForgetIfIdle(waiter.owner);
    return Status::Busy(Status::kLockLimit);
  }
  Cover(&waiter.family->parts, range, waiter.owner, waiter.exclusive);
  owned_[waiter.owner].ranges.emplace_back(waiter.id, range);
  bytes_ += sizeof(Range) + keys;
  return Status::OK();
}

void RangeLocks::ForgetIfIdle(const LockOwner* owner) {
  const auto owned = owned_.find(owner);
  if (owned == owned_.end() || owned->second.waiting != nullptr) return;
  if (owned->second.ranges.empty()) owned_.erase(owned);
}

Status RangeLocks::Await(Waiter* waiter, int64_t timeout_us) {
  LockOwner* const owner = waiter->owner;
  const uint64_t deadline = LockDeadline(timeout_us);
  owner->condition_.Make(mutexes_.get());
  owner->missed_ids_.clear();
  waiter->place = waiter->family->waiters.insert(waiter->family->waiters.end(), waiter);
  blocked_[waiter->blocker].push_back(waiter);
  owned_[owner].waiting = waiter;
  waiter->ticket = ++waits_;
  const Perf perf;
  const PerfTimer timer(perf, &PerfContext::key_lock_wait_time);
  perf.Count(&PerfContext::key_lock_wait_count);
  Status s;
  if (timeout_us != 0 && FindDeadlock(*waiter)) s = Status::Busy(Status::kDeadlock);
  while (s.ok() && !waiter->ended) {
    if (deadline != fiber::kNoDeadline && fiber::now_nanos() >= deadline) {
      s = Status::TimedOut(Status::kLockTimeout);
    } else {
      s = mutex_.Wait(&owner->condition_, deadline);
    }
  }
  // (What ended while a user's condition failed is a lock all the same.)
  if (waiter->ended) return waiter->status;
  if (s.IsTimedOut()) {
    ForEachExcluder(*waiter, [&](const LockOwner* holder) {
      owner->missed_ids_.push_back(holder->terms_.id);
      return true;
    });
    owner->missed_family_ = waiter->id;
    owner->missed_key_ = waiter->range.start.key;
  }
  waiter->family->waiters.erase(waiter->place);
  std::deque<Waiter*>& beside = blocked_[waiter->blocker];
  beside.erase(std::find(beside.begin(), beside.end(), waiter));
  if (beside.empty()) blocked_.erase(waiter->blocker);
  owned_[owner].waiting = nullptr;
  ForgetIfIdle(owner);
  LookAgain(waiter);
  return s;
}

void RangeLocks::Release(LockOwner* owner) {
  mutex_.Lock();
  const auto owned = owned_.find(owner);
  if (owned != owned_.end()) {
    const std::vector<std::pair<uint32_t, Range>> ranges = std::move(owned->second.ranges);
    owned_.erase(owned);
    for (const auto& [id, range] : ranges) {
      EraseOwner(&families_.find(id)->second->parts, range, owner);
      bytes_ -= sizeof(Range) + range.start.key.size() + range.end.key.size();
    }
    LookAgain(owner);
    for (const auto& [id, range] : ranges) DropFamilyIfUnused(id);
  }
  mutex_.Unlock();
}

// --- Room

bool RangeLocks::MakeRoom(const Waiter& asking, size_t bytes) {
  if (bytes_ + bytes <= max_bytes_) return true;
  ++escalations_;
  for (const auto& [id, family] : families_) Escalate(id, family.get(), asking);
  return bytes_ + bytes <= max_bytes_;
}

bool RangeLocks::MayBridge(const Family& family, const Range& gap, const LockOwner* owner,
                           const Waiter& asking) const {
  if (barrier_ && barrier_(Endpoint(gap.start.key, gap.start.infinite),
                           Endpoint(gap.end.key, gap.end.infinite))) {
    return false;
  }
  // Who waits for something in between would wait for one more from now on, unlooked at.
  const auto wants = [&](const Waiter& waiter) {
    return waiter.owner != owner && Overlap(family, waiter.range, gap);
  };
  if (asking.family == &family && wants(asking)) return false;
  return std::none_of(family.waiters.begin(), family.waiters.end(),
                      [&](const Waiter* waiter) { return wants(*waiter); });
}

void RangeLocks::Escalate(uint32_t id, Family* family, const Waiter& asking) {
  Parts* const parts = &family->parts;
  const CutOrder before = parts->key_comp();
  for (auto part = parts->begin(); part != parts->end(); ++part) {
    if (!part->second.exclusive) continue;
    LockOwner* const owner = part->second.holders[0];
    bool grew = false;
    for (auto next = std::next(part); next != parts->end(); next = std::next(part)) {
      if (!next->second.exclusive || next->second.holders[0] != owner) break;
      if (!MayBridge(*family, {part->second.end, next->first}, owner, asking)) break;
      bytes_ -= BytesOf(part->first, part->second) + BytesOf(next->first, next->second);
      part->second.end = std::move(next->second.end);
      bytes_ += BytesOf(part->first, part->second);
      parts->erase(next);
      grew = true;
    }
    if (!grew) continue;
    auto& ranges = owned_[owner].ranges;
    const auto within = [&](const std::pair<uint32_t, Range>& one) FIBER_REQUIRES(mutex_) {
      const auto& [family_id, range] = one;
      if (family_id != id || before(range.start, part->first) ||
          before(part->second.end, range.end)) {
        return false;
      }
      bytes_ -= sizeof(Range) + range.start.key.size() + range.end.key.size();
      return true;
    };
    ranges.erase(std::remove_if(ranges.begin(), ranges.end(), within), ranges.end());
    ranges.emplace_back(id, Range{part->first, part->second.end});
    bytes_ += sizeof(Range) + part->first.key.size() + part->second.end.key.size();
  }
}

// --- Deadlocks

bool RangeLocks::FindDeadlock(const Waiter& waiter) {
  if (owned_[waiter.owner].ranges.empty()) return false;
  struct Node {
    const Waiter* waiter;
    size_t parent;
  };
  constexpr size_t kNone = SIZE_MAX;
  std::vector<Node> nodes;
  std::unordered_set<const LockOwner*> seen;
  const Waiter* from = &waiter;
  bool found = false;
  for (size_t parent = kNone;; from = nodes[parent].waiter) {
    std::vector<const LockOwner*> holders;
    ForEachExcluder(*from, [&](const LockOwner* holder) {
      holders.push_back(holder);
      return true;
    });
    for (size_t i = 0; i < holders.size() && !found; ++i) {
      const auto owned = owned_.find(holders[i]);
      if (owned->second.waiting == nullptr || !seen.insert(holders[i]).second) continue;
      nodes.push_back({owned->second.waiting, parent});
      found = holders[i] == waiter.owner;
    }
    if (found) break;
    parent = parent == kNone ? 0 : parent + 1;
    if (parent == nodes.size()) return false;
  }
  std::vector<RangeDeadlockInfo> path;
  for (size_t at = nodes.size() - 1; at != kNone; at = nodes[at].parent) {
    const Waiter& one = *nodes[at].waiter;
    path.push_back({one.owner->terms_.id,
                    one.id,
                    one.exclusive,
                    {one.range.start.key, one.range.start.infinite},
                    {one.range.end.key, one.range.end.infinite}});
  }
  std::reverse(path.begin(), path.end());
  deadlocks_.emplace_front(std::move(path),
                           static_cast<int64_t>(fiber::wall_micros() / kMicrosPerSecond));
  if (deadlocks_.size() > max_deadlocks_) deadlocks_.pop_back();
  return true;
}

std::vector<RangeDeadlockPath> RangeLocks::GetRangeDeadlockInfoBuffer() {
  mutex_.Lock();
  std::vector<RangeDeadlockPath> result(deadlocks_.begin(), deadlocks_.end());
  mutex_.Unlock();
  return result;
}

void RangeLocks::SetRangeDeadlockInfoBufferSize(uint32_t target_size) {
  mutex_.Lock();
  max_deadlocks_ = target_size;
  while (deadlocks_.size() > max_deadlocks_) deadlocks_.pop_back();
  mutex_.Unlock();
}

// --- What others see and set

std::vector<TransactionID> RangeLocks::WaitingFor(const LockOwner* owner, uint32_t* family,
                                                  std::string* key) const {
  mutex_.Lock();
  const auto owned = owned_.find(owner);
  const Waiter* const waiter = owned == owned_.end() ? nullptr : owned->second.waiting;
  if (family != nullptr) *family = waiter != nullptr ? waiter->id : owner->missed_family_;
  if (key != nullptr) *key = waiter != nullptr ? waiter->range.start.key : owner->missed_key_;
  std::vector<TransactionID> ids;
  if (waiter == nullptr) {
    ids = owner->missed_ids_;
  } else {
    ForEachExcluder(*waiter, [&](const LockOwner* holder) {
      ids.push_back(holder->terms_.id);
      return true;
    });
  }
  mutex_.Unlock();
  return ids;
}

std::unordered_multimap<uint32_t, KeyLockInfo> RangeLocks::KeyLocks() const {
  std::unordered_multimap<uint32_t, KeyLockInfo> result;
  mutex_.Lock();
  for (const auto& [id, family] : families_) {
    for (const auto& [start, part] : family->parts) {
      if (start.key != part.end.key || start.infinite != part.end.infinite) continue;
      KeyLockInfo info{start.key, {}, part.exclusive};
      for (const LockOwner* const holder : part.holders) info.ids.push_back(holder->terms_.id);
      result.emplace(id, std::move(info));
    }
  }
  mutex_.Unlock();
  return result;
}

RangeLocks::RangeLockStatus RangeLocks::GetRangeLockStatusData() {
  RangeLockStatus result;
  mutex_.Lock();
  for (const auto& [id, family] : families_) {
    for (const auto& [start, part] : family->parts) {
      RangeLockInfo info{{start.key, start.infinite}, {part.end.key, part.end.infinite}, {}, false};
      info.exclusive = part.exclusive;
      for (const LockOwner* const holder : part.holders) info.ids.push_back(holder->terms_.id);
      result.emplace(id, std::move(info));
    }
  }
  mutex_.Unlock();
  return result;
}

RangeLocks::Counters RangeLocks::GetStatus() {
  mutex_.Lock();
  const Counters counters{escalations_, waits_, bytes_};
  mutex_.Unlock();
  return counters;
}

int RangeLocks::SetMaxLockMemory(size_t max_lock_memory) {
  mutex_.Lock();
  const bool fits = bytes_ <= max_lock_memory;
  if (fits) max_bytes_ = max_lock_memory;
  mutex_.Unlock();
  return fits ? 0 : EDOM;
}

size_t RangeLocks::GetMaxLockMemory() {
  mutex_.Lock();
  const size_t bytes = max_bytes_;
  mutex_.Unlock();
  return bytes;
}

void RangeLocks::SetEscalationBarrierFunc(EscalationBarrierFunc func) {
  mutex_.Lock();
  barrier_ = std::move(func);
  mutex_.Unlock();
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

RangeLockManagerHandle* NewRangeLockManager(
    std::shared_ptr<TransactionDBMutexFactory> mutex_factory) {
  return new cairn::RangeLocks(std::move(mutex_factory));
}

}  // namespace ROCKSDB_NAMESPACE
