// One output table of a flush or a compaction, from creation to the point where it may enter the
// manifest. Used by both jobs. Not thread-safe. SUSPENDS.
#pragma once

#include <memory>
#include <string>

#include "base/hash.h"
#include "base/namespace.h"
#include "base/seqno_to_time_mapping.h"
#include "compaction/job_env.h"
#include "fs/file_writer.h"
#include "manifest/file_metadata.h"
#include "rocksdb/types.h"
#include "table/table_builder.h"

namespace cairn {

struct TableWriterOptions {
  int level = 0;
  uint32_t path_id = 0;  // index into JobEnv::paths
  bool bottommost = false;
  bool is_flush = false;
  CompressionType compression = kNoCompression;
  CompressionOptions compression_opts;
  uint64_t target_file_size = 0;  // bytes, a hint
  uint64_t epoch_number = kUnknownEpochNumber;
  uint64_t oldest_ancester_time = kUnknownFileTime;  // Unix seconds
  TableFileCreationReason reason = TableFileCreationReason::kMisc;
  Temperature temperature = Temperature::kUnknown;  // told to the file system
  // When what was written, of which the table's properties get what its entries need. Borrowed;
  // null, or empty: nothing is known.
  const SeqnoToTimeMapping* times = nullptr;
  bool read_back = false;             // compare the entries with what was added
  bool verify_file_checksum = false;  // where the file has one
};

class TableWriter {
 public:
  // All borrowed.
  TableWriter(const JobEnv& env, const ColumnFamilyOptions& cf_options,
              const TableWriterOptions& options);
  // Deletes the file unless Finish succeeded.
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;

  [[nodiscard]] Status Open(uint64_t file_number);
  // Keys ascending.
  void Add(const ParsedInternalKey& parsed, const Slice& key, const Slice& value) {
    if (meta_.smallest.empty()) meta_.smallest.DecodeFrom(key);
    if (options_.read_back) [[unlikely]]
      hash_ = HashOn(hash_, key, value);
    builder_->Add(key, value);
    if (parsed.type == kTypeBlobIndex) [[unlikely]]
      NoteBlob(value);
    if (parsed.sequence < meta_.smallest_seqno) meta_.smallest_seqno = parsed.sequence;
    if (parsed.sequence > meta_.largest_seqno) meta_.largest_seqno = parsed.sequence;
  }
  // In the order of their starts, newest first where these are equal; before or after entries.
  // `timestamp`, if not empty, takes the place of those that `start` and `end` end in.
  void AddTombstone(const Slice& start, const Slice& end, SequenceNumber sequence,
                    const Slice& timestamp = Slice());
  Status status() const { return builder_->status(); }
  bool IsEmpty() const { return builder_->IsEmpty(); }
  // Of keys and values, before they were made blocks: once the table is complete, until then 0.
  uint64_t raw_bytes() const { return raw_bytes_; }
  uint64_t EstimatedFileSize() const { return builder_->EstimatedFileSize(); }

  // Completes the table, syncs and closes the file, and reads it back through the table cache: a
  // table that cannot be opened never enters the manifest. *meta is complete then. REQUIRES: not
  // empty.
  [[nodiscard]] Status Finish(FileMetaData* meta) {
    Status s = FinishTable();
    return s.ok() ? MakeDurable(meta) : s;
  }
  // The two halves of it: what needs the processor, and what waits for the device, which may be
  // done by another thread while this one writes the next table. After an error the file is gone.
  [[nodiscard]] Status FinishTable();
  [[nodiscard]] Status MakeDurable(FileMetaData* meta);
  // Deletes the file.
  void Abandon();

 private:
  void SetTimes();
  [[nodiscard]] Status SyncAndCheck(FileMetaData* meta);
  Status GiveUp(Status s);
  void NoteBlob(const Slice& index);
  static uint64_t HashOn(uint64_t hash, const Slice& key, const Slice& value) {
    hash = Hash64(key.data(), key.size(), hash);
    return Hash64(value.data(), value.size(), hash);
  }
  // Reads all entries back and compares them with what was added.
  [[nodiscard]] Status ReadBack(const TableFileId& id) const;
  // Computes the file's checksum anew from the file.
  [[nodiscard]] Status VerifyFileChecksum() const;
  // To the user's listeners.
  void TellStarted();
  void TellCreated(const TableProperties& properties, const Status& s);

  const JobEnv& env_;
  const ColumnFamilyOptions& cf_options_;
  const TableWriterOptions options_;
  std::string path_;
  std::unique_ptr<FileWriter> file_;
  std::unique_ptr<TableBuilder> builder_;
  uint64_t raw_bytes_ = 0;
  FileMetaData meta_;  // `largest` only at the end: the builder has it
  InternalKey tombstones_smallest_, tombstones_largest_;  // empty: there are none
  uint64_t hash_ = 0;                                     // of all entries, with read_back
  bool ended_ = true;                                     // nothing to clean up
  bool to_be_told_ = false;  // listeners know of the start, but not of the end
};

}  // namespace cairn
