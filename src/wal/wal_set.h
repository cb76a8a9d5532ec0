// The write-ahead logs of an open database: the one being written, and older ones that still matter
// because they were not synced or because a memtable that they protect is not flushed.
//
// Thread safety: the methods marked "leader" are called by one party at a time, whoever holds the
// commit queue's leadership; the others from anywhere.
//
// Invariants
// 1. Sync makes the older unsynced WALs durable before the current one: a synced write never
//    survives an earlier write's loss.
// 2. The first sync of a WAL also syncs the directory, so that the file's name survives with its
//    content.
// 3. A log's first record is a WalLink to the log before that has records: the first one's is what
// recovery replayed last, if it replayed anything. With track_and_verify_wals a PredecessorWal of
// the log before in this life comes even before that one.
// 4. A file is recycled only if this object wrote it in the recyclable format: other records do not
//    say which log they are of, and what is left of them behind the new log's end would be taken
//    for its own. Its former writer is closed first, because closing cuts the file off.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "fiber/mutex.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "wal/log_writer.h"
#include "wal/wal_link.h"

namespace cairn {

class WalSet {
 public:
  // `options` is borrowed; bytes_per_sync is that of `file_options`. Does no I/O.
  WalSet(FileSystem* fs, std::string dir, const DBOptions* options, const FileOptions& file_options,
         size_t preallocation_bytes);
  WalSet(const WalSet&) = delete;
  WalSet& operator=(const WalSet&) = delete;

  // Leader: makes the file of WAL `number`, from an obsolete one if there is one to recycle
  // (recycle_log_file_num). SUSPENDS.
  [[nodiscard]] IOStatus Create(uint64_t number, std::unique_ptr<LogWriter>* wal);
  // Leader: makes `wal` the current one. The former is handed to the operating system and kept
  // until ForgetBelow. An error is the former's: its buffered records may be lost. SUSPENDS.
  [[nodiscard]] IOStatus Install(std::unique_ptr<LogWriter> wal);

  // Leader. SUSPENDS.
  // `has_marks`: of two-phase commit.
  [[nodiscard]] IOStatus Append(const Slice& record, bool has_marks = false);
  // Leader: a family's keys have timestamps of so many bytes, which each log says from now on.
  void SetTimestampSize(uint32_t family, size_t bytes) { timestamp_sizes_[family] = bytes; }
  [[nodiscard]] IOStatus Sync();
  [[nodiscard]] IOStatus Flush();
  // Leader: what Flush() would write.
  uint64_t buffered_bytes() const;
  // Leader: closes all. SUSPENDS.
  [[nodiscard]] IOStatus Close();

  // Syncs all but the current one. `end`: the latest record that is in them; predecessor 0: there
  // is none. From anywhere. SUSPENDS.
  [[nodiscard]] IOStatus SyncClosed(WalLink* end);
  // A closed log that is on the disk, whole, and its name with it.
  struct Synced {
    uint64_t number = 0;
    uint64_t bytes = 0;
  };
  // Those that have records and that nobody said were tracked; from anywhere.
  std::vector<Synced> UntrackedSynced() const;
  // The MANIFEST has these. From anywhere.
  void NoteTracked(const std::vector<Synced>& wals);
  // The directory was synced since the log of this number was the current one. From anywhere.
  void NamesAreSynced(uint64_t number);
  // Leader: the logs of an earlier life ended there. Before the first record.
  void ContinueAfter(const WalLink& end) { last_logged_ = end; }

  // Closes WALs below `number`, which hold nothing unflushed any more. From anywhere, but best in
  // the background: closing gives back what was preallocated, and may wait for the file system's
  // journal. SUSPENDS.
  void ForgetBelow(uint64_t number);

  // A WAL of an earlier life that recovery kept or that is to be deleted later.
  void AddExisting(uint64_t number, uint64_t bytes);
  // Moves out the numbers of WALs below `min_number_to_keep`, never the current one: their files
  // may be deleted. Keeps those that are to be recycled.
  std::vector<uint64_t> TakeObsolete(uint64_t min_number_to_keep);

  // Of logs made from now on; from anywhere.
  void set_bytes_per_sync(uint64_t bytes) {
    bytes_per_sync_.store(bytes, std::memory_order_relaxed);
  }

  uint64_t current_number() const { return current_number_.load(std::memory_order_acquire); }
  // Leader: nothing was ever appended to the current WAL (what it says of the one before is not).
  bool CurrentIsEmpty() const { return !current_has_records_; }
  // Leader: bytes of all WALs that have a file.
  uint64_t total_bytes() const;
  // The same without logs that are kept, though a flush would not let them go.
  uint64_t unflushed_bytes() const;
  // All that the logs below `number` have is in tables; from anywhere.
  void SetFlushedBelow(uint64_t number) { flushed_below_.store(number, std::memory_order_relaxed); }
  struct File {
    uint64_t number = 0;
    uint64_t bytes = 0;          // that were appended
    uint64_t written_bytes = 0;  // of them, that the operating system has
  };
  // Leader: all WALs that have a file, oldest first; the current one is the last. Not those that
  // wait to be recycled.
  std::vector<File> Files() const;
  // Syncs that succeeded, of all WALs: from anywhere.
  uint64_t syncs() const { return syncs_.load(std::memory_order_relaxed); }
  const std::string& dir() const { return dir_; }

 private:
  // Closed by whoever lets go of it last.
  struct Old {
    std::unique_ptr<LogWriter> writer;
    WalLink end;                      // the latest record of all when it was closed
    uint64_t bytes = 0;               // that were appended
    fiber::Mutex mutex;               // held through a sync
    std::atomic<bool> synced{false};  // set with `mutex`; release and acquire: after the sync
    bool tracked = false;             // with WalSet's mutex
  };
  // All but the current one; and the directory, if it may lack one of their names and the caller
  // does not sync it.
  [[nodiscard]] IOStatus SyncOld(bool with_names, WalLink* end = nullptr);

  // Of a log that is empty.
  IOStatus AppendLink(const Slice& first_record);
  IOStatus SyncDirectory();
  uint64_t TakeRecyclable();
  bool recycles() const { return options_->recycle_log_file_num > 0; }

  FileSystem* const fs_;
  const std::string dir_;
  const DBOptions* const options_;
  const FileOptions file_options_;
  const size_t preallocation_bytes_;
  std::atomic<uint64_t> bytes_per_sync_;

  // The leader's.
  std::unique_ptr<LogWriter> current_;
  bool current_has_records_ = false;  // or was to have: it may be that none could be written
  SequenceNumber last_record_ = 0;    // with which the current WAL's last record begins
  uint64_t synced_bytes_ = 0;         // of the current WAL
  std::map<uint32_t, size_t> timestamp_sizes_;
  size_t timestamp_sizes_said_ = 0;  // so many of them, in the current WAL
  WalLink last_logged_;              // the latest record of all; predecessor 0: none yet

  std::atomic<uint64_t> current_number_{0};
  std::atomic<uint64_t> flushed_below_{0};  // relaxed: of a limit that need not be exact
  std::atomic<uint64_t> named_{0};          // the names up to that of this log are on the disk
  mutable fiber::Mutex mutex_;
  std::deque<std::shared_ptr<Old>> old_ FIBER_GUARDED_BY(mutex_);
  std::map<uint64_t, uint64_t> bytes_
      FIBER_GUARDED_BY(mutex_);                         // of every WAL that has a file; current: 0
  std::atomic<uint64_t> syncs_{0};                      // relaxed: a figure
  uint64_t closed_bytes_ FIBER_GUARDED_BY(mutex_) = 0;  // their sum
  std::set<uint64_t> written_here_ FIBER_GUARDED_BY(mutex_);  // in the recyclable format
  std::deque<uint64_t> recyclable_ FIBER_GUARDED_BY(mutex_);  // obsolete: numbers of their files
};

}  // namespace cairn
