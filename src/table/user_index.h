// The user-defined index of a table (rocksdb/user_defined_index.h): how it is built beside the
// usual one, and a cursor over it. Neither is thread-safe.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/user_defined_index.h"
#include "table/block.h"
#include "table/format.h"

namespace cairn {

// The name of its metadata block.
std::string UserIndexBlockName(const UserDefinedIndexFactory& factory);

class UserIndexBuilder {
 public:
  // *builder is null, too, where the factory makes none. `icmp` and the factory outlive it.
  [[nodiscard]] static Status Make(const UserDefinedIndexFactory& factory,
                                   const InternalKeyComparator& icmp,
                                   std::unique_ptr<UserIndexBuilder>* builder);

  // Each entry of the table, by its internal key.
  void AddKey(const Slice& internal_key, const Slice& value);
  // The same of all entries of a data block, `raw`; `before`: where the one before it lies, which
  // was added so, too (null: it is the first). Corruption: it is none.
  [[nodiscard]] Status AddKeysOf(const Slice& raw, const BlockHandle* before);
  // A data block ended with `last_key`; `next_key`, null at the table's end, begins the next one.
  void AddBlock(const Slice& last_key, const Slice* next_key, const BlockHandle& handle);
  // Good as long as this.
  [[nodiscard]] Status Finish(Slice* contents) { return builder_->Finish(contents); }

 private:
  UserIndexBuilder(const InternalKeyComparator& icmp,
                   std::unique_ptr<UserDefinedIndexBuilder> builder)
      : icmp_(icmp), builder_(std::move(builder)) {}

  const InternalKeyComparator& icmp_;
  const std::unique_ptr<UserDefinedIndexBuilder> builder_;
  std::string last_key_;  // of the block that AddKeysOf() had
  std::string scratch_;
};

// What an open table has of it. Constant: thread-safe.
struct UserIndex {
  Block::Ptr block;
  std::unique_ptr<UserDefinedIndexReader> reader;
  std::string name;  // the factory's
};

// Where a read stands in it.
class UserIndexCursor {
 public:
  explicit UserIndexCursor(std::unique_ptr<UserDefinedIndexIterator> it) : it_(std::move(it)) {}

  bool Valid() const { return valid_; }
  // REQUIRES (all three): Valid(). The key: an internal key behind all of its block's versions.
  Slice key() const { return key_; }
  Slice user_key() const { return ExtractUserKey(key_); }
  const BlockHandle& handle() const { return handle_; }

  [[nodiscard]] Status SeekToFirst() { return Take(it_->SeekToFirstAndGetResult(&result_)); }
  [[nodiscard]] Status SeekToLast() { return Take(it_->SeekToLastAndGetResult(&result_)); }
  [[nodiscard]] Status Seek(const Slice& internal_key);
  [[nodiscard]] Status Next() { return Take(it_->NextAndGetResult(&result_)); }
  [[nodiscard]] Status Prev() { return Take(it_->PrevAndGetResult(&result_)); }

 private:
  Status Take(const Status& s);

  const std::unique_ptr<UserDefinedIndexIterator> it_;
  IterateResult result_;
  bool valid_ = false;
  std::string key_;
  BlockHandle handle_;
};

}  // namespace cairn
