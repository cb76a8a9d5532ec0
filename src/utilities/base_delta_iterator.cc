#include "utilities/base_delta_iterator.h"

#include <cassert>

#include "base/merge_operands.h"
#include "base/timestamps.h"
#include "base/wide_column_serialization.h"
#include "rocksdb/comparator.h"
#include "rocksdb/db.h"
#include "utilities/batch_lookup.h"

namespace cairn {
namespace {

Iterator* WithoutVersions(Iterator* base, const ReadOptions* options) {
  if (options == nullptr || options->iter_start_ts == nullptr) return base;
  delete base;
  return NewErrorIterator(Status::NotSupported("ReadOptions::iter_start_ts over a batch"));
}

}  // namespace

BaseDeltaIterator::BaseDeltaIterator(const BatchIndex* index, ColumnFamilyHandle* family,
                                     Iterator* base, const ReadOptions* options)
    : index_(index),
      family_(family),
      comparator_(family == nullptr ? index->ComparatorOf(0) : family->GetComparator()),
      base_(WithoutVersions(base, options)),
      delta_(index, family == nullptr ? 0 : family->GetID()) {
  if (options == nullptr) return;
  if (options->iterate_lower_bound != nullptr) lower_bound_ = *options->iterate_lower_bound;
  if (options->iterate_upper_bound != nullptr) upper_bound_ = *options->iterate_upper_bound;
}

bool BaseDeltaIterator::DeltaIsValid() const {
  if (!delta_.Valid()) return false;
  if (forward_ && upper_bound_) return CompareBare(comparator_, delta_.key(), *upper_bound_) < 0;
  if (!forward_ && lower_bound_) return CompareBare(comparator_, delta_.key(), *lower_bound_) >= 0;
  return true;
}

void BaseDeltaIterator::SeekDelta(const Slice& key, bool forward) {
  if (forward) {
    const bool below = lower_bound_ && CompareBare(comparator_, key, *lower_bound_) < 0;
    delta_.Seek(below ? *lower_bound_ : key);
  } else {
    const bool beyond = upper_bound_ && CompareBare(comparator_, key, *upper_bound_) >= 0;
    delta_.SeekForPrev(beyond ? *upper_bound_ : key);
    delta_.ToNewest();
    if (beyond && delta_.Valid() && CompareBare(comparator_, delta_.key(), *upper_bound_) == 0) {
      delta_.PrevKey();
    }
  }
  seen_shrinks_ = index_->shrinks();
}

void BaseDeltaIterator::SeekToFirst() {
  forward_ = true;
  status_ = Status::OK();
  base_->SeekToFirst();
  if (lower_bound_) {
    SeekDelta(*lower_bound_, /*forward=*/true);
  } else {
    delta_.SeekToFirst();
    seen_shrinks_ = index_->shrinks();
  }
  FindCurrent();
}

void BaseDeltaIterator::SeekToLast() {
  forward_ = false;
  status_ = Status::OK();
  base_->SeekToLast();
  if (upper_bound_) {
    SeekDelta(*upper_bound_, /*forward=*/false);
  } else {
    delta_.SeekToLast();
    delta_.ToNewest();
    seen_shrinks_ = index_->shrinks();
  }
  FindCurrent();
}

void BaseDeltaIterator::Seek(const Slice& target) {
  forward_ = true;
  status_ = Status::OK();
  base_->Seek(target);
  SeekDelta(target, /*forward=*/true);
  FindCurrent();
}

void BaseDeltaIterator::SeekForPrev(const Slice& target) {
  forward_ = false;
  status_ = Status::OK();
  base_->SeekForPrev(target);
  SeekDelta(target, /*forward=*/false);
  FindCurrent();
}

void BaseDeltaIterator::StepDelta() { forward_ ? delta_.NextKey() : delta_.PrevKey(); }

void BaseDeltaIterator::Move(bool forward) {
  if (!Valid()) {
    status_ =
        Status::NotSupported(forward ? "Next() on invalid iterator" : "Prev() on invalid iterator");
    return;
  }
  const bool turns = forward != forward_;
  forward_ = forward;
  // (What a rollback took may be where the cursor stood.)
  const bool seeks = turns || seen_shrinks_ != index_->shrinks();
  if (seeks) left_.assign(key().data(), key().size());
  if (at_ != At::kDelta) {
    StepBase();
  } else if (turns) {
    // The base stands at its first key on the other side of the current one.
    if (base_->Valid()) {
      StepBase();
    } else if (base_->status().ok()) {
      forward ? base_->SeekToFirst() : base_->SeekToLast();
    }
  }
  if (seeks) {
    SeekDelta(left_, forward);
    if (delta_.Valid() && CompareBare(comparator_, delta_.key(), left_) == 0) StepDelta();
  } else if (at_ != At::kBase) {
    StepDelta();
  }
  FindCurrent();
}

void BaseDeltaIterator::FindCurrent() {
  at_ = At::kNowhere;
  while (true) {
    const bool delta_is_valid = DeltaIsValid();
    if (!base_->Valid()) {
      if (!base_->status().ok() || !delta_is_valid) return;
      if (ShowDelta(/*over_base=*/false)) {
        at_ = At::kDelta;
        return;
      }
      StepDelta();
    } else if (!delta_is_valid) {
      at_ = At::kBase;
      return;
    } else {
      const int order = CompareBare(comparator_, delta_.key(), base_->key());
      if (forward_ ? order > 0 : order < 0) {
        at_ = At::kBase;
        return;
      }
      if (ShowDelta(order == 0)) {
        at_ = order == 0 ? At::kBoth : At::kDelta;
        return;
      }
      StepDelta();
      if (order == 0) StepBase();
    }
    if (!status_.ok()) return;
  }
}

bool BaseDeltaIterator::ShowDelta(bool over_base) {
  is_merged_ = false;
  const WriteEntry entry = delta_.Entry();
  if (entry.type == kPutRecord || entry.type == kPutEntityRecord) return true;
  if (entry.type != kMergeRecord) return false;
  MergeOperands operands(nullptr);
  operands.JustCollect();
  MergeBase below;
  const InBatch found = CollectOperands(delta_, comparator_, &operands, &below);
  if (found == InBatch::kNothing && over_base && !base_->PrepareValue()) {
    status_ = base_->status();
  } else if (found == InBatch::kNothing) {
    const WideColumns* const columns = over_base ? &base_->columns() : nullptr;
    status_ = MergeOverDb(family_, entry.key, operands, columns, &merged_, &merged_type_);
  } else {
    status_ = MergeInBatch(family_, entry.key, operands, below, &merged_, &merged_type_);
  }
  is_merged_ = true;
  // (After an error, too, that the key is not passed over.)
  return true;
}

bool BaseDeltaIterator::PrepareValue() {
  if (at_ != At::kBase || base_->PrepareValue()) return true;
  status_ = base_->status();
  return false;
}

Slice BaseDeltaIterator::value() const {
  if (at_ == At::kBase) return base_->value();
  // (Not kept: the batch may move when something is added.)
  const WriteEntry entry = delta_.Entry();
  const Slice stored = is_merged_ ? Slice(merged_) : entry.value;
  const bool is_entity =
      is_merged_ ? merged_type_ == kTypeWideColumnEntity : entry.type == kPutEntityRecord;
  if (!is_entity) return stored;
  Slice shown;
  // (An entity of a batch's own is well-formed; of a merge's, too.)
  return DefaultColumnOf(stored, &shown).ok() ? shown : Slice();
}

const WideColumns& BaseDeltaIterator::columns() const {
  if (at_ == At::kBase) return base_->columns();
  const WriteEntry entry = delta_.Entry();
  const Slice stored = is_merged_ ? Slice(merged_) : entry.value;
  const bool is_entity =
      is_merged_ ? merged_type_ == kTypeWideColumnEntity : entry.type == kPutEntityRecord;
  columns_.clear();
  if (!is_entity) {
    columns_.emplace_back(kDefaultWideColumnName, stored);
  } else if (!DecodeWideColumns(stored, &columns_).ok()) {
    columns_.clear();
  }
  return columns_;
}

}  // namespace cairn
