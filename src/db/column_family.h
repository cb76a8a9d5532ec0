// ColumnFamily: what an open database has for each of its column families: memtables, super
// versions, options, the compaction picker, and the books of its background work. And the handle
// that users hold.
//
// The database makes one for each family that is opened or created and owns them all. One that was
// dropped stays as long as somebody refers to it (a handle, an iterator, a job); then Purge deletes
// it, and with it the family's files.
//
// Thread safety: constant members from anywhere; the others as they say. "mutex": the database's
// mutex. "leadership": of the commit queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "blob/blob_source.h"
#include "commit/batch_apply.h"
#include "commit/write_controller.h"
#include "compaction/compaction_picker.h"
#include "db/family_books.h"
#include "db/level_stats.h"
#include "db/write_stall.h"
#include "manifest/version_set.h"
#include "memtable/memtable.h"
#include "memtable/memtable_list.h"
#include "read/super_version.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"
#include "table/table_cache.h"

namespace cairn {

struct Database;

// Bytes of the largest level-0 table that counts as made by a flush (RocksDB's bound): see
// PinningTier::kFlushedAndSimilar.
inline uint64_t MaxFlushedFileSize(const ColumnFamilyOptions& options) {
  return options.write_buffer_size / 2 * 3;
}

struct ColumnFamily {
  ColumnFamily(ColumnFamilyState* family_state, std::shared_ptr<const Options> live_options,
               TableCacheOptions table_cache, BlobSourceOptions blob_source,
               std::function<void(SuperVersion*)> retire);
  ~ColumnFamily();  // REQUIRES: Release() was called
  ColumnFamily(const ColumnFamily&) = delete;
  ColumnFamily& operator=(const ColumnFamily&) = delete;

  uint32_t id() const { return family_id; }
  const std::string& name() const { return family_name; }
  Version* current() const { return state->current(); }  // mutex
  bool is_default() const { return id() == 0; }

  void Ref() { refs.fetch_add(1, std::memory_order_relaxed); }

  // Drops memtables, super versions and the stall. For the end of the database, or of a family that
  // nobody refers to. With the mutex.
  void Release();

  // The picker, told of what the memtables hold. Mutex.
  CompactionPicker* InformedPicker() const;

  // Bytes that its memtables hold that no flush has begun for: lock-free, about.
  size_t UnflushedBytes() const;

  const uint32_t family_id;
  const std::string family_name;
  ColumnFamilyState* const state;  // until the database closes
  const InternalKeyComparator icmp;
  const int num_levels;
  const std::shared_ptr<TableFactory> table_factory;  // of the readers of tables
  const std::shared_ptr<const SliceTransform> prefix_extractor;
  const std::shared_ptr<MergeOperator> merge_operator;  // may be null
  // The directories of its tables, by path id (cf_paths, or db_paths), and the same to sync, where
  // something is written. Blob files, and what comes from outside, are in the first one. Constant
  // since it is among the families.
  std::vector<std::string> paths;
  std::vector<std::shared_ptr<FSDirectory>> directories;

  std::unique_ptr<TableCache> tables;
  std::unique_ptr<BlobSource> blobs;
  std::unique_ptr<SuperVersionSlots> super_versions;  // what readers see; installed under the mutex
  // Of the super versions that are installed from now on. Mutex.
  std::shared_ptr<SequenceLimit> limit = std::make_shared<SequenceLimit>(kMaxSequenceNumber);
  std::unique_ptr<CompactionPicker> picker;  // mutex
  std::shared_ptr<HugePagePool> huge_pages;  // of its memtables; null: none

  // The options in force, the database's included; replaced as a whole. Mutex.
  std::shared_ptr<const Options> options;
  // A copy of max_sequential_skip_in_iterations; relaxed.
  std::atomic<uint64_t> max_sequential_skip;
  const bool disallows_writes;     // disallow_memtable_writes
  const bool reserves_last_level;  // ReservesLastLevel()
  // Of max_successive_merges; 0 where there is no merge operator.
  std::atomic<size_t> max_successive_merges;

  // Changed with leadership and mutex: either alone suffices to read it. Holds one reference.
  MemTable* mem = nullptr;
  ImmutableMemTables imm;  // mutex, but for what it says

  // --- Mutex
  uint64_t super_version_number = 0;
  FamilyFigures figures;  // FamilyBooks::Update
  uint64_t log_need = 0;  // FamilyBooks::SetLogNeed
  // Its memtable may have something (false: at most what is being inserted into it now). Not of the
  // default family, whose memtable is asked.
  bool written = false;
  StallDecision stall;
  std::unique_ptr<WriteControllerToken> stall_token;
  std::unique_ptr<WriteControllerToken> pressure_token;
  StallTimes stall_times;
  LevelStats level_stats;
  bool flushing = false;                                     // a flush is scheduled or runs
  FlushReason flush_reason = FlushReason::kWriteBufferFull;  // of the memtable switched last
  int running_compactions = 0;
  std::string trim_above;  // of its compactions: JobEnv::trim_above
  // The last pick found nothing but conflicts.
  bool compaction_blocked = false;

  // Set under the mutex, with leadership.
  std::atomic<bool> dropped{false};
  std::atomic<int> refs{1};  // the first one is the database's
};

// The user's reference to a family. Given back in the destructor.
class ColumnFamilyHandleImpl final : public ColumnFamilyHandle {
 public:
  ColumnFamilyHandleImpl(Database* db, ColumnFamily* family);
  ~ColumnFamilyHandleImpl() override;
  ColumnFamilyHandleImpl(const ColumnFamilyHandleImpl&) = delete;
  ColumnFamilyHandleImpl& operator=(const ColumnFamilyHandleImpl&) = delete;

  const std::string& GetName() const override { return family_->name(); }
  uint32_t GetID() const override { return family_->id(); }
  Status GetDescriptor(ColumnFamilyDescriptor* descriptor) override;
  const Comparator* GetComparator() const override { return family_->icmp.user_comparator(); }

  ColumnFamily* family() const { return family_; }
  const Database* db() const { return db_; }

 private:
  Database* const db_;
  ColumnFamily* const family_;
};

// See MemTableSink::Fold.
class OperandFolder {
 public:
  // With leadership's turn to insert. False: the operand is to be written as it is.
  virtual bool Fold(uint32_t family, const Slice& key, SequenceNumber sequence,
                    const Slice& operand, std::string* value, ValueType* type) = 0;
  // See MemTableSink::Existing.
  virtual Status Existing(uint32_t family, const Slice& key, SequenceNumber sequence,
                          std::string* value) = 0;

 protected:
  ~OperandFolder() = default;
};

// Where a batch's records go: the memtables of all families.
//
// Thread safety: Seek from several threads at once; the others exclude it (leadership, or nothing
// else runs yet).
class FamilyMemTables final : public MemTableSink {
 public:
  // `memtable` null: the family's records are passed over. Nothing was written to it yet.
  void Set(uint32_t family, MemTable* memtable);
  void Remove(uint32_t family) { others_.erase(family); }

  // A family that does not exist was dropped while the write was on its way (who writes to one that
  // never existed is refused before): its records are passed over.
  Status Seek(uint32_t family, MemTable** memtable) override;

  // Of some family: see MemTableSink. `folder` is borrowed.
  void SetFolder(OperandFolder* folder) { folder_ = folder; }
  void SetFoldsOperands(bool folds) { folds_.store(folds, std::memory_order_relaxed); }
  bool FoldsOperands() const override { return folds_.load(std::memory_order_relaxed); }
  OperandFate Fold(uint32_t family, const Slice& key, SequenceNumber sequence, const Slice& operand,
                   std::string* value, ValueType* type) override {
    const bool folds =
        folder_ != nullptr && folder_->Fold(family, key, sequence, operand, value, type);
    return folds ? OperandFate::kFolded : OperandFate::kKept;
  }
  Status Existing(uint32_t family, const Slice& key, SequenceNumber sequence,
                  std::string* value) override {
    return folder_ == nullptr
               ? Status::NotSupported("an inplace_callback cannot be asked while logs are replayed")
               : folder_->Existing(family, key, sequence, value);
  }

  // From now on the families are noted whose memtables are written to, but for the default one.
  void NoteWrites() { notes_writes_ = true; }
  // Those that were not written to since Set, and now were, or are about to be. Any thread.
  std::vector<uint32_t> TakeWritten() {
    fiber::MutexLock lock(&written_mutex_);
    return std::exchange(written_, {});
  }
  // The family's memtable is empty after all: it is noted again. With what Set needs.
  void SetUnwritten(uint32_t family) {
    if (const auto it = others_.find(family); it != others_.end()) {
      it->second.written.store(false, std::memory_order_relaxed);
    }
  }

  // Some memtable but the default family's was found full since the last call.
  bool TakeFull() { return full_.exchange(false, std::memory_order_relaxed); }
  bool has_full() const { return full_.load(std::memory_order_relaxed); }

 private:
  struct Other {
    MemTable* memtable = nullptr;
    std::atomic<bool> written{false};  // relaxed: set under written_mutex_
  };
  void NoteWritten(uint32_t family, Other* other);

  MemTable* default_ = nullptr;
  std::unordered_map<uint32_t, Other> others_;
  bool notes_writes_ = false;
  fiber::Mutex written_mutex_;  // a leaf
  std::vector<uint32_t> written_ FIBER_GUARDED_BY(written_mutex_);
  std::atomic<bool> full_{false};
  OperandFolder* folder_ = nullptr;  // null during recovery: as in RocksDB, nothing is folded then
  std::atomic<bool> folds_{false};
};

}  // namespace cairn
