// Calls that RocksDB keeps apart from its stable interface.
#pragma once

#include <string>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {
namespace experimental {

// Has the files that overlap [*begin, *end] (null: no bound) compacted soon, down to the deepest
// level that has any. Returns at once. For leveled compaction; with other styles it has no effect.
Status SuggestCompactRange(DB* db, ColumnFamilyHandle* column_family, const Slice* begin,
                           const Slice* end);
Status SuggestCompactRange(DB* db, const Slice* begin, const Slice* end);

// Moves all files of level 0 to target_level as they are. InvalidArgument unless they are disjoint,
// none is being compacted, and levels 1 to target_level are empty.
Status PromoteL0(DB* db, ColumnFamilyHandle* column_family, int target_level = 1);

struct UpdateManifestForFilesStateOptions {
  // The temperatures of tables become those that their file system says.
  bool update_temperatures = true;
};
// Has the MANIFEST of a database that nobody has open say of its tables what is so by now.
// `column_families`: all that it has. IOError: somebody has it open, or a table is missing.
Status UpdateManifestForFilesState(
    const DBOptions& db_opts, const std::string& db_name,
    const std::vector<ColumnFamilyDescriptor>& column_families,
    const UpdateManifestForFilesStateOptions& opts = UpdateManifestForFilesStateOptions());

}  // namespace experimental
}  // namespace ROCKSDB_NAMESPACE
