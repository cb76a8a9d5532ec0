// Which of a database's directories (DBOptions::db_paths) the tables of a compaction go to. The
// choice is RocksDB's: the newest data in the first directories, each as full as its target size
// says, the rest in the last one. Flushes write into the first. Thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/options.h"

namespace cairn {

// Leveled: the first directory that has room for the whole level when the levels above it have got
// theirs, each at the size that it is to have. (No paths: 0, as with one.)
uint32_t PathOfLevel(const std::vector<DbPath>& paths, const ColumnFamilyOptions& options,
                     int level);

// Universal: the first directory that can hold a run of so many bytes, and with the ones before it
// what may come to be merged with it next.
uint32_t PathOfRun(const std::vector<DbPath>& paths, const ColumnFamilyOptions& options,
                   uint64_t bytes);

}  // namespace cairn
