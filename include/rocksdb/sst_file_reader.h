// SstFileReader: reads a table file that need not belong to a database.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"

namespace ROCKSDB_NAMESPACE {

// After Open, any number of threads and fibers may call it. All calls may SUSPEND.
class SstFileReader {
 public:
  // `options` must have the comparator that the file was written with.
  explicit SstFileReader(const Options& options);
  ~SstFileReader();
  SstFileReader(const SstFileReader&) = delete;
  SstFileReader& operator=(const SstFileReader&) = delete;

  // Corruption if the file is no table, or a damaged one. REQUIRES: called once, before the others,
  // which REQUIRE that it was OK.
  Status Open(const std::string& file_path);

  // The newest entry of each key at options.snapshot, without deletions. Where keys have timestamps
  // it shows what DB::NewIterator would at options.timestamp, and without one all versions, with
  // their timestamps in key(). The caller deletes it before this reader.
  Iterator* NewIterator(const ReadOptions& options);

  // What NewIterator(options) shows of these keys; NotFound: nothing.
  Status Get(const ReadOptions& options, const Slice& key, std::string* value);
  Status Get(const ReadOptions& options, const Slice& key, PinnableSlice* value);
  std::vector<Status> MultiGet(const ReadOptions& options, const std::vector<Slice>& keys,
                               std::vector<std::string>* values);
  std::vector<Status> MultiGet(const ReadOptions& options, const std::vector<Slice>& keys,
                               std::vector<PinnableSlice>* values);

  std::shared_ptr<const TableProperties> GetTableProperties() const;

  // Reads the whole file and verifies every block.
  Status VerifyChecksum(const ReadOptions& options);
  Status VerifyChecksum() { return VerifyChecksum(ReadOptions()); }
  // Counts the entries. Corruption: the properties have another number.
  Status VerifyNumEntries(const ReadOptions& options);

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace ROCKSDB_NAMESPACE
