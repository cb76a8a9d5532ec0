#include "server/keyspace/lock_table.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace cairn::server {

namespace {

// Of whoever has pushed something and waits for those who take it. It only makes what a client
// sees next clearer, so a disk that hangs does not hold it longer than this.
constexpr uint64_t kSettleNanos = 1'000'000'000;

}  // namespace

uint32_t LockTable::StripeOf(uint32_t ns, std::string_view key) {
  const size_t hash = std::hash<std::string_view>()(key) + ns * uint64_t{0x9E3779B97F4A7C15};
  return static_cast<uint32_t>(hash >> 32 ^ hash) % kStripes;
}

void LockTable::Watch(uint32_t ns, std::string_view key, Watcher* watcher) {
  Stripe& stripe = stripes_[StripeOf(ns, key)];
  const fiber::MutexLock lock(&stripe.mutex);
  stripe.watches.push_back({ns, std::string(key), watcher});
  watches_.fetch_add(1, std::memory_order_relaxed);
}

void LockTable::Unwatch(uint32_t ns, std::string_view key, Watcher* watcher) {
  Stripe& stripe = stripes_[StripeOf(ns, key)];
  const fiber::MutexLock lock(&stripe.mutex);
  for (size_t i = 0; i < stripe.watches.size(); ++i) {
    const Watch_& watch = stripe.watches[i];
    if (watch.watcher != watcher || watch.ns != ns || watch.key != key) continue;
    stripe.watches.erase(stripe.watches.begin() + static_cast<ptrdiff_t>(i));
    watches_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
}

// The set holds as many locks as it has stripes, which the analysis cannot follow.
void LockSet::Lock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  if (all_) {
    stripes_.resize(LockTable::kStripes);
    std::iota(stripes_.begin(), stripes_.end(), 0);
  } else if (stripes_.size() > 1) {
    std::sort(stripes_.begin(), stripes_.end());
    stripes_.erase(std::unique(stripes_.begin(), stripes_.end()), stripes_.end());
  }
  for (const uint32_t stripe : stripes_) table_->stripes_[stripe].mutex.lock();
  locked_ = true;
}

void LockSet::Unlock() FIBER_NO_THREAD_SAFETY_ANALYSIS {
  if (locked_) {
    for (const uint32_t stripe : stripes_) table_->stripes_[stripe].mutex.unlock();
  }
  stripes_.clear();
  all_ = locked_ = false;
}

void LockSet::Call(Waiter* waiter) {
  if (own_ == nullptr) own_ = std::make_shared<Handover>();
  {
    const fiber::MutexLock lock(&waiter->mutex_);
    // Not through a function of their own: the analysis does not follow the lock into it.
    if (waiter->handovers_.insert(own_).second) own_->Add();
    for (const std::shared_ptr<Handover>& one : inherited_) {
      if (waiter->handovers_.insert(one).second) one->Add();
    }
  }
  waiter->called_.store(true, std::memory_order_release);
  waiter->event_.set();
}

void LockSet::Notify(uint32_t ns, std::string_view key) {
  LockTable::Stripe& stripe = table_->stripes_[LockTable::StripeOf(ns, key)];
  for (const auto& watch : stripe.watches) {
    if (watch.ns == ns && watch.key == key) watch.watcher->changed.store(true);
  }
  PassOn(ns, key, 0);
}

void LockSet::NotifyAll(uint32_t ns) {
  for (uint32_t i = 0; i < LockTable::kStripes; ++i) {
    for (const auto& watch : table_->stripes_[i].watches) {
      if (watch.ns == ns) watch.watcher->changed.store(true);
    }
    for (const auto& [name, queue] : table_->stripes_[i].queues) {
      if (name.first != ns) continue;
      for (const auto& [ticket, waiter] : queue) Call(waiter);
    }
  }
}

void LockSet::Settle() {
  if (own_ == nullptr) return;
  const std::shared_ptr<Handover> own = std::move(own_);
  own_ = nullptr;
  own->Done();
  own->WaitUntil(fiber::deadline_after(kSettleNanos));
}

void LockSet::Join(uint32_t ns, std::string_view key, uint64_t ticket, Waiter* waiter) {
  LockTable::Stripe& stripe = table_->stripes_[LockTable::StripeOf(ns, key)];
  // A key that is named twice is waited for once.
  if (!stripe.queues[{ns, std::string(key)}].emplace(ticket, waiter).second) return;
  table_->watches_.fetch_add(1, std::memory_order_relaxed);
}

void LockSet::Leave(uint32_t ns, std::string_view key, uint64_t ticket) {
  LockTable::Queues& queues = table_->stripes_[LockTable::StripeOf(ns, key)].queues;
  const auto it = queues.find(LockTable::KeyView(ns, key));
  if (it == queues.end() || it->second.erase(ticket) == 0) return;
  if (it->second.empty()) queues.erase(it);
  table_->watches_.fetch_sub(1, std::memory_order_relaxed);
}

bool LockSet::MustGiveWay(uint32_t ns, std::string_view key, uint64_t ticket) {
  const LockTable::Queues& queues = table_->stripes_[LockTable::StripeOf(ns, key)].queues;
  const auto it = queues.find(LockTable::KeyView(ns, key));
  if (it == queues.end()) return false;
  return std::any_of(it->second.begin(), it->second.lower_bound(ticket),
                     [](const auto& one) { return one.second->called(); });
}

void LockSet::PassOn(uint32_t ns, std::string_view key, uint64_t ticket) {
  const LockTable::Queues& queues = table_->stripes_[LockTable::StripeOf(ns, key)].queues;
  const auto it = queues.find(LockTable::KeyView(ns, key));
  if (it == queues.end()) return;
  const auto next = it->second.upper_bound(ticket);
  if (next != it->second.end()) Call(next->second);
}

void LockSet::BeginLook(Waiter* waiter) {
  waiter->called_.store(false, std::memory_order_relaxed);
  const fiber::MutexLock lock(&waiter->mutex_);
  for (const std::shared_ptr<Handover>& one : waiter->handovers_) {
    // Who gave way has it already.
    if (!inherited_.insert(one).second) one->Done();
  }
  waiter->handovers_.clear();
}

void LockSet::EndLook() {
  for (const std::shared_ptr<Handover>& one : inherited_) one->Done();
  inherited_.clear();
}

}  // namespace cairn::server
