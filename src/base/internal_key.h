// Internal keys: what memtables and table files are sorted by. One is
//
//   user key | fixed64: sequence number (56 bits) << 8 | value type (8 bits)
//
// Equal user keys are ordered from the newest to the oldest, so that a seek to (user key, snapshot)
// finds the visible entry. The bytes are on disk. With timestamps (base/timestamps.h) the user key
// ends in one: equal keys are ordered by it first, the newest in front.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/coding.h"
#include "base/namespace.h"
#include "base/timestamps.h"
#include "rocksdb/comparator.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"

namespace cairn {

// The largest number that fits beside a type.
inline constexpr SequenceNumber kMaxSequenceNumber = (uint64_t{1} << 56) - 1;
// A database opened for writing has at least as many sequence numbers left as anyone will use.
inline constexpr SequenceNumber kLastWritableSequence = kMaxSequenceNumber - (uint64_t{1} << 48);
// Not known, or none.
inline constexpr SequenceNumber kDisableGlobalSequenceNumber = UINT64_MAX;

inline constexpr size_t kInternalKeyFooterSize = 8;

// Bytes of a user key and its value together. With more they would not fit a block of a table,
// whose offsets have 32 bits: what was written could not be read again.
inline constexpr uint64_t kMaxEntrySize = UINT32_MAX - 64;

// The values are on disk: in internal keys and in batches. Those with "ColumnFamily" carry a
// varint32 id and are in batches only.
enum ValueType : uint8_t {
  kTypeDeletion = 0x0,
  kTypeValue = 0x1,
  kTypeMerge = 0x2,
  kTypeLogData = 0x3,
  kTypeColumnFamilyDeletion = 0x4,
  kTypeColumnFamilyValue = 0x5,
  kTypeColumnFamilyMerge = 0x6,
  kTypeSingleDeletion = 0x7,
  kTypeColumnFamilySingleDeletion = 0x8,
  kTypeBeginPrepareXID = 0x9,
  kTypeEndPrepareXID = 0xA,
  kTypeCommitXID = 0xB,
  kTypeRollbackXID = 0xC,
  kTypeNoop = 0xD,
  kTypeColumnFamilyRangeDeletion = 0xE,
  kTypeRangeDeletion = 0xF,
  kTypeColumnFamilyBlobIndex = 0x10,
  kTypeBlobIndex = 0x11,
  kTypeBeginPersistedPrepareXID = 0x12,
  kTypeBeginUnprepareXID = 0x13,
  kTypeDeletionWithTimestamp = 0x14,
  kTypeCommitXIDAndTimestamp = 0x15,
  kTypeWideColumnEntity = 0x16,
  kTypeColumnFamilyWideColumnEntity = 0x17,
  kMaxValue = 0x7F,
};

// The type that sorts first among entries of one user key and sequence number: a seek with it finds
// them all. And the last.
inline constexpr ValueType kValueTypeForSeek = kTypeColumnFamilyWideColumnEntity;
inline constexpr ValueType kValueTypeForSeekForPrev = kTypeDeletion;

// A deletion of one key, as internal keys have it (kTypeDeletionWithTimestamp: what kTypeDeletion
// is where there are timestamps).
inline bool IsDeletionType(ValueType type) {
  return type == kTypeDeletion || type == kTypeSingleDeletion || type == kTypeDeletionWithTimestamp;
}

// True for types that internal keys can have, rather than batches only.
inline bool IsInternalKeyType(ValueType type) {
  switch (type) {
    case kTypeDeletion:
    case kTypeValue:
    case kTypeMerge:
    case kTypeSingleDeletion:
    case kTypeRangeDeletion:
    case kTypeBlobIndex:
    case kTypeDeletionWithTimestamp:
    case kTypeWideColumnEntity:
      return true;
    default:
      return false;
  }
}

// REQUIRES: sequence <= kMaxSequenceNumber
inline uint64_t PackSequenceAndType(SequenceNumber sequence, ValueType type) {
  assert(sequence <= kMaxSequenceNumber);
  return (sequence << 8) | type;
}
inline void UnpackSequenceAndType(uint64_t packed, SequenceNumber* sequence, ValueType* type) {
  *sequence = packed >> 8;
  *type = static_cast<ValueType>(packed & 0xff);
}

struct ParsedInternalKey {
  Slice user_key;
  SequenceNumber sequence = 0;
  ValueType type = kTypeDeletion;

  ParsedInternalKey() = default;
  ParsedInternalKey(const Slice& key, SequenceNumber seq, ValueType t)
      : user_key(key), sequence(seq), type(t) {}

  // "'key' seq:5, type:1", with the key in hexadecimal if asked.
  std::string DebugString(bool hex = false) const;
};

// Corruption if the bytes are too short or the type is none that a key can have. The result points
// into `internal_key`.
[[nodiscard]] Status ParseInternalKey(const Slice& internal_key, ParsedInternalKey* result);

// REQUIRES (these four): internal_key.size() >= 8
inline Slice ExtractUserKey(const Slice& internal_key) {
  assert(internal_key.size() >= kInternalKeyFooterSize);
  return Slice(internal_key.data(), internal_key.size() - kInternalKeyFooterSize);
}
inline uint64_t ExtractInternalKeyFooter(const Slice& internal_key) {
  assert(internal_key.size() >= kInternalKeyFooterSize);
  return DecodeFixed64(internal_key.data() + internal_key.size() - kInternalKeyFooterSize);
}
inline SequenceNumber ExtractSequence(const Slice& internal_key) {
  return ExtractInternalKeyFooter(internal_key) >> 8;
}
inline ValueType ExtractValueType(const Slice& internal_key) {
  return static_cast<ValueType>(ExtractInternalKeyFooter(internal_key) & 0xff);
}

void AppendInternalKey(std::string* result, const ParsedInternalKey& key);
void AppendInternalKeyFooter(std::string* result, SequenceNumber sequence, ValueType type);
// Replaces the last 8 bytes. REQUIRES: internal_key->size() >= 8
inline void UpdateInternalKey(std::string* internal_key, SequenceNumber sequence, ValueType type) {
  assert(internal_key->size() >= kInternalKeyFooterSize);
  EncodeFixed64(internal_key->data() + internal_key->size() - kInternalKeyFooterSize,
                PackSequenceAndType(sequence, type));
}

// With a timestamp of `ts_size` bytes more, the smallest one; and without its timestamp.
// REQUIRES (both): internal_key.size() >= 8
std::string InternalKeyWithMinTimestamp(const Slice& internal_key, size_t ts_size);
std::string InternalKeyWithoutTimestamp(const Slice& internal_key, size_t ts_size);

// The order of internal keys: by the user's comparator, then by sequence number and type,
// descending. Immutable; copied freely.
class InternalKeyComparator final {
 public:
  // `user` must outlive this.
  explicit InternalKeyComparator(const Comparator* user)
      : user_comparator_(user),
        bytewise_(user == BytewiseComparator()),
        timestamp_size_(user == nullptr ? 0 : user->timestamp_size()) {}

  const Comparator* user_comparator() const { return user_comparator_; }
  size_t timestamp_size() const { return timestamp_size_; }  // bytes; 0: none
  // A user key without its timestamp.
  Slice BareKey(const Slice& user_key) const {
    return timestamp_size_ == 0 ? user_key : StripTimestamp(user_key, timestamp_size_);
  }
  Slice TimestampIn(const Slice& user_key) const { return TimestampOf(user_key, timestamp_size_); }

  // REQUIRES: both have at least 8 bytes
  int Compare(const Slice& a, const Slice& b) const {
    const int order = CompareUserKey(ExtractUserKey(a), ExtractUserKey(b));
    return order != 0 ? order
                      : CompareFooter(ExtractInternalKeyFooter(a), ExtractInternalKeyFooter(b));
  }
  int Compare(const ParsedInternalKey& a, const ParsedInternalKey& b) const {
    const int order = CompareUserKey(a.user_key, b.user_key);
    return order != 0 ? order
                      : CompareFooter(PackSequenceAndType(a.sequence, a.type),
                                      PackSequenceAndType(b.sequence, b.type));
  }

  // The usual comparator without a virtual call.
  int CompareUserKey(const Slice& a, const Slice& b) const {
    return bytewise_ ? a.compare(b) : user_comparator_->Compare(a, b);
  }
  bool EqualUserKey(const Slice& a, const Slice& b) const {
    return bytewise_ ? a == b : user_comparator_->Equal(a, b);
  }

  // The order of keys whatever their timestamps: which key it is, rather than which version of it.
  int CompareBare(const Slice& a, const Slice& b) const {
    if (bytewise_) [[likely]]
      return a.compare(b);
    return timestamp_size_ == 0 ? user_comparator_->Compare(a, b)
                                : user_comparator_->CompareWithoutTimestamp(a, b);
  }
  bool EqualBare(const Slice& a, const Slice& b) const {
    if (bytewise_) [[likely]]
      return a == b;
    return timestamp_size_ == 0 ? user_comparator_->Equal(a, b)
                                : user_comparator_->EqualWithoutTimestamp(a, b);
  }
  // Of a key and a bare one, which is a bound that the user gave.
  int CompareToBound(const Slice& user_key, const Slice& bound) const {
    if (bytewise_) [[likely]]
      return user_key.compare(bound);
    return timestamp_size_ == 0
               ? user_comparator_->Compare(user_key, bound)
               : user_comparator_->CompareWithoutTimestamp(user_key, true, bound, false);
  }

  // May replace *start by a shorter internal key in [*start, limit).
  void FindShortestSeparator(std::string* start, const Slice& limit) const;
  // May replace *key by a shorter internal key that is not smaller.
  void FindShortSuccessor(std::string* key) const;

 private:
  static int CompareFooter(uint64_t a, uint64_t b) { return a > b ? -1 : (a < b ? 1 : 0); }

  const Comparator* user_comparator_;
  bool bytewise_;
  size_t timestamp_size_;
};

// An internal key that owns its bytes. Empty by default, which is no key.
class InternalKey {
 public:
  InternalKey() = default;
  InternalKey(const Slice& user_key, SequenceNumber sequence, ValueType type) {
    Set(user_key, sequence, type);
  }

  // False if the bytes are no internal key.
  bool Valid() const;
  bool empty() const { return rep_.empty(); }

  // REQUIRES: at least 8 bytes
  void DecodeFrom(const Slice& internal_key) {
    rep_.assign(internal_key.data(), internal_key.size());
  }
  Slice Encode() const { return rep_; }
  // REQUIRES: !empty()
  Slice user_key() const { return ExtractUserKey(rep_); }
  size_t size() const { return rep_.size(); }
  std::string* rep() { return &rep_; }

  void Set(const Slice& user_key, SequenceNumber sequence, ValueType type) {
    rep_.clear();
    AppendInternalKey(&rep_, ParsedInternalKey(user_key, sequence, type));
  }
  void Clear() { rep_.clear(); }

  std::string DebugString(bool hex = false) const;

 private:
  std::string rep_;
};

// What a lookup seeks, in the forms of memtables and of tables, built once. Short keys need no
// allocation.
class LookupKey {
 public:
  // Of `user_key` as seen at `sequence`; with `timestamp` (empty: none) behind a bare key.
  LookupKey(const Slice& user_key, SequenceNumber sequence)
      : LookupKey(user_key, sequence, Slice()) {}
  LookupKey(const Slice& bare_key, SequenceNumber sequence, const Slice& timestamp);
  LookupKey(const LookupKey&) = delete;
  LookupKey& operator=(const LookupKey&) = delete;
  ~LookupKey() {
    if (start_ != space_) delete[] start_;
  }

  // varint32 length of the internal key, and the internal key.
  Slice memtable_key() const { return Slice(start_, static_cast<size_t>(end_ - start_)); }
  Slice internal_key() const { return Slice(key_start_, static_cast<size_t>(end_ - key_start_)); }
  Slice user_key() const {
    return Slice(key_start_, static_cast<size_t>(end_ - key_start_) - kInternalKeyFooterSize);
  }
  SequenceNumber sequence() const { return ExtractSequence(internal_key()); }

 private:
  char* start_;
  char* key_start_;
  char* end_;
  char space_[200];
};

}  // namespace cairn
