// The extractors that come with the library.
#include "rocksdb/slice_transform.h"

#include <algorithm>
#include <string_view>

#include "base/builtin_slice_transform.h"
#include "base/string_util.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {
namespace {

class FixedPrefixTransform final : public SliceTransform {
 public:
  explicit FixedPrefixTransform(size_t length) : length_(length) {}

  static const char* kClassName() { return "rocksdb.FixedPrefix"; }
  const char* Name() const override { return kClassName(); }
  std::string GetId() const override {
    return std::string(kClassName()) + "." + std::to_string(length_);
  }
  bool IsInstanceOf(const std::string& name) const override {
    return SliceTransform::IsInstanceOf(name) || name == GetId();
  }
  Slice Transform(const Slice& key) const override { return Slice(key.data(), length_); }
  bool InDomain(const Slice& key) const override { return key.size() >= length_; }
  bool InRange(const Slice& dst) const override { return dst.size() == length_; }
  bool FullLengthEnabled(size_t* len) const override {
    *len = length_;
    return true;
  }
  bool SameResultWhenAppended(const Slice& prefix) const override { return InDomain(prefix); }

 protected:
  const char* NickName() const override { return "fixed"; }

 private:
  const size_t length_;
};

class CappedPrefixTransform final : public SliceTransform {
 public:
  explicit CappedPrefixTransform(size_t length) : length_(length) {}

  static const char* kClassName() { return "rocksdb.CappedPrefix"; }
  const char* Name() const override { return kClassName(); }
  std::string GetId() const override {
    return std::string(kClassName()) + "." + std::to_string(length_);
  }
  bool IsInstanceOf(const std::string& name) const override {
    return SliceTransform::IsInstanceOf(name) || name == GetId();
  }
  Slice Transform(const Slice& key) const override {
    return Slice(key.data(), std::min(length_, key.size()));
  }
  bool InDomain(const Slice& /*key*/) const override { return true; }
  bool InRange(const Slice& dst) const override { return dst.size() <= length_; }
  bool FullLengthEnabled(size_t* len) const override {
    *len = length_;
    return true;
  }
  bool SameResultWhenAppended(const Slice& prefix) const override {
    return prefix.size() >= length_;
  }

 protected:
  const char* NickName() const override { return "capped"; }

 private:
  const size_t length_;
};

class NoopTransform final : public SliceTransform {
 public:
  const char* Name() const override { return "rocksdb.Noop"; }
  Slice Transform(const Slice& key) const override { return key; }
  bool InDomain(const Slice& /*key*/) const override { return true; }
  bool InRange(const Slice& /*dst*/) const override { return true; }
};

}  // namespace

const SliceTransform* NewFixedPrefixTransform(size_t prefix_len) {
  return new FixedPrefixTransform(prefix_len);
}
const SliceTransform* NewCappedPrefixTransform(size_t cap_len) {
  return new CappedPrefixTransform(cap_len);
}
const SliceTransform* NewNoopTransform() { return new NoopTransform; }

}  // namespace ROCKSDB_NAMESPACE

namespace cairn {

std::shared_ptr<const SliceTransform> BuiltinSliceTransform(const std::string& id) {
  uint64_t length = 0;
  const auto length_behind = [&](std::string_view start) {
    return id.starts_with(start) && ParseUint64(id.substr(start.size()), &length);
  };
  const SliceTransform* made = nullptr;
  if (id == "rocksdb.Noop") {
    made = NewNoopTransform();
  } else if (length_behind("fixed:") || length_behind("rocksdb.FixedPrefix.")) {
    made = NewFixedPrefixTransform(length);
  } else if (length_behind("capped:") || length_behind("rocksdb.CappedPrefix.")) {
    made = NewCappedPrefixTransform(length);
  }
  return std::shared_ptr<const SliceTransform>(made);
}

}  // namespace cairn
