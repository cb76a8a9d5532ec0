// The builtin orders of user keys, and these with timestamps. The separators that they choose end
// up in index blocks, so they are chosen to be short.
#include "rocksdb/comparator.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <string>

#include "base/coding.h"
#include "base/timestamps.h"

namespace ROCKSDB_NAMESPACE {

namespace {

uint8_t ByteAt(const Slice& s, size_t i) { return static_cast<uint8_t>(s[i]); }

class BytewiseComparatorImpl final : public Comparator {
 public:
  static const char* kClassName() { return "leveldb.BytewiseComparator"; }
  const char* Name() const override { return kClassName(); }

  int Compare(const Slice& a, const Slice& b) const override { return a.compare(b); }
  bool Equal(const Slice& a, const Slice& b) const override { return a == b; }
  bool CanKeysWithDifferentByteContentsBeEqual() const override { return false; }
  int CompareWithoutTimestamp(const Slice& a, bool, const Slice& b, bool) const override {
    return a.compare(b);
  }

  void FindShortestSeparator(std::string* start, const Slice& limit) const override {
    const Slice from(*start);
    const size_t diff = from.difference_offset(limit);
    // One is a prefix of the other: nothing lies between at the start's length or below.
    if (diff >= from.size() || diff >= limit.size()) return;
    const uint8_t start_byte = ByteAt(from, diff);
    const uint8_t limit_byte = ByteAt(limit, diff);
    if (start_byte >= limit_byte) return;  // start > limit: the caller's mistake, leave it
    if (diff + 1 < limit.size() || start_byte + 1 < limit_byte) {
      // The byte after start's is smaller than limit, or a proper prefix of it.
      (*start)[diff] = static_cast<char>(start_byte + 1);
      start->resize(diff + 1);
      return;
    }
    // limit ends with the very next byte, so keep start's byte and raise a later one that can be.
    for (size_t i = diff + 1; i < start->size(); i++) {
      const uint8_t byte = static_cast<uint8_t>((*start)[i]);
      if (byte < 0xff) {
        (*start)[i] = static_cast<char>(byte + 1);
        start->resize(i + 1);
        return;
      }
    }
  }

  void FindShortSuccessor(std::string* key) const override {
    for (size_t i = 0; i < key->size(); i++) {
      const uint8_t byte = static_cast<uint8_t>((*key)[i]);
      if (byte != 0xff) {
        (*key)[i] = static_cast<char>(byte + 1);
        key->resize(i + 1);
        return;
      }
    }
    // All bytes are 0xff: only a longer key is larger.
  }

  bool IsSameLengthImmediateSuccessor(const Slice& s, const Slice& t) const override {
    if (s.size() != t.size() || s.empty()) return false;
    const size_t diff = s.difference_offset(t);
    if (diff >= s.size() || ByteAt(s, diff) == 0xff) return false;
    if (ByteAt(s, diff) + 1 != ByteAt(t, diff)) return false;
    for (size_t i = diff + 1; i < s.size(); i++) {
      if (ByteAt(s, i) != 0xff || ByteAt(t, i) != 0) return false;
    }
    return true;
  }
};

class ReverseBytewiseComparatorImpl final : public Comparator {
 public:
  static const char* kClassName() { return "rocksdb.ReverseBytewiseComparator"; }
  const char* Name() const override { return kClassName(); }

  int Compare(const Slice& a, const Slice& b) const override { return b.compare(a); }
  bool Equal(const Slice& a, const Slice& b) const override { return a == b; }
  bool CanKeysWithDifferentByteContentsBeEqual() const override { return false; }
  int CompareWithoutTimestamp(const Slice& a, bool, const Slice& b, bool) const override {
    return b.compare(a);
  }

  void FindShortestSeparator(std::string* start, const Slice& limit) const override {
    const Slice from(*start);
    const size_t diff = from.difference_offset(limit);
    // In this order a key that is longer than limit by some bytes comes before it, and so do all
    // keys that share one byte more.
    if (diff >= from.size()) return;
    if (diff == limit.size()) return;
    if (ByteAt(from, diff) <= ByteAt(limit, diff)) return;  // not start < limit
    // A prefix of start that still has the differing byte is smaller in bytes than start, so after
    // it, and before limit.
    if (diff + 1 < from.size()) start->resize(diff + 1);
  }

  void FindShortSuccessor(std::string*) const override {
    // The empty key is the last of all, but index entries of it would be of no use.
  }
};

// The order of `Base` for keys that end in a number of 8 bytes, little-endian. Bytes that are too
// few for a timestamp (of a damaged file) count as an empty key, and one without as 0.
template <typename Base>
class ComparatorWithU64Ts final : public Comparator {
 public:
  static constexpr size_t kSize = sizeof(uint64_t);

  explicit ComparatorWithU64Ts(const char* name) : Comparator(kSize), name_(name) {}
  const char* Name() const override { return name_; }

  int Compare(const Slice& a, const Slice& b) const override {
    const int order = CompareWithoutTimestamp(a, true, b, true);
    if (order != 0) return order;
    return -CompareTimestamp(cairn::TimestampOf(a, kSize), cairn::TimestampOf(b, kSize));
  }
  using Comparator::CompareWithoutTimestamp;
  int CompareWithoutTimestamp(const Slice& a, bool a_has_ts, const Slice& b,
                              bool b_has_ts) const override {
    return base_.Compare(a_has_ts ? cairn::StripTimestamp(a, kSize) : a,
                         b_has_ts ? cairn::StripTimestamp(b, kSize) : b);
  }
  bool EqualWithoutTimestamp(const Slice& a, const Slice& b) const override {
    return cairn::StripTimestamp(a, kSize) == cairn::StripTimestamp(b, kSize);
  }
  int CompareTimestamp(const Slice& ts1, const Slice& ts2) const override {
    const uint64_t a = NumberOf(ts1);
    const uint64_t b = NumberOf(ts2);
    return a < b ? -1 : (a > b ? 1 : 0);
  }
  std::string TimestampToString(const Slice& timestamp) const override {
    return std::to_string(NumberOf(timestamp));
  }
  bool CanKeysWithDifferentByteContentsBeEqual() const override { return false; }
  // (A shorter key would end in another timestamp.)
  void FindShortestSeparator(std::string*, const Slice&) const override {}
  void FindShortSuccessor(std::string*) const override {}

 private:
  static uint64_t NumberOf(const Slice& ts) {
    return ts.size() < kSize ? 0 : cairn::DecodeFixed64(ts.data());
  }

  const char* const name_;
  const Base base_;
};

}  // namespace

namespace {

constexpr size_t kLongestTimestamp = 64;  // bytes, that are known here

Slice Repeated(char c, size_t size) {
  static const std::string& all_ones = *new std::string(kLongestTimestamp, '\xff');
  static const std::string& all_zeros = *new std::string(kLongestTimestamp, '\0');
  return {c == '\0' ? all_zeros.data() : all_ones.data(), std::min(size, kLongestTimestamp)};
}

}  // namespace

Slice Comparator::GetMaxTimestamp() const { return Repeated('\xff', timestamp_size_); }
Slice Comparator::GetMinTimestamp() const { return Repeated('\0', timestamp_size_); }

const Comparator* BytewiseComparator() {
  // Never destroyed: databases may be used until the very end of the program.
  static const Comparator* const instance = new BytewiseComparatorImpl;
  return instance;
}

const Comparator* ReverseBytewiseComparator() {
  static const Comparator* const instance = new ReverseBytewiseComparatorImpl;
  return instance;
}

const Comparator* BytewiseComparatorWithU64Ts() {
  static const Comparator* const instance =
      new ComparatorWithU64Ts<BytewiseComparatorImpl>("leveldb.BytewiseComparator.u64ts");
  return instance;
}

const Comparator* ReverseBytewiseComparatorWithU64Ts() {
  static const Comparator* const instance = new ComparatorWithU64Ts<ReverseBytewiseComparatorImpl>(
      "rocksdb.ReverseBytewiseComparator.u64ts");
  return instance;
}

Slice EncodeU64Ts(uint64_t ts, std::string* buffer) {
  buffer->clear();
  cairn::PutFixed64(buffer, ts);
  return *buffer;
}

Status DecodeU64Ts(const Slice& ts, uint64_t* number) {
  if (ts.size() != sizeof(uint64_t))
    return Status::InvalidArgument("U64Ts timestamp size mismatch.");
  *number = cairn::DecodeFixed64(ts.data());
  return Status::OK();
}

Slice MaxU64Ts() { return Slice("\xff\xff\xff\xff\xff\xff\xff\xff", sizeof(uint64_t)); }
Slice MinU64Ts() { return Slice("\0\0\0\0\0\0\0\0", sizeof(uint64_t)); }

}  // namespace ROCKSDB_NAMESPACE
