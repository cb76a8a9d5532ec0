// LevelIterator: the files of one level above 0, or any run of ordered, disjoint files, as one
// iterator. A file's table is opened when the cursor reaches it and let go when the cursor leaves
// it. Used by read/version_iterators and by compaction.
//
// Not thread-safe. Moving may SUSPEND (a table is opened, a block is read). An error of a table
// stops the iterator there (Valid() false, status() tells): it never skips a file.
#ifndef CAIRN_READ_LEVEL_ITERATOR_H_
#define CAIRN_READ_LEVEL_ITERATOR_H_

#include <memory>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "manifest/version.h"
#include "rocksdb/options.h"
#include "table/table_cache.h"

namespace cairn {

struct LevelIteratorOptions {
  int level = -1;
  bool for_compaction = false;
  bool skip_filters = false;
  size_t compaction_readahead = 0;  // bytes
};

/// `files` points into a Version that the caller keeps; `icmp` and `tables` outlive the iterator. A
/// copy of `options` is kept: a file wholly at or beyond iterate_upper_bound is not opened by Next.
/// The caller owns the result.
InternalIterator* NewLevelIterator(const ReadOptions& options, const InternalKeyComparator* icmp,
                                   TableCache* tables, const LevelFiles& files,
                                   const LevelIteratorOptions& level_options);

/// The same over a list of files of its own (compaction inputs): `files` are borrowed and must
/// outlive the iterator.
InternalIterator* NewLevelIterator(const ReadOptions& options, const InternalKeyComparator* icmp,
                                   TableCache* tables, const std::vector<FileMetaData*>& files,
                                   const LevelIteratorOptions& level_options);

}  // namespace cairn

#endif  // CAIRN_READ_LEVEL_ITERATOR_H_
