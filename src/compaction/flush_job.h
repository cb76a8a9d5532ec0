// Writes immutable memtables into one level-0 table. Called by db/ from a background thread, and by
// recovery for the memtable that a WAL filled. Does not touch the manifest: the caller installs the
// result.
//
// Thread safety: one caller; runs without the database mutex. SUSPENDS.
#pragma once

#include <vector>

#include "base/namespace.h"
#include "compaction/job_blobs.h"
#include "compaction/job_env.h"
#include "manifest/file_metadata.h"
#include "memtable/memtable.h"
#include "rocksdb/types.h"

namespace cairn {

class CompactionIterator;
class Courtesy;
class TableWriter;
class TombstoneWriter;
struct TableWriterOptions;

class FlushJob {
 public:
  // `memtables`: oldest first, referenced by the caller during Run. `cf_options` decides
  // compression, table format and so on. `epoch_number` goes into the file's metadata. `reason` is
  // for the event log ("Write Buffer Full", "Manual Flush"), `creation_reason` for the user's
  // compaction filters.
  FlushJob(const JobEnv& env, const ColumnFamilyOptions& cf_options,
           std::vector<MemTable*> memtables, uint64_t epoch_number, const char* reason,
           TableFileCreationReason creation_reason = TableFileCreationReason::kFlush);

  // Creates, writes, syncs and checks the table `file_number`, and syncs the directory. On success
  // *meta describes the file, with file_size 0 and no file on disk when nothing was left to write.
  // On failure no file is left behind. The same of blob files.
  [[nodiscard]] Status Run(uint64_t file_number, FileMetaData* meta);

  const JobStats& stats() const { return stats_; }
  // Bytes that the memtables take.
  uint64_t memory() const { return contents_.memory; }
  // Bytes of their keys and values.
  uint64_t data_size() const { return contents_.data_size; }
  // Where the table has no timestamps: nobody may read below this one once it is there. Empty: the
  // mark stays where it is.
  const std::string& history_low() const { return history_low_; }
  // What Run wrote beside the table, which refers to them.
  const std::vector<BlobFileAddition>& blob_files() const { return blobs_.files(); }

 private:
  // How much the memtables hold.
  struct Contents {
    uint64_t entries = 0;
    uint64_t deletes = 0;
    uint64_t data_size = 0;  // bytes of keys and values
    size_t memory = 0;       // bytes
  };

  // Sets history_low_.
  void CollapseHistory();
  void TellStarted() const;
  void TellFinished(const Status& s, const FileMetaData& meta) const;
  std::vector<InternalIterator*> OpenMemtables(bool filtered) const;
  void CountPayload(const CompactionJobStats& read, const RangeTombstones* tombstones,
                    const TableWriter& writer) const;
  TableWriterOptions WriterOptions() const;
  [[nodiscard]] Status WriteTable(CompactionIterator* kept, TombstoneWriter* tombstones,
                                  Courtesy* courtesy, TableWriter* writer, FileMetaData* meta);

  const JobEnv& env_;
  const ColumnFamilyOptions& cf_options_;
  const std::vector<MemTable*> memtables_;
  const uint64_t epoch_number_;
  const char* const reason_;
  const TableFileCreationReason creation_reason_;
  Contents contents_;
  std::string history_low_;
  JobBlobs blobs_;
  JobStats stats_;
};

}  // namespace cairn
