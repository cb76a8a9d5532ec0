// What rocksdb/wide_columns.h and rocksdb/attribute_groups.h declare.
#include "rocksdb/wide_columns.h"

#include <utility>

#include "base/wide_column_serialization.h"
#include "rocksdb/attribute_groups.h"

namespace ROCKSDB_NAMESPACE {

namespace {

void Print(std::ostream& os, const Slice& text, bool hex) {
  if (hex && !text.empty()) os << "0x";
  os << text.ToString(hex);
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const WideColumn& column) {
  const bool hex = (os.flags() & std::ios_base::basefield) == std::ios_base::hex;
  Print(os, column.name(), hex);
  os << ':';
  Print(os, column.value(), hex);
  return os;
}

PinnableWideColumns::PinnableWideColumns(PinnableWideColumns&& other) { *this = std::move(other); }

PinnableWideColumns& PinnableWideColumns::operator=(PinnableWideColumns&& other) {
  if (this == &other) return *this;
  // Short values lie in the object itself, and move with it.
  const char* const from = other.value_.data();
  value_ = std::move(other.value_);
  columns_ = std::move(other.columns_);
  if (value_.data() != from) {
    const auto move = [&](Slice* part) {
      *part = part->empty() ? Slice() : Slice(value_.data() + (part->data() - from), part->size());
    };
    for (WideColumn& column : columns_) {
      move(&column.name());
      move(&column.value());
    }
  }
  other.Reset();
  return *this;
}

void PinnableWideColumns::Reset() {
  value_.Reset();
  columns_.clear();
}

void PinnableWideColumns::Hold(const Slice& value, Cleanable* cleanable) {
  Reset();
  if (cleanable == nullptr) {
    value_.PinSelf(value);
  } else {
    value_.PinSlice(value, cleanable);
  }
}
void PinnableWideColumns::Hold(PinnableSlice&& value) {
  Reset();
  value_ = std::move(value);
}
void PinnableWideColumns::Hold(std::string&& value) {
  Reset();
  *value_.GetSelf() = std::move(value);
  value_.PinSelf();
}

void PinnableWideColumns::ShowPlainValue() {
  columns_.assign(1, WideColumn(Slice(), static_cast<const Slice&>(value_)));
}

Status PinnableWideColumns::ShowWideColumns() {
  Status s = cairn::DecodeWideColumns(value_, &columns_);
  if (!s.ok()) Reset();
  return s;
}

void PinnableWideColumns::SetPlainValue(const Slice& value) { SetPlainValue(value, nullptr); }
void PinnableWideColumns::SetPlainValue(const Slice& value, Cleanable* cleanable) {
  Hold(value, cleanable);
  ShowPlainValue();
}
void PinnableWideColumns::SetPlainValue(PinnableSlice&& value) {
  Hold(std::move(value));
  ShowPlainValue();
}
void PinnableWideColumns::SetPlainValue(std::string&& value) {
  Hold(std::move(value));
  ShowPlainValue();
}

Status PinnableWideColumns::SetWideColumnValue(const Slice& value) {
  return SetWideColumnValue(value, nullptr);
}
Status PinnableWideColumns::SetWideColumnValue(const Slice& value, Cleanable* cleanable) {
  Hold(value, cleanable);
  return ShowWideColumns();
}
Status PinnableWideColumns::SetWideColumnValue(PinnableSlice&& value) {
  Hold(std::move(value));
  return ShowWideColumns();
}
Status PinnableWideColumns::SetWideColumnValue(std::string&& value) {
  Hold(std::move(value));
  return ShowWideColumns();
}

}  // namespace ROCKSDB_NAMESPACE
