// Memtables' history, which RocksDB's databases with transactions need to find conflicts, and ours
// do not: options that ask for it are taken for given.
#ifndef CAIRN_UTILITIES_MEMTABLE_HISTORY_H_
#define CAIRN_UTILITIES_MEMTABLE_HISTORY_H_

#include <vector>

#include "base/namespace.h"
#include "rocksdb/db.h"

namespace cairn {

constexpr auto kHistoryBytes = &ColumnFamilyOptions::max_write_buffer_size_to_maintain;
constexpr auto kHistoryMemtables = &ColumnFamilyOptions::max_write_buffer_number_to_maintain;

// What DB::Open() takes: it refuses to keep history.
inline std::vector<ColumnFamilyDescriptor> WithoutMemtableHistory(
    std::vector<ColumnFamilyDescriptor> families) {
  for (ColumnFamilyDescriptor& family : families) {
    family.options.*kHistoryBytes = 0;
    family.options.*kHistoryMemtables = 0;
  }
  return families;
}

}  // namespace cairn

#endif  // CAIRN_UTILITIES_MEMTABLE_HISTORY_H_
