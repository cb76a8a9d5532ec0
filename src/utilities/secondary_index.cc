// The iterator over an index's entries, and the simplest index.
#include "rocksdb/utilities/secondary_index.h"

#include <cassert>
#include <utility>

#include "base/coding.h"
#include "rocksdb/utilities/secondary_index_simple.h"
#include "utilities/secondary_indices.h"

namespace ROCKSDB_NAMESPACE {

// --- SecondaryIndexIterator

SecondaryIndexIterator::SecondaryIndexIterator(const SecondaryIndex* index,
                                               std::unique_ptr<Iterator>&& underlying_it)
    : index_(index), underlying_it_(std::move(underlying_it)) {}

bool SecondaryIndexIterator::Valid() const {
  return status_.ok() && underlying_it_->Valid() && underlying_it_->key().starts_with(prefix_);
}

Status SecondaryIndexIterator::status() const {
  return status_.ok() ? underlying_it_->status() : status_;
}

void SecondaryIndexIterator::Seek(const Slice& target) {
  cairn::SliceOrString prefix = target;
  status_ = index_->FinalizeSecondaryKeyPrefix(&prefix);
  if (!status_.ok()) return;
  const Slice bytes = cairn::SliceOf(prefix);
  prefix_.assign(bytes.data(), bytes.size());
  underlying_it_->Seek(prefix_);
}

void SecondaryIndexIterator::Next() {
  assert(Valid());
  underlying_it_->Next();
}

void SecondaryIndexIterator::Prev() {
  assert(Valid());
  underlying_it_->Prev();
}

bool SecondaryIndexIterator::PrepareValue() {
  assert(Valid());
  return underlying_it_->PrepareValue();
}

Slice SecondaryIndexIterator::key() const {
  assert(Valid());
  const Slice whole = underlying_it_->key();
  return Slice(whole.data() + prefix_.size(), whole.size() - prefix_.size());
}

Slice SecondaryIndexIterator::value() const { return underlying_it_->value(); }
const WideColumns& SecondaryIndexIterator::columns() const { return underlying_it_->columns(); }
Slice SecondaryIndexIterator::timestamp() const { return underlying_it_->timestamp(); }

Status SecondaryIndexIterator::GetProperty(std::string prop_name, std::string* prop) const {
  return underlying_it_->GetProperty(std::move(prop_name), prop);
}

// --- SimpleSecondaryIndex

SimpleSecondaryIndex::SimpleSecondaryIndex(std::string primary_column_name)
    : primary_column_name_(std::move(primary_column_name)) {}

void SimpleSecondaryIndex::SetPrimaryColumnFamily(ColumnFamilyHandle* column_family) {
  primary_column_family_ = column_family;
}
void SimpleSecondaryIndex::SetSecondaryColumnFamily(ColumnFamilyHandle* column_family) {
  secondary_column_family_ = column_family;
}
ColumnFamilyHandle* SimpleSecondaryIndex::GetPrimaryColumnFamily() const {
  return primary_column_family_;
}
ColumnFamilyHandle* SimpleSecondaryIndex::GetSecondaryColumnFamily() const {
  return secondary_column_family_;
}
Slice SimpleSecondaryIndex::GetPrimaryColumnName() const { return primary_column_name_; }

Status SimpleSecondaryIndex::UpdatePrimaryColumnValue(
    const Slice& /*primary_key*/, const Slice& /*primary_column_value*/,
    std::optional<std::variant<Slice, std::string>>* /*updated_column_value*/) const {
  return Status::OK();
}

Status SimpleSecondaryIndex::GetSecondaryKeyPrefix(
    const Slice& /*primary_key*/, const Slice& primary_column_value,
    std::variant<Slice, std::string>* secondary_key_prefix) const {
  *secondary_key_prefix = primary_column_value;
  return Status::OK();
}

// (With its length before it no value is the beginning of another.)
Status SimpleSecondaryIndex::FinalizeSecondaryKeyPrefix(
    std::variant<Slice, std::string>* secondary_key_prefix) const {
  std::string delimited;
  cairn::PutLengthPrefixedSlice(&delimited, cairn::SliceOf(*secondary_key_prefix));
  *secondary_key_prefix = std::move(delimited);
  return Status::OK();
}

Status SimpleSecondaryIndex::GetSecondaryValue(
    const Slice& /*primary_key*/, const Slice& /*primary_column_value*/,
    const Slice& /*original_column_value*/,
    std::optional<std::variant<Slice, std::string>>* /*secondary_value*/) const {
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
