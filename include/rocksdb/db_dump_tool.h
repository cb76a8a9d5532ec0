// A database's entries as one file, and back: RocksDB's `rocksdb_dump` and `rocksdb_undump` as
// functions, in their format. Of the default column family; timestamps, columns and what a merge
// operator has not merged yet do not go in: what Get() shows does.
//
// The file: "ROCKDUMP", the version (1, as 8 bytes big-endian), the size of a JSON object and that
// object, which says where the dump comes from; then each key and value, with its size before it.
// Sizes are of 4 bytes, little-endian.
//
// For text that people read there are `ldb dump` and `ldb load`.
#pragma once

#include <string>

#include "rocksdb/db.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

struct DumpOptions {
  std::string db_path;
  // The file; replaced if it is there.
  std::string dump_location;
  // True: the dump does not say where it comes from (path, host, time).
  bool anonymous = false;
};

class DbDumpTool {
 public:
  // Opens the database for reading, which another process may be writing to. False: an error, which
  // is on the standard error; the file is then incomplete.
  bool Run(const DumpOptions& dump_options, Options options = Options());
};

struct UndumpOptions {
  // Made if it is missing; what it has and the dump has not stays.
  std::string db_path;
  std::string dump_location;
  // Compact all of the database afterwards.
  bool compact_db = false;
};

class DbUndumpTool {
 public:
  // False: an error, which is on the standard error. A file that is no dump, or is cut off, leaves
  // the database alone.
  bool Run(const UndumpOptions& undump_options, Options options = Options());
};

}  // namespace ROCKSDB_NAMESPACE
