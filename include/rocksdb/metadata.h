// What a database reports about its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/types.h"

namespace ROCKSDB_NAMESPACE {

// Any file of a database.
struct FileStorageInfo {
  std::string relative_filename;  // within `directory`, without a slash
  std::string directory;
  uint64_t file_number = 0;
  FileType file_type = kTempFile;
  uint64_t size = 0;  // bytes
  Temperature temperature = Temperature::kUnknown;
  std::string file_checksum;  // of tables: "" and "Unknown" if it was made without one
  std::string file_checksum_func_name;
};

// A file as DB::GetLiveFilesStorageInfo() wants it copied.
struct LiveFileStorageInfo : public FileStorageInfo {
  // If not empty: what the copy holds (`size` bytes), whatever the file does.
  std::string replacement_contents;
  // The file may have more bytes, which are not part of it.
  bool trim_to_size = false;
};

// A table file.
struct SstFileMetaData : public FileStorageInfo {
  SstFileMetaData() { file_type = kTableFile; }

  SequenceNumber smallest_seqno = 0;
  SequenceNumber largest_seqno = 0;
  // User keys.
  std::string smallestkey;
  std::string largestkey;
  uint64_t num_reads_sampled = 0;
  bool being_compacted = false;
  // Tombstones count as entries too.
  uint64_t num_entries = 0;
  uint64_t num_deletions = 0;
  uint64_t oldest_blob_file_number = 0;
  // Seconds since 1970; 0: unknown.
  uint64_t oldest_ancester_time = 0;
  uint64_t file_creation_time = 0;
  // Of two files of level 0 the one of the larger number is newer; 0: not known.
  uint64_t epoch_number = 0;
  // Internal keys: a user key and 8 bytes. Empty: not known.
  std::string smallest;
  std::string largest;
  // The older spelling: "/000012.sst", and the directory.
  std::string name;
  std::string db_path;
};

struct LiveFileMetaData : SstFileMetaData {
  std::string column_family_name;
  int level = 0;
};

// Of a blob file.
struct BlobMetaData {
  uint64_t blob_file_number = 0;
  std::string blob_file_name;
  std::string blob_file_path;
  uint64_t blob_file_size = 0;  // bytes
  // Values, and bytes of them, their keys, and what is around them.
  uint64_t total_blob_count = 0;
  uint64_t total_blob_bytes = 0;
  // What of that no table refers to any more.
  uint64_t garbage_blob_count = 0;
  uint64_t garbage_blob_bytes = 0;
  std::string checksum_method;
  std::string checksum_value;
};

struct LevelMetaData {
  LevelMetaData(int _level, uint64_t _size, const std::vector<SstFileMetaData>&& _files)
      : level(_level), size(_size), files(_files) {}

  const int level;
  const uint64_t size;  // bytes
  const std::vector<SstFileMetaData> files;
};

struct ColumnFamilyMetaData {
  uint64_t size = 0;  // bytes of all table files
  size_t file_count = 0;
  std::string name;
  std::vector<LevelMetaData> levels;
  uint64_t blob_file_size = 0;  // bytes of all blob files
  size_t blob_file_count = 0;
  std::vector<BlobMetaData> blob_files;

  ColumnFamilyMetaData() = default;
  ColumnFamilyMetaData(const std::string& _name, uint64_t _size,
                       const std::vector<LevelMetaData>&& _levels)
      : size(_size), name(_name), levels(_levels) {}
};

// Of DB::GetColumnFamilyMetaData. (Of RocksDB 10.)
struct GetColumnFamilyMetaDataOptions {
  // Files that have keys in it, which may be the limit itself. Borrowed.
  RangeOpt range;
  int level = -1;  // -1: of all levels

  GetColumnFamilyMetaDataOptions() = default;
  GetColumnFamilyMetaDataOptions(const OptSlice& start_key, const OptSlice& end_key,
                                 int only_level = -1)
      : range(start_key, end_key), level(only_level) {}
};

// What Checkpoint::ExportColumnFamily() has made, for DB::CreateColumnFamilyWithImport(). Who keeps
// it elsewhere meanwhile has to keep, of each file: db_path (or a new one) and name, size, level,
// smallest_seqno, largest_seqno, smallest, largest, epoch_number and oldest_blob_file_number.
struct ExportImportFilesMetaData {
  std::string db_comparator_name;
  std::vector<LiveFileMetaData> files;
};

}  // namespace ROCKSDB_NAMESPACE
