// JobBlobs: what one flush, or one part of a compaction, has to do with blobs.
//
// - What goes in: it counts the blobs that its inputs refer to, and reads them for who asks (a
//   compaction filter, a merge).
// - What comes out: a value of min_blob_size and more goes to a blob file, if the family has
//   enable_blob_files and the output level is blob_file_starting_level or deeper. A blob of one of
//   the oldest files (blob_garbage_collection_age_cutoff) is written anew, so that the file can go.
// - What neither came out again nor will: garbage, by file, for the MANIFEST.
//
// Not thread-safe. SUSPENDS.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "blob/blob_source.h"
#include "compaction/blob_file_writer.h"
#include "compaction/compaction_iterator.h"
#include "compaction/job_env.h"
#include "compaction/table_writer.h"
#include "manifest/blob_file_meta.h"
#include "rocksdb/compaction_job_stats.h"
#include "rocksdb/slice.h"

namespace cairn {

class Compaction;

class JobBlobs {
 public:
  // Of a flush.
  JobBlobs(const JobEnv& env, const ColumnFamilyOptions& options, BlobFileCreationReason reason);
  // Of a part of a compaction.
  JobBlobs(const JobEnv& env, const Compaction& compaction);
  JobBlobs(const JobBlobs&) = delete;
  JobBlobs& operator=(const JobBlobs&) = delete;

  // An entry with a blob index was read from an input. Once for each.
  [[nodiscard]] Status CountInput(const Slice& user_key, const Slice& index);
  // The value of an input's entry; *value is good until the next call.
  [[nodiscard]] Status Read(const Slice& user_key, const Slice& index, Slice* value);

  // Adds the entry to the table, its value as JobBlobs has it. In the order of the entries.
  [[nodiscard]] Status AddEntry(const CompactionIterator& kept, TableWriter* writer) {
    if (writer_ != nullptr || counts_) [[unlikely]]
      return AddPrepared(kept, writer);
    writer->Add(kept.parsed(), kept.key(), kept.value());
    return Status::OK();
  }
  // Ends the files.
  [[nodiscard]] Status Finish();
  // Deletes the files.
  void Drop();

  // The files; after Finish.
  const std::vector<BlobFileAddition>& files() const;
  // Adds to *garbage what is garbage from now on, by file.
  void AddGarbage(std::map<uint64_t, BlobFileGarbage>* garbage) const;
  void AddCounts(CompactionJobStats* counts) const;

 private:
  struct Flow {
    uint64_t blobs_in = 0, bytes_in = 0, blobs_out = 0, bytes_out = 0;
  };

  [[nodiscard]] Status AddPrepared(const CompactionIterator& kept, TableWriter* writer);
  // Makes of an entry what the table gets, good until the next call.
  [[nodiscard]] Status PrepareOutput(ParsedInternalKey* parsed, Slice* key, Slice* value);
  // The table gets `value_`, as one of this type.
  void Become(ValueType type, const Slice& value, ParsedInternalKey* parsed, Slice* key,
              Slice* out_value);
  // Into a blob file, if it belongs there; *index as BlobFileWriter::Add's.
  Status Write(const Slice& user_key, const Slice& value, std::string* index);
  void Tick(uint32_t ticker, uint64_t n = 1) const {
    if (env_.statistics != nullptr) env_.statistics->recordTick(ticker, n);
  }

  const JobEnv& env_;
  const bool counts_;             // a compaction: what is not written again is garbage
  const uint64_t collect_below_;  // blobs of files below this number are written anew
  ReadOptions read_options_;
  BlobReadAheads ahead_;
  std::unique_ptr<BlobFileWriter> writer_;  // null: values stay in the tables
  std::map<uint64_t, Flow> flows_;          // by file
  PinnableSlice blob_;                      // what was read last
  std::string index_, key_;                 // of the entry prepared last
  uint64_t blobs_read_ = 0;
  uint64_t bytes_read_ = 0;
};

}  // namespace cairn
