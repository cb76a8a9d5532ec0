// SpaceManager: what stands behind SstFileManager. Databases tell it of their tables and blob files
// (managed_file_system.h), ask it before a compaction, and leave the deletion of files to it.
//
// With a rate, what is to be deleted is renamed to *.trash and a thread deletes it, a chunk at a
// time: after each it sleeps as long as so many bytes take at the rate. Nobody polls: a compaction
// that was refused is called when there may be room.
//
// Thread safety: all of it. SUSPENDS where it touches files.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/namespace.h"
#include "base/task_limiter.h"
#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"
#include "rocksdb/sst_file_manager.h"

namespace cairn {

// The end of the name of a file that waits for its deletion: "000012.sst.trash",
// or, where that was there already, "000012.sst0.trash".
inline constexpr const char* kTrashSuffix = ".trash";
// Takes the last component of a path. Only of a file of a database: another's ending may be the
// same.
[[nodiscard]] bool IsTrashFileName(const std::string& base_name);

class SpaceManager final : public SstFileManager {
 public:
  // A compaction that may wait for room. Called on any thread, with a lock held: must not block,
  // nor call the manager.
  using Waiter = TaskLimiter::Waiter;

  SpaceManager(std::shared_ptr<FileSystem> fs, std::shared_ptr<Logger> info_log,
               int64_t rate_bytes_per_sec, double max_trash_db_ratio,
               uint64_t bytes_max_delete_chunk);
  ~SpaceManager() override;

  // --- The public interface (rocksdb/sst_file_manager.h)
  void SetMaxAllowedSpaceUsage(uint64_t max_allowed_space) override;
  void SetCompactionBufferSize(uint64_t compaction_buffer_size) override;
  bool IsMaxAllowedSpaceReached() override;
  bool IsMaxAllowedSpaceReachedIncludingCompactions() override;
  uint64_t GetTotalSize() override;
  std::unordered_map<std::string, uint64_t> GetTrackedFiles() override;
  int64_t GetDeleteRateBytesPerSecond() override;
  void SetDeleteRateBytesPerSecond(int64_t delete_rate) override;
  double GetMaxTrashDBRatio() override;
  void SetMaxTrashDBRatio(double ratio) override;
  uint64_t GetTotalTrashSize() override;
  void SetStatisticsPtr(const std::shared_ptr<Statistics>& stats) override;

  // --- Of databases
  // A file is there, or has another size.
  void Track(const std::string& path, uint64_t size);
  // The same; its size is asked for.
  [[nodiscard]] IOStatus Track(const std::string& path);
  // It is gone.
  void Forget(const std::string& path);
  void Moved(const std::string& from, const std::string& to);
  // SpaceLimit: IsMaxAllowedSpaceReached().
  [[nodiscard]] Status CheckSpace();
  uint64_t compaction_buffer_size();
  // Room for a compaction with inputs of so many bytes. False: there is none, and the waiter, if
  // any, is called when there may be.
  [[nodiscard]] bool Reserve(uint64_t bytes, Waiter* waiter);
  void Unreserve(uint64_t bytes);
  // The waiter will not be called any more.
  void ForgetWaiter(Waiter* waiter);
  // Deletes a file, now or later: it has another name when this returns. `force_slow`: whatever the
  // share of trash.
  [[nodiscard]] IOStatus DeleteFile(const std::string& path, bool force_slow);
  // What an earlier life left in a directory as trash. A directory that is not there has none.
  void DeleteTrashOf(const std::string& dir);

 private:
  // A file that waits for its deletion.
  struct Trash {
    std::string path;
    uint64_t bytes = 0;  // that trash_size_ has of it
  };

  void TrackLocked(const std::string& path, uint64_t size) FIBER_REQUIRES(mutex_);
  void ForgetLocked(const std::string& path) FIBER_REQUIRES(mutex_);
  void CallWaiters() FIBER_REQUIRES(mutex_);
  void Tick(uint32_t ticker) FIBER_REQUIRES(mutex_);

  // --- Trash (space_manager_trash.cc)
  IOStatus DeleteNow(const std::string& path);
  // Gives the file a name of trash, which nothing has, unless its name is one.
  [[nodiscard]] IOStatus Rename(const std::string& path, std::string* trash)
      FIBER_REQUIRES(naming_mutex_);
  void EmptyTrash();  // the thread
  // Deletes a chunk of it, or all. Returns how many bytes; *whole: the file is gone, or stays.
  uint64_t DeleteSome(const std::string& path, bool* whole);
  // False: the file has to be deleted as a whole.
  bool Shorten(const std::string& path, uint64_t size);
  // Sleeps as long as the deletion of so many bytes takes, from `start`, at the rate.
  void Pause(uint64_t start, uint64_t bytes) FIBER_REQUIRES(mutex_);

  const std::shared_ptr<FileSystem> fs_;
  const std::shared_ptr<Logger> info_log_;  // may be null
  const uint64_t max_chunk_;                // bytes; 0: files go as a whole
  // From the look for a free name until the file waits under it; before mutex_.
  fiber::Mutex naming_mutex_;

  fiber::Mutex mutex_;  // a leaf; not held while files are touched
  std::unordered_map<std::string, uint64_t> files_ FIBER_GUARDED_BY(mutex_);
  uint64_t total_size_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t max_allowed_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t compaction_buffer_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t reserved_ FIBER_GUARDED_BY(mutex_) = 0;
  std::vector<Waiter*> waiters_ FIBER_GUARDED_BY(mutex_);
  std::shared_ptr<Statistics> statistics_ FIBER_GUARDED_BY(mutex_);
  int64_t rate_ FIBER_GUARDED_BY(mutex_);  // bytes per second
  double max_ratio_ FIBER_GUARDED_BY(mutex_);
  uint64_t trash_size_ FIBER_GUARDED_BY(mutex_) = 0;
  std::deque<Trash> trash_ FIBER_GUARDED_BY(mutex_);
  bool closing_ FIBER_GUARDED_BY(mutex_) = false;
  fiber::CondVar trash_changed_;                   // or the rate, or closing_
  fiber::Thread thread_ FIBER_GUARDED_BY(mutex_);  // from the first trash on
};

// Room that a compaction has reserved, until this is destroyed.
class SpaceReservation {
 public:
  SpaceReservation() = default;
  // A null manager has room. See SpaceManager::Reserve; then operator bool.
  SpaceReservation(SpaceManager* manager, uint64_t bytes, SpaceManager::Waiter* waiter)
      : manager_(manager),
        bytes_(bytes),
        admitted_(manager == nullptr || manager->Reserve(bytes, waiter)) {}
  SpaceReservation(SpaceReservation&& other) noexcept { *this = std::move(other); }
  SpaceReservation& operator=(SpaceReservation&& other) noexcept {
    std::swap(manager_, other.manager_);
    std::swap(bytes_, other.bytes_);
    std::swap(admitted_, other.admitted_);
    return *this;
  }
  ~SpaceReservation() {
    if (manager_ != nullptr && admitted_) manager_->Unreserve(bytes_);
  }

  explicit operator bool() const { return admitted_; }

 private:
  SpaceManager* manager_ = nullptr;
  uint64_t bytes_ = 0;
  bool admitted_ = false;
};

}  // namespace cairn
