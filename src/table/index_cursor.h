// IndexCursor: walks the data blocks of a table in order, over a plain or a two-level index, or one
// of the user's own.
//
// Used by one Get or one table iterator; not thread-safe. Movements may read index blocks: SUSPEND.
#pragma once

#include <memory>

#include "base/namespace.h"
#include "rocksdb/options.h"
#include "table/block_based_table_reader.h"
#include "table/user_index.h"

namespace cairn {

class IndexCursor {
 public:
  // Both outlive this.
  IndexCursor(const BlockBasedTable* table, const ReadOptions* options)
      : table_(table), options_(options) {}
  IndexCursor(const IndexCursor&) = delete;
  IndexCursor& operator=(const IndexCursor&) = delete;

  bool Valid() const {
    if (current_ != nullptr) [[likely]]
      return current_->Valid();
    return user_ != nullptr && user_->Valid();
  }
  const Status& status() const { return status_; }
  // REQUIRES (these three): Valid()
  const BlockHandle& handle() const {
    return current_ != nullptr ? current_->handle() : user_->handle();
  }
  Slice key() const { return current_ != nullptr ? current_->key() : UserIndexKey(); }
  // The first internal key of the block; empty where the index has none. Good as long as this.
  Slice first_key() const { return current_ != nullptr ? current_->first_key() : Slice(); }

  void SeekToFirst();
  void SeekToLast();
  void Seek(const Slice& internal_key);
  // REQUIRES (both): Valid()
  void Next();
  void Prev();

 private:
  // As the table's index has its keys.
  Slice UserIndexKey() const;
  // The user-defined index is used, and has moved so.
  void Moved(const Status& s) { status_ = s; }
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
  IndexBlockIter* current_ = nullptr;      // the one that walks data blocks
  std::unique_ptr<UserIndexCursor> user_;  // null: the table's own index is used
  Status status_;
};

}  // namespace cairn
