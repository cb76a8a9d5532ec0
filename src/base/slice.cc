// Slices to and from hexadecimal text, and moves of pinned slices.
#include "rocksdb/slice.h"

#include <utility>

namespace ROCKSDB_NAMESPACE {

namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Slice::Slice(const SliceParts& parts, std::string* buf) {
  size_t length = 0;
  for (int i = 0; i < parts.num_parts; i++) length += parts.parts[i].size();
  buf->clear();
  buf->reserve(length);
  for (int i = 0; i < parts.num_parts; i++) {
    buf->append(parts.parts[i].data(), parts.parts[i].size());
  }
  data_ = buf->data();
  size_ = buf->size();
}

std::string Slice::ToString(bool hex) const {
  if (!hex) return std::string(data_, size_);
  static const char kDigits[] = "0123456789ABCDEF";
  std::string text;
  text.reserve(size_ * 2);
  for (size_t i = 0; i < size_; i++) {
    const unsigned char byte = static_cast<unsigned char>(data_[i]);
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

bool Slice::DecodeHex(std::string* result) const {
  if (result == nullptr || size_ % 2 != 0) return false;
  result->clear();
  result->reserve(size_ / 2);
  for (size_t i = 0; i < size_; i += 2) {
    const int high = HexDigit(data_[i]);
    const int low = HexDigit(data_[i + 1]);
    if (high < 0 || low < 0) return false;
    result->push_back(static_cast<char>(high << 4 | low));
  }
  return true;
}

PinnableSlice::PinnableSlice(PinnableSlice&& other) : buf_(&self_space_) {
  *this = std::move(other);
}

PinnableSlice& PinnableSlice::operator=(PinnableSlice&& other) {
  if (this == &other) return *this;
  Cleanable::Reset();
  // The bytes of a self-held value move with its string: find the slice's place in it again
  // afterwards.
  const bool held = !other.pinned_ && other.size_ > 0 && other.buf_ == &other.self_space_;
  Cleanable::operator=(std::move(other));
  pinned_ = other.pinned_;
  size_ = other.size_;
  if (other.buf_ == &other.self_space_) {
    self_space_ = std::move(other.self_space_);
    buf_ = &self_space_;
  } else {
    buf_ = other.buf_;
  }
  data_ = held ? buf_->data() : other.data_;
  other.self_space_.clear();
  other.buf_ = &other.self_space_;
  other.pinned_ = false;
  static_cast<Slice&>(other).clear();
  return *this;
}

}  // namespace ROCKSDB_NAMESPACE
