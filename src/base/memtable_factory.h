// The memtable factories without a class in the public header. A factory is a name with settings,
// which are as RocksDB names them: what makes memtables is db/, which asks for these types.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/namespace.h"
#include "rocksdb/memtablerep.h"

namespace cairn {

struct HashSkipListRepOptions {
  static const char* kName() { return "HashSkipListRepFactoryOptions"; }
  size_t bucket_count = 1000000;
  int32_t skiplist_height = 4;
  int32_t branching_factor = 4;
};

class HashSkipListRepFactory final : public MemTableRepFactory {
 public:
  explicit HashSkipListRepFactory(const HashSkipListRepOptions& options = {});

  static const char* kClassName() { return "HashSkipListRepFactory"; }
  static const char* kNickName() { return "prefix_hash"; }
  const char* Name() const override { return kClassName(); }
  using MemTableRepFactory::CreateMemTableRep;
  MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp, Allocator* allocator,
                                 const SliceTransform* slice_transform, Logger* logger) override;
  bool CanHandleDuplicatedKey() const override { return true; }

  const HashSkipListRepOptions& options() const { return options_; }

 protected:
  const char* NickName() const override { return kNickName(); }

 private:
  HashSkipListRepOptions options_;
};

struct HashLinkListRepOptions {
  static const char* kName() { return "HashLinkListRepFactoryOptions"; }
  size_t bucket_count = 50000;
  size_t huge_page_tlb_size = 0;
  int bucket_entries_logging_threshold = 4096;
  bool if_log_bucket_dist_when_flash = true;
  uint32_t threshold_use_skiplist = 256;
};

class HashLinkListRepFactory final : public MemTableRepFactory {
 public:
  explicit HashLinkListRepFactory(const HashLinkListRepOptions& options = {});

  static const char* kClassName() { return "HashLinkListRepFactory"; }
  static const char* kNickName() { return "hash_linkedlist"; }
  const char* Name() const override { return kClassName(); }
  using MemTableRepFactory::CreateMemTableRep;
  MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp, Allocator* allocator,
                                 const SliceTransform* slice_transform, Logger* logger) override;
  bool CanHandleDuplicatedKey() const override { return true; }

  const HashLinkListRepOptions& options() const { return options_; }

 protected:
  const char* NickName() const override { return kNickName(); }

 private:
  HashLinkListRepOptions options_;
};

}  // namespace cairn
