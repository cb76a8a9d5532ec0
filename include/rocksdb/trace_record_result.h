// What came of an operation of a trace that was done again (rocksdb/utilities/replayer.h).
//
// Thread safety: a result does not change once it is made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/trace_record.h"

namespace ROCKSDB_NAMESPACE {

class IteratorTraceExecutionResult;
class MultiValuesTraceExecutionResult;
class SingleValueTraceExecutionResult;
class StatusOnlyTraceExecutionResult;

class TraceRecordResult {
 public:
  explicit TraceRecordResult(TraceType trace_type);
  virtual ~TraceRecordResult() = default;

  // Of the record.
  virtual TraceType GetTraceType() const;

  // Who is told what a result is.
  class Handler {
   public:
    virtual ~Handler() = default;

    virtual Status Handle(const StatusOnlyTraceExecutionResult& result) = 0;
    virtual Status Handle(const SingleValueTraceExecutionResult& result) = 0;
    virtual Status Handle(const MultiValuesTraceExecutionResult& result) = 0;
    virtual Status Handle(const IteratorTraceExecutionResult& result) = 0;
  };

  // Calls the function of `handler` for results of this class.
  virtual Status Accept(Handler* handler) = 0;

 private:
  TraceType trace_type_;
};

// The results of TraceRecord::NewExecutionHandler(). What the database answered is here: a Get()
// whose key is not there is done, and Accept() of its record returns OK.
class TraceExecutionResult : public TraceRecordResult {
 public:
  TraceExecutionResult(uint64_t start_timestamp, uint64_t end_timestamp, TraceType trace_type);

  // Around the operation, in microseconds since 1970; the latency in microseconds.
  virtual uint64_t GetStartTimestamp() const;
  virtual uint64_t GetEndTimestamp() const;
  inline uint64_t GetLatency() const { return GetEndTimestamp() - GetStartTimestamp(); }

 private:
  uint64_t ts_start_;
  uint64_t ts_end_;
};

// Of DB::Write.
class StatusOnlyTraceExecutionResult : public TraceExecutionResult {
 public:
  StatusOnlyTraceExecutionResult(Status status, uint64_t start_timestamp, uint64_t end_timestamp,
                                 TraceType trace_type);
  ~StatusOnlyTraceExecutionResult() override = default;

  virtual const Status& GetStatus() const;
  Status Accept(Handler* handler) override;

 private:
  Status status_;
};

// Of DB::Get.
class SingleValueTraceExecutionResult : public TraceExecutionResult {
 public:
  SingleValueTraceExecutionResult(Status status, const std::string& value, uint64_t start_timestamp,
                                  uint64_t end_timestamp, TraceType trace_type);
  SingleValueTraceExecutionResult(Status status, std::string&& value, uint64_t start_timestamp,
                                  uint64_t end_timestamp, TraceType trace_type);
  ~SingleValueTraceExecutionResult() override;

  virtual const Status& GetStatus() const;
  virtual const std::string& GetValue() const;
  Status Accept(Handler* handler) override;

 private:
  Status status_;
  std::string value_;
};

// Of DB::MultiGet: one status and one value for each key.
class MultiValuesTraceExecutionResult : public TraceExecutionResult {
 public:
  MultiValuesTraceExecutionResult(std::vector<Status> multi_status, std::vector<std::string> values,
                                  uint64_t start_timestamp, uint64_t end_timestamp,
                                  TraceType trace_type);
  ~MultiValuesTraceExecutionResult() override;

  virtual const std::vector<Status>& GetMultiStatus() const;
  virtual const std::vector<std::string>& GetValues() const;
  Status Accept(Handler* handler) override;

 private:
  std::vector<Status> multi_status_;
  std::vector<std::string> values_;
};

// Of Iterator::Seek and SeekForPrev: where the iterator stood.
class IteratorTraceExecutionResult : public TraceExecutionResult {
 public:
  IteratorTraceExecutionResult(bool valid, Status status, PinnableSlice&& key,
                               PinnableSlice&& value, uint64_t start_timestamp,
                               uint64_t end_timestamp, TraceType trace_type);
  IteratorTraceExecutionResult(bool valid, Status status, const std::string& key,
                               const std::string& value, uint64_t start_timestamp,
                               uint64_t end_timestamp, TraceType trace_type);
  ~IteratorTraceExecutionResult() override;

  virtual bool GetValid() const;
  virtual const Status& GetStatus() const;
  // Empty where it is not valid. As long as the result lives.
  virtual Slice GetKey() const;
  virtual Slice GetValue() const;
  Status Accept(Handler* handler) override;

 private:
  bool valid_;
  Status status_;
  PinnableSlice key_;
  PinnableSlice value_;
};

}  // namespace ROCKSDB_NAMESPACE
