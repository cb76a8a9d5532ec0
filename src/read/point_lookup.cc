#include "read/point_lookup.h"

#include <utility>

#include "read/table_walk.h"

namespace cairn {

Status GetFromVersion(const ReadOptions& options, const Version& version, TableCache* tables,
                      const LookupKey& key, GetContext* context, int* hit_level) {
  if (hit_level != nullptr) *hit_level = -1;
  TablePosition at;
  return WalkTables(options, version, tables, key, kAllLevels, &at, context, hit_level);
}

Status PointLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                   const Slice& key, SequenceNumber snapshot, PinnableSlice* value,
                   Statistics* statistics, SequenceNumber* seq) {
  const LookupKey lookup(key, snapshot);
  Status s;
  if (LookInMemtables(sv, lookup, value, statistics, seq, &s)) return s;
  GetContext context(sv.current->icmp().user_comparator(), key, value, seq);
  int level = -1;
  s = GetFromVersion(options, *sv.current, tables, lookup, &context, &level);
  return Conclude(std::move(s), context, level, statistics);
}

}  // namespace cairn
