// The sizes of files, and the limit for them.
#include "fs/space_manager.h"

#include <algorithm>

#include "rocksdb/statistics.h"

namespace cairn {

SpaceManager::SpaceManager(std::shared_ptr<FileSystem> fs, std::shared_ptr<Logger> info_log,
                           int64_t rate_bytes_per_sec, double max_trash_db_ratio,
                           uint64_t bytes_max_delete_chunk)
    : fs_(std::move(fs)),
      info_log_(std::move(info_log)),
      max_chunk_(bytes_max_delete_chunk),
      rate_(rate_bytes_per_sec),
      max_ratio_(max_trash_db_ratio) {}

SpaceManager::~SpaceManager() {
  fiber::Thread thread;
  {
    fiber::MutexLock lock(&mutex_);
    closing_ = true;
    trash_changed_.notify_all();
    thread = std::move(thread_);
  }
  if (thread.joinable()) thread.join();
}

void SpaceManager::SetMaxAllowedSpaceUsage(uint64_t max_allowed_space) {
  fiber::MutexLock lock(&mutex_);
  max_allowed_ = max_allowed_space;
  CallWaiters();
}

void SpaceManager::SetCompactionBufferSize(uint64_t compaction_buffer_size) {
  fiber::MutexLock lock(&mutex_);
  compaction_buffer_ = compaction_buffer_size;
  CallWaiters();
}

bool SpaceManager::IsMaxAllowedSpaceReached() {
  fiber::MutexLock lock(&mutex_);
  return max_allowed_ > 0 && total_size_ >= max_allowed_;
}

bool SpaceManager::IsMaxAllowedSpaceReachedIncludingCompactions() {
  fiber::MutexLock lock(&mutex_);
  return max_allowed_ > 0 && total_size_ + reserved_ >= max_allowed_;
}

uint64_t SpaceManager::GetTotalSize() {
  fiber::MutexLock lock(&mutex_);
  return total_size_;
}

std::unordered_map<std::string, uint64_t> SpaceManager::GetTrackedFiles() {
  fiber::MutexLock lock(&mutex_);
  return files_;
}

void SpaceManager::SetStatisticsPtr(const std::shared_ptr<Statistics>& stats) {
  fiber::MutexLock lock(&mutex_);
  statistics_ = stats;
}

void SpaceManager::Tick(uint32_t ticker) {
  if (statistics_ != nullptr) statistics_->recordTick(ticker, 1);
}

// --- Of databases

void SpaceManager::TrackLocked(const std::string& path, uint64_t size) {
  const auto [it, is_new] = files_.try_emplace(path, size);
  if (!is_new) total_size_ -= std::exchange(it->second, size);
  total_size_ += size;
}

void SpaceManager::ForgetLocked(const std::string& path) {
  const auto it = files_.find(path);
  if (it == files_.end()) return;
  total_size_ -= it->second;
  files_.erase(it);
}

void SpaceManager::Track(const std::string& path, uint64_t size) {
  fiber::MutexLock lock(&mutex_);
  TrackLocked(path, size);
}

IOStatus SpaceManager::Track(const std::string& path) {
  uint64_t size = 0;
  IOStatus io = fs_->GetFileSize(path, IOOptions(), &size, nullptr);
  if (io.ok()) Track(path, size);
  return io;
}

void SpaceManager::Forget(const std::string& path) {
  fiber::MutexLock lock(&mutex_);
  ForgetLocked(path);
  CallWaiters();
}

void SpaceManager::Moved(const std::string& from, const std::string& to) {
  fiber::MutexLock lock(&mutex_);
  const auto it = files_.find(from);
  if (it == files_.end()) return;
  const uint64_t size = it->second;
  ForgetLocked(from);
  TrackLocked(to, size);
}

Status SpaceManager::CheckSpace() {
  return IsMaxAllowedSpaceReached() ? Status::SpaceLimit("Max allowed space was reached")
                                    : Status::OK();
}

uint64_t SpaceManager::compaction_buffer_size() {
  fiber::MutexLock lock(&mutex_);
  return compaction_buffer_;
}

bool SpaceManager::Reserve(uint64_t bytes, Waiter* waiter) {
  fiber::MutexLock lock(&mutex_);
  if (max_allowed_ > 0 && total_size_ + reserved_ + bytes + compaction_buffer_ > max_allowed_) {
    Tick(COMPACTION_CANCELLED);
    if (waiter != nullptr && std::find(waiters_.begin(), waiters_.end(), waiter) == waiters_.end())
      waiters_.push_back(waiter);
    return false;
  }
  reserved_ += bytes;
  return true;
}

void SpaceManager::Unreserve(uint64_t bytes) {
  fiber::MutexLock lock(&mutex_);
  reserved_ -= bytes;
  CallWaiters();
}

void SpaceManager::ForgetWaiter(Waiter* waiter) {
  fiber::MutexLock lock(&mutex_);
  std::erase(waiters_, waiter);
}

void SpaceManager::CallWaiters() {
  for (Waiter* const waiter : std::exchange(waiters_, {})) waiter->LimiterMayHaveRoom();
}

}  // namespace cairn
