#include "batch/batch_reader.h"

#include "base/coding.h"

namespace cairn {
namespace {

// What follows a tag.
enum class Fields : uint8_t { kInvalid, kNone, kKey, kKeyValue };

struct TagInfo {
  ValueType type = kTypeNoop;
  Fields fields = Fields::kInvalid;
  bool has_family = false;
  bool counted = false;
};

constexpr TagInfo InfoOf(uint8_t tag) {
  switch (tag) {
    case kTypeValue:
    case kTypeMerge:
    case kTypeRangeDeletion:
    case kTypeBlobIndex:
    case kTypeWideColumnEntity:
      return {static_cast<ValueType>(tag), Fields::kKeyValue, false, true};
    case kTypeDeletion:
    case kTypeSingleDeletion:
      return {static_cast<ValueType>(tag), Fields::kKey, false, true};
    case kTypeColumnFamilyValue:
      return {kTypeValue, Fields::kKeyValue, true, true};
    case kTypeColumnFamilyMerge:
      return {kTypeMerge, Fields::kKeyValue, true, true};
    case kTypeColumnFamilyRangeDeletion:
      return {kTypeRangeDeletion, Fields::kKeyValue, true, true};
    case kTypeColumnFamilyBlobIndex:
      return {kTypeBlobIndex, Fields::kKeyValue, true, true};
    case kTypeColumnFamilyWideColumnEntity:
      return {kTypeWideColumnEntity, Fields::kKeyValue, true, true};
    case kTypeColumnFamilyDeletion:
      return {kTypeDeletion, Fields::kKey, true, true};
    case kTypeColumnFamilySingleDeletion:
      return {kTypeSingleDeletion, Fields::kKey, true, true};
    case kTypeLogData:
    case kTypeEndPrepareXID:
    case kTypeCommitXID:
    case kTypeRollbackXID:
      return {static_cast<ValueType>(tag), Fields::kKey, false, false};
    case kTypeCommitXIDAndTimestamp:  // timestamp, xid
      return {static_cast<ValueType>(tag), Fields::kKeyValue, false, false};
    case kTypeBeginPrepareXID:
    case kTypeBeginPersistedPrepareXID:
    case kTypeBeginUnprepareXID:
    case kTypeNoop:
      return {static_cast<ValueType>(tag), Fields::kNone, false, false};
    default:
      return {};
  }
}

struct TagTable {
  TagInfo info[256];
  constexpr TagTable() : info() {
    for (int tag = 0; tag < 256; ++tag) info[tag] = InfoOf(static_cast<uint8_t>(tag));
  }
};
constexpr TagTable kTags;

// A length-prefixed field. Null if it does not lie within [p, limit).
inline const char* ReadField(const char* p, const char* limit, Slice* field) {
  uint32_t size = 0;
  if (p < limit && static_cast<unsigned char>(*p) < 0x80) {
    size = static_cast<unsigned char>(*p++);
  } else {
    p = GetVarint32Ptr(p, limit, &size);
    if (p == nullptr) return nullptr;
  }
  if (static_cast<size_t>(limit - p) < size) return nullptr;
  *field = Slice(p, size);
  return p + size;
}

}  // namespace

BatchReader::BatchReader(const Slice& rep)
    : begin_(rep.data()), pos_(rep.data()), end_(rep.data() + rep.size()) {
  if (rep.size() < kBatchHeaderSize) {
    status_ = Status::Corruption("malformed WriteBatch (too small)");
    pos_ = end_;
  } else {
    pos_ += kBatchHeaderSize;
  }
}

Status BatchReader::Skip(size_t count) {
  BatchRecord record;
  while (count > 0 && Next(&record)) count -= record.counted;
  return count == 0 || !status_.ok() ? status_ : Status::Corruption("WriteBatch has wrong count");
}

SequenceNumber BatchReader::sequence() const {
  return static_cast<size_t>(end_ - begin_) < kBatchHeaderSize ? 0 : DecodeFixed64(begin_);
}

uint32_t BatchReader::count() const {
  return static_cast<size_t>(end_ - begin_) < kBatchHeaderSize
             ? 0
             : DecodeFixed32(begin_ + sizeof(uint64_t));
}

bool BatchReader::Fail(const char* what) {
  status_ = Status::Corruption(what, "at batch offset " + std::to_string(offset()));
  return false;
}

bool BatchReader::Next(BatchRecord* record) {
  if (pos_ == end_ || !status_.ok()) return false;
  const char* p = pos_;
  const TagInfo& info = kTags.info[static_cast<unsigned char>(*p++)];
  record->type = info.type;
  record->counted = info.counted;
  record->family = 0;
  if (info.has_family) {
    p = GetVarint32Ptr(p, end_, &record->family);
    if (p == nullptr) return Fail("bad WriteBatch column family");
  }
  switch (info.fields) {
    case Fields::kInvalid:
      return Fail("unknown WriteBatch tag");
    case Fields::kNone:
      record->key.clear();
      record->value.clear();
      break;
    case Fields::kKey:
      p = ReadField(p, end_, &record->key);
      if (p == nullptr) return Fail("bad WriteBatch record (key)");
      record->value.clear();
      break;
    case Fields::kKeyValue:
      p = ReadField(p, end_, &record->key);
      if (p != nullptr) p = ReadField(p, end_, &record->value);
      if (p == nullptr) return Fail("bad WriteBatch record (key and value)");
      break;
  }
  pos_ = p;
  return true;
}

}  // namespace cairn
