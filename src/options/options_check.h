// Which options a database accepts, and what they become when it is opened or they are changed.
//
// Thread safety: functions without state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "memtable/memtable.h"
#include "rocksdb/cache.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace cairn {

// Checks and completes the user's options for a database at `dbname`. An option that Cairn does not
// honour, set to something else than its default, is NotSupported or InvalidArgument and named.
[[nodiscard]] Status CheckOptions(const DBOptions& db_options,
                                  const ColumnFamilyOptions& cf_options);
// Of FIFO style; before the options are completed. Part of CompleteOptions.
[[nodiscard]] Status CheckFifoAge(const DBOptions& db_options, const ColumnFamilyOptions& options);
DBOptions SanitizeOptions(const DBOptions& options, const std::string& dbname);
ColumnFamilyOptions SanitizeOptions(const ColumnFamilyOptions& options);
// Of a new or opened family: checked and completed. `db_options` are sanitized.
[[nodiscard]] Status CompleteOptions(const DBOptions& db_options, ColumnFamilyOptions* options);
// Of sanitized options. The client is left to the caller.
MemTableOptions MakeMemTableOptions(const DBOptions& db_options,
                                    const ColumnFamilyOptions& cf_options);
// What options with the value 0 become, in bytes per second.
inline constexpr uint64_t kDefaultDelayedWriteRate = uint64_t{16} << 20;

inline bool HasCompactionFilter(const ColumnFamilyOptions& options) {
  return options.compaction_filter != nullptr || options.compaction_filter_factory != nullptr;
}
// Compactions leave the last level to what is ingested behind all else.
inline bool ReservesLastLevel(const DBOptions& db_options, const ColumnFamilyOptions& options) {
  return db_options.allow_ingest_behind || options.cf_allow_ingest_behind;
}
// Where a family's tables are, by path id; its blob files are in the first. `db_options` are
// sanitized, or there are no paths: then the database's own directory.
const std::vector<DbPath>& TablePathsOf(const DBOptions& db_options,
                                        const ColumnFamilyOptions& options);
std::vector<std::string> TableDirectoriesOf(const DBOptions& db_options,
                                            const ColumnFamilyOptions& options,
                                            const std::string& dbname);
// Null: it has none.
Cache* BlockCacheOf(const ColumnFamilyOptions& options);

}  // namespace cairn
