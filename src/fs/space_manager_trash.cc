// Files that are deleted at a rate.
#include <algorithm>
#include <string_view>

#include "base/logging.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/space_manager.h"
#include "rocksdb/statistics.h"

namespace cairn {

bool IsTrashFileName(const std::string& base_name) {
  const std::string_view suffix(kTrashSuffix);
  std::string_view stem(base_name);
  if (!stem.ends_with(suffix)) return false;
  stem.remove_suffix(suffix.size());
  while (!stem.empty() && stem.back() >= '0' && stem.back() <= '9') stem.remove_suffix(1);
  uint64_t number;
  FileType type;
  return ParseFileName(std::string(stem), &number, &type) &&
         (type == FileType::kTableFile || type == FileType::kBlobFile ||
          type == FileType::kWalFile);
}

int64_t SpaceManager::GetDeleteRateBytesPerSecond() {
  fiber::MutexLock lock(&mutex_);
  return rate_;
}

void SpaceManager::SetDeleteRateBytesPerSecond(int64_t delete_rate) {
  fiber::MutexLock lock(&mutex_);
  rate_ = delete_rate;
  trash_changed_.notify_all();
}

double SpaceManager::GetMaxTrashDBRatio() {
  fiber::MutexLock lock(&mutex_);
  return max_ratio_;
}

void SpaceManager::SetMaxTrashDBRatio(double ratio) {
  fiber::MutexLock lock(&mutex_);
  max_ratio_ = ratio;
}

uint64_t SpaceManager::GetTotalTrashSize() {
  fiber::MutexLock lock(&mutex_);
  return trash_size_;
}

IOStatus SpaceManager::DeleteFile(const std::string& path, bool force_slow) {
  bool now;
  {
    fiber::MutexLock lock(&mutex_);
    const double most = static_cast<double>(total_size_) * max_ratio_;
    now = rate_ <= 0 || (!force_slow && static_cast<double>(trash_size_) > most);
  }
  if (now) return DeleteNow(path);
  fiber::MutexLock one_at_a_time(&naming_mutex_);
  Trash trash;
  if (IOStatus io = Rename(path, &trash.path); !io.ok()) {
    LogWarn(info_log_.get(), "%s is deleted at once: %s", path.c_str(), io.ToString().c_str());
    return DeleteNow(path);
  }
  fs_->GetFileSize(trash.path, IOOptions(), &trash.bytes, nullptr).PermitUncheckedError();
  fiber::MutexLock lock(&mutex_);
  // What is trash by its name may wait already: whoever lists a directory finds it.
  if (trash.path == path && std::any_of(trash_.begin(), trash_.end(),
                                        [&](const Trash& each) { return each.path == path; })) {
    return IOStatus::OK();
  }
  LogInfo(info_log_.get(), "%s waits for its deletion", trash.path.c_str());
  Tick(FILES_MARKED_TRASH);
  trash_size_ += trash.bytes;
  trash_.push_back(std::move(trash));
  if (!thread_.joinable() && !closing_) {
    const int r = fiber::Thread::create("rocksdb:trash", [this] { EmptyTrash(); }, 0, &thread_);
    // The next file tries again.
    if (r != 0) LogWarn(info_log_.get(), "No thread to delete files");
  }
  trash_changed_.notify_all();
  return IOStatus::OK();
}

IOStatus SpaceManager::DeleteNow(const std::string& path) {
  IOStatus io = fs_->DeleteFile(path, IOOptions(), nullptr);
  if (!io.ok()) return io;
  LogInfo(info_log_.get(), "Deleted %s at once", path.c_str());
  fiber::MutexLock lock(&mutex_);
  ForgetLocked(path);
  CallWaiters();
  Tick(FILES_DELETED_IMMEDIATELY);
  return io;
}

IOStatus SpaceManager::Rename(const std::string& path, std::string* trash) {
  *trash = path;
  if (IsTrashFileName(LastName(path))) return IOStatus::OK();
  *trash = path + kTrashSuffix;
  IOStatus io = fs_->FileExists(*trash, IOOptions(), nullptr);
  for (uint64_t i = 0; io.ok(); ++i) {
    *trash = path + std::to_string(i) + kTrashSuffix;
    io = fs_->FileExists(*trash, IOOptions(), nullptr);
  }
  if (!io.IsNotFound()) return io;
  io = fs_->RenameFile(path, *trash, IOOptions(), nullptr);
  if (io.ok()) Moved(path, *trash);
  return io;
}

void SpaceManager::DeleteTrashOf(const std::string& dir) {
  std::vector<std::string> names;
  fs_->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
  for (const std::string& name : names) {
    if (!IsTrashFileName(name)) continue;
    const std::string path = std::string(dir).append("/").append(name);
    IOStatus io = Track(path);
    if (io.ok()) io = DeleteFile(path, /*force_slow=*/false);
    if (!io.ok()) LogWarn(info_log_.get(), "Cannot delete trash: %s", io.ToString().c_str());
  }
}

// --- The thread

void SpaceManager::EmptyTrash() {
  fiber::MutexLock lock(&mutex_);
  while (!closing_) {
    if (trash_.empty()) {
      trash_changed_.wait(&mutex_);
      continue;
    }
    const std::string path = trash_.front().path;
    const uint64_t start = fiber::now_nanos();
    lock.unlock();
    bool whole = false;
    const uint64_t bytes = DeleteSome(path, &whole);
    lock.lock();
    // As it was counted, whatever has become of the file meanwhile.
    Trash& trash = trash_.front();
    const uint64_t gone = whole ? trash.bytes : std::min(trash.bytes, bytes);
    trash_size_ -= gone;
    trash.bytes -= gone;
    if (whole) trash_.pop_front();
    Pause(start, bytes);
  }
}

void SpaceManager::Pause(uint64_t start, uint64_t bytes) {
  const int64_t rate = rate_;
  if (rate <= 0) return;
  const double nanos = static_cast<double>(bytes) * 1e9 / static_cast<double>(rate);
  constexpr double kLongest = 1e18;  // nanoseconds: for ever, and no overflow
  const uint64_t until = start + static_cast<uint64_t>(std::min(nanos, kLongest));
  while (!closing_ && rate_ == rate && fiber::now_nanos() < until)
    trash_changed_.wait_until(&mutex_, until);
}

uint64_t SpaceManager::DeleteSome(const std::string& path, bool* whole) {
  *whole = true;
  uint64_t size = 0;
  IOStatus io = fs_->GetFileSize(path, IOOptions(), &size, nullptr);
  if (io.ok() && max_chunk_ != 0 && size > max_chunk_ && Shorten(path, size - max_chunk_)) {
    *whole = false;
    fiber::MutexLock lock(&mutex_);
    if (files_.contains(path)) TrackLocked(path, size - max_chunk_);
    CallWaiters();
    return max_chunk_;
  }
  if (io.ok()) io = fs_->DeleteFile(path, IOOptions(), nullptr);
  if (io.ok()) SyncDirectoryAt(fs_.get(), ParentOf(path)).PermitUncheckedError();
  const bool is_gone = io.ok() || io.IsNotFound() || io.IsPathNotFound();
  // (Otherwise the next opening of its database finds it.)
  if (!is_gone) LogError(info_log_.get(), "Cannot delete trash: %s", io.ToString().c_str());
  fiber::MutexLock lock(&mutex_);
  if (!is_gone) return 0;
  ForgetLocked(path);
  CallWaiters();
  if (io.ok()) Tick(FILES_DELETED_FROM_TRASH_QUEUE);
  return size;
}

bool SpaceManager::Shorten(const std::string& path, uint64_t size) {
  uint64_t links = 0;
  IOStatus io = fs_->NumFileLinks(path, IOOptions(), &links, nullptr);
  if (!io.ok() || links != 1) return false;
  std::unique_ptr<FSWritableFile> file;
  io = fs_->ReopenWritableFile(path, FileOptions(), &file, nullptr);
  if (io.ok()) io = file->Truncate(size, IOOptions(), nullptr);
  if (io.ok()) io = file->Fsync(IOOptions(), nullptr);
  if (io.ok()) io = file->Close(IOOptions(), nullptr);
  if (!io.ok()) LogWarn(info_log_.get(), "Cannot shorten trash: %s", io.ToString().c_str());
  return io.ok();
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

SstFileManager* NewSstFileManager(Env* /*env*/, std::shared_ptr<FileSystem> fs,
                                  std::shared_ptr<Logger> info_log, const std::string& trash_dir,
                                  int64_t rate_bytes_per_sec, bool delete_existing_trash,
                                  Status* status, double max_trash_db_ratio,
                                  uint64_t bytes_max_delete_chunk) {
  auto manager = std::make_unique<cairn::SpaceManager>(fs, std::move(info_log), rate_bytes_per_sec,
                                                       max_trash_db_ratio, bytes_max_delete_chunk);
  IOStatus result;
  if (delete_existing_trash && !trash_dir.empty()) {
    std::vector<std::string> names;
    result = fs->GetChildren(trash_dir, IOOptions(), &names, nullptr);
    for (const std::string& name : names) {
      const std::string path = std::string(trash_dir).append("/").append(name);
      IOStatus io = manager->Track(path);
      if (io.ok()) io = manager->DeleteFile(path, /*force_slow=*/false);
      if (result.ok()) result = io;
    }
  }
  if (status != nullptr) *status = result;
  return manager.release();
}

SstFileManager* NewSstFileManager(Env* env, std::shared_ptr<Logger> info_log, std::string trash_dir,
                                  int64_t rate_bytes_per_sec, bool delete_existing_trash,
                                  Status* status, double max_trash_db_ratio,
                                  uint64_t bytes_max_delete_chunk) {
  return NewSstFileManager(env, env->GetFileSystem(), std::move(info_log), trash_dir,
                           rate_bytes_per_sec, delete_existing_trash, status, max_trash_db_ratio,
                           bytes_max_delete_chunk);
}

}  // namespace ROCKSDB_NAMESPACE
