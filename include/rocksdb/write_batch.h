// WriteBatch: several writes that are applied together or not at all, in order.
//
// It holds RocksDB's wire format, which is also what the write-ahead log carries: fixed64 sequence
// number (0 until it is written), fixed32 count, then for each entry a type byte, for other column
// families than the default a varint32 id, and one or two length-prefixed strings. commit/
// implements it.
//
// Not thread-safe, but many may read one that nobody changes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/write_batch_base.h"

namespace cairn {
class BatchProtection;
class WriteBatchInternal;
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;
struct SavePoints;

// A length that a batch can be cut back to.
struct SavePoint {
  size_t size;  // bytes of the representation
  int count;    // entries
  uint32_t content_flags;

  SavePoint() : size(0), count(0), content_flags(0) {}
  SavePoint(size_t _size, int _count, uint32_t _flags)
      : size(_size), count(_count), content_flags(_flags) {}
  void clear() { *this = SavePoint(); }
  bool is_cleared() const { return size == 0 && count == 0 && content_flags == 0; }
};

// Less than 4 GiB in all, and a key and its value together 64 bytes less: what is larger, which a
// recovery or a table could not read again, is refused by the call that adds it (MemoryLimit,
// InvalidArgument), as is what there is no memory for (MemoryLimit); the batch is then as before.
class WriteBatch : public WriteBatchBase {
 public:
  // `max_bytes`: see SetMaxBytes().
  explicit WriteBatch(size_t reserved_bytes = 0, size_t max_bytes = 0);
  // `protection_bytes_per_key`: 8, or 0 (another number means 8). With 8 each entry has a checksum
  // of what is handed in, which is compared when the batch is logged and when the entry is in the
  // memtable: Corruption, and nothing is written, if memory changed on the way. `default_cf_ts_sz`:
  // bytes of the default column family's timestamps (Comparator::timestamp_size); 0: it has none.
  WriteBatch(size_t reserved_bytes, size_t max_bytes, size_t protection_bytes_per_key,
             size_t default_cf_ts_sz);
  // From a representation, of Data() of another batch for instance. A damaged one is noticed by
  // Iterate() or DB::Write().
  explicit WriteBatch(const std::string& rep);
  explicit WriteBatch(std::string&& rep);
  WriteBatch(const WriteBatch& src);
  WriteBatch(WriteBatch&& src) noexcept;
  WriteBatch& operator=(const WriteBatch& src);
  WriteBatch& operator=(WriteBatch&& src);
  ~WriteBatch() override;

  Status Put(ColumnFamilyHandle* column_family, const Slice& key, const Slice& value) override;
  Status Put(const Slice& key, const Slice& value) override { return Put(nullptr, key, value); }
  Status Put(ColumnFamilyHandle* column_family, const SliceParts& key,
             const SliceParts& value) override;
  Status Put(const SliceParts& key, const SliceParts& value) override {
    return Put(nullptr, key, value);
  }

  Status PutEntity(ColumnFamilyHandle* column_family, const Slice& key,
                   const WideColumns& columns) override;
  // Groups before one that fails stay in the batch.
  Status PutEntity(const Slice& key, const AttributeGroups& attribute_groups) override;

  Status Delete(ColumnFamilyHandle* column_family, const Slice& key) override;
  Status Delete(const Slice& key) override { return Delete(nullptr, key); }
  Status Delete(ColumnFamilyHandle* column_family, const SliceParts& key) override;
  Status Delete(const SliceParts& key) override { return Delete(nullptr, key); }

  Status SingleDelete(ColumnFamilyHandle* column_family, const Slice& key) override;
  Status SingleDelete(const Slice& key) override { return SingleDelete(nullptr, key); }
  Status SingleDelete(ColumnFamilyHandle* column_family, const SliceParts& key) override;
  Status SingleDelete(const SliceParts& key) override { return SingleDelete(nullptr, key); }

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

  Status Merge(ColumnFamilyHandle* column_family, const Slice& key, const Slice& value) override;
  Status Merge(const Slice& key, const Slice& value) override { return Merge(nullptr, key, value); }
  Status Merge(ColumnFamilyHandle* column_family, const SliceParts& key,
               const SliceParts& value) override;
  Status Merge(const SliceParts& key, const SliceParts& value) override {
    return Merge(nullptr, key, value);
  }

  // Where keys have timestamps: with one. InvalidArgument: the family has none, or of another size,
  // or is null. The calls above leave room for one there, which UpdateTimestamps() fills in before
  // the batch can be written.
  Status Put(ColumnFamilyHandle* column_family, const Slice& key, const Slice& ts,
             const Slice& value) override;
  Status Delete(ColumnFamilyHandle* column_family, const Slice& key, const Slice& ts) override;
  Status SingleDelete(ColumnFamilyHandle* column_family, const Slice& key,
                      const Slice& ts) override;
  Status DeleteRange(ColumnFamilyHandle* column_family, const Slice& begin_key,
                     const Slice& end_key, const Slice& ts) override;
  Status Merge(ColumnFamilyHandle* column_family, const Slice& key, const Slice& ts,
               const Slice& value) override;

  // Gives all keys of families that have timestamps this one. `ts_sz_func` has the bytes of a
  // family's timestamps by its id; 0: it has none; the largest size_t: it is not known (NotFound).
  // InvalidArgument: `ts` has another size. After an error some keys may have it.
  Status UpdateTimestamps(const Slice& ts, std::function<size_t(uint32_t)> ts_sz_func);

  Status PutLogData(const Slice& blob) override;
  void Clear() override;
  void SetSavePoint() override;
  Status RollbackToSavePoint() override;
  Status PopSavePoint() override;

  // Receives the entries of a batch, in order.
  class Handler {
   public:
    virtual ~Handler();

    // The ...CF functions pass entries of the default column family (id 0) on to the plain ones,
    // and refuse others.
    virtual Status PutCF(uint32_t column_family_id, const Slice& key, const Slice& value) {
      if (column_family_id != 0) return OtherFamily("PutCF");
      Put(key, value);
      return Status::OK();
    }
    virtual void Put(const Slice& /*key*/, const Slice& /*value*/) {}

    // `entity` has the columns in their stored form: PinnableWideColumns::SetWideColumnValue reads
    // it.
    virtual Status PutEntityCF(uint32_t /*column_family_id*/, const Slice& /*key*/,
                               const Slice& /*entity*/) {
      return Status::NotSupported("PutEntityCF not implemented");
    }

    virtual Status DeleteCF(uint32_t column_family_id, const Slice& key) {
      if (column_family_id != 0) return OtherFamily("DeleteCF");
      Delete(key);
      return Status::OK();
    }
    virtual void Delete(const Slice& /*key*/) {}

    virtual Status SingleDeleteCF(uint32_t column_family_id, const Slice& key) {
      if (column_family_id != 0) return OtherFamily("SingleDeleteCF");
      SingleDelete(key);
      return Status::OK();
    }
    virtual void SingleDelete(const Slice& /*key*/) {}

    virtual Status DeleteRangeCF(uint32_t /*column_family_id*/, const Slice& /*begin_key*/,
                                 const Slice& /*end_key*/) {
      return Status::InvalidArgument("DeleteRangeCF not implemented");
    }

    virtual Status MergeCF(uint32_t column_family_id, const Slice& key, const Slice& value) {
      if (column_family_id != 0) return OtherFamily("MergeCF");
      Merge(key, value);
      return Status::OK();
    }
    virtual void Merge(const Slice& /*key*/, const Slice& /*value*/) {}

    virtual Status PutBlobIndexCF(uint32_t /*column_family_id*/, const Slice& /*key*/,
                                  const Slice& /*value*/) {
      return Status::InvalidArgument("PutBlobIndexCF not implemented");
    }

    virtual void LogData(const Slice& blob);

    // The marks of two-phase commits.
    virtual Status MarkBeginPrepare(bool = false) {
      return Status::InvalidArgument("MarkBeginPrepare() handler not defined.");
    }
    virtual Status MarkEndPrepare(const Slice& /*xid*/) {
      return Status::InvalidArgument("MarkEndPrepare() handler not defined.");
    }
    virtual Status MarkNoop(bool /*empty_batch*/) {
      return Status::InvalidArgument("MarkNoop() handler not defined.");
    }
    virtual Status MarkRollback(const Slice& /*xid*/) {
      return Status::InvalidArgument("MarkRollbackPrepare() handler not defined.");
    }
    virtual Status MarkCommit(const Slice& /*xid*/) {
      return Status::InvalidArgument("MarkCommit() handler not defined.");
    }
    virtual Status MarkCommitWithTimestamp(const Slice& /*xid*/, const Slice& /*commit_ts*/) {
      return Status::InvalidArgument("MarkCommitWithTimestamp() handler not defined.");
    }

    // Asked before each entry; false ends the iteration with OK.
    virtual bool Continue();

   protected:
    // What RocksDB's own code asks its handlers; Cairn asks nobody.
    enum class OptionState { kUnknown, kDisabled, kEnabled };
    virtual OptionState WriteAfterCommit() const { return OptionState::kUnknown; }
    virtual OptionState WriteBeforePrepare() const { return OptionState::kUnknown; }

   private:
    static Status OtherFamily(const char* function) {
      return Status::InvalidArgument(std::string("non-default column family and ") + function +
                                     " not implemented");
    }
  };

  // Calls the handler for each entry; stops at its first error. Corruption for a damaged batch.
  Status Iterate(Handler* handler) const;

  // The representation.
  const std::string& Data() const { return rep_; }
  // Takes it away, and leaves an empty batch.
  std::string Release();
  size_t GetDataSize() const { return rep_.size(); }

  // Entries, without PutLogData.
  uint32_t Count() const;

  bool HasPut() const;
  bool HasPutEntity() const;
  bool HasDelete() const;
  bool HasSingleDelete() const;
  bool HasDeleteRange() const;
  bool HasMerge() const;
  bool HasBeginPrepare() const;
  bool HasEndPrepare() const;
  bool HasCommit() const;
  bool HasRollback() const;

  WriteBatch* GetWriteBatch() override { return this; }
  void SetMaxBytes(size_t max_bytes) override { max_bytes_ = max_bytes; }
  // Bytes of each entry's checksum: 8, or 0.
  size_t GetProtectionBytesPerKey() const;
  // Corruption: an entry is not what was added. OK without checksums.
  Status VerifyChecksum() const;

  // What comes after this point is applied, but not logged.
  void MarkWalTerminationPoint();
  const SavePoint& GetWalTerminationPoint() const { return wal_term_point_; }

 private:
  friend class ::cairn::WriteBatchInternal;

  uint32_t ComputeContentFlags() const;
  // (`type`: a ValueType.)
  Status AddRecord(uint8_t type, ColumnFamilyHandle* family, const SliceParts& key,
                   const SliceParts* value);
  Status AddRecord(uint8_t type, ColumnFamilyHandle* family, const Slice& key, const Slice& value) {
    const SliceParts value_parts(&value, 1);
    return AddRecord(type, family, SliceParts(&key, 1), &value_parts);
  }
  Status AddStamped(uint8_t type, ColumnFamilyHandle* family, const Slice& key,
                    const Slice& timestamp, const Slice* value);

  std::unique_ptr<SavePoints> save_points_;  // null: none
  SavePoint wal_term_point_;
  // Which kinds of entries there are, or "not known yet". Atomic, so that const functions may fill
  // it in.
  mutable std::atomic<uint32_t> content_flags_;
  size_t max_bytes_;
  size_t default_cf_ts_sz_ = 0;
  std::unique_ptr<::cairn::BatchProtection> protection_;  // null: no checksums

 protected:
  std::string rep_;
};

}  // namespace ROCKSDB_NAMESPACE
