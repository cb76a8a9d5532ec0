// SstFileWriter: makes a table file outside of any database, to be ingested into one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/types.h"
#include "rocksdb/wide_columns.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;
class Comparator;

// What a finished file holds. Keys are user keys.
struct ExternalSstFileInfo {
  ExternalSstFileInfo() = default;
  ExternalSstFileInfo(const std::string& _file_path, const std::string& _smallest_key,
                      const std::string& _largest_key, SequenceNumber _sequence_number,
                      uint64_t _file_size, int32_t _num_entries, int32_t _version)
      : file_path(_file_path),
        smallest_key(_smallest_key),
        largest_key(_largest_key),
        sequence_number(_sequence_number),
        file_size(_file_size),
        num_entries(static_cast<uint64_t>(_num_entries)),
        version(_version) {}

  std::string file_path;
  std::string smallest_key;
  std::string largest_key;
  std::string smallest_range_del_key;
  std::string largest_range_del_key;
  std::string file_checksum;  // "" and "Unknown" without options.file_checksum_gen_factory
  std::string file_checksum_func_name = "Unknown";
  SequenceNumber sequence_number = 0;  // of all entries
  uint64_t file_size = 0;              // bytes
  uint64_t num_entries = 0;
  uint64_t num_range_del_entries = 0;
  int32_t version = 0;
};

// Open, then entries in strictly ascending order of their keys, then Finish; then Open again for
// another file. All entries have sequence number 0 until the file is ingested. A file that is not
// finished is of no use. One caller at a time. All calls may SUSPEND.
class SstFileWriter {
 public:
  // `options`: the table's, as a column family has them (table_factory, compression: that of the
  // last level, comparator, prefix_extractor). `column_family`: where the file is to be ingested;
  // null: not known. `io_priority` is a hint. `skip_filters`: write no filter.
  SstFileWriter(const EnvOptions& env_options, const Options& options,
                ColumnFamilyHandle* column_family = nullptr, bool invalidate_page_cache = true,
                Env::IOPriority io_priority = Env::IOPriority::IO_TOTAL, bool skip_filters = false)
      : SstFileWriter(env_options, options, options.comparator, column_family,
                      invalidate_page_cache, io_priority, skip_filters) {}
  SstFileWriter(const EnvOptions& env_options, const Options& options,
                const Comparator* user_comparator, ColumnFamilyHandle* column_family = nullptr,
                bool invalidate_page_cache = true,
                Env::IOPriority io_priority = Env::IOPriority::IO_TOTAL, bool skip_filters = false);
  // A file that is open is given up: it stays, and is no table.
  ~SstFileWriter();
  SstFileWriter(const SstFileWriter&) = delete;
  SstFileWriter& operator=(const SstFileWriter&) = delete;

  // Creates the file, or empties it. One that was not finished before is given up, as it is.
  // InvalidArgument or NotSupported for options that a database would refuse, too.
  Status Open(const std::string& file_path);

  // InvalidArgument without an open file, or if the key is not behind the last one.
  Status Put(const Slice& user_key, const Slice& value);
  // Corruption: two columns have the same name.
  Status PutEntity(const Slice& user_key, const WideColumns& columns);
  Status Merge(const Slice& user_key, const Slice& value);
  Status Delete(const Slice& user_key);
  // Put's old name.
  Status Add(const Slice& user_key, const Slice& value) { return Put(user_key, value); }

  // For comparators with timestamps, and these alone: InvalidArgument for others, or if the
  // timestamp has another size; as is each call above where there are timestamps. Of one key the
  // newest timestamp comes first.
  Status Put(const Slice& user_key, const Slice& timestamp, const Slice& value);
  Status Delete(const Slice& user_key, const Slice& timestamp);
  Status DeleteRange(const Slice& begin_key, const Slice& end_key, const Slice& timestamp);

  // Deletes [begin_key, end_key) from what the file is ingested upon, but nothing of the file
  // itself. In any order among themselves and the entries. InvalidArgument without an open file, or
  // if end_key comes before begin_key; with equal keys it does nothing.
  Status DeleteRange(const Slice& begin_key, const Slice& end_key);

  // Completes, syncs and closes the file. InvalidArgument if it would have no entries. After an
  // error the file is gone. `file_info` may be null.
  Status Finish(ExternalSstFileInfo* file_info = nullptr);

  // Bytes written so far: those of the last file after Finish().
  uint64_t FileSize();

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace ROCKSDB_NAMESPACE
