// Builds the tower of iterators over a super version or a version. Called by the user iterator, by
// reads and compaction. Thread-safe; the results are not.
#ifndef CAIRN_READ_VERSION_ITERATORS_H_
#define CAIRN_READ_VERSION_ITERATORS_H_

#include <memory>
#include <vector>

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "manifest/version.h"
#include "read/super_version.h"
#include "read/tombstone_view.h"
#include "rocksdb/options.h"
#include "rocksdb/scan_options.h"
#include "table/table_cache.h"

namespace cairn {

/// Appends one iterator per level-0 file (newest first), then one per deeper level that has files.
/// The caller owns them and keeps the version. Level-0 files wholly outside the options' bounds are
/// left out.
/// Those that may have range tombstones are added to `tombstones`, too.
/// `ranges`: null, or the only keys that matter, for bounds that will change from one to the next:
/// then it is the files outside of all of them that are left out.
void AddVersionIterators(const Version& version, const ReadOptions& options, TableCache* tables,
                         TombstoneView* tombstones, std::vector<InternalIterator*>* out,
                         const std::vector<ScanOptions>* ranges = nullptr);

/// Everything in `sv`, merged: internal keys of all sequence numbers. The caller owns the result
/// and keeps `sv` referenced while it lives. A memtable that is empty now is left out: take the
/// sequence number to read at before this call.
/// *tombstones receives what hides entries of it; null: nothing can.
InternalIterator* NewSuperVersionIterator(const ReadOptions& options, const SuperVersion& sv,
                                          TableCache* tables,
                                          std::unique_ptr<TombstoneView>* tombstones,
                                          const std::vector<ScanOptions>* ranges = nullptr);

}  // namespace cairn

#endif  // CAIRN_READ_VERSION_ITERATORS_H_
