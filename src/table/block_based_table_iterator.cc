#include "table/block_based_table_iterator.h"

#include <algorithm>

#include "base/perf.h"

namespace cairn {

namespace {

PrefetchOptions HowToPrefetch(const BlockBasedTable& table, const ReadOptions& options,
                              size_t readahead, bool for_compaction) {
  const BlockBasedTableOptions& t = table.table_options();
  PrefetchOptions result;
  result.fixed = readahead != 0 ? readahead : options.readahead_size;
  result.initial = t.initial_auto_readahead_size;
  result.max = t.max_auto_readahead_size;
  result.reads_before = t.num_file_reads_for_auto_readahead;
  result.sweep = for_compaction;
  result.limits = ReadLimits(options);
  // A read that goes on in the background cannot be left behind when the time is over.
  result.background = options.async_io && !for_compaction && options.deadline.count() == 0 &&
                      options.io_timeout.count() == 0;
  result.statistics = table.source().statistics;
  result.use = for_compaction ? PrefetchUse::kCompaction : PrefetchUse::kUserScan;
  result.memory = table.charges().For(CacheEntryRole::kMisc);
  return result;
}

}  // namespace

BlockBasedTableIterator::BlockBasedTableIterator(const BlockBasedTable* table,
                                                 const ReadOptions& options, size_t readahead,
                                                 bool for_compaction, bool ask_prefix)
    : table_(table),
      options_(options),
      for_compaction_(for_compaction),
      ask_prefix_(ask_prefix),
      global_seqno_(table->global_seqno()),
      index_(table, &options_),
      prefetch_(table->source().file.get(), table->source().file_size,
                HowToPrefetch(*table, options, readahead, for_compaction)) {
  // (For whom the index is read, a trace of the block cache knows by this.)
  if (for_compaction && options_.io_activity == Env::IOActivity::kUnknown) {
    options_.io_activity = Env::IOActivity::kCompaction;
  }
}

BlockBasedTableIterator::~BlockBasedTableIterator() = default;

Slice BlockBasedTableIterator::KeyWithGlobalSeqno() const {
  const Slice key = StoredKey();
  key_.assign(key.data(), key.size());
  UpdateInternalKey(&key_, global_seqno_, ExtractValueType(key));
  return key_;
}

void BlockBasedTableIterator::ReleaseBlock() {
  data_.Clear();
  at_first_key_ = false;
  if (options_.pin_data && block_) {
    pinned_.push_back(std::move(block_));
  } else if (prepared_ != nullptr && block_) {
    prepared_->GiveBack(block_offset_, std::move(block_));
  }
  block_.Reset();
  block_offset_ = UINT64_MAX;
}

bool BlockBasedTableIterator::StopAtFirstKey() {
  if (!allows_unprepared_ || !index_.Valid() || index_.first_key().empty()) return false;
  // (What is read already needs no sparing.)
  if (block_ && block_offset_ == index_.handle().offset) return false;
  ReleaseBlock();
  status_ = Status::OK();
  at_first_key_ = true;
  return true;
}

bool BlockBasedTableIterator::OpenAtFirstKey() {
  const Slice expected = index_.first_key();
  at_first_key_ = false;
  if (!OpenBlock()) return false;
  data_.SeekToFirst();
  if (data_.Valid() && data_.key() == expected) return true;
  const bool corrupt = CheckCorrupt();
  if (!corrupt) {
    status_ = BlockCorruption(table_->source(), block_offset_,
                              "first key in index doesn't match first key in block");
    ReleaseBlock();
  }
  return false;
}

bool BlockBasedTableIterator::OpenBlock() {
  at_first_key_ = false;
  if (!index_.Valid()) {
    status_ = index_.status();
    ReleaseBlock();
    return false;
  }
  const BlockHandle handle = index_.handle();
  if (block_ && block_offset_ == handle.offset) return true;
  ReleaseBlock();
  // Here, too: hidden entries could be passed over for long without a read.
  if (prefetch_.limits().Over()) [[unlikely]] {
    status_ = prefetch_.limits().Error();
    return false;
  }
  if (!GetBlock(handle)) return false;
  if (near_end_) [[unlikely]]
    TellNearEnd();
  if (counts_block_) [[unlikely]] {
    counts_block_ = false;
    TickSeek(LAST_LEVEL_SEEK_DATA, NON_LAST_LEVEL_SEEK_DATA);
  }
  block_offset_ = handle.offset;
  data_.Init(block_.get(), &table_->icmp(), table_->bytewise());
  return true;
}

void BlockBasedTableIterator::SetPreparedBlocks(PreparedBlocks* blocks) {
  prepared_ = blocks == nullptr ? nullptr : blocks->Find(table_->file_number());
}

bool BlockBasedTableIterator::GetBlock(const BlockHandle& handle) {
  if (prepared_ != nullptr) {
    switch (prepared_->Take(handle.offset, &block_)) {
      case PreparedTable::Answer::kTaken:
        status_ = Status::OK();
        return true;
      case PreparedTable::Answer::kBeyondLimit:
        status_ = Status::PrefetchLimitReached();
        return false;
      case PreparedTable::Answer::kNotHere:
        break;
    }
  }
  if (prefetch_.WantsRange()) FindRange();
  const PerfTimer timer(Perf(), &PerfContext::new_table_block_iter_nanos);
  status_ = table_->GetDataBlock(options_, handle, for_compaction_, &prefetch_, &block_);
  return status_.ok();
}

// Before all entries of a (bare) key.
void BlockBasedTableIterator::AppendBound(const Slice& key, std::string* internal_key) const {
  internal_key->append(key.data(), key.size());
  internal_key->append(table_->icmp().timestamp_size(), '\xff');
  AppendInternalKeyFooter(internal_key, kMaxSequenceNumber, kValueTypeForSeek);
}

void BlockBasedTableIterator::FindRange() {
  uint64_t begin = 0;
  uint64_t end = table_->end_of_data();
  if (options_.auto_readahead_size) {
    // As far as the index is in memory: a guess is not worth a read.
    ReadOptions in_memory = options_;
    in_memory.read_tier = kBlockCacheTier;
    IndexCursor index(table_, &in_memory);
    std::string bound;
    if (options_.iterate_upper_bound != nullptr) {
      AppendBound(*options_.iterate_upper_bound, &bound);
      index.Seek(bound);
      if (index.Valid()) end = index.handle().offset + index.handle().size + kBlockTrailerSize;
    }
    if (options_.iterate_lower_bound != nullptr) {
      bound.clear();
      AppendBound(*options_.iterate_lower_bound, &bound);
      index.Seek(bound);
      if (index.Valid()) begin = index.handle().offset;
    }
  }
  prefetch_.SetRange(begin, end);
}

void BlockBasedTableIterator::TellNearEnd() {
  bool forward;
  if (!prefetch_.ReachedEnd(&forward)) return;
  const auto tell = std::exchange(near_end_, nullptr);
  tell(forward);
}

bool BlockBasedTableIterator::CheckCorrupt() {
  if (!data_.corrupt()) [[likely]]
    return false;
  status_ = BlockCorruption(table_->source(), block_offset_, "bad entry in data block");
  ReleaseBlock();
  return true;
}

void BlockBasedTableIterator::FindForward() {
  if (at_first_key_) {
    // A step from there: what is in the block comes next.
    if (!OpenAtFirstKey()) return;
    data_.Next();
  }
  while (!data_.Valid()) {
    if (CheckCorrupt() || IsLastBlock()) return;
    index_.Next();
    if (IsBeyondBounds() || StopAtFirstKey() || !OpenBlock()) return;
    data_.SeekToFirst();
  }
}

void BlockBasedTableIterator::FindBackward() {
  at_first_key_ = false;  // the block before is what comes next
  while (!data_.Valid()) {
    if (CheckCorrupt()) return;
    index_.Prev();
    if (IsBelowBounds() || !OpenBlock()) return;
    data_.SeekToLast();
  }
}

void BlockBasedTableIterator::SeekToFirst() {
  prefetch_.ForgetRange();
  counts_block_ = CountsSeeks();
  index_.SeekToFirst();
  if (StopAtFirstKey() || !OpenBlock()) return;
  data_.SeekToFirst();
  FindForward();
}

void BlockBasedTableIterator::SeekToLast() {
  prefetch_.ForgetRange();
  counts_block_ = CountsSeeks();
  index_.SeekToLast();
  if (!OpenBlock()) return;
  data_.SeekToLast();
  FindBackward();
}

void BlockBasedTableIterator::TickSeek(Tickers last_level, Tickers others) const {
  const BlockSource& source = table_->source();
  source.statistics->recordTick(source.file->of_last_level() ? last_level : others, 1);
}

bool BlockBasedTableIterator::FindPrefixAbsent(const Slice& internal_key, bool forward) {
  bool asked = false;
  prefix_is_absent_ =
      ask_prefix_ && !table_->PrefixMayMatch(options_, internal_key, forward, &asked);
  counts_block_ = CountsSeeks();
  if (counts_block_) [[unlikely]] {
    counts_block_ = !prefix_is_absent_;
    if (prefix_is_absent_) {
      TickSeek(LAST_LEVEL_SEEK_FILTERED, NON_LAST_LEVEL_SEEK_FILTERED);
    } else if (asked) {
      TickSeek(LAST_LEVEL_SEEK_FILTER_MATCH, NON_LAST_LEVEL_SEEK_FILTER_MATCH);
    }
  }
  if (!prefix_is_absent_) return false;
  status_ = Status::OK();
  ReleaseBlock();
  return true;
}

void BlockBasedTableIterator::Seek(const Slice& internal_key) {
  if (!FindPrefixAbsent(internal_key, /*forward=*/true)) SeekEntry(internal_key);
}

void BlockBasedTableIterator::SeekEntry(const Slice& internal_key) {
  prefetch_.ForgetRange();
  index_.Seek(internal_key);
  if (IsBeyondBounds()) {
    status_ = Status::OK();
    return ReleaseBlock();
  }
  // What the index has answers a seek between two blocks.
  const bool between = allows_unprepared_ && index_.Valid() && !index_.first_key().empty() &&
                       table_->icmp().Compare(internal_key, index_.first_key()) <= 0;
  if (!between || !StopAtFirstKey()) {
    if (!OpenBlock()) return;
    data_.Seek(internal_key);
    FindForward();
  }
  if (global_seqno_ != kDisableGlobalSequenceNumber) [[unlikely]] {
    // The stored keys have sequence number 0, which sorts last: what was found may sort before the
    // target as it is shown.
    while (Valid() && table_->icmp().Compare(key(), internal_key) < 0) Next();
  }
}

void BlockBasedTableIterator::SeekForPrev(const Slice& internal_key) {
  if (FindPrefixAbsent(internal_key, /*forward=*/false)) return;
  if (global_seqno_ == kDisableGlobalSequenceNumber) [[likely]]
    return SeekEntryForPrev(internal_key);
  // The stored keys have sequence number 0: what is found of the user key may sort behind the
  // target as it is shown.
  std::string last = ExtractUserKey(internal_key).ToString();
  AppendInternalKeyFooter(&last, 0, kTypeDeletion);
  SeekEntryForPrev(last);
  while (Valid() && table_->icmp().Compare(key(), internal_key) > 0) Prev();
}

void BlockBasedTableIterator::SeekEntryForPrev(const Slice& internal_key) {
  prefetch_.ForgetRange();
  index_.Seek(internal_key);
  if (!index_.Valid() && index_.status().ok()) {
    // Beyond the last separator.
    SeekToLast();
    return;
  }
  if (index_.Valid() && !index_.first_key().empty() &&
      table_->icmp().Compare(index_.first_key(), internal_key) > 0) {
    // The block begins behind the target: the one before has what is sought.
    index_.Prev();
    if (IsBelowBounds()) {
      status_ = Status::OK();
      return ReleaseBlock();
    }
    if (!OpenBlock()) return;
    data_.SeekToLast();
    return FindBackward();
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
  if (!at_first_key_) data_.Prev();
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
  if (!at_first_key_) data_.Prev();
  if (!data_.Valid()) [[unlikely]]
    FindBackward();
  return ShowEntry(key, value);
}

}  // namespace cairn
