// All entries of a range of keys as they are stored, visible or not: for utilities/debug.h.
#include <memory>

#include "base/internal_key.h"
#include "db/db_impl.h"
#include "db/families.h"
#include "read/super_version.h"
#include "read/tombstone_view.h"
#include "read/version_iterators.h"

namespace cairn {

Status DBImpl::VisitEntries(ColumnFamilyHandle* handle, const Slice& begin, const Slice& end,
                            const std::function<bool(const ParsedInternalKey&, Slice)>& visit) {
  ColumnFamily* family = nullptr;
  Status s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  ReadOptions options;
  options.total_order_seek = true;
  options.fill_cache = false;
  const SuperVersionGuard guard(family->super_versions.get());
  std::unique_ptr<TombstoneView> tombstones;
  const std::unique_ptr<InternalIterator> entries(
      NewSuperVersionIterator(options, *guard.get(), family->tables.get(), &tombstones));
  if (begin.empty()) {
    entries->SeekToFirst();
  } else {
    std::string target;
    const std::string first = WithMaxTimestamp(begin, family->icmp.timestamp_size());
    AppendInternalKey(&target, ParsedInternalKey(first, kMaxSequenceNumber, kValueTypeForSeek));
    entries->Seek(target);
  }
  for (; entries->Valid(); entries->Next()) {
    ParsedInternalKey key;
    s = ParseInternalKey(entries->key(), &key);
    if (!s.ok()) return s;
    if (!end.empty() && family->icmp.CompareToBound(key.user_key, end) > 0) break;
    if (!visit(key, entries->value())) break;
  }
  return entries->status();
}

}  // namespace cairn
