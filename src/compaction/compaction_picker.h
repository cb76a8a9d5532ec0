// What the compaction pickers of all styles share: the books of running compactions, the closure of
// a choice of files over what overlaps it, and CompactFiles, where the user chooses.
//
// db/ makes the one of the database's compaction style. It asks PickCompaction whenever a Version
// was installed or a job ended, and the other two for manual compactions. A picked Compaction marks
// its files; it must be destroyed (or ReleaseInputs called) under the mutex when the job ended.
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

// What a manual compaction asks for.
struct ManualRange {
  int input_level = 0;
  int output_level = 0;          // input_level: a rewrite of the bottommost level
  const Slice* begin = nullptr;  // user keys, inclusive; null: no bound
  const Slice* end = nullptr;
  // Files numbered so or above are left out of a bottommost rewrite: they were made by it.
  uint64_t ignore_files_from = UINT64_MAX;
};

// What is said of a step of it, beside its compaction.
struct ManualStep {
  bool conflict = false;  // a running job is in the way: try later
  bool more = false;      // it was too large for one job: call again from resume_at
  std::string resume_at;  // the first user key not yet covered
};

class CompactionPicker {
 public:
  CompactionPicker(const DBOptions* db_options, const InternalKeyComparator* icmp);
  // Of a family with directories of its own; before anything is picked.
  void SetPaths(const std::vector<DbPath>& paths) { paths_ = paths; }
  // Compactions leave the last level alone: DBOptions::allow_ingest_behind, or a family's own
  // cf_allow_ingest_behind. Before anything is picked.
  void ReserveLastLevel() { reserves_last_level_ = true; }
  virtual ~CompactionPicker() = default;
  CompactionPicker(const CompactionPicker&) = delete;
  CompactionPicker& operator=(const CompactionPicker&) = delete;

  // Some level's score is at least 1, or a file is marked, and nothing is known to rule it out.
  bool NeedsCompaction(const Version& version) const { return version.NeedsCompaction(); }

  // nullptr: nothing to do, or all that there is to do conflicts with running jobs.
  virtual std::unique_ptr<Compaction> PickCompaction(const ColumnFamilyOptions& options,
                                                     Version* version) = 0;

  // The next step of a manual compaction. nullptr without step->conflict: no file overlaps.
  virtual std::unique_ptr<Compaction> CompactRange(const ColumnFamilyOptions& options,
                                                   Version* version,
                                                   const CompactRangeOptions& range_options,
                                                   const ManualRange& range, ManualStep* step) = 0;

  // The files of these numbers, and whatever must come along, into output_level (which may be where
  // they are). Along come, so that no older version of a key ends up above a newer one: of level 0
  // the files between the newest and the oldest, and all older ones if the output goes below; of
  // each level down to the output what the keys so far overlap, and what lies between.
  // InvalidArgument: no files, one that the Version does not have, or one below the output level.
  // Aborted: a running compaction has one of the files, or writes where the output would go; or
  // level 0 may not have the result (MayStayInLevel0).
  [[nodiscard]] Status CompactFiles(const ColumnFamilyOptions& options, Version* version,
                                    const CompactionOptions& compact_options,
                                    const std::set<uint64_t>& numbers, int output_level,
                                    uint32_t output_path_id,
                                    std::unique_ptr<Compaction>* compaction);

  // One that was picked elsewhere, by the process that this one works for. Everything but the
  // version and the grandparents is set in `params`.
  std::unique_ptr<Compaction> Start(const ColumnFamilyOptions& options, Version* version,
                                    Compaction::Params params);

  // While it lives, no compaction is picked that writes into this range of user keys on the level:
  // a file from outside is about to be there. REQUIRES: the mutex when it is made and destroyed.
  class Reservation {
   public:
    Reservation(CompactionPicker* picker, int level, const Slice& smallest, const Slice& largest)
        : picker_(picker),
          level_(level),
          smallest_(smallest.ToString()),
          largest_(largest.ToString()) {
      picker_->reserved_.insert(this);
    }
    ~Reservation() { picker_->reserved_.erase(this); }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

   private:
    friend class CompactionPicker;
    CompactionPicker* const picker_;
    const int level_;
    const std::string smallest_, largest_;
  };

  // The range of user keys overlaps what a running job writes, or what is reserved, on this level.
  bool RangeOverlapsRunning(const Slice& smallest, const Slice& largest, int output_level) const;
  // The same of all that a compaction of these inputs would write.
  bool OutputsOverlapRunning(const ColumnFamilyOptions& options, const Version& version,
                             const std::vector<CompactionInputFiles>& inputs,
                             int output_level) const;

  // A job is running, or a file from outside on its way.
  bool HasRunning() const { return !running_.empty() || !reserved_.empty(); }
  // A level-0 compaction is running; level 0 takes one at a time (but for the intra-level kind).
  bool Level0Running() const { return !running_level0_.empty(); }

  // The entries of memtables that are not flushed have this number or a higher one;
  // kMaxSequenceNumber: there are none. To be told before a compaction is asked for: see
  // MayStayInLevel0.
  void set_unflushed_from(SequenceNumber sequence) { unflushed_from_ = sequence; }

  // Whether a table of another level may become the only one of level 0: no memtable has an entry
  // that is older than what the table has (MayStayInLevel0).
  bool MayMoveToLevel0(const FileMetaData& file) const {
    return file.largest_seqno < unflushed_from_;
  }

  // Entries with larger sequence numbers are too young for the last level, as far as is known now
  // (OldThrough in entry_ages.h); kMaxSequenceNumber: none are. To be told before a compaction is
  // asked for that nobody asked for: files that have nothing else are not sent down, or they would
  // be written anew, in their place, for ever.
  void set_young_after(SequenceNumber sequence) { young_after_ = sequence; }

  // The default of compactions to come; at first that of the DBOptions.
  void set_max_subcompactions(uint32_t n) { max_subcompactions_ = n; }

 protected:
  friend class Compaction;

  // Whether level 0 may have what these files of it, neighbours, are merged into.
  //
  // A file from outside may come to level 0 above a memtable that has older entries, of other keys.
  // If the file is merged with older ones, the numbers of the result enclose those of the table
  // that the memtable becomes. Epochs tell which of the two is newer, but RocksDB before 7.10 goes
  // by the numbers: it finds such a database corrupt, or reads what is old.
  bool MayStayInLevel0(const Version& version, const std::vector<FileMetaData*>& files) const;
  // A compaction of these files of `level`, none of a level above, would leave them all where they
  // are.
  bool StaysWhereItIs(const ColumnFamilyOptions& options, const Version& version,
                      const std::vector<FileMetaData*>& files, int level, int output_level) const;
  uint32_t max_subcompactions() const { return max_subcompactions_; }
  const std::vector<DbPath>& paths() const { return paths_; }
  // See ReserveLastLevel().
  bool reserves_last_level() const { return reserves_last_level_; }
  const InternalKeyComparator& icmp() const { return *icmp_; }

  // Of level 0 the newest files (but for those that are not older than the memtables) that are best
  // merged among themselves: each one more makes a removed file cheaper, and none is being
  // compacted. *bytes_per_removed: written for each file that goes. Empty: level 0 may not have the
  // result.
  std::vector<FileMetaData*> NewestToMerge(const Version& version, uint64_t max_bytes,
                                           uint64_t* bytes_per_removed) const;

  void GetRange(const std::vector<FileMetaData*>& files, Slice* smallest, Slice* largest) const;
  void GetRange(const std::vector<CompactionInputFiles>& inputs, Slice* smallest,
                Slice* largest) const;
  // Adds neighbours that share a user key with the outermost inputs. false: one of them is being
  // compacted.
  bool ExpandToCleanCut(const Version& version, CompactionInputFiles* inputs) const;
  std::vector<FileMetaData*> Grandparents(const Version& version,
                                          const std::vector<CompactionInputFiles>& inputs,
                                          int output_level) const;
  // Sizes and compression as the output level's are, then Start.
  std::unique_ptr<Compaction> Make(const ColumnFamilyOptions& options, Version* version,
                                   Compaction::Params params);
  void SetOutputDefaults(const ColumnFamilyOptions& options, const Version& version,
                         Compaction::Params* params) const;

 private:
  Placement PlacementOf(const ColumnFamilyOptions& options, const Version& version,
                        const std::vector<CompactionInputFiles>& inputs, int output_level) const;
  void Register(Compaction* compaction);
  void Unregister(Compaction* compaction);

  const InternalKeyComparator* const icmp_;
  std::vector<DbPath> paths_;  // constant once something was picked
  bool reserves_last_level_;
  uint32_t max_subcompactions_;
  SequenceNumber unflushed_from_ = kMaxSequenceNumber;
  SequenceNumber young_after_ = kMaxSequenceNumber;
  std::set<Compaction*> running_;
  std::set<Compaction*> running_level0_;
  std::set<Reservation*> reserved_;
};

uint64_t TotalSize(const std::vector<FileMetaData*>& files);  // bytes
bool AnyBeingCompacted(const std::vector<FileMetaData*>& files);

// The compression of a level's files: bottommost_compression, compression_per_level, or
// compression.
CompressionType CompressionForLevel(const ColumnFamilyOptions& options, const Version& version,
                                    int level, int base_level, bool bottommost);
CompressionOptions CompressionOptionsForLevel(const ColumnFamilyOptions& options,
                                              const Version& version, int level);
// Target size of an output file in bytes.
uint64_t MaxFileSizeForLevel(const ColumnFamilyOptions& options, int level, int base_level);
// Bytes of one compaction's input that should not be exceeded.
uint64_t MaxCompactionBytes(const ColumnFamilyOptions& options);

}  // namespace cairn
