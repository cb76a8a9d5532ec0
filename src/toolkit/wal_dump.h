// Prints the records of a write-ahead log, in the words of RocksDB's ldb.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace cairn {

struct WalDumpOptions {
  bool header = false;          // a line that names the columns
  bool values = false;          // values, too
  bool write_committed = true;  // what the marks of transactions must be
};

// Damage in the middle is told on the standard error, and passed over. An error: the file cannot be
// read, or a batch in it makes no sense. SUSPENDS.
[[nodiscard]] Status DumpWal(FileSystem* fs, const std::string& path,
                             const WalDumpOptions& options);

// Whether it has a record of a write.
[[nodiscard]] bool HasWrites(FileSystem* fs, const std::string& path);

}  // namespace cairn
