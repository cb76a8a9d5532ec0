// LevelOutput: what one part of a compaction writes to one level: tables in key order, ended where
// OutputCutter says so, each with the range tombstones of its range. Most parts have one; where a
// compaction keeps young entries out of the last level (entry_ages.h) there are two.
//
// Thread safety: one caller. SUSPENDS.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/namespace.h"
#include "compaction/compaction.h"
#include "compaction/compaction_iterator.h"
#include "compaction/job_blobs.h"
#include "compaction/job_env.h"
#include "compaction/table_writer.h"
#include "compaction/tombstone_writer.h"
#include "manifest/file_metadata.h"
#include "rocksdb/compaction_job_stats.h"

namespace cairn {

class LevelOutput {
 public:
  // All borrowed; `tombstones` are those that this level gets. `timed`: what a thread waits for the
  // file system is added to *counts. `on_cut` is called before a table is closed.
  LevelOutput(const JobEnv& env, const Compaction* compaction, const TableWriterOptions& options,
              TombstoneWriter* tombstones, bool timed, CompactionJobStats* counts,
              std::function<void()> on_cut);
  ~LevelOutput();
  LevelOutput(const LevelOutput&) = delete;
  LevelOutput& operator=(const LevelOutput&) = delete;

  // The entry that `kept` stands on, which belongs to this level.
  [[nodiscard]] Status Add(const CompactionIterator& kept, JobBlobs* blobs);
  // `kept` came to another user key.
  void BeginUserKey() { has_user_key_ = false; }
  // Of the table that is being written.
  Status status() const { return writer_ == nullptr ? Status::OK() : writer_->status(); }
  // There are no entries any more: the tombstones that are left go into the last table, or into one
  // of their own.
  [[nodiscard]] Status WriteRest();
  // Ends the last table, if one is being written. After WriteRest, and once what its entries refer
  // to is complete.
  [[nodiscard]] Status Close();
  // Until everything is durable. After an error, too.
  [[nodiscard]] Status Wait();

  // In key order; complete after Wait.
  std::vector<FileMetaData>* outputs() { return &outputs_; }
  uint64_t records() const { return records_; }

 private:
  class TableCloser;
  [[nodiscard]] Status OpenNext();

  const JobEnv& env_;
  const Compaction* const compaction_;
  const TableWriterOptions options_;
  TombstoneWriter* const tombstones_;
  const std::function<void()> on_cut_;
  OutputCutter cutter_;
  std::vector<FileMetaData> outputs_;
  std::unique_ptr<TableWriter> writer_;  // null: no table is being written
  std::unique_ptr<TableCloser> closer_;
  bool has_user_key_ = false;  // it got a version of the user key at hand
  uint64_t records_ = 0;
};

}  // namespace cairn
