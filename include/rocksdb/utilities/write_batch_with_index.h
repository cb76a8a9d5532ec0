// WriteBatchWithIndex: a WriteBatch that can be read before it is written: by key, in order, alone
// or together with a database on which it is to come.
//
//   rocksdb::WriteBatchWithIndex batch(rocksdb::BytewiseComparator(), 0, /*overwrite_key=*/true);
//   batch.Put("key", "value");
//   std::string value;
//   rocksdb::Status s = batch.GetFromBatchAndDB(db, rocksdb::ReadOptions(), "key", &value);
//   s = db->Write(rocksdb::WriteOptions(), batch.GetWriteBatch());
//
// Thread safety: not thread-safe, but many may read one that nobody changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "rocksdb/comparator.h"
#include "rocksdb/iterator.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/write_batch.h"
#include "rocksdb/write_batch_base.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;
class DB;
class PinnableWideColumns;
struct DBOptions;
struct ReadOptions;

// What an entry does. In an index there are only kPutRecord, kMergeRecord, kDeleteRecord,
// kSingleDeleteRecord and kPutEntityRecord.
enum WriteType {
  kPutRecord,
  kMergeRecord,
  kDeleteRecord,
  kSingleDeleteRecord,
  kDeleteRangeRecord,
  kLogDataRecord,
  kXIDRecord,
  kPutEntityRecord,
  kUnknownRecord,
};

struct WriteEntry {
  WriteType type = kUnknownRecord;
  Slice key;
  // Empty for deletions. Of an entity its columns in their stored form:
  // PinnableWideColumns::SetWideColumnValue reads it.
  Slice value;
};

// A cursor over the entries of one column family in a WriteBatchWithIndex, by key and of each key
// from the newest to the oldest.
//
// The batch may be added to meanwhile: the cursor stays at its entry, or at the one that took its
// place. After Clear() or RollbackToSavePoint() seek again; it must not outlive its batch.
class WBWIIterator {
 public:
  virtual ~WBWIIterator() = default;

  virtual bool Valid() const = 0;

  virtual void SeekToFirst() = 0;
  virtual void SeekToLast() = 0;
  // To the newest entry of the first key >= target.
  virtual void Seek(const Slice& target) = 0;
  // To the oldest entry of the last key <= target.
  virtual void SeekForPrev(const Slice& target) = 0;

  // REQUIRES: Valid()
  virtual void Next() = 0;
  virtual void Prev() = 0;

  // Always OK.
  virtual Status status() const = 0;

  // Its slices are good until the batch changes. REQUIRES: Valid()
  virtual WriteEntry Entry() const = 0;

  // An earlier update of this key, a SingleDelete, was overwritten. (With overwrite_key only.)
  virtual bool HasOverWrittenSingleDel() const { return false; }

  // The entry is the how manieth update of its key, from 1 on. With overwrite_key only.
  virtual uint32_t GetUpdateCount() const { return 0; }
};

// The limits are WriteBatch's: less than 4 GiB in all. A call that fails (MemoryLimit,
// InvalidArgument) leaves batch and index as they were.
class WriteBatchWithIndex : public WriteBatchBase {
 public:
  // `backup_index_comparator` (borrowed; null: bytewise): in whose order the keys of a column
  // family are, if none of its handles is given when its first key comes. `reserved_bytes`: room
  // for so much at once. `overwrite_key`: the index has only the last update of each key, except
  // that a Merge does not hide what is below it (all updates are written to the database, in
  // either case). `max_bytes`: see SetMaxBytes(). `protection_bytes_per_key`: see
  // WriteBatch.
  explicit WriteBatchWithIndex(const Comparator* backup_index_comparator = BytewiseComparator(),
                               size_t reserved_bytes = 0, bool overwrite_key = false,
                               size_t max_bytes = 0, size_t protection_bytes_per_key = 0);
  ~WriteBatchWithIndex() override;
  // A batch that was moved from may only be assigned to or destroyed.
  WriteBatchWithIndex(WriteBatchWithIndex&&);
  WriteBatchWithIndex& operator=(WriteBatchWithIndex&&);

  // Families with user-defined timestamps are written by the functions without one: the batch has
  // room for it, to be filled in (GetWriteBatch()->UpdateTimestamps()) before it can be written to
  // a database. WBWIIterator shows keys without. The batch's reads see what it has whatever
  // ReadOptions::timestamp is, which those that go on to the database need (InvalidArgument).
  //
  // With a timestamp at once: NotSupported (InvalidArgument: no column family), as in RocksDB.
  Status Put(ColumnFamilyHandle* column_family, const Slice& key, const Slice& ts,
             const Slice& value) override;
  Status Merge(ColumnFamilyHandle* column_family, const Slice& key, const Slice& ts,
               const Slice& value) override;
  Status Delete(ColumnFamilyHandle* column_family, const Slice& key, const Slice& ts) override;
  Status SingleDelete(ColumnFamilyHandle* column_family, const Slice& key,
                      const Slice& ts) override;
  Status DeleteRange(ColumnFamilyHandle* column_family, const Slice& begin_key,
                     const Slice& end_key, const Slice& ts) override;

  Status Put(ColumnFamilyHandle* column_family, const Slice& key, const Slice& value) override;
  Status Put(const Slice& key, const Slice& value) override;
  Status Put(ColumnFamilyHandle* column_family, const SliceParts& key,
             const SliceParts& value) override;
  Status Put(const SliceParts& key, const SliceParts& value) override {
    return Put(nullptr, key, value);
  }

  Status PutEntity(ColumnFamilyHandle* column_family, const Slice& key,
                   const WideColumns& columns) override;
  // NotSupported; InvalidArgument without groups.
  Status PutEntity(const Slice& key, const AttributeGroups& attribute_groups) override;

  Status Merge(ColumnFamilyHandle* column_family, const Slice& key, const Slice& value) override;
  Status Merge(const Slice& key, const Slice& value) override;
  Status Merge(ColumnFamilyHandle* column_family, const SliceParts& key,
               const SliceParts& value) override;
  Status Merge(const SliceParts& key, const SliceParts& value) override {
    return Merge(nullptr, key, value);
  }

  Status Delete(ColumnFamilyHandle* column_family, const Slice& key) override;
  Status Delete(const Slice& key) override;
  Status Delete(ColumnFamilyHandle* column_family, const SliceParts& key) override;
  Status Delete(const SliceParts& key) override { return Delete(nullptr, key); }

  Status SingleDelete(ColumnFamilyHandle* column_family, const Slice& key) override;
  Status SingleDelete(const Slice& key) override;
  Status SingleDelete(ColumnFamilyHandle* column_family, const SliceParts& key) override;
  Status SingleDelete(const SliceParts& key) override { return SingleDelete(nullptr, key); }

  // NotSupported: an index of keys does not know ranges.
  Status DeleteRange(ColumnFamilyHandle* column_family, const Slice& begin_key,
                     const Slice& end_key) override;
  Status DeleteRange(const Slice& begin_key, const Slice& end_key) override {
    return DeleteRange(nullptr, begin_key, end_key);
  }
  Status DeleteRange(ColumnFamilyHandle* column_family, const SliceParts& begin_key,
                     const SliceParts& end_key) override;
  Status DeleteRange(const SliceParts& begin_key, const SliceParts& end_key) override {
    return DeleteRange(nullptr, begin_key, end_key);
  }

  // Is in the batch, not in the index.
  Status PutLogData(const Slice& blob) override;

  void Clear() override;

  // The batch to hand to DB::Write(); borrowed. What is added to it directly is written, but not
  // seen by the functions below.
  WriteBatch* GetWriteBatch() override;

  // The caller owns the result, which borrows this batch. Null: the default column family.
  WBWIIterator* NewIterator(ColumnFamilyHandle* column_family);
  WBWIIterator* NewIterator();

  // What `base_iterator`, of this column family in a database, would show once the batch was
  // written. The caller owns the result, which owns `base_iterator`. Of `opts` only the bounds
  // count: give those that the base iterator has; what they point to must outlive the result.
  // (Null, or the two without: none.)
  //
  // The batch may be added to meanwhile, but for the current key; key() and value() are then to be
  // asked for again. Of what is added ahead a scan shows what lies beyond the batch's next entry at
  // that time: nothing, if it had none. After a seek, or a turn, it shows all. After Clear() or
  // RollbackToSavePoint() seek again. A Merge needs the family's merge operator: without one, and
  // without `column_family`, status() is InvalidArgument.
  Iterator* NewIteratorWithBase(ColumnFamilyHandle* column_family, Iterator* base_iterator,
                                const ReadOptions* opts = nullptr);
  Iterator* NewIteratorWithBase(Iterator* base_iterator, const ReadOptions* opts = nullptr);

  // The value that the batch alone gives the key; of an entity its default column. NotFound: it has
  // none, or a deletion. MergeInProgress: operands whose base is not in the batch. InvalidArgument:
  // operands, and `column_family` is null or has no merge operator. Otherwise than after OK
  // *value is empty.
  Status GetFromBatch(ColumnFamilyHandle* column_family, const DBOptions& options, const Slice& key,
                      std::string* value);
  Status GetFromBatch(const DBOptions& options, const Slice& key, std::string* value) {
    return GetFromBatch(nullptr, options, key, value);
  }
  // The same as columns: a plain value is one without a name. InvalidArgument, too: an argument is
  // null.
  Status GetEntityFromBatch(ColumnFamilyHandle* column_family, const Slice& key,
                            PinnableWideColumns* columns);

  // DB::Get() as if the batch had been written. A snapshot in `read_options` is one of the
  // database: the batch is seen with any. Null: the default column family. SUSPENDS.
  Status GetFromBatchAndDB(DB* db, const ReadOptions& read_options, const Slice& key,
                           std::string* value);
  Status GetFromBatchAndDB(DB* db, const ReadOptions& read_options, const Slice& key,
                           PinnableSlice* value);
  Status GetFromBatchAndDB(DB* db, const ReadOptions& read_options,
                           ColumnFamilyHandle* column_family, const Slice& key, std::string* value);
  Status GetFromBatchAndDB(DB* db, const ReadOptions& read_options,
                           ColumnFamilyHandle* column_family, const Slice& key,
                           PinnableSlice* value);
  // DB::GetEntity() in the same way. InvalidArgument: a pointer is null. SUSPENDS.
  Status GetEntityFromBatchAndDB(DB* db, const ReadOptions& read_options,
                                 ColumnFamilyHandle* column_family, const Slice& key,
                                 PinnableWideColumns* columns);
  // Many keys, with one state of the database; one answer each in the caller's arrays. SUSPENDS.
  void MultiGetFromBatchAndDB(DB* db, const ReadOptions& read_options,
                              ColumnFamilyHandle* column_family, const size_t num_keys,
                              const Slice* keys, PinnableSlice* values, Status* statuses,
                              bool sorted_input);
  void MultiGetEntityFromBatchAndDB(DB* db, const ReadOptions& read_options,
                                    ColumnFamilyHandle* column_family, size_t num_keys,
                                    const Slice* keys, PinnableWideColumns* results,
                                    Status* statuses, bool sorted_input);

  void SetSavePoint() override;
  // Costs time by the size of what stays in the families concerned, without comparing keys.
  Status RollbackToSavePoint() override;
  Status PopSavePoint() override;

  void SetMaxBytes(size_t max_bytes) override;
  // Bytes of the batch.
  size_t GetDataSize() const;

  struct CFStat {
    uint32_t entry_count = 0;           // in the index
    uint32_t overwritten_sd_count = 0;  // keys of which a SingleDelete was overwritten
  };
  // By the id of the family. Good until the batch changes.
  const std::unordered_map<uint32_t, CFStat>& GetCFStats() const;

  // Updates that the batch has, PutLogData not counted.
  size_t GetWBWIOpCount() const;
  bool GetOverwriteKey() const;

 private:
  struct Rep;

  template <class Append>
  Status AddToBoth(ColumnFamilyHandle* column_family, const Slice& key, WriteType type,
                   const Append& append);

  std::unique_ptr<Rep> rep;
};

}  // namespace ROCKSDB_NAMESPACE
