#include "table/index_cursor.h"

namespace cairn {

Slice IndexCursor::UserIndexKey() const {
  return table_->index_has_user_keys() ? user_->user_key() : user_->key();
}

bool IndexCursor::Start() {
  status_ = Status::OK();
  if (table_->UsesUserIndex(*options_)) [[unlikely]] {
    if (user_ == nullptr) status_ = table_->NewUserIndexCursor(*options_, &user_);
    return status_.ok();
  }
  if (!top_) {
    status_ = table_->GetIndex(*options_, &top_);
    if (!status_.ok()) {
      current_ = nullptr;
      return false;
    }
    top_iter_.Init(top_.get(), &table_->icmp(), table_->bytewise());
  }
  current_ = table_->two_level_index() ? &partition_iter_ : &top_iter_;
  return true;
}

// Opens the partition that top_iter_ is at. False: there is none, or an error.
bool IndexCursor::OpenPartition() {
  if (!top_iter_.Valid()) {
    current_ = nullptr;
    CheckCorrupt();
    return false;
  }
  current_ = &partition_iter_;
  if (partition_ && partition_offset_ == top_iter_.handle().offset) return true;
  status_ = table_->GetIndexPartition(*options_, top_iter_.handle(), &partition_);
  if (!status_.ok()) {
    partition_.Reset();
    current_ = nullptr;
    return false;
  }
  partition_offset_ = top_iter_.handle().offset;
  partition_iter_.Init(partition_.get(), &table_->icmp(), table_->bytewise());
  return true;
}

void IndexCursor::CheckCorrupt() {
  if (!status_.ok()) return;
  if (top_iter_.corrupt()) {
    status_ =
        BlockCorruption(table_->source(), top_->block().file_offset(), "bad entry in index block");
  } else if (partition_ && partition_iter_.corrupt()) {
    status_ = BlockCorruption(table_->source(), partition_->block().file_offset(),
                              "bad entry in index block");
  }
}

void IndexCursor::SeekToFirst() {
  if (!Start()) return;
  if (user_ != nullptr) [[unlikely]]
    return Moved(user_->SeekToFirst());
  top_iter_.SeekToFirst();
  if (table_->two_level_index()) {
    if (!OpenPartition()) return;
    partition_iter_.SeekToFirst();
    while (!partition_iter_.Valid() && !partition_iter_.corrupt()) {
      top_iter_.Next();
      if (!OpenPartition()) return;
      partition_iter_.SeekToFirst();
    }
  }
  if (!current_->Valid()) CheckCorrupt();
}

void IndexCursor::SeekToLast() {
  if (!Start()) return;
  if (user_ != nullptr) [[unlikely]]
    return Moved(user_->SeekToLast());
  top_iter_.SeekToLast();
  if (table_->two_level_index()) {
    if (!OpenPartition()) return;
    partition_iter_.SeekToLast();
    while (!partition_iter_.Valid() && !partition_iter_.corrupt()) {
      top_iter_.Prev();
      if (!OpenPartition()) return;
      partition_iter_.SeekToLast();
    }
  }
  if (!current_->Valid()) CheckCorrupt();
}

void IndexCursor::Seek(const Slice& internal_key) {
  if (!Start()) return;
  if (user_ != nullptr) [[unlikely]]
    return Moved(user_->Seek(internal_key));
  top_iter_.Seek(internal_key);
  if (table_->two_level_index()) {
    if (!OpenPartition()) return;
    partition_iter_.Seek(internal_key);
    while (!partition_iter_.Valid() && !partition_iter_.corrupt()) {
      top_iter_.Next();
      if (!OpenPartition()) return;
      partition_iter_.SeekToFirst();
    }
  }
  if (!current_->Valid()) CheckCorrupt();
}

void IndexCursor::Next() {
  if (user_ != nullptr) [[unlikely]]
    return Moved(user_->Next());
  current_->Next();
  if (table_->two_level_index()) {
    while (!partition_iter_.Valid() && !partition_iter_.corrupt()) {
      top_iter_.Next();
      if (!OpenPartition()) return;
      partition_iter_.SeekToFirst();
    }
  }
  if (!current_->Valid()) CheckCorrupt();
}

void IndexCursor::Prev() {
  if (user_ != nullptr) [[unlikely]]
    return Moved(user_->Prev());
  current_->Prev();
  if (table_->two_level_index()) {
    while (!partition_iter_.Valid() && !partition_iter_.corrupt()) {
      top_iter_.Prev();
      if (!OpenPartition()) return;
      partition_iter_.SeekToLast();
    }
  }
  if (!current_->Valid()) CheckCorrupt();
}

}  // namespace cairn
