// The prepared sections that logs hold and that no mark has decided yet, for who replays logs:
// recovery, repair, and a secondary. A record of a log is
//
//   [begin prepare] entries [end prepare, name]     a section: kept under its name
//   [commit, name]                                  the section's entries are inserted, here
//   [commit, name, timestamp]                       the same, where families have timestamps: with
//                                                   this one in place of what the section has
//   [rollback, name]                                the section is forgotten
//
// and entries outside of sections, in any order: what a write group logs is one record. Entries of
// a section take sequence numbers where they are committed. A commit whose section is not known is
// passed over: its log went because all of its entries are in tables.
//
// With SetSharesNumbers(), for a database of WRITE_PREPARED or WRITE_UNPREPARED, it is as RocksDB
// has it under these policies, which may have written the logs:
//
//   [begin persisted prepare] entries [end prepare, name]
//   [begin unprepare] entries [end prepare, name]     a part of one that is not prepared yet
//
// insert a section's entries, which tables may have, too, and a commit only forgets the section. So
// what is left undecided is there to be hidden (Recovery::RestorePrepared). Entries share a
// sequence number up to a mark, a Noop, or a key that comes again.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "batch/sub_batches.h"
#include "commit/batch_apply.h"
#include "rocksdb/write_batch.h"

namespace cairn {

struct PreparedSection {
  uint64_t log = 0;             // that has it
  SequenceNumber sequence = 0;  // the next one where it began
  WriteBatch batch;             // its entries
  bool is_foreign = false;      // of another policy than the database's

  // --- With SetSharesNumbers()
  struct Numbers {
    SequenceNumber first;
    SequenceNumber end;  // behind the last one
  };
  std::vector<Numbers> numbers = {};  // that its entries may have in tables
  bool is_unprepared = false;         // it is not known as a whole: a crash ended the transaction

  /// As a record of another log, which also takes the place of the original, where that is read
  /// before: [rollback] [begin prepare] entries [end prepare]. `next`: the sequence number of the
  /// next write. MemoryLimit: there is no memory for it.
  [[nodiscard]] Status EncodeCopy(const std::string& name, SequenceNumber next,
                                  WriteBatch* record) const;
};

/// The same under the policies that share numbers: `before`, what all keys have without the
/// transaction, goes first, for whoever inserts the original's entries when it reads them.
/// `entries` null: there is nothing to prepare again. The record is to have a sequence number yet:
/// `before` takes it, and the section those behind it.
[[nodiscard]] Status EncodeSharedCopy(const std::string& name, const WriteBatch& before,
                                      const WriteBatch* entries, WriteBatch* record);
/// The sequence numbers that a section of these entries takes.
uint32_t SharedNumbersOf(const WriteBatch& entries);

class PreparedSections final : private BatchMarks {
 public:
  using Sections = std::map<std::string, PreparedSection>;

  /// As ApplyBatch, of a record of the log `log`; families that the sink refuses are passed over.
  /// Corruption, too: marks in an order that no writer makes. NotSupported: marks of other kinds of
  /// transactions (RocksDB's WRITE_PREPARED, WRITE_UNPREPARED).
  [[nodiscard]] Status Apply(const Slice& record, uint64_t log, MemTableSink* sink,
                             SequenceNumber* next);
  /// Keeps the books of a record whose own entries are in tables; marks of all kinds.
  [[nodiscard]] Status Note(const Slice& record, uint64_t log);
  /// Before the first record: see above.
  void SetSharesNumbers(bool shares) { policy_shares_ = shares; }
  /// The last record had marks.
  bool saw_marks() const { return saw_marks_; }

  /// The logs so far lack something: a commit whose section is not known is Corruption from here
  /// on.
  void SetIncomplete() { incomplete_ = true; }

  const Sections& sections() const { return sections_; }
  /// With SetSharesNumbers(): the numbers before those of the undecided, ascending. What their keys
  /// had then must not be dropped for what they wrote, as if these were snapshots.
  std::vector<SequenceNumber> MomentsBefore() const;
  Sections Take() { return std::move(sections_); }

 private:
  Status Mark(const BatchRecord& mark, SequenceNumber* seq) override;
  Status Keep(const BatchRecord& entry, SequenceNumber* seq, bool* kept) override;
  SequenceNumber Step() const override { return shares_ ? 0 : 1; }
  Status Begin(const BatchRecord& mark, SequenceNumber seq);
  Status End(const std::string& name, SequenceNumber* seq);
  // What ends a run of entries that share a number.
  void EndRun(SequenceNumber* seq);
  // `timestamp` null: the mark has none.
  Status Commit(const std::string& name, const Slice* timestamp, SequenceNumber* seq);
  Status Stamp(const Slice& timestamp, WriteBatch* entries);

  Sections sections_;
  bool incomplete_ = false;
  bool policy_shares_ = false;
  // Of the record that is applied.
  uint64_t log_ = 0;
  MemTableSink* sink_ = nullptr;
  bool notes_only_ = false;
  bool saw_marks_ = false;
  bool in_section_ = false;
  PreparedSection section_;  // if in_section_
  bool shares_ = false;      // its entries share numbers
  bool any_ = false;         // something came before
  SubBatches run_;           // if shares_: the entries since the last step
};

}  // namespace cairn
