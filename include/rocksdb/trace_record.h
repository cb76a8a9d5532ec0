// One operation of a trace, as a Replayer reads it (rocksdb/utilities/replayer.h).
//
// Thread safety: a record does not change once it is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyHandle;
class DB;

// A byte of each record in a trace file. Those of blocks and of files belong to other traces of
// RocksDB, which Cairn does not make.
enum TraceType : char {
  kTraceNone = 0,
  kTraceBegin = 1,  // the header
  kTraceEnd = 2,    // the footer
  kTraceWrite = 3,
  kTraceGet = 4,
  kTraceIteratorSeek = 5,
  kTraceIteratorSeekForPrev = 6,
  kBlockTraceIndexBlock = 7,
  kBlockTraceFilterBlock = 8,
  kBlockTraceDataBlock = 9,
  kBlockTraceUncompressionDictBlock = 10,
  kBlockTraceRangeDeletionBlock = 11,
  kIOTracer = 12,
  kTraceMultiGet = 13,
  kTraceMax,
};

class GetQueryTraceRecord;
class IteratorSeekQueryTraceRecord;
class MultiGetQueryTraceRecord;
class TraceRecordResult;
class WriteQueryTraceRecord;

class TraceRecord {
 public:
  explicit TraceRecord(uint64_t timestamp);
  virtual ~TraceRecord() = default;

  virtual TraceType GetTraceType() const = 0;
  // When the operation began, in microseconds since 1970.
  virtual uint64_t GetTimestamp() const;

  // Who is told what a record is. `result` may be null; else it is set to what came of it, or to
  // null.
  class Handler {
   public:
    virtual ~Handler() = default;

    virtual Status Handle(const WriteQueryTraceRecord& record,
                          std::unique_ptr<TraceRecordResult>* result) = 0;
    virtual Status Handle(const GetQueryTraceRecord& record,
                          std::unique_ptr<TraceRecordResult>* result) = 0;
    virtual Status Handle(const IteratorSeekQueryTraceRecord& record,
                          std::unique_ptr<TraceRecordResult>* result) = 0;
    virtual Status Handle(const MultiGetQueryTraceRecord& record,
                          std::unique_ptr<TraceRecordResult>* result) = 0;
  };

  // Calls the function of `handler` for records of this class.
  virtual Status Accept(Handler* handler, std::unique_ptr<TraceRecordResult>* result) = 0;

  // One that does on `db` what the records say, in the families of `handles`; the caller owns it,
  // and both outlive it. Thread-safe. A key that is not found is OK, and the result says it; a
  // family that no handle is of is Corruption. A write is done as it was, but for the marks of
  // two-phase commit: those are no plain write's, and entries that were prepared under
  // WRITE_COMMITTED are left to the commit, which has them again.
  static Handler* NewExecutionHandler(DB* db, const std::vector<ColumnFamilyHandle*>& handles);

 private:
  uint64_t timestamp_;
};

// The operations on a database.
class QueryTraceRecord : public TraceRecord {
 public:
  explicit QueryTraceRecord(uint64_t timestamp);
};

// DB::Write
class WriteQueryTraceRecord : public QueryTraceRecord {
 public:
  WriteQueryTraceRecord(PinnableSlice&& write_batch_rep, uint64_t timestamp);
  WriteQueryTraceRecord(const std::string& write_batch_rep, uint64_t timestamp);
  ~WriteQueryTraceRecord() override;

  TraceType GetTraceType() const override { return kTraceWrite; }
  // WriteBatch::Data() of the batch. As long as the record lives.
  virtual Slice GetWriteBatchRep() const;
  Status Accept(Handler* handler, std::unique_ptr<TraceRecordResult>* result) override;

 private:
  PinnableSlice rep_;
};

// DB::Get
class GetQueryTraceRecord : public QueryTraceRecord {
 public:
  GetQueryTraceRecord(uint32_t column_family_id, PinnableSlice&& key, uint64_t timestamp);
  GetQueryTraceRecord(uint32_t column_family_id, const std::string& key, uint64_t timestamp);
  ~GetQueryTraceRecord() override;

  TraceType GetTraceType() const override { return kTraceGet; }
  virtual uint32_t GetColumnFamilyID() const;
  // As long as the record lives.
  virtual Slice GetKey() const;
  Status Accept(Handler* handler, std::unique_ptr<TraceRecordResult>* result) override;

 private:
  uint32_t cf_id_;
  PinnableSlice key_;
};

// Calls of iterators.
class IteratorQueryTraceRecord : public QueryTraceRecord {
 public:
  explicit IteratorQueryTraceRecord(uint64_t timestamp);
  IteratorQueryTraceRecord(PinnableSlice&& lower_bound, PinnableSlice&& upper_bound,
                           uint64_t timestamp);
  IteratorQueryTraceRecord(const std::string& lower_bound, const std::string& upper_bound,
                           uint64_t timestamp);
  ~IteratorQueryTraceRecord() override;

  // ReadOptions::iterate_lower_bound and iterate_upper_bound of the iterator; empty: there is none.
  // As long as the record lives.
  virtual Slice GetLowerBound() const;
  virtual Slice GetUpperBound() const;

 private:
  PinnableSlice lower_;
  PinnableSlice upper_;
};

// Iterator::Seek, Iterator::SeekForPrev
class IteratorSeekQueryTraceRecord : public IteratorQueryTraceRecord {
 public:
  enum SeekType { kSeek = kTraceIteratorSeek, kSeekForPrev = kTraceIteratorSeekForPrev };

  IteratorSeekQueryTraceRecord(SeekType seekType, uint32_t column_family_id, PinnableSlice&& key,
                               uint64_t timestamp);
  IteratorSeekQueryTraceRecord(SeekType seekType, uint32_t column_family_id, const std::string& key,
                               uint64_t timestamp);
  IteratorSeekQueryTraceRecord(SeekType seekType, uint32_t column_family_id, PinnableSlice&& key,
                               PinnableSlice&& lower_bound, PinnableSlice&& upper_bound,
                               uint64_t timestamp);
  IteratorSeekQueryTraceRecord(SeekType seekType, uint32_t column_family_id, const std::string& key,
                               const std::string& lower_bound, const std::string& upper_bound,
                               uint64_t timestamp);
  ~IteratorSeekQueryTraceRecord() override;

  // That of the same name as the kind of seek.
  TraceType GetTraceType() const override;
  virtual SeekType GetSeekType() const;
  virtual uint32_t GetColumnFamilyID() const;
  // The target. As long as the record lives.
  virtual Slice GetKey() const;
  Status Accept(Handler* handler, std::unique_ptr<TraceRecordResult>* result) override;

 private:
  SeekType type_;
  uint32_t cf_id_;
  PinnableSlice key_;
};

// DB::MultiGet
class MultiGetQueryTraceRecord : public QueryTraceRecord {
 public:
  MultiGetQueryTraceRecord(std::vector<uint32_t> column_family_ids,
                           std::vector<PinnableSlice>&& keys, uint64_t timestamp);
  MultiGetQueryTraceRecord(std::vector<uint32_t> column_family_ids,
                           const std::vector<std::string>& keys, uint64_t timestamp);
  ~MultiGetQueryTraceRecord() override;

  TraceType GetTraceType() const override { return kTraceMultiGet; }
  // One for each key.
  virtual std::vector<uint32_t> GetColumnFamilyIDs() const;
  // As long as the record lives.
  virtual std::vector<Slice> GetKeys() const;
  Status Accept(Handler* handler, std::unique_ptr<TraceRecordResult>* result) override;

 private:
  std::vector<uint32_t> cf_ids_;
  std::vector<PinnableSlice> keys_;
};

}  // namespace ROCKSDB_NAMESPACE
