// The kinds of memtable (ColumnFamilyOptions::memtable_factory). DB::Open takes those below; one of
// the user's own is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"

namespace ROCKSDB_NAMESPACE {

class Status;
struct ConfigOptions;

class MemTableRepFactory : public Customizable {
 public:
  static const char* Type() { return "MemTableRepFactory"; }

  // Sets *factory to what `id` says: a class's name or nickname, which ":N" may follow, or
  // "id=name;setting=value;..."; null for "" and "nullptr". The settings:
  // SkipListFactory (skip_list): lookahead. VectorRepFactory (vector): count.
  // HashSkipListRepFactory (prefix_hash): bucket_count, skiplist_height, branching_factor.
  // HashLinkListRepFactory (hash_linkedlist): bucket_count, threshold, huge_page_size,
  // logging_threshold, log_when_flash. NotFound names a setting that there is not,
  // InvalidArgument one whose value is not understood. A name that is not known leaves *factory as
  // it is: OK with ignore_unsupported_options (the default), else NotSupported.
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                 std::unique_ptr<MemTableRepFactory>* factory);
  static Status CreateFromString(const ConfigOptions& config_options, const std::string& id,
                                 std::shared_ptr<MemTableRepFactory>* factory);

  // Writers may insert at once. With others allow_concurrent_memtable_write must be off.
  virtual bool IsInsertConcurrentlySupported() const { return false; }
  // A second entry of the same key and sequence number is noticed.
  virtual bool CanHandleDuplicatedKey() const { return false; }
};

// A lock-free skip list that many writers insert into at once: the default.
class SkipListFactory : public MemTableRepFactory {
 public:
  // `lookahead` is accepted and ignored.
  explicit SkipListFactory(size_t lookahead = 0);

  static const char* kClassName() { return "SkipListFactory"; }
  static const char* kNickName() { return "skip_list"; }
  const char* Name() const override { return kClassName(); }
  // "SkipListFactory", or with a lookahead "SkipListFactory:16".
  std::string GetId() const override;
  bool IsInsertConcurrentlySupported() const override { return true; }
  bool CanHandleDuplicatedKey() const override { return true; }
  size_t lookahead() const { return lookahead_; }

 protected:
  const char* NickName() const override { return kNickName(); }

 private:
  size_t lookahead_;
};

// Entries as they come, sorted once when they are flushed: for bulk loads. A read sorts, too, and
// keeps the order for the reads after it: reading between writes is slow.
class VectorRepFactory : public MemTableRepFactory {
 public:
  // `count`: room for so many entries is taken at once.
  explicit VectorRepFactory(size_t count = 0);

  static const char* kClassName() { return "VectorRepFactory"; }
  static const char* kNickName() { return "vector"; }
  const char* Name() const override { return kClassName(); }
  size_t count() const { return count_; }

 protected:
  const char* NickName() const override { return kNickName(); }

 private:
  size_t count_;
};

// A hash table over prefixes, with a skip list of at most `skiplist_height` levels for each bucket.
// Needs ColumnFamilyOptions::prefix_extractor; without one, a skip list takes its place. For gets,
// and for iterators that stay within a prefix; an iterator in total order sorts all entries first.
// The table takes at most an eighth of write_buffer_size.
extern MemTableRepFactory* NewHashSkipListRepFactory(size_t bucket_count = 1000000,
                                                     int32_t skiplist_height = 4,
                                                     int32_t skiplist_branching_factor = 4);

// The same with a sorted linked list for each bucket, which becomes a skip list with the entry that
// comes when there are `threshold_use_skiplist` of them (at least 3): less memory than a hash of
// skip lists where prefixes have few entries. huge_page_tlb_size: the memtable is in pages of so
// many bytes, as with memtable_huge_page_size, unless that is set. The info log tells of a bucket
// that has more than bucket_entries_logging_threshold entries (0: of none), and, with
// if_log_bucket_dist_when_flash, before a flush how many entries the buckets have.
extern MemTableRepFactory* NewHashLinkListRepFactory(size_t bucket_count = 50000,
                                                     size_t huge_page_tlb_size = 0,
                                                     int bucket_entries_logging_threshold = 4096,
                                                     bool if_log_bucket_dist_when_flash = true,
                                                     uint32_t threshold_use_skiplist = 256);

}  // namespace ROCKSDB_NAMESPACE
