// Slice: a pointer and a length, borrowing bytes that someone else owns. PinnableSlice: a result of
// a read that either owns its bytes or keeps the block that holds them alive, so that a cached
// value is read without a copy.
//
// Concurrent const use is safe; anything else needs the caller's own synchronisation.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "rocksdb/cleanable.h"
#include "rocksdb/rocksdb_namespace.h"

namespace ROCKSDB_NAMESPACE {

struct SliceParts;

class Slice {
 public:
  Slice() : data_(""), size_(0) {}
  Slice(const char* d, size_t n) : data_(d), size_(n) {}
  /* implicit */ Slice(const std::string& s) : data_(s.data()), size_(s.size()) {}
  /* implicit */ Slice(const std::string_view& sv) : data_(sv.data()), size_(sv.size()) {}
  // From a NUL-terminated string; null is the empty slice.
  /* implicit */ Slice(const char* s) : data_(s), size_(s == nullptr ? 0 : std::strlen(s)) {}
  // Concatenates `parts`; the bytes live in *buf, which must outlive the slice.
  Slice(const SliceParts& parts, std::string* buf);

  const char* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // REQUIRES: n < size()
  char operator[](size_t n) const {
    assert(n < size_);
    return data_[n];
  }

  void clear() {
    data_ = "";
    size_ = 0;
  }

  // REQUIRES: n <= size()
  void remove_prefix(size_t n) {
    assert(n <= size_);
    data_ += n;
    size_ -= n;
  }

  // REQUIRES: n <= size()
  void remove_suffix(size_t n) {
    assert(n <= size_);
    size_ -= n;
  }

  // A copy of the bytes; with `hex` as upper-case hexadecimal digits.
  std::string ToString(bool hex = false) const;

  std::string_view ToStringView() const { return std::string_view(data_, size_); }

  // Decodes hexadecimal digits (either case) into *result. False if the length is odd or a digit is
  // wrong.
  bool DecodeHex(std::string* result) const;

  // <0, 0, >0 by unsigned byte order; a prefix sorts first.
  int compare(const Slice& b) const {
    const size_t common = size_ < b.size_ ? size_ : b.size_;
    const int order = common == 0 ? 0 : std::memcmp(data_, b.data_, common);
    if (order != 0) return order;
    return size_ == b.size_ ? 0 : (size_ < b.size_ ? -1 : 1);
  }

  bool starts_with(const Slice& x) const {
    return size_ >= x.size_ && (x.size_ == 0 || std::memcmp(data_, x.data_, x.size_) == 0);
  }

  bool ends_with(const Slice& x) const {
    return size_ >= x.size_ &&
           (x.size_ == 0 || std::memcmp(data_ + size_ - x.size_, x.data_, x.size_) == 0);
  }

  // Index of the first byte that differs from b, or the shorter length if one is a prefix of the
  // other.
  size_t difference_offset(const Slice& b) const {
    const size_t common = size_ < b.size_ ? size_ : b.size_;
    size_t i = 0;
    while (i < common && data_[i] == b.data_[i]) i++;
    return i;
  }

  // Public because users of the API assign them; prefer the accessors.
  const char* data_;
  size_t size_;
};

inline bool operator==(const Slice& x, const Slice& y) {
  return x.size() == y.size() && (x.size() == 0 || std::memcmp(x.data(), y.data(), x.size()) == 0);
}
inline bool operator!=(const Slice& x, const Slice& y) { return !(x == y); }

// A slice, or none, which is not the same as an empty one. Borrows like a slice. (Of RocksDB 10.)
class OptSlice {
 public:
  OptSlice() = default;
  // Not explicit, as in RocksDB: wherever a key may be left out, one may be given. NOLINTBEGIN
  OptSlice(const Slice& s) : slice_(s), has_value_(true) {}
  OptSlice(const std::string& s) : OptSlice(Slice(s)) {}
  OptSlice(const std::string_view& s) : OptSlice(Slice(s)) {}
  OptSlice(const char* c_str) : OptSlice(Slice(c_str)) {}
  OptSlice(std::nullptr_t) {}
  // NOLINTEND

  bool has_value() const noexcept { return has_value_; }
  explicit operator bool() const noexcept { return has_value_; }
  // REQUIRES: has_value().
  const Slice& value() const noexcept { return slice_; }
  const Slice& operator*() const noexcept { return slice_; }
  const Slice* operator->() const noexcept { return &slice_; }

  // Null: there is none.
  const Slice* AsPtr() const noexcept { return has_value_ ? &slice_ : nullptr; }
  static OptSlice CopyFromPtr(const Slice* ptr) { return ptr == nullptr ? OptSlice() : *ptr; }

 private:
  Slice slice_;
  bool has_value_ = false;
};

// Several slices that together form one key or value; borrows the array.
struct SliceParts {
  SliceParts() : parts(nullptr), num_parts(0) {}
  SliceParts(const Slice* _parts, int _num_parts) : parts(_parts), num_parts(_num_parts) {}

  const Slice* parts;
  int num_parts;
};

// Either *pinned* (the bytes belong to a block or memtable that the registered cleanup releases) or
// *self-held* (the bytes are in GetSelf()). Reset() before reuse. The slice is valid until Reset(),
// reassignment or destruction.
class PinnableSlice : public Slice, public Cleanable {
 public:
  PinnableSlice() : buf_(&self_space_) {}
  // Self-held values go to *buf, which the caller owns and must outlive this object.
  explicit PinnableSlice(std::string* buf) : buf_(buf) {}

  PinnableSlice(PinnableSlice&& other);
  PinnableSlice& operator=(PinnableSlice&& other);
  PinnableSlice(PinnableSlice&) = delete;
  PinnableSlice& operator=(PinnableSlice&) = delete;

  // Points at s; f(arg1, arg2) releases the bytes. REQUIRES: !IsPinned()
  void PinSlice(const Slice& s, CleanupFunction f, void* arg1, void* arg2) {
    assert(!pinned_);
    pinned_ = true;
    data_ = s.data();
    size_ = s.size();
    RegisterCleanup(f, arg1, arg2);
  }

  // Points at s and takes over the cleanups of `cleanable` (null: the bytes need no release).
  // REQUIRES: !IsPinned()
  void PinSlice(const Slice& s, Cleanable* cleanable) {
    assert(!pinned_);
    pinned_ = true;
    data_ = s.data();
    size_ = s.size();
    if (cleanable != nullptr) cleanable->DelegateCleanupsTo(this);
  }

  // Copies the bytes into GetSelf(). REQUIRES: !IsPinned()
  void PinSelf(const Slice& slice) {
    assert(!pinned_);
    buf_->assign(slice.data(), slice.size());
    PinSelf();
  }

  // Points at what the caller has put into GetSelf(). REQUIRES: !IsPinned()
  void PinSelf() {
    assert(!pinned_);
    data_ = buf_->data();
    size_ = buf_->size();
  }

  void remove_prefix(size_t n) {
    assert(n <= size_);
    if (pinned_) {
      Slice::remove_prefix(n);
    } else {
      buf_->erase(0, n);
      PinSelf();
    }
  }

  void remove_suffix(size_t n) {
    assert(n <= size_);
    if (pinned_) {
      Slice::remove_suffix(n);
    } else {
      buf_->resize(size_ - n);
      PinSelf();
    }
  }

  // Releases what is pinned; the slice is empty and reusable afterwards.
  void Reset() {
    Cleanable::Reset();
    pinned_ = false;
    size_ = 0;
  }

  std::string* GetSelf() { return buf_; }
  bool IsPinned() const { return pinned_; }

 private:
  std::string self_space_;
  std::string* buf_;
  bool pinned_ = false;
};

}  // namespace ROCKSDB_NAMESPACE
