#include "db/wal_link.h"

#include "base/coding.h"
#include "commit/batch_reader.h"
#include "commit/write_batch_internal.h"

namespace cairn {
namespace {

constexpr char kMagic[] = "cairn.wal-link";
constexpr size_t kMagicSize = sizeof(kMagic) - 1;

}  // namespace

std::string WalLink::Encode(SequenceNumber next) const {
  std::string blob(kMagic, kMagicSize);
  PutFixed64(&blob, predecessor);
  PutFixed64(&blob, last_sequence);
  WriteBatch batch;
  batch.PutLogData(blob).PermitUncheckedError();  // refused only when larger than 4 GiB
  WriteBatchInternal::SetSequence(&batch, next);
  return batch.Data();
}

bool WalLink::Decode(const Slice& record, WalLink* link) {
  BatchReader reader(record);
  BatchRecord first;
  if (record.size() < kBatchHeaderSize || reader.count() != 0 || !reader.Next(&first) ||
      first.type != kTypeLogData || first.key.size() != kMagicSize + 2 * sizeof(uint64_t) ||
      !first.key.starts_with(Slice(kMagic, kMagicSize))) {
    return false;
  }
  link->predecessor = DecodeFixed64(first.key.data() + kMagicSize);
  link->last_sequence = DecodeFixed64(first.key.data() + kMagicSize + sizeof(uint64_t));
  return true;
}

SequenceNumber WalLink::LastSequenceOf(const Slice& record) {
  BatchReader reader(record);
  return reader.sequence() + reader.count() - 1;
}

}  // namespace cairn
