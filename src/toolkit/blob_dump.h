// What ldb shows of values in blob files: the files, and the indexes that tables have in place of
// the values, in the words of RocksDB's ldb.
#pragma once

#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

struct BlobDumpOptions {
  bool hex_keys = false;
  bool hex_values = false;
  bool uncompressed = false;  // values as they were written, not as they are stored
};

// Prints header, footer and all records, which are checked on the way. A file whose writer died,
// without a footer, too. An error names the file, and the offset; what came before it is printed.
// SUSPENDS.
[[nodiscard]] Status DumpBlobFile(FileSystem* fs, const std::string& path,
                                  const BlobDumpOptions& options);

// " => " and the value of an entry: `decode`: of a blob index, where the value is.
std::string EntryValueText(ValueType type, const Slice& value, bool decode, bool hex);

}  // namespace cairn
