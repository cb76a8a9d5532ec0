// The disk's last resort: a file of some size beside the tables, which is given back to the file
// system when a write fails for want of space. What it held is for those who delete: their log, the
// flush of what is in memory, the compactions that make room of what was deleted.
//
// While the disk is full (full()) the executor refuses all writes but those that remove something
// (kRemoves), so that the reserve is not used up by what grows. The store's own compactions rest,
// too: one that does not fit fails, and with it all writes. In their place a thread of this object
// flushes, drops tables of databases that were flushed, and compacts range by range what fits into
// the space that there is, until the file can be made again. It looks again and again, so space
// that somebody else makes counts as well. Then everything is as before.
//
// Thread safe. Of a server without reserve (0 bytes) nothing happens.

#ifndef CAIRN_SERVER_KEYSPACE_DISK_RESERVE_H_
#define CAIRN_SERVER_KEYSPACE_DISK_RESERVE_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fiber/mutex.h"
#include "fiber/thread.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"
#include "server/host/log.h"

namespace cairn::server {

class Keyspace;

class DiskReserve {
 public:
  // Both borrowed. `directory`: of the data.
  DiskReserve(const std::string& directory, uint64_t bytes, Log* log);
  ~DiskReserve();
  DiskReserve(const DiskReserve&) = delete;
  DiskReserve& operator=(const DiskReserve&) = delete;

  // Gives the file back before the store is opened, which failed for want of space. False: there is
  // none.
  bool GiveUpFile();
  // SUSPENDS. Makes the file, if there is room, and takes care from here to Stop(). Borrows.
  void Start(Keyspace* keyspace);
  void Stop();

  bool full() const { return full_.load(std::memory_order_relaxed); }
  // A write failed. If it was for want of space, the disk is full from here on.
  void NoteFailure(const rocksdb::Status& status);
  // SUSPENDS. After that, for a write that removes: whether it may be tried again.
  bool MakeRoom();
  // Something was removed while the disk is full.
  void NoteRemoval() { removals_.fetch_add(1, std::memory_order_relaxed); }
  // The most that one run of commands may write while the disk is full.
  uint64_t most_bytes() const { return bytes_ / 8; }
  uint64_t bytes() const { return bytes_; }
  bool held() const { return held_.load(std::memory_order_relaxed); }

 private:
  void Keep();
  bool Pause(uint64_t nanos);  // false: it is to end
  // False: the store does not recover.
  bool Recover();
  // Makes the file if `spare` bytes beside it stay free.
  bool Hold(uint64_t spare);
  rocksdb::Status MakeFile();
  uint64_t FreeBytes();
  void LetCompactionsRun(bool run) FIBER_REQUIRES(mutex_);
  // What the deleted takes becomes free, as far as there is space for it. False: tables that have
  // nothing else are still there, as another job has them.
  bool Compact();
  // Tables that have nothing but what FLUSHALL has left: namespaces [first, second).
  void DropNamespaces(const std::vector<std::pair<uint32_t, uint32_t>>& dead);

  const std::string directory_, file_;
  const uint64_t bytes_;
  Log* const log_;
  Keyspace* keyspace_ = nullptr;  // between Start() and Stop()
  std::atomic<bool> full_{false};
  std::atomic<bool> held_{false};
  std::atomic<uint64_t> removals_{0};
  std::atomic<bool> became_full_{false};  // since the last Compact()
  std::atomic<bool> canceled_{false};     // a compaction that is under way

  // Of the thread.
  uint64_t compacted_removals_ = 0;
  bool dropped_all_ = true;    // what Compact() said last
  uint64_t compact_from_ = 0;  // not before that moment
  std::string compacted_to_;   // where the last compactions ended

  fiber::Mutex mutex_;  // one makes room, the others wait for it
  bool compactions_run_ FIBER_GUARDED_BY(mutex_) = true;
  fiber::Mutex state_mutex_;
  fiber::CondVar changed_;
  bool stopping_ FIBER_GUARDED_BY(state_mutex_) = false;
  bool woken_ FIBER_GUARDED_BY(state_mutex_) = false;
  fiber::Thread thread_;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_KEYSPACE_DISK_RESERVE_H_
