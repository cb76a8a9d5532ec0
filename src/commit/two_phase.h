// A step of a two-phase commit, for the commit queue: what is special about the write of a
// transaction's mark. The batches are
//
//   prepare    [begin prepare] entries [end prepare, name]
//   commit     [noop] more entries [commit, name] | the prepared entries, behind the end of what is
//              logged (WriteBatch::MarkWalTerminationPoint)
//   rollback   [rollback, name]
//
// The first is logged only; the second's entries all go into memtables, which from then on need the
// log of the first.
#pragma once

#include <cstdint>

#include "base/namespace.h"
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
};

/// The marks of a batch that is being committed, or was prepared: they are the log's business.
class CommittedMarks final : public BatchMarks {
 public:
  /// `log`: of the prepared section.
  explicit CommittedMarks(uint64_t log) : log_(log) {}
  Status Mark(const BatchRecord& /*mark*/, SequenceNumber* /*seq*/) override {
    return Status::OK();
  }
  Status Keep(const BatchRecord& /*entry*/, bool* /*kept*/) override { return Status::OK(); }
  void WritesTo(MemTable* table) override { table->NeedPreparedLog(log_); }

 private:
  const uint64_t log_;
};

}  // namespace cairn
