// WriteBufferManager, and the register of the databases that share it (write_buffer_client.h).
//
// Lock: `mutex` guards the queue and the register. A leaf, but that clients are asked
// (RequestFlush, Signal) under it.
#include "rocksdb/write_buffer_manager.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "cache/cache_reservation.h"
#include "fiber/mutex.h"
#include "memtable/write_buffer_client.h"

namespace ROCKSDB_NAMESPACE {
struct WriteBufferManager::State {
  fiber::Mutex mutex;
  std::vector<StallInterface*> queue FIBER_GUARDED_BY(mutex);
  std::vector<cairn::WriteBufferClient*> clients FIBER_GUARDED_BY(mutex);

  std::unique_ptr<cairn::CacheReservation> memory;  // in the cache; null without one
};

WriteBufferManager::WriteBufferManager(size_t buffer_size, std::shared_ptr<Cache> cache,
                                       bool allow_stall)
    : buffer_size_(buffer_size),
      mutable_limit_(buffer_size / 8 * 7),
      allow_stall_(allow_stall),
      cache_(std::move(cache)),
      state_(std::make_unique<State>()) {
  // What a strict cache refuses is not charged; the next change tries again.
  if (cache_ != nullptr) {
    state_->memory = std::make_unique<cairn::CacheReservation>(cache_, /*lazy=*/true);
  }
}

WriteBufferManager::~WriteBufferManager() {
  fiber::MutexLock lock(&state_->mutex);
  assert(state_->queue.empty() && state_->clients.empty());
}

size_t WriteBufferManager::dummy_entries_in_cache_usage() const {
  return state_->memory == nullptr ? 0 : state_->memory->reserved();
}

void WriteBufferManager::SetBufferSize(size_t new_size) {
  buffer_size_.store(new_size, std::memory_order_relaxed);
  mutable_limit_.store(new_size / 8 * 7, std::memory_order_relaxed);
  MaybeEndWriteStall();
}

void WriteBufferManager::SetAllowStall(bool new_allow_stall) {
  allow_stall_.store(new_allow_stall, std::memory_order_relaxed);
  MaybeEndWriteStall();
}

void WriteBufferManager::ReserveMem(size_t mem) {
  memory_active_.fetch_add(mem, std::memory_order_relaxed);
  memory_used_.fetch_add(mem, std::memory_order_relaxed);
  if (state_->memory != nullptr) (void)state_->memory->Add(mem);
}

void WriteBufferManager::ScheduleFreeMem(size_t mem) {
  memory_active_.fetch_sub(mem, std::memory_order_relaxed);
}

void WriteBufferManager::FreeMem(size_t mem) {
  memory_used_.fetch_sub(mem, std::memory_order_seq_cst);
  if (state_->memory != nullptr) state_->memory->Remove(mem);
  MaybeEndWriteStall();
}

void WriteBufferManager::BeginWriteStall(StallInterface* wbm_stall) {
  {
    fiber::MutexLock lock(&state_->mutex);
    // The mark before the look at the memory, and FreeMem the other way round: one of the two sees
    // the other (seq_cst).
    const bool was_active = stall_active_.exchange(true, std::memory_order_seq_cst);
    if (allow_stall_.load(std::memory_order_relaxed) && enabled() &&
        memory_used_.load(std::memory_order_seq_cst) >= buffer_size()) {
      state_->queue.push_back(wbm_stall);
      return;
    }
    if (!was_active) stall_active_.store(false, std::memory_order_relaxed);
  }
  MaybeEndWriteStall();
  wbm_stall->Signal();
}

void WriteBufferManager::MaybeEndWriteStall() {
  if (!stall_active_.load(std::memory_order_seq_cst)) return;
  fiber::MutexLock lock(&state_->mutex);
  if (allow_stall_.load(std::memory_order_relaxed) && enabled() && IsStallThresholdExceeded()) {
    return;
  }
  stall_active_.store(false, std::memory_order_relaxed);
  for (StallInterface* waiting : state_->queue) waiting->Signal();
  state_->queue.clear();
}

void WriteBufferManager::RemoveDBFromQueue(StallInterface* wbm_stall) {
  fiber::MutexLock lock(&state_->mutex);
  const size_t removed = std::erase(state_->queue, wbm_stall);
  if (state_->queue.empty()) stall_active_.store(false, std::memory_order_relaxed);
  if (removed > 0) wbm_stall->Signal();
}

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {

WriteBufferClient::~WriteBufferClient() { assert(!registered_); }

void WriteBufferClient::Register() {
  WriteBufferManagerInternal::Add(manager_, this);
  registered_ = true;
}

void WriteBufferClient::Unregister() {
  if (!registered_) return;
  WriteBufferManagerInternal::Remove(manager_, this);
  registered_ = false;
}

WriteBufferCharge::~WriteBufferCharge() {
  StopWriting();
  if (client_ != nullptr) client_->manager_->FreeMem(bytes_);
}

void WriteBufferCharge::Allocated(size_t bytes) {
  if (client_ == nullptr) return;
  bytes_ += bytes;
  client_->active_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  client_->manager_->ReserveMem(bytes);
}

void WriteBufferCharge::StopWriting() {
  if (!active_) return;
  active_ = false;
  if (client_ == nullptr) return;
  client_->active_bytes_.fetch_sub(bytes_, std::memory_order_relaxed);
  client_->manager_->ScheduleFreeMem(bytes_);
}

void WriteBufferManagerInternal::Add(WriteBufferManager* manager, WriteBufferClient* client) {
  fiber::MutexLock lock(&manager->state_->mutex);
  manager->state_->clients.push_back(client);
}

void WriteBufferManagerInternal::Remove(WriteBufferManager* manager, WriteBufferClient* client) {
  fiber::MutexLock lock(&manager->state_->mutex);
  std::erase(manager->state_->clients, client);
}

bool WriteBufferManagerInternal::FlushLargest(WriteBufferManager* manager,
                                              const WriteBufferClient* self) {
  fiber::MutexLock lock(&manager->state_->mutex);
  WriteBufferClient* largest = nullptr;
  for (WriteBufferClient* client : manager->state_->clients) {
    if (!client->HasUnflushed()) continue;
    if (largest == nullptr || client->active_bytes() > largest->active_bytes()) largest = client;
  }
  if (largest == nullptr) return false;
  if (largest == self) return true;
  largest->RequestFlush();
  return false;
}

bool WriteBufferManagerInternal::CanReleaseMemory(WriteBufferManager* manager) {
  const bool enough_active = manager->mutable_memtable_memory_usage() >= manager->buffer_size() / 8;
  fiber::MutexLock lock(&manager->state_->mutex);
  return std::any_of(manager->state_->clients.begin(), manager->state_->clients.end(),
                     [enough_active](const WriteBufferClient* client) {
                       return client->IsFlushing() || (enough_active && client->HasUnflushed());
                     });
}

bool WriteBufferManagerInternal::IsFlushing(WriteBufferManager* manager) {
  fiber::MutexLock lock(&manager->state_->mutex);
  return std::any_of(manager->state_->clients.begin(), manager->state_->clients.end(),
                     [](const WriteBufferClient* client) { return client->IsFlushing(); });
}

}  // namespace cairn
