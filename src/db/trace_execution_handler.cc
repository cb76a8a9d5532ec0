// TraceRecord::NewExecutionHandler: does on a database what the records of a trace say. Over the
// public API.
//
// Thread safety: constant after construction.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/internal_key.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/trace_record.h"
#include "rocksdb/trace_record_result.h"
#include "trace/trace_format.h"

namespace cairn {
namespace {

// A plain batch of a traced one, which may have marks of two-phase commit.
Status PlainBatchOf(const Slice& traced, WriteBatch* batch) {
  bool has_marks = false;
  {
    BatchReader reader(traced);
    BatchRecord record;
    while (reader.Next(&record)) has_marks |= !record.counted && record.type != kTypeLogData;
    if (!reader.status().ok()) return reader.status();
  }
  if (!has_marks) return WriteBatchInternal::SetContents(batch, traced);
  BatchReader reader(traced);
  BatchRecord record;
  bool left_to_commit = false;  // which logs these entries again
  Status s;
  while (s.ok() && reader.Next(&record)) {
    if (record.type == kTypeBeginPrepareXID) left_to_commit = true;
    if (record.type == kTypeEndPrepareXID) left_to_commit = false;
    if (record.counted && !left_to_commit) s = WriteBatchInternal::AppendRecord(batch, record);
  }
  return s.ok() ? reader.status() : s;
}

class TraceExecutor final : public TraceRecord::Handler {
 public:
  TraceExecutor(DB* db, const std::vector<ColumnFamilyHandle*>& handles) : db_(db) {
    for (ColumnFamilyHandle* const handle : handles) {
      if (handle != nullptr) families_.emplace(handle->GetID(), handle);
    }
  }

  Status Handle(const WriteQueryTraceRecord& record,
                std::unique_ptr<TraceRecordResult>* result) override {
    if (result != nullptr) result->reset();
    if (db_ == nullptr) return NoDatabase();
    const uint64_t start = Now();
    WriteBatch batch;
    Status s = PlainBatchOf(record.GetWriteBatchRep(), &batch);
    if (s.ok()) s = db_->Write(WriteOptions(), &batch);
    if (s.ok() && result != nullptr) {
      *result =
          std::make_unique<StatusOnlyTraceExecutionResult>(s, start, Now(), record.GetTraceType());
    }
    return s;
  }

  Status Handle(const GetQueryTraceRecord& record,
                std::unique_ptr<TraceRecordResult>* result) override {
    if (result != nullptr) result->reset();
    ColumnFamilyHandle* family = nullptr;
    Status s = Find(record.GetColumnFamilyID(), &family);
    if (!s.ok()) return s;
    const uint64_t start = Now();
    std::string value;
    s = db_->Get(ReadOptions(), family, record.GetKey(), &value);
    const uint64_t end = Now();
    if (!s.ok() && !s.IsNotFound()) return s;
    if (result != nullptr) {
      *result = std::make_unique<SingleValueTraceExecutionResult>(
          std::move(s), std::move(value), start, end, record.GetTraceType());
    }
    return Status::OK();
  }

  Status Handle(const IteratorSeekQueryTraceRecord& record,
                std::unique_ptr<TraceRecordResult>* result) override {
    if (result != nullptr) result->reset();
    ColumnFamilyHandle* family = nullptr;
    Status s = Find(record.GetColumnFamilyID(), &family);
    if (!s.ok()) return s;
    ReadOptions options;
    const Slice lower = record.GetLowerBound();
    const Slice upper = record.GetUpperBound();
    if (!lower.empty()) options.iterate_lower_bound = &lower;
    if (!upper.empty()) options.iterate_upper_bound = &upper;
    const std::unique_ptr<Iterator> iterator(db_->NewIterator(options, family));
    const uint64_t start = Now();
    if (record.GetSeekType() == IteratorSeekQueryTraceRecord::kSeekForPrev) {
      iterator->SeekForPrev(record.GetKey());
    } else {
      iterator->Seek(record.GetKey());
    }
    const uint64_t end = Now();
    s = iterator->status();
    if (!s.ok() || result == nullptr) return s;
    const bool valid = iterator->Valid();
    *result = std::make_unique<IteratorTraceExecutionResult>(
        valid, s, PinnedCopy(valid ? iterator->key() : Slice()),
        PinnedCopy(valid ? iterator->value() : Slice()), start, end, record.GetTraceType());
    return s;
  }

  Status Handle(const MultiGetQueryTraceRecord& record,
                std::unique_ptr<TraceRecordResult>* result) override {
    if (result != nullptr) result->reset();
    std::vector<ColumnFamilyHandle*> families;
    for (const uint32_t id : record.GetColumnFamilyIDs()) {
      ColumnFamilyHandle* family = nullptr;
      Status s = Find(id, &family);
      if (!s.ok()) return s;
      families.push_back(family);
    }
    const std::vector<Slice> keys = record.GetKeys();
    if (families.empty() || keys.empty()) {
      return Status::InvalidArgument("Empty MultiGet cf_ids or keys.");
    }
    if (families.size() != keys.size()) {
      return Status::InvalidArgument("MultiGet cf_ids and keys size mismatch.");
    }
    const uint64_t start = Now();
    std::vector<std::string> values;
    std::vector<Status> statuses = db_->MultiGet(ReadOptions(), families, keys, &values);
    const uint64_t end = Now();
    for (const Status& s : statuses) {
      if (!s.ok() && !s.IsNotFound()) return s;
    }
    if (result != nullptr) {
      *result = std::make_unique<MultiValuesTraceExecutionResult>(
          std::move(statuses), std::move(values), start, end, record.GetTraceType());
    }
    return Status::OK();
  }

 private:
  static Status NoDatabase() { return Status::InvalidArgument("a trace without a database"); }
  uint64_t Now() const { return db_->GetEnv()->NowMicros(); }
  Status Find(uint32_t id, ColumnFamilyHandle** family) const {
    if (db_ == nullptr) return NoDatabase();
    const auto found = families_.find(id);
    if (found == families_.end()) return Status::Corruption("Invalid Column Family ID.");
    *family = found->second;
    return Status::OK();
  }

  DB* const db_;
  std::map<uint32_t, ColumnFamilyHandle*> families_;
};

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

TraceRecord::Handler* TraceRecord::NewExecutionHandler(
    DB* db, const std::vector<ColumnFamilyHandle*>& handles) {
  return std::make_unique<::cairn::TraceExecutor>(db, handles).release();
}

}  // namespace ROCKSDB_NAMESPACE
