// An immutable picture of which table files make up a column family, level by level.
//
// Readers hold a Version through a SuperVersion; compactions hold the one that they were picked
// from. A new Version is built by VersionBuilder and installed by VersionSet::LogAndApply. When the
// last reference goes, files that no other Version holds become obsolete and
// VersionSet::GetObsoleteFiles hands them out.
//
// Invariants: level 0 is ordered newest first; files may overlap. Every other level is ordered by
// key and its files do not overlap (by user key).
//
// Thread safety: files and bounds are constant, readable without a lock. Ref and Unref, the scores
// and everything that looks at being_compacted need the database mutex.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "manifest/blob_file_meta.h"
#include "manifest/file_metadata.h"
#include "rocksdb/options.h"

namespace cairn {

class ColumnFamilyState;
class VersionSet;

// One file as the read path sees it: what a search needs lies together, the key bytes of a level
// are contiguous.
struct FileSlot {
  Slice smallest;  // internal keys
  Slice largest;
  uint64_t number = 0;
  uint64_t file_size = 0;
  FileMetaData* meta = nullptr;
};

struct LevelFiles {
  const FileSlot* files = nullptr;
  size_t size = 0;
  const FileSlot& operator[](size_t i) const { return files[i]; }
};

// Index of the first file whose largest key is >= internal_key; files.size if none.
// REQUIRES: files is ordered and does not overlap (a level above 0).
size_t FindFile(const InternalKeyComparator& icmp, const LevelFiles& files,
                const Slice& internal_key);
// The same among [left, right).
size_t FindFileInRange(const InternalKeyComparator& icmp, const LevelFiles& files,
                       const Slice& internal_key, size_t left, size_t right);
// The same; *compared grows by how many keys were compared, which the caller counts.
size_t FindFileInRange(const InternalKeyComparator& icmp, const LevelFiles& files,
                       const Slice& internal_key, size_t left, size_t right, uint32_t* compared);

class Version {
 public:
  Version(const Version&) = delete;
  Version& operator=(const Version&) = delete;

  // REQUIRES: database mutex held. The last Unref deletes the Version.
  void Ref() { ++refs_; }
  void Unref();
  int refs() const { return refs_; }

  uint64_t version_number() const { return version_number_; }
  ColumnFamilyState* column_family() const { return cf_; }
  const InternalKeyComparator& icmp() const { return *icmp_; }

  int num_levels() const { return static_cast<int>(files_.size()); }
  // One more than the deepest level that has a file (0: the Version is empty).
  int num_non_empty_levels() const { return num_non_empty_levels_; }
  const std::vector<FileMetaData*>& files(int level) const { return files_[level]; }
  const LevelFiles& level_files(int level) const { return level_files_[level]; }
  int NumLevelFiles(int level) const { return static_cast<int>(files_[level].size()); }
  // Files of level 0, and the levels below that have files: what a read may have to look at.
  int NumSortedRuns() const;
  // False: no file of the level has range tombstones, as far as that is known by now.
  bool MayHaveTombstones(int level) const;
  uint64_t NumLevelBytes(int level) const { return level_bytes_[level]; }  // sum of file sizes
  // The entry of a file number, or nullptr; *level receives its level.
  FileMetaData* FindFileByNumber(uint64_t number, int* level = nullptr) const;

  // Files of `level` that overlap [begin, end] by user key (nullptr: unbounded). On level 0 the
  // range grows with each file found, until nothing is added. On other levels the result is a run
  // of neighbours: indexes via OverlappingRange.
  void GetOverlappingInputs(int level, const Slice* begin_user_key, const Slice* end_user_key,
                            std::vector<FileMetaData*>* inputs) const;
  // The same on a level above 0, as the half-open range of indexes.
  std::pair<size_t, size_t> OverlappingRange(int level, const Slice* begin_user_key,
                                             const Slice* end_user_key) const;
  bool OverlapInLevel(int level, const Slice* smallest_user_key,
                      const Slice* largest_user_key) const;
  // Some level below `level` has a file that overlaps the range of user keys.
  bool RangeMightExistBelow(int level, const Slice& smallest_user_key,
                            const Slice& largest_user_key) const;

  // What tables of this Version may refer to, by number.
  const BlobFileList& blob_files() const { return blob_files_; }
  // How many of the oldest are this share (blob_garbage_collection_age_cutoff, 0 to 1) of them.
  size_t BlobFilesWithin(double age_cutoff) const;

  // FIFO style: the bytes that are limited, of tables alone or of blob files, too; and the limit.
  uint64_t FifoBytes(const CompactionOptionsFIFO& options) const;
  static uint64_t FifoLimit(const CompactionOptionsFIFO& options) {
    return options.max_data_files_size > 0 ? options.max_data_files_size
                                           : options.max_table_files_size;
  }

  // --- Compaction state, computed when the Version is built. REQUIRES: database mutex held.
  // Again after being_compacted of some file changed.
  void ComputeCompactionScore(const ColumnFamilyOptions& options);
  // The levels' targets and the scores anew, with options that changed.
  void OptionsChanged(const ColumnFamilyOptions& options);
  // Rank 0 is the level that needs compaction most. There are num_levels() - 1 ranks.
  double CompactionScore(int rank) const { return scores_[rank].first; }
  int CompactionScoreLevel(int rank) const { return scores_[rank].second; }
  // Some score is at least 1, a file is marked, or is too old by now.
  bool NeedsCompaction() const;
  // When (Unix seconds) the file must go on because of ColumnFamilyOptions::ttl: to the next level,
  // or, in FIFO style, away. UINT64_MAX: never.
  uint64_t TtlEnd(const ColumnFamilyOptions& options, int level, const FileMetaData& file) const;
  // When it must be rewritten because of periodic_compaction_seconds.
  uint64_t PeriodEnd(const ColumnFamilyOptions& options, const FileMetaData& file) const;
  // FIFO style: the temperature that the file at `index` of level 0 has at `now` (Unix seconds), by
  // compaction_options_fifo.file_temperature_age_thresholds; its own, where they do not say.
  Temperature TemperatureAt(const ColumnFamilyOptions& options, size_t index, uint64_t now) const;
  // From when on that is another one than it has now. UINT64_MAX: never.
  uint64_t TemperatureEnd(const ColumnFamilyOptions& options, size_t index, uint64_t now) const;
  // The first of all such times of files that are not being compacted.
  uint64_t next_expiry() const { return next_expiry_; }
  // Files with marked_for_compaction that have somewhere to go and are not being compacted, as
  // (level, file). None in FIFO style.
  const std::vector<std::pair<int, FileMetaData*>>& files_marked_for_compaction() const {
    return marked_files_;
  }

  // Likewise those that keep the oldest blob files, where these are garbage enough
  // (blob_garbage_collection_force_threshold). In leveled style only.
  const std::vector<std::pair<int, FileMetaData*>>& files_marked_for_blob_gc() const {
    return marked_for_blob_gc_;
  }

  // Where level 0 is compacted to. 1, unless levels are sized from the last one up
  // (level_compaction_dynamic_level_bytes).
  int base_level() const { return base_level_; }
  double level_multiplier() const { return level_multiplier_; }
  uint64_t MaxBytesForLevel(int level) const { return level_max_bytes_[level]; }  // target, bytes
  // Bytes that compactions would have to rewrite to bring all levels to their targets; for write
  // stalls.
  uint64_t estimated_compaction_needed_bytes() const { return pending_compaction_bytes_; }

  // Fills in a file's counters, read from its table properties, and refreshes its compensated size.
  void SetFileStats(FileMetaData* file, uint64_t num_entries, uint64_t num_deletions,
                    uint64_t raw_key_size, uint64_t raw_value_size);

  // --- Estimates, from the counters that are known.
  uint64_t GetEstimatedActiveKeys() const;
  // Bytes of keys and values per byte of the level's files; -1: nothing is known of any.
  double CompressionRatioAtLevel(int level) const;
  // Bytes of tables, and of the blobs that are no garbage.
  uint64_t EstimateLiveDataSize() const;

  void AddLiveFiles(std::vector<uint64_t>* numbers) const;  // of tables
  // One line per level, "files[3 0 7 ] max score 0.75".
  std::string LevelSummary() const;
  std::string DebugString(bool hex_keys = false) const;

 private:
  friend class VersionBuilder;
  friend class VersionSet;
  friend class VersionTestPeer;

  Version(ColumnFamilyState* cf, const InternalKeyComparator* icmp, VersionSet* set, int num_levels,
          uint64_t version_number);
  ~Version();

  // Called once by the builder, after files_ is complete.
  void Finish(const ColumnFamilyOptions& options);
  void BuildLevelFiles();
  void ComputeLevelTargets(const ColumnFamilyOptions& options);
  void ComputeCompensatedSizes();
  void ScoreUniversal(const ColumnFamilyOptions& options);
  void ScoreFifo(const ColumnFamilyOptions& options);
  void CollectMarkedFiles();
  void CollectFilesForBlobGc(const ColumnFamilyOptions& options);
  void ComputeNextExpiry(const ColumnFamilyOptions& options);
  void EstimatePendingBytes(const ColumnFamilyOptions& options);
  uint64_t CompensatedSize(const FileMetaData& f) const;

  ColumnFamilyState* const cf_;
  const InternalKeyComparator* const icmp_;
  VersionSet* const set_;  // nullptr in tests: obsolete files are then just deleted from memory
  const uint64_t version_number_;
  int refs_ = 0;
  int num_non_empty_levels_ = 0;

  std::vector<std::vector<FileMetaData*>> files_;
  std::vector<LevelFiles> level_files_;
  std::vector<uint64_t> level_bytes_;
  // By level: all files are known to have none. Relaxed: set once, from what never changes.
  mutable std::vector<std::atomic<bool>> without_tombstones_;
  BlobFileList blob_files_;
  Arena arena_;  // owns level_files_ and their keys

  int base_level_ = 1;
  double level_multiplier_ = 0;
  std::vector<uint64_t> level_max_bytes_;
  std::vector<std::pair<double, int>> scores_;  // (score, level), highest first
  std::vector<std::pair<int, FileMetaData*>> marked_files_;
  std::vector<std::pair<int, FileMetaData*>> marked_for_blob_gc_;
  uint64_t next_expiry_ = UINT64_MAX;
  uint64_t pending_compaction_bytes_ = 0;
  uint64_t average_value_size_ = 0;

  // Ring of all live Versions of the column family; guarded by the database mutex.
  Version* prev_ = this;
  Version* next_ = this;
};

}  // namespace cairn
