#include "batch/batch_protection.h"

#include <algorithm>
#include <new>
#include <string>

#include "base/entry_checksum.h"

namespace cairn {

Status BatchProtection::Reserve() {
  if (entries_.size() < entries_.capacity()) return Status::OK();
  try {
    entries_.reserve(std::max<size_t>(2 * entries_.capacity(), 1));
    return Status::OK();
  } catch (const std::bad_alloc&) {
    return Status::MemoryLimit("no memory for a WriteBatch's checksums");
  }
}

Status BatchProtection::Verify(BatchReader* reader, size_t count) const {
  BatchRecord record;
  for (size_t i = 0; i < count;) {
    if (!reader->Next(&record)) {
      return reader->status().ok() ? Status::Corruption("WriteBatch has wrong count")
                                   : reader->status();
    }
    if (!record.counted) continue;
    if (i >= entries_.size() || RecordChecksum(record) != entries_[i]) return EntryChanged(i);
    ++i;
  }
  return Status::OK();
}

Status BatchProtection::Verify(const Slice& rep) const {
  BatchReader reader(rep);
  if (!reader.status().ok()) return reader.status();
  if (reader.count() != entries_.size()) {
    return ChecksumMismatch("a WriteBatch of " + std::to_string(reader.count()) +
                            " entries has checksums of " + std::to_string(entries_.size()));
  }
  return Verify(&reader, entries_.size());
}

uint64_t RecordChecksum(const BatchRecord& record) {
  return XorFamily(EntryChecksum(record.type, record.key, record.value), record.family);
}

Status EntryChanged(size_t index) {
  return ChecksumMismatch("entry " + std::to_string(index) +
                          " of a WriteBatch changed after it was added");
}

}  // namespace cairn
