#include "read/point_lookup.h"

#include <string>
#include <utility>

#include "base/perf.h"
#include "read/table_walk.h"

namespace cairn {

Status PointLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                   const Slice& key, SequenceNumber snapshot, PinnableSlice* value,
                   Statistics* statistics, SequenceNumber* seq) {
  MergeOperands operands(sv.merge_operator);
  return PointLookup(options, sv, tables, key, snapshot, value, &operands, statistics, seq);
}

namespace {

template <bool kTimed>
Status LookUp(Perf perf, const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
              const LookupKey& lookup, PinnableSlice* value, MergeOperands* operands,
              Statistics* statistics, SequenceNumber* seq) {
  Status s;
  if (LookInMemtables<kTimed>(options, sv, lookup, value, statistics, seq, operands, &s)) {
    return s;
  }
  GetContext context(sv.current->icmp().user_comparator(), lookup.user_key(), value,
                     operands->empty() ? seq : nullptr, operands);
  int level = -1;
  TablePosition at;
  s = WalkTables<kTimed>(perf, options, *sv.current, tables, lookup, kAllLevels, &at, &context,
                         &level);
  return Conclude(std::move(s), context, level, value, statistics);
}

}  // namespace

Status PointLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                   const Slice& key, SequenceNumber snapshot, PinnableSlice* value,
                   MergeOperands* operands, Statistics* statistics, SequenceNumber* seq) {
  const LookupKey lookup(key, snapshot);
  const Perf perf;
  return perf.timed()
             ? LookUp<true>(perf, options, sv, tables, lookup, value, operands, statistics, seq)
             : LookUp<false>(perf, options, sv, tables, lookup, value, operands, statistics, seq);
}

Status MergeInto(const MergeOperands& operands, const Slice& user_key, const Slice* base,
                 Statistics* statistics, PinnableSlice* value) {
  if (operands.just_collects()) {
    if (value != nullptr && base != nullptr && value->data() != base->data()) value->PinSelf(*base);
    return base != nullptr ? Status::OK() : Status::NotFound();
  }
  if (value == nullptr) return Status::OK();  // the key exists
  Perf().Count(&PerfContext::internal_merge_point_lookup_count, operands.size());
  std::string result;
  Status s = operands.Merge(user_key, base, statistics, /*logger=*/nullptr, &result);
  value->Reset();
  if (!s.ok()) return s;
  *value->GetSelf() = std::move(result);
  value->PinSelf();
  return s;
}

Status ConcludeMerge(const GetContext& context, PinnableSlice* value, Statistics* statistics) {
  switch (context.state()) {
    case GetContext::kFound:
      return MergeInto(*context.operands(), context.user_key(), value, statistics, value);
    case GetContext::kNotFound:
    case GetContext::kMerge:
    case GetContext::kDeleted:
      return MergeInto(*context.operands(), context.user_key(), nullptr, statistics, value);
    case GetContext::kUnsupported:
      return Status::NotSupported("Value type is not supported");
    case GetContext::kCorrupt:
      break;
  }
  return Status::Corruption("corrupted entry for key", context.user_key().ToString(/*hex=*/true));
}

}  // namespace cairn
