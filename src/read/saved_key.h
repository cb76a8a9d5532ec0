// SavedKey: a user key of an iterator's own, whose memory is used again. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

class SavedKey {
 public:
  void Assign(const Slice& key) {
    if (key.size() > capacity_) [[unlikely]] {
      capacity_ = key.size() * 2;
      heap_ = std::make_unique<char[]>(capacity_);
      data_ = heap_.get();
    }
    if (key.size() != 0) std::memcpy(data_, key.data(), key.size());
    size_ = key.size();
  }
  Slice get() const { return Slice(data_, size_); }

 private:
  size_t capacity_ = kInline;
  size_t size_ = 0;
  std::unique_ptr<char[]> heap_;
  static constexpr size_t kInline = 104;
  char inline_[kInline];
  char* data_ = inline_;
};

}  // namespace cairn
