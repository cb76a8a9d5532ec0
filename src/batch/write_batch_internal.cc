#include "batch/write_batch_internal.h"

#include <cassert>
#include <string>
#include <vector>

#include "base/allocation.h"
#include "base/coding.h"
#include "base/entry_checksum.h"

namespace cairn {
namespace {

constexpr size_t kCountOffset = sizeof(uint64_t);
// From so many bytes on the system is asked for memory before a batch is written.
constexpr size_t kLargeSize = 16 << 20;

size_t TotalSize(const SliceParts& parts) {
  size_t size = 0;
  for (int i = 0; i < parts.num_parts; ++i) size += parts.parts[i].size();
  return size;
}

void AppendField(std::string* rep, const SliceParts& parts, size_t size) {
  PutVarint32(rep, static_cast<uint32_t>(size));
  for (int i = 0; i < parts.num_parts; ++i)
    rep->append(parts.parts[i].data(), parts.parts[i].size());
}

// The tag of a type's variant that carries a column family id.
uint8_t FamilyTag(ValueType type) {
  switch (type) {
    case kTypeValue:
      return kTypeColumnFamilyValue;
    case kTypeDeletion:
      return kTypeColumnFamilyDeletion;
    case kTypeSingleDeletion:
      return kTypeColumnFamilySingleDeletion;
    case kTypeMerge:
      return kTypeColumnFamilyMerge;
    case kTypeRangeDeletion:
      return kTypeColumnFamilyRangeDeletion;
    case kTypeBlobIndex:
      return kTypeColumnFamilyBlobIndex;
    case kTypeWideColumnEntity:
      return kTypeColumnFamilyWideColumnEntity;
    default:
      assert(false);
      return kTypeNoop;
  }
}

uint32_t FlagOf(ValueType type) {
  switch (type) {
    case kTypeValue:
      return kHasPut;
    case kTypeDeletion:
      return kHasDelete;
    case kTypeSingleDeletion:
      return kHasSingleDelete;
    case kTypeMerge:
      return kHasMerge;
    case kTypeRangeDeletion:
      return kHasDeleteRange;
    case kTypeBlobIndex:
      return kHasBlobIndex;
    case kTypeWideColumnEntity:
      return kHasPutEntity;
    case kTypeBeginPrepareXID:
    case kTypeBeginPersistedPrepareXID:
    case kTypeBeginUnprepareXID:
      return kHasBeginPrepare | kHasTransactionMark;
    case kTypeEndPrepareXID:
      return kHasEndPrepare | kHasTransactionMark;
    case kTypeCommitXID:
    case kTypeCommitXIDAndTimestamp:
      return kHasCommit | kHasTransactionMark;
    case kTypeRollbackXID:
      return kHasRollback | kHasTransactionMark;
    default:
      return 0;
  }
}

}  // namespace

SequenceNumber WriteBatchInternal::Sequence(const WriteBatch* batch) {
  return batch->rep_.size() < kHeader ? 0 : DecodeFixed64(batch->rep_.data());
}

void WriteBatchInternal::SetSequence(WriteBatch* batch, SequenceNumber seq) {
  assert(batch->rep_.size() >= kHeader);
  EncodeFixed64(batch->rep_.data(), seq);
}

uint32_t WriteBatchInternal::Count(const WriteBatch* batch) {
  return batch->rep_.size() < kHeader ? 0 : DecodeFixed32(batch->rep_.data() + kCountOffset);
}

void WriteBatchInternal::SetCount(WriteBatch* batch, uint32_t n) {
  assert(batch->rep_.size() >= kHeader);
  EncodeFixed32(batch->rep_.data() + kCountOffset, n);
}

Slice WriteBatchInternal::Contents(const WriteBatch* batch) { return batch->rep_; }

Status WriteBatchInternal::SetContents(WriteBatch* batch, const Slice& contents) {
  if (contents.size() < kHeader) return Status::Corruption("malformed WriteBatch (too small)");
  batch->Clear();
  batch->rep_.assign(contents.data(), contents.size());
  batch->content_flags_.store(
      batch->content_flags_.load(std::memory_order_relaxed) | kContentUnknown,
      std::memory_order_relaxed);
  if (batch->protection_ == nullptr) return Status::OK();
  BatchReader reader(batch->rep_);
  Status s = AddChecksums(&reader, batch->protection_.get());
  return s.IsCorruption() ? Status::OK() : s;  // (what is damaged is found when it is read)
}

size_t WriteBatchInternal::ByteSize(const WriteBatch* batch) { return batch->rep_.size(); }

Slice WriteBatchInternal::LoggedRecords(const WriteBatch* src, uint32_t* count) {
  const SavePoint& end = src->wal_term_point_;
  if (end.is_cleared()) {
    *count = Count(src);
    return Slice(src->rep_.data() + kHeader, src->rep_.size() - kHeader);
  }
  *count = static_cast<uint32_t>(end.count);
  return Slice(src->rep_.data() + kHeader, end.size - kHeader);
}

Status WriteBatchInternal::AddChecksums(BatchReader* reader, BatchProtection* protection) {
  BatchRecord record;
  while (reader->Next(&record)) {
    if (!record.counted) continue;
    if (Status s = protection->Reserve(); !s.ok()) return s;
    protection->Add(RecordChecksum(record));
  }
  return reader->status();
}

Status WriteBatchInternal::AppendChecksums(const WriteBatch& src, BatchProtection* protection) {
  if (src.protection_ == nullptr) {
    BatchReader reader(src.rep_);
    return AddChecksums(&reader, protection);
  }
  for (size_t i = 0; i < src.protection_->count(); ++i) {
    if (Status s = protection->Reserve(); !s.ok()) return s;
    protection->Add(src.protection_->entry(i));
  }
  return Status::OK();
}

Status WriteBatchInternal::Append(WriteBatch* dst, const WriteBatch* src) {
  if (src->rep_.size() < kHeader) return Status::Corruption("malformed WriteBatch (too small)");
  BatchProtection* const protection = dst->protection_.get();
  const size_t checksums = protection == nullptr ? 0 : protection->count();
  Status s = protection == nullptr ? Status::OK() : AppendChecksums(*src, protection);
  if (s.ok() &&
      !AppendIfPossible(&dst->rep_, src->rep_.data() + kHeader, src->rep_.size() - kHeader)) {
    s = Status::MemoryLimit("no memory for a WriteBatch");
  }
  if (!s.ok()) {
    if (protection != nullptr) protection->Truncate(checksums);
    return s;
  }
  SetCount(dst, Count(dst) + Count(src));
  dst->content_flags_.store(
      dst->content_flags_.load(std::memory_order_relaxed) |
          (src->content_flags_.load(std::memory_order_relaxed) & ~uint32_t{kIsProtected}),
      std::memory_order_relaxed);
  return Status::OK();
}

Status WriteBatchInternal::Protect(WriteBatch* batch, size_t bytes_per_key) {
  const uint32_t flags = batch->content_flags_.load(std::memory_order_relaxed);
  if (bytes_per_key == 0) {
    batch->protection_.reset();
    batch->content_flags_.store(flags & ~uint32_t{kIsProtected}, std::memory_order_relaxed);
    return Status::OK();
  }
  if (bytes_per_key != BatchProtection::kBytesPerKey) {
    return Status::NotSupported("WriteBatch protection info must be zero or eight bytes/key");
  }
  if (batch->protection_ != nullptr) return Status::OK();
  auto protection = std::make_unique<BatchProtection>();
  BatchReader reader(batch->rep_);
  Status s = AddChecksums(&reader, protection.get());
  if (!s.ok()) return s;
  batch->protection_ = std::move(protection);
  batch->content_flags_.store(flags | kIsProtected, std::memory_order_relaxed);
  return s;
}

Status WriteBatchInternal::AppendProtected(WriteBatch* batch, ValueType type, uint32_t family,
                                           const SliceParts& key, const SliceParts* value) {
  BatchProtection* const protection = batch->protection_.get();
  Status s = protection->Reserve();
  if (!s.ok()) return s;
  // Before anything is copied.
  const uint64_t checksum = XorFamily(EntryChecksum(type, key, value), family);
  s = AppendUnprotected(batch, type, family, key, value);
  if (s.ok() && type != kTypeLogData) protection->Add(checksum);
  return s;
}

Status WriteBatchInternal::AppendRecord(WriteBatch* batch, ValueType type, uint32_t family,
                                        const SliceParts& key, const SliceParts* value) {
  if ((batch->content_flags_.load(std::memory_order_relaxed) & kIsProtected) != 0) [[unlikely]] {
    return AppendProtected(batch, type, family, key, value);
  }
  return AppendUnprotected(batch, type, family, key, value);
}

Status WriteBatchInternal::AppendUnprotected(WriteBatch* batch, ValueType type, uint32_t family,
                                             const SliceParts& key, const SliceParts* value) {
  const uint32_t flags_before = batch->content_flags_.load(std::memory_order_relaxed);
  const size_t key_size = TotalSize(key);
  const size_t value_size = value == nullptr ? 0 : TotalSize(*value);
  if (key_size > kMaxEntrySize) return Status::InvalidArgument("key is too large");
  if (value_size > kMaxEntrySize) return Status::InvalidArgument("value is too large");
  if (key_size + value_size > kMaxEntrySize) {
    return Status::InvalidArgument("key and value together are too large");
  }

  std::string& rep = batch->rep_;
  if (rep.size() < kHeader) return Status::Corruption("malformed WriteBatch (too small)");
  const size_t old_size = rep.size();
  // A tag, a family and two lengths.
  const size_t most = old_size + 1 + 3 * kMaxVarint32Length + key_size + value_size;
  if (most > kMaxSize) return Status::MemoryLimit("a WriteBatch is smaller than 4 GiB");
  if (!ReserveIfPossible(&rep, most)) return Status::MemoryLimit("no memory for a WriteBatch");
  if (family == 0) {
    rep.push_back(static_cast<char>(type));
  } else {
    rep.push_back(static_cast<char>(FamilyTag(type)));
    PutVarint32(&rep, family);
  }
  AppendField(&rep, key, key_size);
  if (value != nullptr) AppendField(&rep, *value, value_size);
  if (batch->max_bytes_ != 0 && rep.size() > batch->max_bytes_) {
    rep.resize(old_size);
    return Status::MemoryLimit();
  }
  if (type != kTypeLogData) SetCount(batch, Count(batch) + 1);
  const uint32_t flags = FlagOf(type) | (family == 0 ? 0u : uint32_t{kHasOtherFamily});
  // Not a read-modify-write: nobody else may use the batch now.
  batch->content_flags_.store(flags_before | flags, std::memory_order_relaxed);
  return Status::OK();
}

Status WriteBatchInternal::AppendStamped(WriteBatch* batch, ValueType type, uint32_t family,
                                         const SliceParts& key, const SliceParts* value,
                                         const Slice& timestamp, size_t ts_size) {
  const std::string zeros(timestamp.empty() ? ts_size : 0, '\0');
  const auto stamped = [&](const SliceParts& bare) {
    std::vector<Slice> parts(bare.parts, bare.parts + bare.num_parts);
    parts.push_back(timestamp.empty() ? Slice(zeros) : timestamp);
    return parts;
  };
  const std::vector<Slice> keys = stamped(key);
  const SliceParts stamped_key(keys.data(), static_cast<int>(keys.size()));
  std::vector<Slice> ends;
  SliceParts stamped_end;
  if (type == kTypeRangeDeletion) {
    ends = stamped(*value);
    stamped_end = SliceParts(ends.data(), static_cast<int>(ends.size()));
    value = &stamped_end;
  }
  Status s = AppendRecord(batch, type, family, stamped_key, value);
  if (!s.ok()) return s;
  batch->content_flags_.store(batch->content_flags_.load(std::memory_order_relaxed) |
                                  kHasTimestamps | (timestamp.empty() ? kLacksTimestamps : 0u),
                              std::memory_order_relaxed);
  return s;
}

Status WriteBatchInternal::AppendRecord(WriteBatch* batch, const BatchRecord& record) {
  const bool has_value = record.type != kTypeDeletion && record.type != kTypeSingleDeletion;
  const SliceParts value(&record.value, 1);
  return AppendRecord(batch, record.type, record.family, SliceParts(&record.key, 1),
                      has_value ? &value : nullptr);
}

Status WriteBatchInternal::AppendMark(WriteBatch* batch, ValueType type) {
  const char tag = static_cast<char>(type);
  if (!AppendIfPossible(&batch->rep_, &tag, 1)) {
    return Status::MemoryLimit("no memory for a WriteBatch");
  }
  // As in AppendRecord, not a read-modify-write.
  batch->content_flags_.store(batch->content_flags_.load(std::memory_order_relaxed) | FlagOf(type),
                              std::memory_order_relaxed);
  return Status::OK();
}

Status WriteBatchInternal::AppendMark(WriteBatch* batch, ValueType type, const Slice& name) {
  if (!ReserveIfPossible(&batch->rep_, batch->rep_.size() + 1 + kMaxVarint32Length + name.size())) {
    return Status::MemoryLimit("no memory for a WriteBatch");
  }
  Status s = AppendMark(batch, type);
  if (s.ok()) PutLengthPrefixedSlice(&batch->rep_, name);
  return s;
}

Status WriteBatchInternal::AppendCommitMark(WriteBatch* batch, const Slice& name,
                                            const Slice& timestamp) {
  const size_t most = 1 + 2 * kMaxVarint32Length + name.size() + timestamp.size();
  if (!ReserveIfPossible(&batch->rep_, batch->rep_.size() + most)) {
    return Status::MemoryLimit("no memory for a WriteBatch");
  }
  Status s = AppendMark(batch, kTypeCommitXIDAndTimestamp);
  if (!s.ok()) return s;
  PutLengthPrefixedSlice(&batch->rep_, timestamp);
  PutLengthPrefixedSlice(&batch->rep_, name);
  return s;
}

uint32_t WriteBatchInternal::ContentFlags(const WriteBatch* batch) {
  uint32_t flags = batch->content_flags_.load(std::memory_order_relaxed);
  if ((flags & kContentUnknown) == 0) return flags;
  flags = (flags & (kIsProtected | kLacksTimestamps)) | kHasTimestamps;
  BatchReader reader(batch->rep_);
  BatchRecord record;
  uint32_t found = 0;
  while (reader.Next(&record)) {
    flags |= FlagOf(record.type) | (record.family == 0 ? 0u : uint32_t{kHasOtherFamily});
    found += record.counted;
  }
  if (!reader.status().ok() || found != reader.count()) flags |= kIsMalformed;
  batch->content_flags_.store(flags, std::memory_order_relaxed);
  return flags;
}

Status WriteBatchInternal::CheckWritable(const WriteBatch* batch, uint32_t permitted) {
  if (const size_t size = batch->rep_.size(); size >= kLargeSize) [[unlikely]] {
    if (size > kMaxSize) return Status::MemoryLimit("a WriteBatch is smaller than 4 GiB");
    // Before it is logged: what the memtable has no memory for would stop the database.
    if (!MemoryIsThere(size)) return Status::MemoryLimit("no memory to write a WriteBatch");
  }
  const uint32_t flags = ContentFlags(batch) & ~permitted;
  constexpr uint32_t kRefused =
      kHasTransactionMark | kHasBlobIndex | kIsMalformed | kIsProtected | kLacksTimestamps;
  if ((flags & kRefused) == 0) [[likely]]
    return Status::OK();
  if ((flags & kIsMalformed) != 0) {
    BatchReader reader(batch->rep_);
    BatchRecord record;
    while (reader.Next(&record)) {
    }
    return reader.status().ok() ? Status::Corruption("WriteBatch has wrong count")
                                : reader.status();
  }
  if ((flags & kLacksTimestamps) != 0) {
    return Status::InvalidArgument("write batch must have timestamp(s) set");
  }
  if ((flags & kHasBlobIndex) != 0) return Status::NotSupported("Blob indexes are not supported");
  if ((flags & kHasTransactionMark) == 0) {
    // Here and again by the group's leader: a batch that is damaged now fails nobody else's write.
    return batch->protection_->Verify(batch->rep_);
  }
  return Status::NotSupported("a batch with marks of a two-phase commit is a transaction's own");
}

bool WriteBatchInternal::NeedsFamilies(const WriteBatch* batch) {
  return (ContentFlags(batch) & (kHasOtherFamily | kHasMerge | kHasDeleteRange)) != 0;
}

}  // namespace cairn
