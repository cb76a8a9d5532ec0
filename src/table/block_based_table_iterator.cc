#include "table/block_based_table_iterator.h"

namespace cairn {

BlockBasedTableIterator::BlockBasedTableIterator(const BlockBasedTable* table,
                                                 const ReadOptions& options, size_t readahead,
                                                 bool for_compaction)
    : table_(table),
      options_(options),
      for_compaction_(for_compaction),
      global_seqno_(table->global_seqno()),
      index_(table, &options_) {
  const BlockBasedTableOptions& t = table->table_options();
  const size_t fixed = readahead != 0 ? readahead : options.readahead_size;
  prefetch_ = std::make_unique<PrefetchBuffer>(
      table->source().file.get(), table->source().file_size, fixed, t.initial_auto_readahead_size,
      t.max_auto_readahead_size, t.num_file_reads_for_auto_readahead, for_compaction);
  prefetch_->SetLimits(ReadLimits(options));
}

BlockBasedTableIterator::~BlockBasedTableIterator() = default;

Slice BlockBasedTableIterator::KeyWithGlobalSeqno() const {
  const Slice key = data_.key();
  key_.assign(key.data(), key.size());
  UpdateInternalKey(&key_, global_seqno_, ExtractValueType(key));
  return key_;
}

void BlockBasedTableIterator::ReleaseBlock() {
  data_.Clear();
  if (options_.pin_data && block_) pinned_.push_back(std::move(block_));
  block_.Reset();
  block_offset_ = UINT64_MAX;
}

bool BlockBasedTableIterator::OpenBlock() {
  if (!index_.Valid()) {
    status_ = index_.status();
    ReleaseBlock();
    return false;
  }
  const BlockHandle handle = index_.handle();
  if (block_ && block_offset_ == handle.offset) return true;
  ReleaseBlock();
  // Here, too: hidden entries could be passed over for long without a read.
  if (prefetch_->limits().Over()) [[unlikely]] {
    status_ = prefetch_->limits().Error();
    return false;
  }
  status_ = table_->GetDataBlock(options_, handle, for_compaction_, prefetch_.get(), &block_);
  if (!status_.ok()) return false;
  block_offset_ = handle.offset;
  data_.Init(block_.get(), &table_->icmp(), table_->bytewise());
  return true;
}

bool BlockBasedTableIterator::CheckCorrupt() {
  if (!data_.corrupt()) [[likely]]
    return false;
  status_ = BlockCorruption(table_->source(), block_offset_, "bad entry in data block");
  ReleaseBlock();
  return true;
}

void BlockBasedTableIterator::FindForward() {
  while (!data_.Valid()) {
    if (CheckCorrupt()) return;
    index_.Next();
    if (!OpenBlock()) return;
    data_.SeekToFirst();
  }
}

void BlockBasedTableIterator::FindBackward() {
  while (!data_.Valid()) {
    if (CheckCorrupt()) return;
    index_.Prev();
    if (!OpenBlock()) return;
    data_.SeekToLast();
  }
}

void BlockBasedTableIterator::SeekToFirst() {
  index_.SeekToFirst();
  if (!OpenBlock()) return;
  data_.SeekToFirst();
  FindForward();
}

void BlockBasedTableIterator::SeekToLast() {
  index_.SeekToLast();
  if (!OpenBlock()) return;
  data_.SeekToLast();
  FindBackward();
}

void BlockBasedTableIterator::Seek(const Slice& internal_key) {
  index_.Seek(internal_key);
  if (!OpenBlock()) return;
  data_.Seek(internal_key);
  FindForward();
  if (global_seqno_ != kDisableGlobalSequenceNumber) [[unlikely]] {
    // The stored keys have sequence number 0, which sorts last: what was found may sort before the
    // target as it is shown.
    while (Valid() && table_->icmp().Compare(key(), internal_key) < 0) Next();
  }
}

void BlockBasedTableIterator::SeekForPrev(const Slice& internal_key) {
  if (global_seqno_ != kDisableGlobalSequenceNumber) [[unlikely]] {
    Seek(internal_key);
    if (!status_.ok()) return;
    if (!Valid()) {
      SeekToLast();
    } else {
      while (Valid() && table_->icmp().Compare(key(), internal_key) > 0) Prev();
    }
    return;
  }
  index_.Seek(internal_key);
  if (!index_.Valid() && index_.status().ok()) {
    // Beyond the last separator.
    SeekToLast();
    return;
  }
  if (!OpenBlock()) return;
  data_.SeekForPrev(internal_key);
  FindBackward();
}

void BlockBasedTableIterator::Next() {
  data_.Next();
  if (!data_.Valid()) [[unlikely]]
    FindForward();
}

void BlockBasedTableIterator::Prev() {
  data_.Prev();
  if (!data_.Valid()) [[unlikely]]
    FindBackward();
}

bool BlockBasedTableIterator::NextEntry(Slice* key, Slice* value) {
  data_.Next();
  if (!data_.Valid()) [[unlikely]]
    FindForward();
  return ShowEntry(key, value);
}

bool BlockBasedTableIterator::PrevEntry(Slice* key, Slice* value) {
  data_.Prev();
  if (!data_.Valid()) [[unlikely]]
    FindBackward();
  return ShowEntry(key, value);
}

}  // namespace cairn
