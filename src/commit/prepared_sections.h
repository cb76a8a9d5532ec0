// The prepared sections that logs hold and that no mark has decided yet, for who replays logs:
// recovery, repair, and a secondary. A record of a log is
//
//   [begin prepare] entries [end prepare, name]     a section: kept under its name
//   [commit, name]                                  the section's entries are inserted, here
//   [rollback, name]                                the section is forgotten
//
// and entries outside of sections, in any order: what a write group logs is one record. Entries of
// a section take sequence numbers where they are committed. A commit whose section is not known is
// passed over: its log went because all of its entries are in tables.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/namespace.h"
#include "commit/batch_apply.h"
#include "rocksdb/write_batch.h"

namespace cairn {

struct PreparedSection {
  uint64_t log = 0;             // that has it
  SequenceNumber sequence = 0;  // the next one where it began
  WriteBatch batch;             // its entries
  bool is_foreign = false;      // of RocksDB's other policies: its entries are in tables

  /// As a record of another log, which also takes the place of the original, where that is read
  /// before: [rollback] [begin prepare] entries [end prepare]. `next`: the sequence number of the
  /// next write. MemoryLimit: there is no memory for it.
  [[nodiscard]] Status EncodeCopy(const std::string& name, SequenceNumber next,
                                  WriteBatch* record) const;
};

class PreparedSections final : private BatchMarks {
 public:
  using Sections = std::map<std::string, PreparedSection>;

  /// As ApplyBatch, of a record of the log `log`; families that the sink refuses are passed over.
  /// Corruption, too: marks in an order that no writer makes. NotSupported: marks of other kinds of
  /// transactions (RocksDB's WRITE_PREPARED, WRITE_UNPREPARED, timestamps).
  [[nodiscard]] Status Apply(const Slice& record, uint64_t log, MemTableSink* sink,
                             SequenceNumber* next);
  /// Keeps the books of a record whose own entries are in tables; marks of all kinds.
  [[nodiscard]] Status Note(const Slice& record, uint64_t log);
  /// The last record had marks.
  bool saw_marks() const { return saw_marks_; }

  /// The logs so far lack something: a commit whose section is not known is Corruption from here
  /// on.
  void SetIncomplete() { incomplete_ = true; }

  const Sections& sections() const { return sections_; }
  Sections Take() { return std::move(sections_); }

 private:
  Status Mark(const BatchRecord& mark, SequenceNumber* seq) override;
  Status Keep(const BatchRecord& entry, bool* kept) override;
  Status Begin(const BatchRecord& mark, SequenceNumber seq);
  Status End(const std::string& name);
  Status Commit(const std::string& name, SequenceNumber* seq);

  Sections sections_;
  bool incomplete_ = false;
  // Of the record that is applied.
  uint64_t log_ = 0;
  MemTableSink* sink_ = nullptr;
  bool notes_only_ = false;
  bool saw_marks_ = false;
  bool in_section_ = false;
  PreparedSection section_;  // if in_section_
};

}  // namespace cairn
