// SliceTransform: how a prefix is taken from a key (ColumnFamilyOptions::prefix_extractor).
//
// An extractor of one's own must agree with the comparator: keys with one prefix stand together in
// the order, and keys that compare equal have equal prefixes.
//
// Thread safety: all methods from any thread at once.
#pragma once

#include <memory>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

class Slice;
class Status;
struct ConfigOptions;

class SliceTransform : public Customizable {
 public:
  ~SliceTransform() override = default;

  static const char* Type() { return "SliceTransform"; }

  // Sets *result to what `id` says: "fixed:N", "capped:N", "rocksdb.FixedPrefix.N",
  // "rocksdb.CappedPrefix.N", "rocksdb.Noop"; null for "" and "nullptr". A name that is not
  // known leaves *result as it is: OK with ignore_unsupported_options (the default), else
  // NotSupported.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                 std::shared_ptr<const SliceTransform>* result);
  // Names this extractor with its settings: GetId().
  std::string AsString() const { return GetId(); }

  // The prefix, which is part of `key`'s own memory. REQUIRES: InDomain(key)
  virtual Slice Transform(const Slice& key) const = 0;
  // `key` has a prefix. Others are not found by prefix.
  virtual bool InDomain(const Slice& key) const = 0;
  virtual bool InRange(const Slice& /*dst*/) const { return false; }
  // All prefixes have *len bytes (but those of shorter keys).
  virtual bool FullLengthEnabled(size_t* /*len*/) const { return false; }
  // Keys that start with `prefix` have the same prefix as `prefix` itself.
  virtual bool SameResultWhenAppended(const Slice& /*prefix*/) const { return false; }
};

// The first `prefix_len` bytes; shorter keys have no prefix.
extern const SliceTransform* NewFixedPrefixTransform(size_t prefix_len);
// The first `cap_len` bytes, or all of a shorter key.
extern const SliceTransform* NewCappedPrefixTransform(size_t cap_len);
// The whole key.
extern const SliceTransform* NewNoopTransform();

}  // namespace ROCKSDB_NAMESPACE
