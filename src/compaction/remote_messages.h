// What a primary and the workers of its remote compactions tell each other (CompactionService in
// rocksdb/options.h): the job, and what came of it. Strings of Cairn's own, which the user's
// service carries from one process to another and does not look into.
//
//   fixed32 magic   RemoteJob or RemoteResult
//   body            varints and strings with their length before them, in the order of the fields
//   fixed32 version of the body
//   fixed32 crc32c  masked, of all before
//
// They come from outside: a damaged one is Corruption, one of another version NotSupported, and
// neither is believed in part. So is one that RocksDB made: its strings begin otherwise.
//
// Thread safety: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "manifest/file_metadata.h"
#include "rocksdb/compaction_job_stats.h"
#include "rocksdb/compression_type.h"
#include "rocksdb/listener.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"

namespace cairn {

// One part of a compaction (subcompaction.h), from the primary to the worker. What the options say
// is not in it, but for what the primary has computed of them: the worker reads the OPTIONS file.
struct RemoteJob {
  struct Level {
    int level = 0;
    std::vector<uint64_t> files;  // numbers of the tables
    bool operator==(const Level&) const = default;
  };

  std::string db_id;
  std::string column_family;
  // The directories of its tables, by path id, which no OPTIONS file has. Empty text: the
  // database's own, whatever the worker calls it.
  std::vector<std::string> paths;
  uint64_t options_file_number = 0;
  uint64_t manifest_number = 0, manifest_bytes = 0;  // JobEnv::manifest_number
  std::vector<Level> inputs;                         // levels ascending, as Compaction::inputs()
  int output_level = 0;
  std::optional<std::string> begin, end;  // user keys [begin, end); nullopt: no bound
  std::vector<SequenceNumber> snapshots;  // ascending
  std::string history_low;                // JobEnv::history_low
  // As Compaction has them.
  CompressionType compression = kNoCompression;
  uint64_t target_output_file_size = 0;  // bytes
  uint64_t max_compaction_bytes = 0;
  bool manual = false;
  CompactionReason reason = CompactionReason::kUnknown;
  Temperature temperature = Temperature::kUnknown;  // of the tables

  bool operator==(const RemoteJob&) const = default;

  std::string Encode() const;
  [[nodiscard]] Status Decode(const Slice& bytes);
};

// What a worker made of it.
struct RemoteResult {
  Status status;  // not OK: all else is empty
  std::string output_path;
  int output_level = 0;
  // In key order, with the numbers that the worker gave them; in `output_path`, whatever path_id
  // says. What FileMetaData has of entries (num_entries and so on) is not told: a reader of the
  // table finds it.
  std::vector<FileMetaData> files;
  CompactionJobStats counts;  // Subcompaction::counts()
  uint64_t records_in = 0;
  uint64_t records_dropped = 0;
  uint64_t records_filtered = 0;
  uint64_t cpu_micros = 0;
  // Of the worker's files.
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;

  std::string Encode() const;
  [[nodiscard]] Status Decode(const Slice& bytes);
};

}  // namespace cairn
