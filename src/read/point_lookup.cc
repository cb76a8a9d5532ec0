#include "read/point_lookup.h"

#include <string>
#include <utility>

#include "base/allocation.h"
#include "base/perf.h"
#include "base/wide_column_serialization.h"
#include "read/table_walk.h"

namespace cairn {

namespace {

template <bool kTimed>
Status LookUp(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
              const Slice& key, SequenceNumber snapshot, PinnableSlice* value,
              MergeOperands* operands, Statistics* statistics, SequenceNumber* seq,
              bool* is_entity) {
  const LookupKey lookup(key, snapshot);
  Status s;
  if (LookInMemtables<kTimed>(options, sv, lookup, value, statistics, seq, operands, is_entity,
                              &s)) {
    return s;
  }
  GetContext context(sv.current->icmp().user_comparator(), key, value,
                     operands->empty() ? seq : nullptr, operands);
  int level = -1;
  TablePosition at;
  s = WalkTables<kTimed>(options, *sv.current, tables, lookup, kAllLevels, &at, &context, &level);
  return Conclude(std::move(s), context, level, value, statistics, is_entity);
}

}  // namespace

template <bool kTimed>
Status PointLookupIf(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                     const Slice& key, SequenceNumber snapshot, PinnableSlice* value,
                     Statistics* statistics, SequenceNumber* seq, bool* is_entity) {
  MergeOperands operands(sv.merge_operator);
  return LookUp<kTimed>(options, sv, tables, key, snapshot, value, &operands, statistics, seq,
                        is_entity);
}
template Status PointLookupIf<false>(const ReadOptions&, const SuperVersion&, TableCache*,
                                     const Slice&, SequenceNumber, PinnableSlice*, Statistics*,
                                     SequenceNumber*, bool*);
template Status PointLookupIf<true>(const ReadOptions&, const SuperVersion&, TableCache*,
                                    const Slice&, SequenceNumber, PinnableSlice*, Statistics*,
                                    SequenceNumber*, bool*);

Status PointLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                   const Slice& key, SequenceNumber snapshot, PinnableSlice* value,
                   Statistics* statistics, SequenceNumber* seq, bool* is_entity) {
  return Perf().timed() ? PointLookupIf<true>(options, sv, tables, key, snapshot, value, statistics,
                                              seq, is_entity)
                        : PointLookupIf<false>(options, sv, tables, key, snapshot, value,
                                               statistics, seq, is_entity);
}

Status PointLookup(const ReadOptions& options, const SuperVersion& sv, TableCache* tables,
                   const Slice& key, SequenceNumber snapshot, PinnableSlice* value,
                   MergeOperands* operands, Statistics* statistics, SequenceNumber* seq,
                   bool* is_entity) {
  return Perf().timed() ? LookUp<true>(options, sv, tables, key, snapshot, value, operands,
                                       statistics, seq, is_entity)
                        : LookUp<false>(options, sv, tables, key, snapshot, value, operands,
                                        statistics, seq, is_entity);
}

Status MergeInto(const MergeOperands& operands, const Slice& user_key, const MergeBase& base,
                 Statistics* statistics, PinnableSlice* value, bool* is_entity) {
  if (operands.just_collects()) {
    if (base.type != kTypeValue && base.type != kTypeWideColumnEntity) return Status::NotFound();
    if (value == nullptr) return Status::OK();
    const bool is_there = value->data() == base.value.data();
    if (base.type == kTypeWideColumnEntity) {
      return is_there ? ShowEntity(user_key, value, is_entity)
                      : CopyEntity(user_key, base.value, value, is_entity);
    }
    return is_there ? Status::OK() : CopyInto(value, base.value);
  }
  if (value == nullptr) return Status::OK();  // the key exists
  Perf().Count(&PerfContext::internal_merge_point_lookup_count, operands.size());
  std::string result;
  ValueType type;
  Status s = operands.Merge(user_key, base, statistics, /*logger=*/nullptr, &result, &type);
  value->Reset();
  if (!s.ok()) return s;
  *value->GetSelf() = std::move(result);
  value->PinSelf();
  return type == kTypeValue ? s : ShowEntity(user_key, value, is_entity);
}

Status ShowEntity(const Slice& user_key, PinnableSlice* value, bool* is_entity) {
  if (value == nullptr) return Status::OK();
  if (is_entity != nullptr) {
    *is_entity = true;
    return Status::OK();
  }
  const Status s = KeepDefaultColumn(value);
  if (s.ok()) return s;
  value->Reset();
  return Status::CopyAppendMessage(s, " of key ", user_key.ToString(/*hex=*/true));
}

Status CopyEntity(const Slice& user_key, const Slice& entity, PinnableSlice* value,
                  bool* is_entity) {
  Slice shown = entity;
  if (is_entity != nullptr) {
    *is_entity = true;
  } else if (Status s = DefaultColumnOf(entity, &shown); !s.ok()) {
    return Status::CopyAppendMessage(s, " of key ", user_key.ToString(/*hex=*/true));
  }
  return CopyInto(value, shown);
}

Status ConcludeMerge(const GetContext& context, PinnableSlice* value, Statistics* statistics,
                     bool* is_entity) {
  MergeBase base;
  switch (context.state()) {
    case GetContext::kFound:
      base.type = context.is_entity() ? kTypeWideColumnEntity : kTypeValue;
      if (value != nullptr) base.value = *value;
      return MergeInto(*context.operands(), context.user_key(), base, statistics, value, is_entity);
    case GetContext::kNotFound:
    case GetContext::kMerge:
    case GetContext::kDeleted:
      return MergeInto(*context.operands(), context.user_key(), base, statistics, value, is_entity);
    case GetContext::kUnsupported:
      return Status::NotSupported("Value type is not supported");
    case GetContext::kNoMemory:
      return Status::MemoryLimit("no memory for the value");
    case GetContext::kCorrupt:
      break;
  }
  return Status::Corruption("corrupted entry for key", context.user_key().ToString(/*hex=*/true));
}

}  // namespace cairn
