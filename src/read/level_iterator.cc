#include "read/level_iterator.h"

#include <cassert>
#include <optional>
#include <utility>

#include "fiber/background.h"

namespace cairn {
namespace {

class LevelIterator final : public InternalIterator {
 public:
  LevelIterator(const ReadOptions& options, const InternalKeyComparator* icmp, TableCache* tables,
                const LevelFiles& files, const LevelIteratorOptions& level_options)
      : options_(options),
        icmp_(icmp),
        tables_(tables),
        files_(files),
        level_options_(level_options) {}

  LevelIterator(const ReadOptions& options, const InternalKeyComparator* icmp, TableCache* tables,
                std::vector<FileSlot> files, const LevelIteratorOptions& level_options)
      : options_(options),
        icmp_(icmp),
        tables_(tables),
        own_files_(std::move(files)),
        files_{own_files_.data(), own_files_.size()},
        level_options_(level_options) {}

  bool Valid() const override { return table_ != nullptr && table_->Valid(); }

  void SeekToFirst() override {
    if (files_.size == 0) return;
    Open(0);
    table_->SeekToFirst();
    SkipExhaustedForward();
  }

  void SeekToLast() override {
    if (files_.size == 0) return;
    Open(files_.size - 1);
    table_->SeekToLast();
    SkipExhaustedBackward();
  }

  void Seek(const Slice& target) override {
    // Short forward seeks mostly stay in the file.
    if (!IsWithinOpenFile(target)) {
      const size_t i = FindFile(*icmp_, files_, target);
      if (i == files_.size || BeginsBeyondBound(files_[i])) {
        Close();
        return;
      }
      Open(i);
    }
    table_->Seek(target);
    // The file has an entry behind the target, which has another prefix: so have all files behind.
    if (table_->PrefixIsAbsent() && IsEntry(files_[index_].largest)) return Close();
    SkipExhaustedForward();
  }

  void SeekForPrev(const Slice& target) override {
    if (files_.size == 0) return;
    size_t i = FindFile(*icmp_, files_, target);
    if (i == files_.size) --i;
    // (The first file that ends behind the target may begin behind it, too.)
    if (icmp_->Compare(target, files_[i].smallest) < 0) {
      if (i == 0) return Close();
      --i;
    }
    if (EndsBeforeBound(files_[i])) return Close();
    Open(i);
    table_->SeekForPrev(target);
    if (table_->PrefixIsAbsent() && IsEntry(files_[i].smallest) &&
        icmp_->Compare(target, files_[i].smallest) >= 0) {
      return Close();
    }
    SkipExhaustedBackward();
  }

  void Next() override {
    assert(Valid());
    table_->Next();
    SkipExhaustedForward();
  }

  bool NextEntry(Slice* key, Slice* value) override {
    if (table_->NextEntry(key, value)) [[likely]]
      return true;
    SkipExhaustedForward();
    if (!Valid()) return false;
    *key = table_->key();
    *value = table_->value();
    return true;
  }

  void Prev() override {
    assert(Valid());
    table_->Prev();
    SkipExhaustedBackward();
  }

  bool PrevEntry(Slice* key, Slice* value) override {
    if (table_->PrevEntry(key, value)) [[likely]]
      return true;
    SkipExhaustedBackward();
    if (!Valid()) return false;
    *key = table_->key();
    *value = table_->value();
    return true;
  }

  Slice key() const override { return table_->key(); }
  Slice value() const override { return table_->value(); }
  Status status() const override { return table_ == nullptr ? Status::OK() : table_->status(); }
  void SetPreparedBlocks(PreparedBlocks* blocks) override {
    prepared_ = blocks;
    if (table_ != nullptr) table_->SetPreparedBlocks(blocks);
  }
  void AllowUnpreparedValues() override {
    allows_unprepared_ = true;
    if (table_ != nullptr) table_->AllowUnpreparedValues();
  }
  bool PrepareValue() override { return table_->PrepareValue(); }
  void SetReadTier(ReadTier tier) override {
    options_.read_tier = tier;
    if (table_ != nullptr) table_->SetReadTier(tier);
  }
  // Not pinned: bytes go with their table's iterator when the cursor leaves the file.

 private:
  bool IsWithinOpenFile(const Slice& target) const {
    return table_ != nullptr && table_->Valid() &&
           icmp_->Compare(target, files_[index_].smallest) >= 0 &&
           icmp_->Compare(target, files_[index_].largest) <= 0;
  }

  // The end of a file's range may be that of a range deletion instead.
  static bool IsEntry(const Slice& internal_key) {
    return ExtractValueType(internal_key) != kTypeRangeDeletion;
  }

  void Open(size_t i) {
    assert(i < files_.size);
    if (table_ != nullptr && index_ == i && table_->status().ok()) return;
    table_.reset();  // before the next: one table's blocks at a time
    index_ = i;
    table_.reset(tables_->NewIterator(options_, Id(i), level_options_.for_compaction,
                                      level_options_.skip_filters,
                                      level_options_.compaction_readahead));
    if (prepared_ != nullptr) table_->SetPreparedBlocks(prepared_);
    if (allows_unprepared_) table_->AllowUnpreparedValues();
    if (options_.async_io && files_.size > 1) {
      table_->OnNearEnd([this](bool forward) { OpenNeighbour(forward); });
    }
  }

  // To the file beside the present one, which the cursor has gone through.
  void GoOnIn(size_t i) {
    std::optional<ReadAheadPace> pace;
    if (options_.adaptive_readahead) pace = table_->ReadAhead();
    const bool forward = i > index_;
    Open(i);
    if (pace) table_->ContinueReadAhead(*pace, forward);
  }

  // Opens, in the background, the file that the cursor will come to next.
  void OpenNeighbour(bool forward) {
    if (forward ? index_ + 1 >= files_.size || BeginsBeyondBound(files_[index_ + 1])
                : index_ == 0 || EndsBeforeBound(files_[index_ - 1])) {
      return;
    }
    const TableFileId id = Id(forward ? index_ + 1 : index_ - 1);
    opening_.wait();
    if (tables_->FindTable(id, &neighbour_, /*no_io=*/true).ok()) return;
    // An error shows when the cursor comes to the file.
    opening_.start([this, id] { tables_->FindTable(id, &neighbour_).PermitUncheckedError(); });
  }

  TableFileId Id(size_t i) const { return files_[i].meta->TableId(level_options_.level); }

  void Close() { table_.reset(); }

  // A table that stops with an error stays: status() shows it, and Valid() is false.
  void SkipExhaustedForward() {
    while (!table_->Valid() && table_->status().ok()) {
      if (index_ + 1 >= files_.size || BeginsBeyondBound(files_[index_ + 1])) {
        Close();
        return;
      }
      GoOnIn(index_ + 1);
      table_->SeekToFirst();
    }
  }

  void SkipExhaustedBackward() {
    while (!table_->Valid() && table_->status().ok()) {
      if (index_ == 0 || EndsBeforeBound(files_[index_ - 1])) {
        Close();
        return;
      }
      GoOnIn(index_ - 1);
      table_->SeekToLast();
    }
  }

  bool BeginsBeyondBound(const FileSlot& file) const {
    return options_.iterate_upper_bound != nullptr &&
           icmp_->CompareToBound(ExtractUserKey(file.smallest), *options_.iterate_upper_bound) >= 0;
  }
  bool EndsBeforeBound(const FileSlot& file) const {
    return options_.iterate_lower_bound != nullptr &&
           icmp_->CompareToBound(ExtractUserKey(file.largest), *options_.iterate_lower_bound) < 0;
  }

  ReadOptions options_;
  const InternalKeyComparator* const icmp_;
  TableCache* const tables_;
  const std::vector<FileSlot> own_files_;
  const LevelFiles files_;
  const LevelIteratorOptions level_options_;

  PreparedBlocks* prepared_ = nullptr;  // null: none
  bool allows_unprepared_ = false;
  std::unique_ptr<InternalIterator> table_;  // null: before the first or past the last file
  size_t index_ = 0;                         // of table_'s file
  TableCache::Ref neighbour_;                // open because it will soon be wanted
  fiber::BackgroundCall opening_;            // writes neighbour_
};

}  // namespace

InternalIterator* NewLevelIterator(const ReadOptions& options, const InternalKeyComparator* icmp,
                                   TableCache* tables, const LevelFiles& files,
                                   const LevelIteratorOptions& level_options) {
  return new LevelIterator(options, icmp, tables, files, level_options);
}

InternalIterator* NewLevelIterator(const ReadOptions& options, const InternalKeyComparator* icmp,
                                   TableCache* tables, const std::vector<FileMetaData*>& files,
                                   const LevelIteratorOptions& level_options) {
  std::vector<FileSlot> slots;
  slots.reserve(files.size());
  for (FileMetaData* meta : files) {
    FileSlot slot;
    slot.smallest = meta->smallest.Encode();
    slot.largest = meta->largest.Encode();
    slot.number = meta->number;
    slot.file_size = meta->file_size;
    slot.meta = meta;
    slots.push_back(slot);
  }
  return new LevelIterator(options, icmp, tables, std::move(slots), level_options);
}

}  // namespace cairn
