// Comparator: the total order of user keys. Implementations must be thread-safe: the database calls
// them from many threads and fibers at once. They must live longer than every database that uses
// them, and must not block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

struct ConfigOptions;

class CompareInterface {
 public:
  virtual ~CompareInterface() = default;

  // <0, 0, >0 as a sorts before, equal to, or after b.
  virtual int Compare(const Slice& a, const Slice& b) const = 0;
};

// Name() is stored in every table file and in the MANIFEST; opening a database with a comparator of
// another name fails.
class Comparator : public Customizable, public CompareInterface {
 public:
  Comparator() : timestamp_size_(0) {}
  // A comparator for keys that end in a timestamp of ts_sz bytes. Compare() sees keys with their
  // timestamps and, where they are equal without, puts the larger timestamp first. Timestamps of
  // 0xff bytes must be the largest of all, those of zeros the smallest.
  explicit Comparator(size_t ts_sz) : timestamp_size_(ts_sz) {}

  static const char* Type() { return "Comparator"; }
  // Sets *result to what `id` names: one of the four below, or what somebody has registered with
  // config_options.registry (utilities/object_registry.h); "name" or "id=name;". Nobody has to free
  // it. "": null. A name that is not known leaves *result as it is: OK with
  // ignore_unsupported_options (the default), else NotSupported. NotSupported, too: "nullptr".
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                 const Comparator** result);
  const char* Name() const override = 0;

  virtual bool Equal(const Slice& a, const Slice& b) const { return Compare(a, b) == 0; }

  // May replace *start by a shorter key in [*start, limit), to make index entries small. Doing
  // nothing is correct. REQUIRES: *start sorts before limit.
  virtual void FindShortestSeparator(std::string* start, const Slice& limit) const = 0;

  // May replace *key by a shorter key that is not smaller. Doing nothing is correct.
  virtual void FindShortSuccessor(std::string* key) const = 0;

  // True if t is the next key after s among the keys of their common length. False is always safe.
  virtual bool IsSameLengthImmediateSuccessor(const Slice& /*s*/, const Slice& /*t*/) const {
    return false;
  }

  // False promises that keys of different bytes never compare equal, which allows hashing. True is
  // always safe.
  virtual bool CanKeysWithDifferentByteContentsBeEqual() const { return true; }

  // The comparator that a wrapper wraps.
  virtual const Comparator* GetRootComparator() const { return this; }

  // Bytes of the timestamp at each key's end; 0: keys have none.
  size_t timestamp_size() const { return timestamp_size_; }

  // The largest and the smallest timestamp, and one as text: of a comparator of one's own without
  // these functions bytes of 0xff and of 0, and no text.
  virtual Slice GetMaxTimestamp() const;
  virtual Slice GetMinTimestamp() const;
  virtual std::string TimestampToString(const Slice& /*timestamp*/) const { return ""; }

  // <0, 0, >0 as timestamp ts1 is older than, equal to, or newer than ts2.
  virtual int CompareTimestamp(const Slice& /*ts1*/, const Slice& /*ts2*/) const { return 0; }

  // The order without timestamps, of keys that have one or, as the flags say, have none.
  int CompareWithoutTimestamp(const Slice& a, const Slice& b) const {
    return CompareWithoutTimestamp(a, true, b, true);
  }
  virtual int CompareWithoutTimestamp(const Slice& a, bool /*a_has_ts*/, const Slice& b,
                                      bool /*b_has_ts*/) const {
    return Compare(a, b);
  }
  virtual bool EqualWithoutTimestamp(const Slice& a, const Slice& b) const {
    return CompareWithoutTimestamp(a, true, b, true) == 0;
  }

 private:
  size_t timestamp_size_;
};

// Unsigned byte order, a prefix first: "leveldb.BytewiseComparator". Lives as long as the program.
extern const Comparator* BytewiseComparator();

// The opposite order: "rocksdb.ReverseBytewiseComparator". Lives as long as the program.
extern const Comparator* ReverseBytewiseComparator();

// The same two orders of keys that end in a timestamp of 8 bytes, a little-endian number, the
// larger one first: "leveldb.BytewiseComparator.u64ts", "rocksdb.ReverseBytewiseComparator.u64ts".
// Live as long as the program.
extern const Comparator* BytewiseComparatorWithU64Ts();
extern const Comparator* ReverseBytewiseComparatorWithU64Ts();

// Their timestamps: of a number (*buffer holds it), back to one (InvalidArgument: no 8 bytes), the
// largest and the smallest.
Slice EncodeU64Ts(uint64_t ts, std::string* buffer);
Status DecodeU64Ts(const Slice& ts, uint64_t* number);
Slice MaxU64Ts();
Slice MinU64Ts();

}  // namespace ROCKSDB_NAMESPACE
