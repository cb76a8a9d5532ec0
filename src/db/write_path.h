// A write, from the user's call to the commit queue, and what the queue asks of the database: to
// wait out a stall or switch memtables before a group forms, to append to the log, to publish.
//
// Guards: the queue's calls come from the leader of a write group alone. Without the mutex, but
// where a function says so.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "db/database.h"

namespace cairn {

class WritePath final : public Part, public CommitEnv, public OperandFolder {
 public:
  explicit WritePath(Database* db) : Part(db) {}

  [[nodiscard]] Status Put(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
                           const Slice& value);
  [[nodiscard]] Status PutEntity(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
                                 const WideColumns& columns);
  [[nodiscard]] Status PutEntity(const WriteOptions&, const Slice& key,
                                 const AttributeGroups& attribute_groups);
  [[nodiscard]] Status Delete(const WriteOptions&, ColumnFamilyHandle*, const Slice& key);
  [[nodiscard]] Status SingleDelete(const WriteOptions&, ColumnFamilyHandle*, const Slice& key);
  [[nodiscard]] Status DeleteRange(const WriteOptions&, ColumnFamilyHandle*, const Slice& begin,
                                   const Slice& end);
  [[nodiscard]] Status Merge(const WriteOptions&, ColumnFamilyHandle*, const Slice& key,
                             const Slice& value);
  // `check`, if not null, is asked when the write's turn has come (CommitCheck). `step`, if not
  // null: the batch is one of its kind. `published`: see CommitHook.
  [[nodiscard]] Status Write(const WriteOptions&, WriteBatch* updates,
                             const CommitCheck* check = nullptr, TwoPhaseStep* step = nullptr,
                             const CommitHook* published = nullptr,
                             UserWriteCallback* told = nullptr);
  // A step of a two-phase commit, which is logged whatever the options say.
  [[nodiscard]] Status WriteStep(const WriteOptions&, WriteBatch* updates, TwoPhaseStep* step,
                                 const CommitHook* published = nullptr);
  // `priority`: with which what is buffered asks DBOptions::rate_limiter; IO_TOTAL: not at all.
  [[nodiscard]] Status FlushWAL(bool sync, Env::IOPriority priority = Env::IO_TOTAL);
  [[nodiscard]] Status SyncWAL();
  // See DB. Writers that came before LockWrites() are done when it returns.
  [[nodiscard]] Status LockWrites();
  [[nodiscard]] Status UnlockWrites();
  // The end, or an error. With the mutex.
  void WakeLockedOut() { unlocked_.notify_all(); }
  bool AreWritesLocked() const FIBER_REQUIRES(database_mutex) { return locks_ > 0; }
  // A stall may be over, or another. With the mutex.
  void StallChanged() { stall_changed_.notify_all(); }
  void CountStall(ColumnFamily* family, const StallDecision& decision, uint64_t since_nanos)
      FIBER_REQUIRES(database_mutex);
  // A write of the log or of the memtable failed. Takes the mutex.
  void OnCommitError(const Status& status, CommitErrorKind kind);

  // The leader looks at the stall, at an error and at the end before it takes the mutex at all, if
  // this says so. With the mutex.
  void SetNeedsAttention(bool needed) {
    write_needs_attention_.store(needed, std::memory_order_release);
  }
  // Bytes of all logs from which on the oldest is made unneeded; 0: no limit. A writer may see a
  // change a little later.
  void SetWalLimit(uint64_t bytes) { max_wal_bytes_.store(bytes, std::memory_order_relaxed); }

 private:
  // --- CommitEnv
  [[nodiscard]] Status Prepare(const WriteGroupInfo& group) override;
  IOStatus AppendWal(const Slice& record, bool has_marks) override {
    if (db_.shares_numbers) [[unlikely]]
      return AppendWithNoop(record, has_marks);
    return db_.wals->Append(record, has_marks);
  }
  IOStatus SyncWal() override;
  MemTableSink* MemTables() override { return &db_.sink; }
  SequenceNumber LastSequence() override { return db_.versions->LastSequence(); }
  void Publish(SequenceNumber last) override { db_.versions->SetLastSequence(last); }
  SequenceNumber Allot(uint64_t n) override { return db_.versions->AllotSequences(n); }
  bool IsNothingDue() override;
  uint64_t NotePrepared(size_t sections) override {
    const uint64_t log = db_.wals->current_number();
    db_.prepared.Note(log, sections);
    return log;
  }
  void NoteStep(TwoPhaseStep* step) override;
  void TraceWrite(const WriteBatch& batch) override;
  void OnError(const Status& status, CommitErrorKind kind) override { OnCommitError(status, kind); }
  // --- OperandFolder
  bool Fold(uint32_t family_id, const Slice& key, SequenceNumber sequence, const Slice& operand,
            std::string* value, ValueType* type) override;
  Status Existing(uint32_t family_id, const Slice& key, SequenceNumber sequence,
                  std::string* value) override;

  // What stops writers, or full memtables.
  bool IsAttentionNeeded() const;
  bool IsMemoryShort() const;
  // RocksDB counts no sequence number for what shares one until something ends it.
  IOStatus AppendWithNoop(const Slice& record, bool has_marks);
  [[nodiscard]] Status WaitOutStall(const WriteGroupInfo& group) FIBER_REQUIRES(database_mutex);
  // Waits outside of the queue, so that whoever needs leadership gets it meanwhile.
  [[nodiscard]] Status WaitForUnlock(const WriteOptions& options);
  [[nodiscard]] Status WaitForLowPriority(const WriteOptions& options, uint64_t bytes);
  // Waits for the rate limiter. SUSPENDS.
  [[nodiscard]] Status LimitLogRate(const WriteOptions& options, size_t bytes) const;

  DBCondition stall_changed_;
  DBCondition unlocked_;
  int locks_ FIBER_GUARDED_BY(database_mutex) = 0;  // calls of LockWrites()
  std::atomic<bool> write_needs_attention_{false};
  std::atomic<uint64_t> max_wal_bytes_{0};
  std::string record_with_noop_;  // the leader's
};

}  // namespace cairn
