#include "blob/blob_records.h"

#include "base/coding.h"
#include "blob/blob_format.h"

namespace cairn {

Status BlobFileScan::Read(uint64_t offset, size_t n, Slice* result) {
  // (The footer, or what stands there where there is none, is not read ahead.)
  const bool before_footer = offset + n + kBlobFooterSize <= bytes_->size();
  if (before_footer && ahead_.Read(/*number=*/0, bytes_, limits_, offset, n, result)) {
    return Status::OK();
  }
  own_ = Blob::Allocate(n);
  Status s = own_ == nullptr ? Status::MemoryLimit("no memory for a blob", bytes_->name())
                             : bytes_->Read(limits_, offset, n, result, own_->memory());
  ok_ = ok_ && s.ok();
  return s;
}

Status VisitBlobRecords(BlobFileScan* scan, uint64_t end,
                        const std::function<Status(const BlobRecord&)>& visit, uint64_t* offset) {
  *offset = kBlobHeaderSize;
  while (*offset < end) {
    if (end - *offset < kBlobRecordHeaderSize) return Status::Corruption("blob record is cut");
    Slice header;
    Status s = scan->Read(*offset, kBlobRecordHeaderSize, &header);
    if (!s.ok()) return s;
    const uint64_t key_size = DecodeFixed64(header.data());
    const uint64_t value_size = DecodeFixed64(header.data() + 8);
    const uint64_t rest = end - *offset - kBlobRecordHeaderSize;
    if (key_size > rest || value_size > rest - key_size) {
      return Status::Corruption("blob record reaches beyond the end");
    }
    const auto size = static_cast<size_t>(kBlobRecordHeaderSize + key_size + value_size);
    Slice bytes;
    s = scan->Read(*offset, size, &bytes);
    if (!s.ok()) return s;
    BlobRecord record;
    record.offset = *offset;
    record.key = Slice(bytes.data() + kBlobRecordHeaderSize, static_cast<size_t>(key_size));
    record.value = Slice(record.key.data() + key_size, static_cast<size_t>(value_size));
    s = CheckBlobRecord(bytes, record.key, value_size);
    if (s.ok()) s = visit(record);
    if (!s.ok()) return s;
    *offset += size;
  }
  return Status::OK();
}

}  // namespace cairn
