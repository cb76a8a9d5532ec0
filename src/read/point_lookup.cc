#include "read/point_lookup.h"

#include <optional>
#include <string>
#include <utility>

#include "base/allocation.h"
#include "base/perf.h"
#include "base/wide_column_serialization.h"
#include "read/table_walk.h"

namespace cairn {

namespace {

// Below the memtables, where keys have timestamps.
template <bool kTimed>
[[gnu::noinline]] Status LookUpStamped(const LookupRequest& request, const LookupKey& lookup,
                                       GetContext* context, const LookupAnswer& answer) {
  GetContext::Timestamps timestamps;
  context->KeepTimestamps(&timestamps);
  int level = -1;
  TablePosition at;
  Status s = WalkTables<kTimed>(request, lookup, kAllLevels, &at, context, &level);
  return Conclude(std::move(s), request, *context, level, answer);
}

template <bool kTimed>
Status LookUp(const LookupRequest& request, const Slice& key, const LookupAnswer& answer,
              MergeOperands* operands) {
  const LookupKey lookup(key, request.snapshot, request.timestamp);
  Status s;
  if (LookInMemtables<kTimed>(request, lookup, answer, operands, &s)) return s;
  GetContext context(request.sv.current->icmp().user_comparator(), key, answer.value, nullptr,
                     operands);
  context.ShareTraceId(request.trace_id);
  if (!request.timestamp.empty()) [[unlikely]]
    return LookUpStamped<kTimed>(request, lookup, &context, answer);
  int level = -1;
  TablePosition at;
  if (answer.approached != nullptr) {
    s = FinishApproach(request, lookup, answer.approached, &context, &at, &level);
    if (!s.ok() || !context.undecided())
      return Conclude(std::move(s), request, context, level, answer);
  }
  s = WalkTables<kTimed>(request, lookup, kAllLevels, &at, &context, &level);
  return Conclude(std::move(s), request, context, level, answer);
}

}  // namespace

Status FinishApproach(const LookupRequest& request, const LookupKey& lookup,
                      ApproachedTable* approached, GetContext* context, TablePosition* at,
                      int* level) {
  *at = approached->at;
  LookupApproach* const approach = &approached->how;
  if (approach->table == nullptr) return Status::OK();
  *level = at->level;
  context->GoOnFrom(approach);
  Status s = approach->table->Get(request.options, lookup.internal_key(), context);
  context->GoOnFrom(nullptr);
  if (s.ok() && context->key_may_exist()) return TableNotInMemory();
  if (context->state() == GetContext::kFound) {
    Perf().CountAt(*level, &PerfContextByLevel::user_key_return_count);
  }
  if (s.ok() && context->undecided()) ++at->file;
  return s;
}

template <bool kTimed>
Status PointLookupIf(const LookupRequest& request, const Slice& key, const LookupAnswer& answer) {
  MergeOperands operands(request.sv.merge_operator);
  return LookUp<kTimed>(request, key, answer, &operands);
}
template Status PointLookupIf<false>(const LookupRequest&, const Slice&, const LookupAnswer&);
template Status PointLookupIf<true>(const LookupRequest&, const Slice&, const LookupAnswer&);

Status PointLookup(const LookupRequest& request, const Slice& key, const LookupAnswer& answer) {
  return Perf().timed() ? PointLookupIf<true>(request, key, answer)
                        : PointLookupIf<false>(request, key, answer);
}

Status LookupToChange(const LookupRequest& request, const Slice& key, std::string* value) {
  PinnableSlice found;
  Status s = PointLookup(request, key, {&found});
  if (s.ok() && !AssignIfPossible(value, found.data(), found.size())) {
    s = Status::MemoryLimit("no memory for the value that an inplace_callback is to change");
  }
  return s;
}

Status PointLookup(const LookupRequest& request, const Slice& key, const LookupAnswer& answer,
                   MergeOperands* operands) {
  return Perf().timed() ? LookUp<true>(request, key, answer, operands)
                        : LookUp<false>(request, key, answer, operands);
}

Status MergeInto(const LookupRequest& request, const MergeOperands& operands, const Slice& user_key,
                 const MergeBase& base, const LookupAnswer& answer) {
  PinnableSlice* const value = answer.value;
  if (operands.just_collects()) {
    if (base.type != kTypeValue && base.type != kTypeWideColumnEntity) return Status::NotFound();
    if (value == nullptr) return Status::OK();
    const bool is_there = value->data() == base.value.data();
    if (base.type == kTypeWideColumnEntity) {
      return is_there ? ShowEntity(user_key, answer) : CopyEntity(user_key, base.value, answer);
    }
    return is_there ? Status::OK() : CopyInto(value, base.value);
  }
  if (value == nullptr) return Status::OK();  // the key exists
  Perf().Count(&PerfContext::internal_merge_point_lookup_count, operands.size());
  std::string result;
  ValueType type;
  Status s = operands.Merge(user_key, base, request.statistics, /*logger=*/nullptr, &result, &type);
  value->Reset();
  if (!s.ok()) return s;
  *value->GetSelf() = std::move(result);
  value->PinSelf();
  if (type != kTypeValue) s = ShowEntity(user_key, answer);
  const std::optional<size_t>& threshold = request.options.merge_operand_count_threshold;
  const bool exceeded = threshold.has_value() && operands.size() > *threshold;
  return s.ok() && exceeded ? Status::OkMergeOperandThresholdExceeded() : s;
}

Status ShowEntity(const Slice& user_key, const LookupAnswer& answer) {
  if (answer.value == nullptr) return Status::OK();
  if (answer.is_entity != nullptr) {
    *answer.is_entity = true;
    return Status::OK();
  }
  const Status s = KeepDefaultColumn(answer.value);
  if (s.ok()) return s;
  answer.value->Reset();
  return Status::CopyAppendMessage(s, " of key ", user_key.ToString(/*hex=*/true));
}

Status CopyEntity(const Slice& user_key, const Slice& entity, const LookupAnswer& answer) {
  Slice shown = entity;
  if (answer.is_entity != nullptr) {
    *answer.is_entity = true;
  } else if (Status s = DefaultColumnOf(entity, &shown); !s.ok()) {
    return Status::CopyAppendMessage(s, " of key ", user_key.ToString(/*hex=*/true));
  }
  return CopyInto(answer.value, shown);
}

Status ShowBlob(const LookupRequest& request, const GetContext& context,
                const LookupAnswer& answer) {
  if (answer.value == nullptr) return Status::OK();
  const std::string index = answer.value->ToString();
  answer.value->Reset();
  if (request.sv.blobs == nullptr) return Status::NotSupported("nobody reads blob files here");
  if (context.timestamps() == nullptr) [[likely]] {
    return request.sv.blobs->Get(request.options, context.user_key(), index, answer.value);
  }
  const std::string key = context.user_key().ToString() + context.timestamps()->of_blob;
  return request.sv.blobs->Get(request.options, key, index, answer.value);
}

Status ConcludeMerge(const LookupRequest& request, const GetContext& context,
                     const LookupAnswer& answer) {
  MergeBase base;
  switch (context.state()) {
    case GetContext::kFound:
      if (context.is_blob()) {
        if (Status s = ShowBlob(request, context, answer); !s.ok()) return s;
      }
      base.type = context.is_entity() ? kTypeWideColumnEntity : kTypeValue;
      if (answer.value != nullptr) base.value = *answer.value;
      return MergeInto(request, *context.operands(), context.user_key(), base, answer);
    case GetContext::kNotFound:
    case GetContext::kMerge:
    case GetContext::kDeleted:
      return MergeInto(request, *context.operands(), context.user_key(), base, answer);
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
