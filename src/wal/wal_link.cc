#include "wal/wal_link.h"

#include "base/coding.h"
#include "base/internal_key.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"

namespace cairn {
namespace {

constexpr char kMagic[] = "cairn.wal-link";
constexpr size_t kMagicSize = sizeof(kMagic) - 1;
constexpr size_t kNumbersSize = 2 * sizeof(uint64_t);
constexpr size_t kSizeWithoutEnd = kMagicSize + kNumbersSize + 1;
constexpr size_t kSize = kSizeWithoutEnd + sizeof(uint64_t);

}  // namespace

std::string WalLink::Encode(SequenceNumber next) const {
  std::string blob(kMagic, kMagicSize);
  PutFixed64(&blob, predecessor);
  PutFixed64(&blob, last_sequence);
  blob.push_back(named ? 1 : 0);
  if (end != 0) PutFixed64(&blob, end);
  WriteBatch batch;
  batch.PutLogData(blob).PermitUncheckedError();  // refused only when larger than 4 GiB
  WriteBatchInternal::SetSequence(&batch, next);
  return batch.Data();
}

bool WalLink::Decode(const Slice& record, WalLink* link) {
  BatchReader reader(record);
  BatchRecord first;
  if (record.size() < kBatchHeaderSize || reader.count() != 0 || !reader.Next(&first) ||
      first.type != kTypeLogData ||
      (first.key.size() != kSize && first.key.size() != kSizeWithoutEnd) ||
      !first.key.starts_with(Slice(kMagic, kMagicSize))) {
    return false;
  }
  link->predecessor = DecodeFixed64(first.key.data() + kMagicSize);
  link->last_sequence = DecodeFixed64(first.key.data() + kMagicSize + sizeof(uint64_t));
  link->named = first.key[kMagicSize + kNumbersSize] != 0;
  link->end = first.key.size() == kSize ? DecodeFixed64(first.key.data() + kSizeWithoutEnd) : 0;
  return link->last_sequence <= kMaxSequenceNumber;
}

SequenceNumber WalLink::LastSequenceOf(const Slice& record) {
  BatchReader reader(record);
  const SequenceNumber next = reader.sequence() + reader.count();
  return next == 0 ? 0 : next - 1;
}

SequenceNumber WalLink::LastUnpreparedSequenceOf(const Slice& record) {
  BatchReader reader(record);
  SequenceNumber next = reader.sequence();
  bool in_section = false;
  BatchRecord entry;
  while (reader.Next(&entry)) {
    if (entry.type == kTypeBeginPrepareXID) in_section = true;
    if (entry.type == kTypeEndPrepareXID) in_section = false;
    next += entry.counted && !in_section;
  }
  return next == 0 ? 0 : next - 1;
}

}  // namespace cairn
