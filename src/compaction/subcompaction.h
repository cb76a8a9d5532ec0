// A part of a compaction: the user keys of one range, merged into output files of their own. A
// whole compaction is one without bounds.
//
// Made and run by CompactionJob, each part on a thread of its own. All versions of a user key lie
// in one part, so that parts know nothing of each other: not for snapshots, nor for tombstones, nor
// for where a file ends.
//
// Its outputs go to the output level; where the compaction keeps young entries out of it
// (entry_ages.h), these to the level above.
//
// With a CompactionService of the user's a part may run in another process: then its tables are
// taken over, and all else is the same (remote_part.h).
//
// Thread safety: one caller. Parts of one compaction may run at once. SUSPENDS.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "compaction/compaction.h"
#include "compaction/compaction_iterator.h"
#include "compaction/job_blobs.h"
#include "compaction/job_env.h"

namespace cairn {

class CompactionIterator;
class Courtesy;
class RangeTombstones;
struct EntryAges;
struct TableWriterOptions;

// Finds up to compaction.max_subcompactions() - 1 user keys, ascending, that cut the input into
// parts of about equal size, none of them less than an output file. Empty: it is not to be cut, or
// cannot be. Cut are compactions of level 0, manual and universal ones, as in RocksDB. Opens the
// inputs.
[[nodiscard]] Status PlanSubcompactions(const Compaction& compaction, TableCache* tables,
                                        std::vector<std::string>* boundaries);

class Subcompaction {
 public:
  // The user keys in [begin, end); nullopt: no bound. All but the bounds is borrowed; `ages` are
  // the same for all parts. When `stop` is set the part ends with Status::Aborted. `index`: which
  // part of the compaction it is.
  Subcompaction(const JobEnv& env, const Compaction* compaction, const EntryAges* ages,
                std::optional<std::string> begin, std::optional<std::string> end,
                const std::atomic<bool>* stop, int index);
  Subcompaction(const Subcompaction&) = delete;
  Subcompaction& operator=(const Subcompaction&) = delete;

  // OK: outputs() are complete, synced and checked; the directory is not synced yet.
  [[nodiscard]] Status Run();
  // Deletes the outputs.
  void DropOutputs();

  // In key order; those of the output level, and those of Compaction::proximal_level().
  const std::vector<FileMetaData>& outputs() const { return outputs_; }
  const std::vector<FileMetaData>& proximal_outputs() const { return proximal_outputs_; }
  // Entries of the latter.
  uint64_t proximal_records() const { return proximal_records_; }
  const JobBlobs& blobs() const { return blobs_; }
  // All but the numbers of entries and of files.
  const CompactionJobStats& counts() const { return counts_; }
  const DropCounts& dropped() const { return dropped_; }  // here alone
  uint64_t cpu_micros() const { return cpu_micros_; }
  uint64_t records_in() const { return records_in_; }
  uint64_t records_dropped() const { return records_dropped_; }
  // As CompactionIterator says.
  bool skipped_input() const { return skipped_input_; }
  // By the user's filter, one by one.
  uint64_t records_filtered() const { return records_filtered_; }
  // It ran elsewhere.
  bool was_remote() const { return counts_.is_remote_compaction; }

 private:
  [[nodiscard]] Status RunHere();
  // *local: nothing was done.
  [[nodiscard]] Status RunElsewhere(bool* local);
  [[nodiscard]] Status CheckStopped() const;
  bool Overlaps(const FileMetaData& file) const;
  std::vector<InternalIterator*> OpenInputs(const ReadOptions& read_options) const;
  [[nodiscard]] Status CollectTombstones(std::unique_ptr<const RangeTombstones>* tombstones) const;
  TableWriterOptions WriterOptions(bool proximal) const;
  [[nodiscard]] Status WriteOutputs(CompactionIterator* kept, const RangeTombstones* tombstones,
                                    Courtesy* courtesy);

  const JobEnv& env_;
  const Compaction* const compaction_;
  const EntryAges* const ages_;
  const std::optional<std::string> begin_, end_;
  const std::atomic<bool>* const stop_;
  const int index_;
  JobBlobs blobs_;
  std::vector<FileMetaData> outputs_, proximal_outputs_;
  uint64_t proximal_records_ = 0;
  CompactionJobStats counts_;
  DropCounts dropped_;
  uint64_t cpu_micros_ = 0;
  uint64_t records_in_ = 0;
  uint64_t records_dropped_ = 0;
  uint64_t records_filtered_ = 0;
  bool skipped_input_ = false;
};

}  // namespace cairn
