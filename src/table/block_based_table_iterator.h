// The iterator over a block-based table: a cursor over the index, and one over the data block that
// it points to.
//
// Made by BlockBasedTable::NewIterator; not thread-safe; dies before its table. Movements may read
// blocks: SUSPEND.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/internal_iterator.h"
#include "base/namespace.h"
#include "rocksdb/options.h"
#include "table/block_based_table_reader.h"
#include "table/index_cursor.h"
#include "table/prepared_blocks.h"

namespace cairn {

class BlockBasedTableIterator final : public InternalIterator {
 public:
  // `readahead`: bytes to read at once; 0: as `options` says, or growing with sequential use.
  // `ask_prefix`: a seek asks the filter for the prefix, and may find nothing where only entries
  // with other prefixes follow.
  BlockBasedTableIterator(const BlockBasedTable* table, const ReadOptions& options,
                          size_t readahead, bool for_compaction, bool ask_prefix);
  ~BlockBasedTableIterator() override;

  bool Valid() const override { return data_.Valid() || at_first_key_; }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const Slice& internal_key) override;
  void SeekForPrev(const Slice& internal_key) override;
  void Next() override;
  void Prev() override;
  bool NextEntry(Slice* key, Slice* value) override;
  bool PrevEntry(Slice* key, Slice* value) override;
  Slice key() const override {
    return global_seqno_ == kDisableGlobalSequenceNumber ? StoredKey() : KeyWithGlobalSeqno();
  }
  Slice value() const override { return at_first_key_ ? Slice(nullptr, 0) : data_.value(); }
  void AllowUnpreparedValues() override { allows_unprepared_ = true; }
  bool PrepareValue() override { return !at_first_key_ || OpenAtFirstKey(); }
  Status status() const override { return status_; }
  void SetPreparedBlocks(PreparedBlocks* blocks) override;
  void SetReadTier(ReadTier tier) override { options_.read_tier = tier; }
  std::optional<ReadAheadPace> ReadAhead() const override { return prefetch_.Pace(); }
  void ContinueReadAhead(const ReadAheadPace& pace, bool forward) override {
    prefetch_.Continue(pace, forward);
  }
  void OnNearEnd(std::function<void(bool)> near_end) override { near_end_ = std::move(near_end); }
  bool PrefixIsAbsent() const override { return prefix_is_absent_; }
  bool IsKeyPinned() const override {
    return options_.pin_data && !at_first_key_ && data_.key_in_block() &&
           global_seqno_ == kDisableGlobalSequenceNumber;
  }
  bool IsValuePinned() const override { return options_.pin_data && !at_first_key_; }

 private:
  bool ShowEntry(Slice* key, Slice* value) const {
    if (!data_.Valid()) [[unlikely]] {
      if (!at_first_key_) return false;
      *key = this->key();
      *value = this->value();
      return true;
    }
    *key = this->key();
    *value = data_.value();
    return true;
  }
  Slice StoredKey() const { return at_first_key_ ? index_.first_key() : data_.key(); }
  Slice KeyWithGlobalSeqno() const;
  // Whether the entry that the index says its block begins with is enough for now. Then the cursor
  // stands on it.
  bool StopAtFirstKey();
  // The block of that entry. False: an error; the cursor stands nowhere.
  bool OpenAtFirstKey();
  // What the caller's bounds leave of the table ends with the block that the index is at.
  bool IsLastBlock() const {
    return options_.iterate_upper_bound != nullptr && index_.Valid() &&
           table_->icmp().CompareToBound(table_->SeparatorUserKey(index_.key()),
                                         *options_.iterate_upper_bound) >= 0;
  }
  // The block that the index is at is wholly behind them.
  bool IsBeyondBounds() const {
    return options_.iterate_upper_bound != nullptr && index_.Valid() &&
           !index_.first_key().empty() &&
           table_->icmp().CompareToBound(ExtractUserKey(index_.first_key()),
                                         *options_.iterate_upper_bound) >= 0;
  }
  // The block that the index is at is wholly below them.
  bool IsBelowBounds() const {
    return options_.iterate_lower_bound != nullptr && index_.Valid() &&
           table_->icmp().CompareToBound(table_->SeparatorUserKey(index_.key()),
                                         *options_.iterate_lower_bound) < 0;
  }
  // Opens the data block that the index is at. False: there is none, or an error.
  bool OpenBlock();
  // Into block_. False: an error.
  bool GetBlock(const BlockHandle& handle);
  void ReleaseBlock();
  // Seek() and SeekForPrev() without the filter. The second is of the keys as they are stored.
  void SeekEntry(const Slice& internal_key);
  void SeekEntryForPrev(const Slice& internal_key);
  // Whether the filter knows that a seek would find nothing; the cursor then stands nowhere.
  bool FindPrefixAbsent(const Slice& internal_key, bool forward);
  bool CountsSeeks() const { return !for_compaction_ && table_->source().statistics != nullptr; }
  void TickSeek(Tickers last_level, Tickers others) const;
  // Tells the prefetch buffer where the bounds lie in the file.
  void FindRange();
  void AppendBound(const Slice& key, std::string* internal_key) const;
  void TellNearEnd();
  // Leave an exhausted block for the next one with entries.
  void FindForward();
  void FindBackward();
  bool CheckCorrupt();

  const BlockBasedTable* const table_;
  ReadOptions options_;
  const bool for_compaction_;
  const bool ask_prefix_;
  bool prefix_is_absent_ = false;  // the last seek's
  bool counts_block_ = false;      // the first block since then is counted
  bool allows_unprepared_ = false;
  bool at_first_key_ =
      false;  // of the block that the index is at, which is not open; data_ is empty
  const SequenceNumber global_seqno_;
  DataBlockIter data_;
  IndexCursor index_;
  BlockRef block_;
  uint64_t block_offset_ = UINT64_MAX;  // of block_, if there is one
  PrefetchBuffer prefetch_;
  PreparedTable* prepared_ = nullptr;  // null: no block is read ahead for ranges
  std::function<void(bool)> near_end_;
  std::vector<BlockRef> pinned_;  // pin_data: the blocks that were left
  Status status_;
  mutable std::string key_;  // with the global sequence number
};

}  // namespace cairn
