// One compaction: which files go in, to which level, and the questions that the job asks while it
// runs.
//
// Made by a CompactionPicker under the database mutex, run by the compaction job, and destroyed
// under the mutex again. While it lives its input files are marked being_compacted, so that no
// other pick touches them.
//
// Thread safety: constant after construction, but for ReleaseInputs. The job may read it without
// the mutex. The cursors of OutputCutter belong to one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "manifest/version.h"
#include "manifest/version_edit.h"
#include "rocksdb/listener.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_partitioner.h"

namespace cairn {

class CompactionPicker;

struct CompactionInputFiles {
  int level = 0;
  std::vector<FileMetaData*> files;  // level 0: newest first; else in key order
};

// Where a compaction into the last level leaves young entries (preclude_last_level_data_seconds;
// entry_ages.h): in the level above, the proximal one, as RocksDB does.
//
// It may, in leveled and universal style, unless that level would be level 0, or has files while
// the compaction is of the last level alone. (Of that one alone it never may in leveled style.)
//
// Nobody else may write to the proximal level between the least and the largest user key that can
// come there. If all files of it are inputs of a universal compaction that is the range of all
// inputs, and young entries of the last level go up, too. Else it is the range of the other levels'
// inputs, and what the last level has stays there: entries up to its largest sequence number do,
// wherever they come from, so that tombstones stay above what they hide.
struct Placement {
  int level = -1;           // -1: all goes to the output level
  Slice smallest, largest;  // user keys, which point into the inputs
  bool full_range = false;
  // What has this sequence number or a smaller one goes to the last level.
  SequenceNumber stays_through = 0;
};

class Compaction {
 public:
  struct Params {
    Version* version = nullptr;                // referenced while the compaction lives
    std::vector<CompactionInputFiles> inputs;  // levels ascending; the first is the start level
    std::vector<FileMetaData*>
        grandparents;  // files of the level below the output level that overlap the range
    int output_level = 0;
    uint64_t target_output_file_size = 0;  // bytes
    uint64_t min_part_bytes = 0;  // a part of a compaction (subcompaction.h) is not smaller
    uint64_t max_compaction_bytes = 0;
    uint32_t output_path_id = 0;
    CompressionType compression = kNoCompression;
    CompressionOptions compression_opts;
    Temperature temperature = Temperature::kUnknown;  // of the outputs
    // Of those that Placement is about.
    Temperature proximal_temperature = Temperature::kUnknown;
    bool may_be_placed = true;  // a worker's outputs are of one level
    Placement placement;        // Start() sets it
    uint32_t max_subcompactions = 1;
    bool manual = false;
    bool drops_inputs = false;         // FIFO: the inputs go, and nothing comes out
    bool may_get_older = false;        // files may yet come behind all that there is
    bool trivial_move_allowed = true;  // a forced bottommost compaction must rewrite
    // As CompactRangeOptions has them.
    BlobGarbageCollectionPolicy blob_gc_policy = BlobGarbageCollectionPolicy::kUseDefault;
    double blob_gc_age_cutoff = -1;
    double score = 0;
    CompactionReason reason = CompactionReason::kUnknown;
  };

  // Marks the inputs and takes a reference of the version. REQUIRES: mutex; used by the picker.
  Compaction(CompactionPicker* picker, const ColumnFamilyOptions& options, Params params);
  // Releases what is still held. REQUIRES: mutex.
  ~Compaction();
  Compaction(const Compaction&) = delete;
  Compaction& operator=(const Compaction&) = delete;

  Version* version() const { return params_.version; }
  ColumnFamilyState* column_family() const { return params_.version->column_family(); }
  const InternalKeyComparator& icmp() const { return params_.version->icmp(); }
  int start_level() const { return params_.inputs.front().level; }
  int output_level() const { return params_.output_level; }
  size_t num_input_levels() const { return params_.inputs.size(); }
  const CompactionInputFiles& input(size_t which) const { return params_.inputs[which]; }
  const std::vector<CompactionInputFiles>& inputs() const { return params_.inputs; }
  size_t num_input_files() const;
  uint64_t total_input_bytes() const;
  // Of all inputs, as user keys.
  const Slice& smallest_user_key() const { return smallest_user_key_; }
  const Slice& largest_user_key() const { return largest_user_key_; }
  const std::vector<FileMetaData*>& grandparents() const { return params_.grandparents; }

  uint64_t target_output_file_size() const { return params_.target_output_file_size; }
  uint64_t min_part_bytes() const { return params_.min_part_bytes; }
  uint64_t max_compaction_bytes() const { return params_.max_compaction_bytes; }
  uint32_t output_path_id() const { return params_.output_path_id; }
  Temperature output_temperature() const { return params_.temperature; }
  const Placement& placement() const { return params_.placement; }
  // -1: there is none.
  int proximal_level() const { return params_.placement.level; }
  Temperature proximal_temperature() const { return params_.proximal_temperature; }
  CompressionType output_compression() const { return params_.compression; }
  const CompressionOptions& output_compression_opts() const { return params_.compression_opts; }
  uint32_t max_subcompactions() const { return params_.max_subcompactions; }
  bool is_manual() const { return params_.manual; }
  double score() const { return params_.score; }
  CompactionReason reason() const { return params_.reason; }
  // The picker's options at the time of the pick.
  const ColumnFamilyOptions& options() const { return options_; }

  // The inputs are deleted, not merged.
  bool drops_inputs() const { return params_.drops_inputs; }
  // The input may be moved to the output level without rewriting it.
  bool IsTrivialMove() const;
  // The user's, for one caller; null: there is none, or the output stays on level 0, whose files
  // are not cut.
  std::unique_ptr<SstPartitioner> NewPartitioner() const;
  // No level below the output level (nor, for level-0 outputs, an older file) holds a key of the
  // range: tombstones may go, sequence numbers may become 0 (subject to snapshots).
  bool bottommost_level() const { return bottommost_; }
  // Every file of the column family is an input.
  bool is_full_compaction() const { return full_; }
  // No file below the output level can hold this user key. Ask in ascending key order with one
  // `cursors` per sequence of questions, initially empty.
  bool KeyNotExistsBeyondOutputLevel(const Slice& user_key, std::vector<size_t>* cursors) const;

  // The blobs of files below this number are to be written anew; 0: none are.
  uint64_t blob_files_to_collect_below() const;

  // The least epoch, ancestor time (Unix seconds, 0: unknown) and so on, that the outputs inherit.
  uint64_t MinInputFileEpochNumber() const;
  uint64_t MinInputFileOldestAncesterTime() const;

  // The edit that the job completes and hands to LogAndApply.
  VersionEdit* edit() { return &edit_; }
  const VersionEdit& edit() const { return edit_; }
  void AddInputDeletions(VersionEdit* edit) const;
  // For a trivial move: deletes from the levels above, adds the same files to the output level.
  void AddTrivialMove(VersionEdit* edit) const;

  // Clears the marks and lets the picker pick these files again; also done by the destructor.
  // REQUIRES: mutex.
  void ReleaseInputs();

  // "4@0 + 3@1 files to L1, score 1.25"
  std::string InputSummary() const;

 private:
  void MarkInputs(bool being_compacted);
  bool InputsAreDisjoint() const;
  // IsTrivialMove() but for the user's partitioner.
  bool MayBeMoved() const;

  CompactionPicker* picker_;
  const ColumnFamilyOptions options_;
  const Params params_;
  Slice smallest_user_key_, largest_user_key_;  // point into the inputs
  bool bottommost_ = false;
  bool full_ = false;
  bool released_ = false;
  VersionEdit edit_;
};

// Decides where one output file ends: at the target size, or where going on would make the file
// overlap too much of the level below the output, which a later compaction would have to rewrite,
// and where the user's partitioner says so. One per (sub)compaction; not thread-safe.
class OutputCutter {
 public:
  explicit OutputCutter(const Compaction* compaction)
      : compaction_(compaction), partitioner_(compaction->NewPartitioner()) {}
  // Call for each output key in order; true: close the current file before adding this one.
  // `first_version`: no version of its user key came before; those that follow are never cut off
  // from it. `current_file_size` is the builder's estimate in bytes.
  bool ShouldStopBefore(const Slice& internal_key, bool first_version, uint64_t current_file_size) {
    return first_version &&
           ShouldStopBeforeUserKey(ExtractUserKey(internal_key), current_file_size);
  }

 private:
  bool ShouldStopBeforeUserKey(const Slice& user_key, uint64_t current_file_size);
  // Asks the partitioner, unless this is the first key.
  bool IsPartitionBorder(const Slice& user_key, uint64_t current_file_size);

  const Compaction* const compaction_;
  const std::unique_ptr<SstPartitioner> partitioner_;  // may be null
  std::string previous_key_;                           // for it
  size_t grandparent_ = 0;
  bool seen_key_ = false;
  uint64_t overlapped_bytes_ = 0;
};

}  // namespace cairn
