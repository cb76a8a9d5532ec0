// IndexCursor: walks the data blocks of a table in order, over a plain or a two-level index.
//
// Used by one Get or one table iterator; not thread-safe. Movements may read index blocks: SUSPEND.
#pragma once

#include "base/namespace.h"
#include "rocksdb/options.h"
#include "table/block_based_table_reader.h"

namespace cairn {

class IndexCursor {
 public:
  // Both outlive this.
  IndexCursor(const BlockBasedTable* table, const ReadOptions* options)
      : table_(table), options_(options) {}
  IndexCursor(const IndexCursor&) = delete;
  IndexCursor& operator=(const IndexCursor&) = delete;

  bool Valid() const { return current_ != nullptr && current_->Valid(); }
  const Status& status() const { return status_; }
  // REQUIRES (both): Valid()
  const BlockHandle& handle() const { return current_->handle(); }
  Slice key() const { return current_->key(); }
  // The first internal key of the block; empty where the index has none. Good as long as this.
  const Slice& first_key() const { return current_->first_key(); }

  void SeekToFirst();
  void SeekToLast();
  void Seek(const Slice& internal_key);
  // REQUIRES (both): Valid()
  void Next();
  void Prev();

 private:
  bool Start();
  bool OpenPartition();
  void CheckCorrupt();

  const BlockBasedTable* const table_;
  const ReadOptions* const options_;
  IndexRef top_;
  IndexBlockIter top_iter_;
  IndexRef partition_;
  IndexBlockIter partition_iter_;
  uint64_t partition_offset_ = UINT64_MAX;
  IndexBlockIter* current_ = nullptr;  // the one that walks data blocks
  Status status_;
};

}  // namespace cairn
