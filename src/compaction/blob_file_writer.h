// BlobFileWriter: the blob files that one flush, or one part of a compaction, writes. Values of
// min_blob_size and more go there; the table gets where they are (blob/blob_format.h).
//
// A file is ended at blob_file_size, and durable then, but for its name: who writes tables syncs
// the directory. Not thread-safe. SUSPENDS.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "compaction/job_env.h"
#include "fs/file_writer.h"
#include "manifest/blob_file_meta.h"
#include "rocksdb/types.h"
#include "table/compression.h"

namespace cairn {

class BlobFileWriter {
 public:
  // All borrowed.
  BlobFileWriter(const JobEnv& env, const ColumnFamilyOptions& options,
                 BlobFileCreationReason reason);
  // Deletes a file that was not ended.
  ~BlobFileWriter();
  BlobFileWriter(const BlobFileWriter&) = delete;
  BlobFileWriter& operator=(const BlobFileWriter&) = delete;

  // If the value belongs in a blob file, it is there now, and *index says where, as a table has it;
  // else *index is empty: too small, or nothing can compress it.
  [[nodiscard]] Status Add(const Slice& key, const Slice& value, std::string* index);
  // Ends the last file.
  [[nodiscard]] Status Finish();
  // Deletes all files.
  void Drop();

  // Those that were ended.
  const std::vector<BlobFileAddition>& files() const { return files_; }

 private:
  Status Open();
  Status End();
  Status Sync();
  // The open file is given up, because of this error.
  void GiveUp(const Status& s);
  void TellStarted() const;
  void TellCreated(const BlobFileAddition& file, const Status& s) const;
  void Tick(uint32_t ticker, uint64_t n = 1) const {
    if (env_.statistics != nullptr) env_.statistics->recordTick(ticker, n);
  }

  const JobEnv& env_;
  const ColumnFamilyOptions& options_;
  const BlobFileCreationReason reason_;
  std::unique_ptr<BlockCompressor> compressor_;  // null: nothing is compressed
  std::unique_ptr<FileWriter> file_;             // null: none is open
  std::string path_;                             // of file_
  BlobFileAddition open_;                        // what is in it
  std::vector<BlobFileAddition> files_;
};

}  // namespace cairn
