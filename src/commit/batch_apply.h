// Inserts a batch into memtables: by the commit queue after the WAL write, and by recovery for each
// WAL record. Thread safety: several batches may be applied at once with `concurrent` true (see
// MemTable::Add).
#ifndef CAIRN_COMMIT_BATCH_APPLY_H_
#define CAIRN_COMMIT_BATCH_APPLY_H_

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "batch/batch_protection.h"
#include "batch/batch_reader.h"
#include "memtable/memtable.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"

namespace cairn {

/// What becomes of a merge operand that is to be written.
enum class OperandFate : uint8_t {
  kKept,
  kFolded,   // a value takes its place
  kDropped,  // nothing does; its sequence number is used up all the same
};

/// Finds the memtable that a column family writes to. Implemented by db/. Seek must not suspend.
class MemTableSink {
 public:
  virtual ~MemTableSink() = default;
  /// Sets *table; null means: skip this family's records (recovery of a log whose entries are
  /// already flushed, or of a dropped family). InvalidArgument for a family that does not exist and
  /// may not be skipped. Asked once per run of records of one family; may be called by several
  /// threads at once.
  virtual Status Seek(uint32_t family, MemTable** table) = 0;

  /// Some family wants its merge operands folded (max_successive_merges), or looked at: batches are
  /// to be applied one after the other, in the order of their sequence numbers.
  virtual bool FoldsOperands() const { return false; }
  /// Of an operand of `key` that is to be written at `sequence`. kFolded: it is one too many, and
  /// *value, what it and all before it make, is to be written in its place, as a *type. May
  /// SUSPEND.
  virtual OperandFate Fold(uint32_t /*family*/, const Slice& /*key*/, SequenceNumber /*sequence*/,
                           const Slice& /*operand*/, std::string* /*value*/, ValueType* /*type*/) {
    return OperandFate::kKept;
  }
  /// What `key` has at `sequence`, for an inplace_callback. NotFound: nothing. May SUSPEND.
  virtual Status Existing(uint32_t /*family*/, const Slice& /*key*/, SequenceNumber /*sequence*/,
                          std::string* /*value*/) {
    return Status::NotFound();
  }
};

/// The sink of a database (or test) with the default column family only.
class SingleMemTableSink final : public MemTableSink {
 public:
  explicit SingleMemTableSink(MemTable* table = nullptr) : table_(table) {}
  Status Seek(uint32_t family, MemTable** table) override {
    *table = table_;
    return family == 0 ? Status::OK()
                       : Status::InvalidArgument("Invalid column family specified in write batch");
  }

 private:
  MemTable* table_;
};

/// Fetches into the processor's caches what the insertion of the first records of these batches
/// will read: of several small batches that are applied one after the other. ApplyBatch does so for
/// the records of one. Only a matter of speed; damaged batches are passed over.
void PrefetchBatches(const Slice* reps, size_t count, MemTableSink* sink);
/// At most so many are worth giving at once.
inline constexpr size_t kPrefetchBatches = SkipList::kPrefetchKeys;

/// What the marks of two-phase commit in a batch mean to who applies it.
class BatchMarks {
 public:
  virtual ~BatchMarks() = default;
  /// A mark. *seq: of the next entry; moves on by what is inserted for the mark's sake. Not OK:
  /// fails ApplyBatch. May SUSPEND.
  virtual Status Mark(const BatchRecord& mark, SequenceNumber* seq) = 0;
  /// An entry is next, at *seq, which may be moved on. If it lies between two marks, is not to be
  /// inserted, and takes no sequence number, *kept is set.
  virtual Status Keep(const BatchRecord& entry, SequenceNumber* seq, bool* kept) = 0;
  /// How far the sequence number moves on behind an entry: 0 where entries share one.
  virtual SequenceNumber Step() const { return 1; }
  /// Entries are about to be inserted there. Concurrently, where the batches are.
  virtual void WritesTo(MemTable* /*table*/) {}
};

/// What ApplyBatch says to a record that it does not take: marks of two-phase commit, blob indexes.
/// NotSupported.
[[nodiscard]] Status RefuseRecord(const BatchRecord& record);

/// Inserts the records of `rep` (a whole batch with its header; the header's sequence number is not
/// used). The first counted record gets sequence number `first`. `next_seq`, if not null, receives
/// the sequence number after the last record, also when records were skipped. Stops at the first
/// error: Corruption (malformed, wrong count), NotSupported (record types that this version does
/// not apply), and whatever the sink says; with `ignore_missing_families`, records of families that
/// the sink refuses with InvalidArgument are skipped. Marks of two-phase commit are what `marks`
/// makes of them; null: NotSupported. `protection`, if not null, has the records' checksums: each
/// is compared with what the memtable has then (Corruption).
[[nodiscard]] Status ApplyBatch(const Slice& rep, SequenceNumber first, MemTableSink* sink,
                                bool concurrent, bool ignore_missing_families = false,
                                SequenceNumber* next_seq = nullptr, BatchMarks* marks = nullptr,
                                const BatchProtection* protection = nullptr);

}  // namespace cairn

#endif  // CAIRN_COMMIT_BATCH_APPLY_H_
