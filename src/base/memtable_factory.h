// The memtable factories without a class in the public header. A factory is a name with settings:
// what makes memtables is db/, which asks for these types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/namespace.h"
#include "rocksdb/memtablerep.h"

namespace cairn {

class HashSkipListRepFactory final : public MemTableRepFactory {
 public:
  HashSkipListRepFactory(size_t bucket_count, int32_t skiplist_height, int32_t branching_factor)
      : bucket_count_(bucket_count),
        skiplist_height_(skiplist_height),
        branching_factor_(branching_factor) {}

  static const char* kClassName() { return "HashSkipListRepFactory"; }
  static const char* kNickName() { return "prefix_hash"; }
  const char* Name() const override { return kClassName(); }
  bool CanHandleDuplicatedKey() const override { return true; }

  size_t bucket_count() const { return bucket_count_; }
  int32_t skiplist_height() const { return skiplist_height_; }
  int32_t branching_factor() const { return branching_factor_; }

 protected:
  const char* NickName() const override { return kNickName(); }

 private:
  const size_t bucket_count_;
  const int32_t skiplist_height_;
  const int32_t branching_factor_;
};

// What an options text can name and DB::Open refuses.
class HashLinkListRepFactory final : public MemTableRepFactory {
 public:
  static const char* kClassName() { return "HashLinkListRepFactory"; }
  static const char* kNickName() { return "hash_linkedlist"; }
  const char* Name() const override { return kClassName(); }

 protected:
  const char* NickName() const override { return kNickName(); }
};

}  // namespace cairn
