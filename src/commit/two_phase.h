// A step of a two-phase commit, for the commit queue: what is special about the write of a
// transaction's mark. The batches are
//
//   prepare    [begin prepare] entries [end prepare, name]
//   commit     [noop] more entries [commit, name] | the prepared entries, behind the end of what is
//              logged (WriteBatch::MarkWalTerminationPoint)
//   rollback   [rollback, name]
//
// where [commit, name] is [commit, name, timestamp] if there are keys with timestamps: those that
// were prepared have zeros in the first, and the timestamp in the second.
//
// The first is logged only; the second's entries all go into memtables, which from then on need the
// log of the first.
//
// That is WRITE_COMMITTED. RocksDB's other policies put what is prepared into memtables and tables
// at once, under sequence numbers that are invisible until the commit. Here it stays out of them
// under every policy; but a RocksDB that replays the log does what it does, and must come to the
// same contents. So the batches of these policies (a step with a name) are
//
//   prepare    [begin persisted prepare] entries [end prepare, name]
//   commit     what merged keys had before | entries [rollback, name]
//   rollback   what all of its keys had before [rollback, name]
//
// where the section takes the sequence numbers that RocksDB gives it: one, and one more where a key
// repeats. The commit is a write like any other, over what RocksDB has put under the section's
// numbers and after the mark takes for committed. Of the rollback all is logged only.
#pragma once

#include <cstdint>
#include <string>

#include "base/namespace.h"
#include "batch/write_batch_internal.h"
#include "commit/batch_apply.h"
#include "rocksdb/status.h"

namespace cairn {

struct TwoPhaseStep {
  enum class Kind { kPrepare, kCommit, kRollback };
  Kind kind = Kind::kPrepare;
  /// Of the prepared section: of kPrepare the result, else the caller's.
  uint64_t log = 0;
  /// Result: something was written to the log, or a memtable, if not all. False: all is as before.
  bool touched_log = false;

  // --- Of the policies beside WRITE_COMMITTED
  std::string name = {};  // the transaction's; empty: WRITE_COMMITTED
  /// Of kPrepare: the sequence numbers that the section takes, at least 1.
  uint32_t numbers = 0;
  /// Of kPrepare: how a later log begins while the section is undecided (PreparedCopy). Moved from.
  std::string copy = {};
  uint32_t copy_numbers = 0;

  bool shares_numbers() const { return !name.empty(); }
  // The batch's entries go into memtables.
  bool inserts() const { return shares_numbers() ? kind == Kind::kCommit : kind != Kind::kPrepare; }
  /// What its batch may have, for WriteBatchInternal::CheckWritable. (Timestamps are decided with
  /// the commit.)
  uint32_t permitted() const {
    return kHasTransactionMark | (kind == Kind::kPrepare ? kLacksTimestamps : 0u);
  }
  uint32_t NumbersOf(const WriteBatch* batch) const {
    if (kind != Kind::kPrepare) return WriteBatchInternal::Count(batch);
    return shares_numbers() ? numbers : 0;
  }
};

/// The marks of a batch that is being committed, or was prepared: they are the log's business.
class CommittedMarks final : public BatchMarks {
 public:
  /// `log`: of the prepared section; 0: it is not needed.
  explicit CommittedMarks(uint64_t log) : log_(log) {}
  Status Mark(const BatchRecord& /*mark*/, SequenceNumber* /*seq*/) override {
    return Status::OK();
  }
  Status Keep(const BatchRecord& /*entry*/, SequenceNumber* /*seq*/, bool* /*kept*/) override {
    return Status::OK();
  }
  void WritesTo(MemTable* table) override {
    if (log_ != 0) table->NeedPreparedLog(log_);
  }

 private:
  const uint64_t log_;
};

}  // namespace cairn
