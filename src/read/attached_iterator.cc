#include "read/attached_iterator.h"

#include <utility>

#include "base/wide_column_serialization.h"
#include "blob/blob_source.h"
#include "fiber/interleave.h"
#include "read/version_iterators.h"
#include "rocksdb/snapshot.h"

namespace cairn {

void AttachedIterator::Attach(const Snapshot* snapshot) {
  sv_ = env_.super_versions->Acquire();
  fiber::interleave();
  // After the super version: its memtable then holds every write up to this number that a later
  // flush could have moved away.
  sequence_ =
      snapshot != nullptr ? snapshot->GetSequenceNumber() : sv_->LastVisible(env_.last_sequence());
  tombstones_.reset();
  iter_.reset(NewSuperVersionIterator(options_, *sv_, env_.tables, &tombstones_));
  if (tombstones_ != nullptr) tombstones_->set_sequence(sequence_);
}

void AttachedIterator::StartAtFirstSequence() {
  if (env_.first_sequence == nullptr) return;
  sequence_ = *env_.first_sequence;
  if (tombstones_ != nullptr) tombstones_->set_sequence(sequence_);
}

void AttachedIterator::Detach() {
  tombstones_.reset();
  iter_.reset();
  blobs_ahead_.reset();
  if (sv_ != nullptr) env_.super_versions->Release(std::exchange(sv_, nullptr));
}

Status AttachedIterator::GetProperty(std::string name, std::string* property) {
  if (property == nullptr) return Status::InvalidArgument("property is null");
  if (name == "rocksdb.iterator.super-version-number") {
    if (sv_ == nullptr) return Status::InvalidArgument("The iterator has no super version");
    *property = std::to_string(sv_->number);
    return Status::OK();
  }
  if (name == "rocksdb.iterator.is-key-pinned") {
    *property = !valid_ ? "Iterator is not valid." : IsKeyPinned() ? "1" : "0";
    return Status::OK();
  }
  return Status::InvalidArgument("Unidentified property.");
}

bool AttachedIterator::MergeOperandsOver(const Slice& user_key, const MergeBase& base,
                                         bool* is_entity) {
  ValueType type = kTypeValue;
  Status s =
      operands_.Merge(user_key, base, env_.statistics, /*logger=*/nullptr, &merged_value_, &type);
  operands_.Clear();
  *is_entity = type == kTypeWideColumnEntity;
  if (s.ok()) return true;
  return Fail(s.IsInvalidArgument() ? Status::InvalidArgument("merge_operator_ must be set.")
                                    : std::move(s));
}

bool AttachedIterator::ShowColumns(const Slice& user_key, Slice* value) {
  Status s = DecodeWideColumns(*value, &columns_);
  if (!s.ok()) {
    return Fail(Status::CopyAppendMessage(s, " of key ", user_key.ToString(/*hex=*/true)));
  }
  const bool has_default = !columns_.empty() && columns_.front().name().empty();
  *value = has_default ? columns_.front().value() : Slice();
  return true;
}

bool AttachedIterator::LoadBlob(const Slice& user_key, Slice* value) {
  BlobSource* const blobs = sv_ == nullptr ? nullptr : sv_->blobs;
  if (blobs == nullptr) return Fail(Status::NotSupported("nobody reads blob files here"));
  if (blobs_ahead_ == nullptr) {
    blobs_ahead_ = std::make_unique<BlobReadAheads>(blobs->HowToReadAhead(options_));
  }
  Status s = blobs->Get(options_, user_key, value->ToString(), &blob_, blobs_ahead_.get());
  if (!s.ok()) return Fail(std::move(s));
  *value = blob_;
  return true;
}

}  // namespace cairn
