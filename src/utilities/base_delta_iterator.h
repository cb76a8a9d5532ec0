// BaseDeltaIterator: what an iterator of a database would show once a WriteBatchWithIndex was
// written over it. Made by WriteBatchWithIndex::NewIteratorWithBase.
//
// A merge of two cursors: the database's iterator ("base") and the batch's ("delta"), whose entries
// of one key count as one. Going forward, each stands at its first key that is not before the
// current one; going backward, at its last that is not behind it. What the delta hides, or deletes,
// is passed over.
//
// What is added to the batch meanwhile moves neither cursor, as in RocksDB: a scan that adds a key
// next to each one it sees comes to an end.
//
// Not thread-safe.
#ifndef CAIRN_UTILITIES_BASE_DELTA_ITERATOR_H_
#define CAIRN_UTILITIES_BASE_DELTA_ITERATOR_H_

#include <memory>
#include <optional>
#include <string>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "utilities/batch_index.h"

namespace cairn {

class BaseDeltaIterator final : public Iterator {
 public:
  // Owns `base`; borrows the others. `options` may be null. With its iter_start_ts nothing is shown
  // (NotSupported): one key of the batch has no place among several versions.
  BaseDeltaIterator(const BatchIndex* index, ColumnFamilyHandle* family, Iterator* base,
                    const ReadOptions* options);

  bool Valid() const override { return at_ != At::kNowhere && status_.ok(); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(const Slice& target) override;
  void SeekForPrev(const Slice& target) override;
  void Next() override { Move(/*forward=*/true); }
  void Prev() override { Move(/*forward=*/false); }
  Slice key() const override { return at_ == At::kBase ? base_->key() : delta_.key(); }
  bool PrepareValue() override;
  Slice value() const override;
  const WideColumns& columns() const override;
  // Empty: the batch's, which gets one when it is committed.
  Slice timestamp() const override { return at_ == At::kBase ? base_->timestamp() : Slice(); }
  Status status() const override { return status_.ok() ? base_->status() : status_; }

 private:
  enum class At { kNowhere, kBase, kDelta, kBoth };  // kBoth: the delta's key is the base's, too

  void Move(bool forward);
  void SeekDelta(const Slice& key, bool forward);
  void StepDelta();
  void StepBase() { forward_ ? base_->Next() : base_->Prev(); }
  bool DeltaIsValid() const;
  // To the next key that has a value, from where the two cursors stand.
  void FindCurrent();
  // Whether the delta's key has a value; if it takes operands, they are merged.
  bool ShowDelta(bool over_base);

  const BatchIndex* const index_;
  ColumnFamilyHandle* const family_;  // may be null: the default one
  const Comparator* const comparator_;
  const std::unique_ptr<Iterator> base_;
  BatchIndex::Cursor delta_;
  std::optional<Slice> lower_bound_;
  std::optional<Slice> upper_bound_;
  uint64_t seen_shrinks_ = 0;  // of the index, when delta_ was placed
  bool forward_ = true;
  At at_ = At::kNowhere;
  Status status_;
  std::string left_;  // the key that a move left
  // Of the current key in the delta, if it took a merge.
  bool is_merged_ = false;
  std::string merged_;
  ValueType merged_type_ = kTypeValue;
  mutable WideColumns columns_;
};

}  // namespace cairn

#endif  // CAIRN_UTILITIES_BASE_DELTA_ITERATOR_H_
