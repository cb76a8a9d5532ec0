// A sorted list of a batch's entries behind the names that RocksDB's memtable has: through it a
// test of RocksJava looks at a batch. The private headers of RocksDB that the test includes lead
// here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/types.h"
#include "rocksdb/write_buffer_manager.h"

namespace ROCKSDB_NAMESPACE {

inline constexpr SequenceNumber kMaxSequenceNumber = (uint64_t{1} << 56) - 1;

// Two views of the options, of which nothing here depends.
struct ImmutableOptions {
  explicit ImmutableOptions(const Options& /*options*/) {}
};

struct MutableCFOptions {
  explicit MutableCFOptions(const Options& /*options*/) {}
};

// The numbers of RocksDB's format, but for kTypeLogData, which no memtable has.
enum ValueType : uint8_t {
  kTypeDeletion = 0,
  kTypeValue = 1,
  kTypeMerge = 2,
  kTypeLogData = 3,
  kTypeSingleDeletion = 7,
  kTypeRangeDeletion = 15,
};

struct ParsedInternalKey {
  void clear() { *this = ParsedInternalKey(); }

  Slice user_key;
  SequenceNumber sequence = 0;
  ValueType type = kTypeDeletion;
};

// An internal key is the user's key and eight bytes, little-endian: type and sequence number.
inline std::string MakeInternalKey(const Slice& user_key, SequenceNumber sequence, ValueType type) {
  std::string key = user_key.ToString();
  const uint64_t trailer = (sequence << 8) | type;
  for (int shift = 0; shift < 64; shift += 8) key.push_back(static_cast<char>(trailer >> shift));
  return key;
}

inline Status ParseInternalKey(const Slice& internal_key, ParsedInternalKey* result,
                               bool /*log_err_key*/) {
  if (internal_key.size() < 8) return Status::Corruption("internal key too small");
  const size_t user_size = internal_key.size() - 8;
  uint64_t trailer = 0;
  for (size_t i = 0; i < 8; ++i) {
    trailer |= uint64_t{static_cast<uint8_t>(internal_key[user_size + i])} << (8 * i);
  }
  result->user_key = Slice(internal_key.data(), user_size);
  result->sequence = trailer >> 8;
  result->type = static_cast<ValueType>(trailer & 0xff);
  return Status::OK();
}

class InternalKeyComparator {
 public:
  explicit InternalKeyComparator(const Comparator* user_comparator)
      : user_comparator_(user_comparator) {}

  // Of two entries of one key the newer one is first.
  bool Less(const ParsedInternalKey& a, const ParsedInternalKey& b) const {
    const int order = user_comparator_->Compare(a.user_key, b.user_key);
    return order != 0 ? order < 0 : a.sequence > b.sequence;
  }

 private:
  const Comparator* user_comparator_;
};

// An iterator over a memtable owns what it shows.
class Arena {};

class InternalIterator {
 public:
  using Entry = std::pair<std::string, std::string>;
  explicit InternalIterator(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  bool Valid() const { return position_ < entries_.size(); }
  void SeekToFirst() { position_ = 0; }
  void Next() { ++position_; }
  Slice key() const { return entries_[position_].first; }
  Slice value() const { return entries_[position_].second; }

 private:
  const std::vector<Entry> entries_;
  size_t position_ = 0;
};

// (Of release 8 and later.)
template <typename Iterator>
using ScopedArenaPtr = std::unique_ptr<Iterator>;

// Not thread-safe.
class MemTable {
 public:
  MemTable(const InternalKeyComparator& comparator, const ImmutableOptions& /*options*/,
           const MutableCFOptions& /*mutable_options*/, WriteBufferManager* /*manager*/,
           SequenceNumber /*latest_sequence*/, uint32_t /*column_family_id*/)
      : comparator_(comparator) {}

  void Ref() { ++references_; }
  // Null while there are others.
  MemTable* Unref() { return --references_ == 0 ? this : nullptr; }

  void Add(SequenceNumber sequence, ValueType type, const Slice& key, const Slice& value) {
    entries_.emplace_back(MakeInternalKey(key, sequence, type), value.ToString());
  }

  // Without the range tombstones, as RocksDB's. The caller owns the iterator.
  InternalIterator* NewIterator(const ReadOptions& /*options*/, Arena* /*arena*/) const {
    std::vector<InternalIterator::Entry> entries;
    for (const auto& entry : entries_) {
      if (Parse(entry).type != kTypeRangeDeletion) entries.push_back(entry);
    }
    std::sort(entries.begin(), entries.end(), [this](const auto& a, const auto& b) {
      return comparator_.Less(Parse(a), Parse(b));
    });
    return std::make_unique<InternalIterator>(std::move(entries)).release();
  }
  // As release 8 and later call it.
  InternalIterator* NewIterator(const ReadOptions& options, std::nullptr_t /*times*/, Arena* arena,
                                std::nullptr_t /*extractor*/, bool /*for_flush*/) const {
    return NewIterator(options, arena);
  }

 private:
  static ParsedInternalKey Parse(const InternalIterator::Entry& entry) {
    ParsedInternalKey key;
    ParseInternalKey(entry.first, &key, false).PermitUncheckedError();
    return key;
  }

  const InternalKeyComparator comparator_;
  int references_ = 0;
  std::vector<InternalIterator::Entry> entries_;
};

}  // namespace ROCKSDB_NAMESPACE
