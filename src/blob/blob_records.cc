#include "blob/blob_records.h"

#include "base/coding.h"
#include "blob/blob_format.h"

namespace cairn {

Status VisitBlobRecords(const ReadBlobBytes& bytes_at, uint64_t end,
                        const std::function<Status(const BlobRecord&)>& visit, uint64_t* offset) {
  *offset = kBlobHeaderSize;
  while (*offset < end) {
    if (end - *offset < kBlobRecordHeaderSize) return Status::Corruption("blob record is cut");
    Slice header;
    Status s = bytes_at(*offset, kBlobRecordHeaderSize, &header);
    if (!s.ok()) return s;
    const uint64_t key_size = DecodeFixed64(header.data());
    const uint64_t value_size = DecodeFixed64(header.data() + 8);
    const uint64_t rest = end - *offset - kBlobRecordHeaderSize;
    if (key_size > rest || value_size > rest - key_size) {
      return Status::Corruption("blob record reaches beyond the end");
    }
    const auto size = static_cast<size_t>(kBlobRecordHeaderSize + key_size + value_size);
    Slice bytes;
    s = bytes_at(*offset, size, &bytes);
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
