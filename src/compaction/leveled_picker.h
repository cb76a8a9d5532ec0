// Chooses what to compact in leveled style.
//
// db/ asks PickCompaction whenever a Version was installed or a job ended, and CompactRange for
// manual compactions. A picked Compaction marks its files; it must be destroyed (or ReleaseInputs
// called) under the mutex when the job ended.
//
// Rules, in order: the level with the highest score >= 1; within it the file that overlaps least of
// the next level; all inputs are grown to a clean cut (no user key is split between an input and a
// file left behind); files that are being compacted, or that would overlap the output of a running
// job, rule a choice out. Then files marked for compaction.
//
// Thread safety: everything needs the database mutex.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "compaction/compaction.h"

namespace cairn {

class LeveledPicker {
 public:
  LeveledPicker(const DBOptions* db_options, const InternalKeyComparator* icmp);

  // Some level's score is at least 1, or a file is marked, and nothing is known to rule it out.
  bool NeedsCompaction(const Version& version) const { return version.NeedsCompaction(); }

  // nullptr: nothing to do, or all that there is to do conflicts with running jobs.
  std::unique_ptr<Compaction> PickCompaction(const ColumnFamilyOptions& options, Version* version);

  // The next step of a manual compaction of user keys [begin, end] (nullptr: unbounded) from
  // input_level to output_level (equal for a rewrite of the bottommost level). If it is too large
  // for one job, *compaction_end receives the first user key not yet covered and *has_end is true:
  // call again from there. *conflict: a running job is in the way, try later. nullptr without
  // conflict: no file overlaps. Files numbered >= max_file_number_to_ignore are left out of a
  // bottommost rewrite (they were made by this very compaction); UINT64_MAX: none.
  std::unique_ptr<Compaction> CompactRange(const ColumnFamilyOptions& options, Version* version,
                                           int input_level, int output_level,
                                           const CompactRangeOptions& range_options,
                                           const Slice* begin, const Slice* end,
                                           uint64_t max_file_number_to_ignore,
                                           std::string* compaction_end, bool* has_end,
                                           bool* conflict);

  bool HasRunning() const { return !running_.empty(); }
  // A level-0 compaction is running; level 0 takes one at a time (but for the intra-level kind).
  bool Level0Running() const { return !running_level0_.empty(); }

 private:
  friend class Compaction;
  class Pick;  // the working state of one pick

  void Register(Compaction* compaction);
  void Unregister(Compaction* compaction);

  // True if the user-key range would overlap the output of a running job on this level.
  bool RangeOverlapsRunning(const Slice& smallest, const Slice& largest, int output_level) const;
  void GetRange(const std::vector<FileMetaData*>& files, Slice* smallest, Slice* largest) const;
  // Adds neighbours that share a user key with the outermost inputs. false: one of them is being
  // compacted.
  bool ExpandToCleanCut(const Version& version, CompactionInputFiles* inputs) const;
  // Finds the output level's inputs and, where it costs nothing, more of the start level. false:
  // conflict.
  bool SetupOtherInputs(const ColumnFamilyOptions& options, const Version& version,
                        CompactionInputFiles* start, CompactionInputFiles* output) const;
  std::vector<FileMetaData*> Grandparents(const Version& version,
                                          const std::vector<CompactionInputFiles>& inputs,
                                          int output_level) const;
  std::unique_ptr<Compaction> Make(const ColumnFamilyOptions& options, Version* version,
                                   Compaction::Params params);

  const DBOptions* const db_options_;
  const InternalKeyComparator* const icmp_;
  std::set<Compaction*> running_;
  std::set<Compaction*> running_level0_;
  // Per level: where the next round-robin tie begins (a user key).
  std::vector<std::string> round_robin_;
};

// The compression of a level's files: bottommost_compression, compression_per_level, or
// compression.
CompressionType CompressionForLevel(const ColumnFamilyOptions& options, const Version& version,
                                    int level, int base_level, bool bottommost);
CompressionOptions CompressionOptionsForLevel(const ColumnFamilyOptions& options,
                                              const Version& version, int level);
// Target size of an output file in bytes.
uint64_t MaxFileSizeForLevel(const ColumnFamilyOptions& options, int level, int base_level);

}  // namespace cairn
