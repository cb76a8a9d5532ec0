// InternalIterator: a cursor over internal keys (internal_key.h): of a block, a table, a memtable,
// a level, or a merge of such.
//
// Not thread-safe. The cleanups (Cleanable) release what the iterator reads from. key() and value()
// are valid until the next movement, and as long as the iterator itself where IsKeyPinned(),
// IsValuePinned().
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "base/namespace.h"
#include "base/read_ahead_pace.h"
#include "rocksdb/cleanable.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace cairn {

class PreparedBlocks;  // table/prepared_blocks.h

class InternalIterator : public Cleanable {
 public:
  InternalIterator() = default;
  InternalIterator(const InternalIterator&) = delete;
  InternalIterator& operator=(const InternalIterator&) = delete;
  virtual ~InternalIterator() = default;

  // False before the first and past the last entry, and after an error.
  virtual bool Valid() const = 0;

  // Movements may read files: SUSPEND.
  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // To the first entry >= internal_key, in the order of InternalKeyComparator.
  virtual void Seek(const Slice& internal_key) = 0;
  // To the last entry <= internal_key.
  virtual void SeekForPrev(const Slice& internal_key) = 0;
  // REQUIRES: Valid()
  virtual void Next() = 0;
  // REQUIRES: Valid()
  virtual void Prev() = 0;

  // Next() or Prev(), and then, if Valid(), what it came to: one call instead of four for each step
  // of a tower of iterators. False: not Valid() any more. REQUIRES: Valid()
  virtual bool NextEntry(Slice* key, Slice* value) {
    Next();
    return Show(key, value);
  }
  virtual bool PrevEntry(Slice* key, Slice* value) {
    Prev();
    return Show(key, value);
  }

  // REQUIRES: Valid()
  virtual Slice key() const = 0;
  // REQUIRES: Valid()
  virtual Slice value() const = 0;

  // Not OK if an error ended the movement. OK at the end of the data.
  virtual Status status() const = 0;

  // The last Seek() or SeekForPrev() found nothing because a filter knows no entry with the prefix
  // of its target: neighbours beyond those entries were not looked for.
  virtual bool PrefixIsAbsent() const { return false; }

  // Of a tower: moves its children from index `first` on that stand before `target` in the
  // direction of travel to the first entry at or after it; backwards, to the last one before it.
  // For who knows that nothing between is to be seen. Forward `target` sorts before, or with, all
  // it is to come to. True: another entry is in front. REQUIRES: Valid(), and moving in that
  // direction
  virtual bool SeekOlder(size_t first, const Slice& target, bool forward) {
    if (first > 0) return false;
    if (forward) {
      Seek(target);
    } else {
      SeekForPrev(target);
    }
    return true;
  }

  // From now on instead of ReadOptions::read_tier. With kBlockCacheTier a movement that would have
  // to read a file ends with Incomplete; the iterator must be positioned anew then. Of no effect on
  // what reads nothing.
  virtual void SetReadTier(ReadTier /*tier*/) {}

  // For an iterator over one file of several that follow one another. How it reads ahead at
  // present; none: it does not. And: its first read goes on where another's left off.
  virtual std::optional<ReadAheadPace> ReadAhead() const { return std::nullopt; }
  virtual void ContinueReadAhead(const ReadAheadPace& /*pace*/, bool /*forward*/) {}
  // Calls `near_end(forward)` once, when all that is left in the direction of travel is read or
  // being read in the background. It must not use the iterator.
  virtual void OnNearEnd(std::function<void(bool)> /*near_end*/) {}

  // What is read ahead for several ranges, which the iterator takes from there; borrowed as long as
  // it lives. To be set before it is positioned.
  virtual void SetPreparedBlocks(PreparedBlocks* /*blocks*/) {}

  // From now on a movement may leave the value unread where the key is known without (the index of
  // a table may have the first one of each block): value(), and what NextEntry() and PrevEntry()
  // show, is then a slice of null. Of no effect on what has all at hand.
  virtual void AllowUnpreparedValues() {}
  static bool IsUnprepared(const Slice& value) { return value.data() == nullptr; }
  // Reads such a value, after which key() and value() are to be asked anew. False: that failed, the
  // iterator is not Valid() any more, and status() says why. SUSPENDS. REQUIRES: Valid()
  virtual bool PrepareValue() { return true; }

  // True: the bytes of key(), value() live until the iterator dies, over all movements.
  virtual bool IsKeyPinned() const { return false; }
  virtual bool IsValuePinned() const { return false; }

 private:
  bool Show(Slice* key, Slice* value) const {
    if (!Valid()) return false;
    *key = this->key();
    *value = this->value();
    return true;
  }
};

// An iterator over nothing, with this status. The caller owns it.
InternalIterator* NewEmptyInternalIterator(const Status& status = Status::OK());

}  // namespace cairn
