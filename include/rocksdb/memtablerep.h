// What memtables are made of (ColumnFamilyOptions::memtable_factory): the kinds below, or one of
// the user's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>

#include "rocksdb/customizable.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class Allocator;  // the memtable's memory: MemTableRep::Allocate() takes from it
class Arena;      // never given: iterators are made by new
class Logger;
class LookupKey;  // a key that is looked up, for MemTableRep::Get()
class SliceTransform;
struct ConfigOptions;
struct DBOptions;

// Where an entry is that was allocated; what it is is the MemTableRep's affair.
using KeyHandle = void*;

// What lies behind the varint32 length at `data`, which is believed.
extern Slice GetLengthPrefixedSlice(const char* data);

// The entries of one memtable, in order. An entry is a varint32, the length of the internal key,
// the internal key (the user key, and eight bytes of sequence number and type), a varint32, the
// length of the value, the value, and with memtable_protection_bytes_per_key a checksum. It never
// changes once it was inserted.
//
// Any number of readers (Get, iterators, Contains, ApproximateNumEntries, ApproximateMemoryUsage)
// are there at any time, beside one writer, or beside several that insert with the functions named
// Concurrently, if the factory permits it. Entries go with the MemTableRep, never before.
//
// What throws does not leave the database: a read fails with Aborted, which names the factory and
// the function. A memtable in which an insertion threw is unreliable: from then on its reads fail,
// and so does its flush, so that the write-ahead log keeps the writes for the next opening.
class MemTableRep {
 public:
  // The order of entries, the database's. Outlives the MemTableRep. Thread-safe.
  class KeyComparator {
   public:
    using DecodedType = ROCKSDB_NAMESPACE::Slice;

    // The internal key of an entry.
    virtual DecodedType decode_key(const char* key) const { return GetLengthPrefixedSlice(key); }
    // Of two entries: negative, 0 or positive.
    virtual int operator()(const char* prefix_len_key1, const char* prefix_len_key2) const = 0;
    // Of an entry and an internal key.
    virtual int operator()(const char* prefix_len_key, const Slice& key) const = 0;
    virtual ~KeyComparator() {}
  };

  // `allocator` outlives this.
  explicit MemTableRep(Allocator* allocator) : allocator_(allocator) {}
  MemTableRep(const MemTableRep&) = delete;
  MemTableRep& operator=(const MemTableRep&) = delete;
  virtual ~MemTableRep() {}

  // Sets *buf to room for an entry of `len` bytes, which the caller fills before it inserts the
  // handle. By writers of the same kind at once. By default from the allocator, as the handle.
  virtual KeyHandle Allocate(const size_t len, char** buf);

  // Inserts the entry of a handle, with no writer beside it. Those that return something say false
  // if the factory's CanHandleDuplicatedKey() is true and there is an entry of the same key and
  // sequence number. By default the ones below call the ones above; the engine calls InsertKey().
  virtual void Insert(KeyHandle handle) = 0;
  virtual bool InsertKey(KeyHandle handle) {
    Insert(handle);
    return true;
  }
  // *hint: where the last one was inserted; null at first. Not called by the engine.
  virtual void InsertWithHint(KeyHandle handle, void** /*hint*/) { Insert(handle); }
  virtual bool InsertKeyWithHint(KeyHandle handle, void** hint) {
    InsertWithHint(handle, hint);
    return true;
  }
  // The same beside others of this kind. The engine calls InsertKeyConcurrently(), if the factory's
  // IsInsertConcurrentlySupported() is true, and BatchPostProcess() after a batch. By default not
  // supported: it throws std::runtime_error.
  virtual void InsertConcurrently(KeyHandle handle);
  virtual bool InsertKeyConcurrently(KeyHandle handle) {
    InsertConcurrently(handle);
    return true;
  }
  virtual void InsertWithHintConcurrently(KeyHandle handle, void** /*hint*/) {
    InsertConcurrently(handle);
  }
  virtual bool InsertKeyWithHintConcurrently(KeyHandle handle, void** hint) {
    InsertWithHintConcurrently(handle, hint);
    return true;
  }
  // The calling writer is done with its batch: what it inserted must be visible now.
  virtual void BatchPostProcess() {}

  // Whether there is an entry equal to this one. Not called by the engine.
  virtual bool Contains(const char* key) const = 0;

  // Nothing is inserted any more.
  virtual void MarkReadOnly() {}
  // It is in a table now. Under the database's mutex: short.
  virtual void MarkFlushed() {}

  // Calls callback_func(callback_args, entry) for the entries of k's user key that k sees, newest
  // first, until that says false; it may go on to other keys' entries, whose first one ends it.
  // By default with an iterator.
  virtual void Get(const LookupKey& k, void* callback_args,
                   bool (*callback_func)(void* arg, const char* entry));
  // The same with checks of what is met. Not called by the engine, whose own checks are elsewhere.
  virtual Status GetAndValidate(
      const LookupKey& /*k*/, void* /*callback_args*/,
      bool (* /*callback_func*/)(void* arg, const char* entry), bool /*allow_data_in_error*/,
      bool /*detect_key_out_of_order*/,
      const std::function<Status(const char*, bool)>& /*key_validation_callback*/) {
    return Status::NotSupported("GetAndValidate() not implemented.");
  }
  // Get() of several keys, ascending, each a varint32 length with the internal key. Not called by
  // the engine. By default with one iterator; NotSupported with a validation.
  virtual Status MultiGet(
      size_t num_keys, const char* const* keys, void** callback_args,
      bool (*callback_func)(void* arg, const char* entry), bool allow_data_in_errors = false,
      bool detect_key_out_of_order = false,
      const std::function<Status(const char*, bool)>& key_validation_callback = nullptr);

  // About how many entries are in [start_ikey, end_ikey), which are internal keys.
  virtual uint64_t ApproximateNumEntries(const Slice& /*start_ikey*/, const Slice& /*end_key*/) {
    return 0;
  }
  // Adds about target_sample_size different entries of the num_entries there are. Not called by the
  // engine. By default none.
  virtual void UniqueRandomSample(const uint64_t /*num_entries*/,
                                  const uint64_t /*target_sample_size*/,
                                  std::unordered_set<const char*>* /*entries*/) {}
  // Bytes of memory that are not the allocator's. They count for write_buffer_size.
  virtual size_t ApproximateMemoryUsage() = 0;

  // Over the entries. Not positioned at first. One thread at a time; sees what was inserted before
  // it was positioned, and may see more.
  class Iterator {
   public:
    virtual ~Iterator() {}
    virtual bool Valid() const = 0;
    // The entry. REQUIRES, like the next ones: Valid()
    virtual const char* key() const = 0;
    virtual void Next() = 0;
    virtual void Prev() = 0;
    // The first entry >= the internal key, and the last one <= it. `memtable_key`: the same key
    // behind its length as a varint32; null: make it yourself.
    virtual void Seek(const Slice& internal_key, const char* memtable_key) = 0;
    virtual void SeekForPrev(const Slice& internal_key, const char* memtable_key) = 0;
    virtual void SeekToFirst() = 0;
    virtual void SeekToLast() = 0;
    virtual void RandomSeek() {}  // not called by the engine

    // The same with checks of the order and of each key. Not called by the engine.
    virtual Status NextAndValidate(bool /*allow_data_in_errors*/) {
      return Status::NotSupported("NextAndValidate() not implemented.");
    }
    virtual Status PrevAndValidate(bool /*allow_data_in_errors*/) {
      return Status::NotSupported("PrevAndValidate() not implemented.");
    }
    virtual Status SeekAndValidate(
        const Slice& /*internal_key*/, const char* /*memtable_key*/, bool /*allow_data_in_errors*/,
        bool /*detect_key_out_of_order*/,
        const std::function<Status(const char*, bool)>& /*key_validation_callback*/) {
      return Status::NotSupported("SeekAndValidate() not implemented.");
    }
  };

  // A new iterator over all entries in order, the caller's. `arena` is always null here.
  virtual Iterator* GetIterator(Arena* arena = nullptr) = 0;
  // The same, of which after a Seek only the entries with the target's prefix need be right.
  virtual Iterator* GetDynamicPrefixIterator(Arena* arena = nullptr) { return GetIterator(arena); }

  // False: a database with a merge_operator does not open.
  virtual bool IsMergeOperatorSupported() const { return true; }
  // False: DB::GetSnapshot() is null while such a column family is there.
  virtual bool IsSnapshotSupported() const { return true; }

 protected:
  // Of an entry, with its timestamp.
  virtual Slice UserKey(const char* key) const;

  Allocator* allocator_;
};

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

  // A new MemTableRep, the caller's, for one memtable. The comparator, the allocator, the
  // transform (null: the column family has no prefix_extractor) and the log (may be null) outlive
  // it. Thread-safe. Null, or what throws, makes the opening, the creation of the column family or
  // the write that needs a new memtable fail with Aborted.
  virtual MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp,
                                         Allocator* allocator,
                                         const SliceTransform* slice_transform, Logger* logger) = 0;
  // The one that is called.
  virtual MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp,
                                         Allocator* allocator,
                                         const SliceTransform* slice_transform, Logger* logger,
                                         uint32_t /*column_family_id*/) {
    return CreateMemTableRep(key_cmp, allocator, slice_transform, logger);
  }

  const char* Name() const override = 0;

  // Writers may insert at once. With others allow_concurrent_memtable_write must be off.
  virtual bool IsInsertConcurrentlySupported() const { return false; }
  // A second entry of the same key and sequence number is noticed.
  virtual bool CanHandleDuplicatedKey() const { return false; }
};

// A lock-free skip list that many writers insert into at once: the default. (With the factories
// below as they are the engine has something faster than what CreateMemTableRep() makes, which is
// for factories of one's own that wrap or extend one of them.)
class SkipListFactory : public MemTableRepFactory {
 public:
  // `lookahead` is accepted and ignored.
  explicit SkipListFactory(size_t lookahead = 0);

  static const char* kClassName() { return "SkipListFactory"; }
  static const char* kNickName() { return "skip_list"; }
  const char* Name() const override { return kClassName(); }
  // "SkipListFactory", or with a lookahead "SkipListFactory:16".
  std::string GetId() const override;
  using MemTableRepFactory::CreateMemTableRep;
  MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp, Allocator* allocator,
                                 const SliceTransform* slice_transform, Logger* logger) override;
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
  using MemTableRepFactory::CreateMemTableRep;
  MemTableRep* CreateMemTableRep(const MemTableRep::KeyComparator& key_cmp, Allocator* allocator,
                                 const SliceTransform* slice_transform, Logger* logger) override;
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
