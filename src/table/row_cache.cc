#include "table/row_cache.h"

#include <cstring>
#include <string>
#include <vector>

#include "base/coding.h"

namespace cairn {

namespace {

constexpr size_t kRowPrefix = 24;  // bytes before the user key

using Row = std::string;

void DeleteRow(const Slice& /*key*/, void* row) { delete static_cast<Row*>(row); }

void ReleaseRow(void* cache, void* handle) {
  static_cast<Cache*>(cache)->Release(static_cast<Cache::Handle*>(handle));
}

void AddRecord(ValueType type, SequenceNumber sequence, const Slice& timestamp, const Slice& value,
               Row* row) {
  row->push_back(static_cast<char>(type));
  PutVarint64(row, sequence);
  PutLengthPrefixedSlice(row, timestamp);
  PutLengthPrefixedSlice(row, value);
}

}  // namespace

RowCache::Lookup::Lookup(const RowCache& rows, uint64_t table, SequenceNumber largest_seqno,
                         const Slice& internal_key, GetContext* context)
    : rows_(rows),
      context_(context),
      before_(context->state()),
      operands_before_(context->operands() == nullptr ? 0 : context->operands()->size()) {
  const Slice user_key = ExtractUserKey(internal_key);
  const SequenceNumber sequence = ExtractSequence(internal_key);
  const size_t size = kRowPrefix + user_key.size();
  char* bytes = space_;
  if (size > sizeof(space_)) {
    large_ = std::make_unique<char[]>(size);
    bytes = large_.get();
  }
  EncodeFixed64(bytes, rows.id_);
  EncodeFixed64(bytes + 8, table);
  EncodeFixed64(bytes + 16, sequence >= largest_seqno ? 0 : sequence + 1);
  std::memcpy(bytes + kRowPrefix, user_key.data(), user_key.size());
  key_ = Slice(bytes, size);
}

bool RowCache::Lookup::Find() {
  Cache* const cache = rows_.cache_.get();
  Cache::Handle* const handle = cache->Lookup(key_);
  if (handle == nullptr) return false;
  Cleanable pinner;
  pinner.RegisterCleanup(&ReleaseRow, cache, handle);
  Slice rest(*static_cast<const Row*>(cache->Value(handle)));
  bool older_wanted = true;
  while (older_wanted && !rest.empty()) {
    const auto type = static_cast<ValueType>(rest[0]);
    rest.remove_prefix(1);
    uint64_t sequence = 0;
    Slice timestamp;
    Slice value;
    // (Keep() has written it.)
    if (!GetVarint64(&rest, &sequence) || !GetLengthPrefixedSlice(&rest, &timestamp) ||
        !GetLengthPrefixedSlice(&rest, &value)) {
      context_->MarkCorrupt();
      break;
    }
    context_->OfferTimestamp(timestamp);
    older_wanted = context_->SaveMatch(sequence, type, value, &pinner);
  }
  if (rows_.statistics_ != nullptr) rows_.statistics_->recordTick(ROW_CACHE_HIT, 1);
  return true;
}

void RowCache::Lookup::Keep() {
  if (rows_.statistics_ != nullptr) rows_.statistics_->recordTick(ROW_CACHE_MISS, 1);
  // What is above may have ended the walk within this table, or have given its sequence number.
  if (before_ != GetContext::kNotFound) return;
  const GetContext::State state = context_->state();
  const MergeOperands* const operands = context_->operands();
  const GetContext::Timestamps* const timestamps = context_->timestamps();
  const SequenceNumber sequence = context_->sequence();
  auto row = std::make_unique<Row>();
  if (operands != nullptr && operands->size() > operands_before_) {
    // Whether an operator has enough depends on the operands above, and then the state says no
    // more than that something was deleted.
    if (state == GetContext::kDeleted || timestamps != nullptr || operands->lacks_memory()) return;
    const std::vector<Slice> oldest_first = operands->OldestFirst();
    for (size_t i = oldest_first.size() - operands_before_; i-- > 0;) {
      AddRecord(kTypeMerge, sequence, Slice(), oldest_first[i], row.get());
    }
  }
  Slice timestamp;
  if (timestamps != nullptr) timestamp = timestamps->newest;
  switch (state) {
    case GetContext::kFound:
      AddRecord(context_->is_entity() ? kTypeWideColumnEntity
                : context_->is_blob() ? kTypeBlobIndex
                                      : kTypeValue,
                sequence, timestamp, *context_->value(), row.get());
      break;
    case GetContext::kDeleted:
      AddRecord(kTypeDeletion, sequence, timestamp, Slice(), row.get());
      break;
    default:  // nothing, operands alone, or an error
      break;
  }
  if (row->empty()) return;
  row->shrink_to_fit();
  const size_t charge = row->capacity() + sizeof(Row);
  // (What does not fit is deleted.)
  rows_.cache_->Insert(key_, row.release(), charge, &DeleteRow).PermitUncheckedError();
}

}  // namespace cairn
