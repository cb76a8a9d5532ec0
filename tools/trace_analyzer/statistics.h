// What trace_analyzer counts while it reads a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cairn/trace_record_reader.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/trace_record.h"
#include "rocksdb/write_batch.h"
#include "text_output/output_file.h"
#include "trace_analyzer/analyzer_options.h"

namespace trace_analyzer {

struct Pairs {
  uint64_t count = 0;
  uint64_t micros = 0;  // between the first and the second, of all together
};

struct KeyStats {
  uint64_t id = 0;        // its rank among the accessed keys; set by NumberKeys()
  size_t value_size = 0;  // of the first access
  uint64_t accesses = 0;
  uint64_t latest = 0;       // timestamp of the last access
  std::vector<Pairs> pairs;  // by AnalyzerOptions::correlations; the access here was the second
};
using KeyMap = std::map<std::string, KeyStats>;

// Operations of one type in one column family. Seconds count from Statistics::begin().
struct OperationStats {
  uint64_t count = 0;
  KeyMap keys;
  double key_bytes = 0, key_bytes_squared = 0;
  double value_bytes = 0, value_bytes_squared = 0;
  std::map<uint64_t, uint64_t> value_sizes;  // by size / value_interval
  std::map<uint64_t, uint64_t> by_second;
  std::map<uint64_t, std::map<std::string, uint64_t>> prefixes_by_second;
  std::map<uint64_t, uint64_t> keys_by_second;  // that were accessed up to the second's end
  struct Access {
    uint64_t second;  // since the trace's header
    KeyMap::const_iterator key;
  };
  std::vector<Access> series;
};

// A value of 0 bytes, as all of those are that a trace does not have, counts as one of so many: as
// in RocksDB's trace_analyzer.
inline constexpr size_t kUnknownValueSize = 10;

class Statistics : private rocksdb::TraceRecord::Handler, private rocksdb::WriteBatch::Handler {
 public:
  // `readable`: where the operations are written in text; not open: nowhere. Both outlive it.
  Statistics(const AnalyzerOptions& options, text_output::OutputFile* readable)
      : options_(options), readable_(*readable) {}

  // All records, to the footer or the file's end. After an error what was read before counts.
  rocksdb::Status Read(cairn::TraceRecordReader* reader);
  void NumberKeys();

  const std::map<uint32_t, OperationStats>& operations(OperationType type) const {
    return operations_[type];
  }
  // Analysed operations of all types, by family and second.
  const std::map<uint32_t, std::map<uint64_t, uint64_t>>& families() const { return families_; }
  uint64_t requests() const { return requests_; }  // records but header and footer
  uint64_t gets() const { return gets_; }
  uint64_t writes() const { return writes_; }
  uint64_t seeks() const { return seeks_; }
  uint64_t seeks_for_prev() const { return seeks_for_prev_; }
  uint64_t multi_gets() const { return multi_gets_; }
  // Whole seconds from the first analysed operation to the trace's end. What came in the second
  // that is not whole has no part in what is "per second".
  uint64_t seconds() const;

 private:
  using Result = std::unique_ptr<rocksdb::TraceRecordResult>;
  rocksdb::Status Handle(const rocksdb::WriteQueryTraceRecord& record, Result* result) override;
  rocksdb::Status Handle(const rocksdb::GetQueryTraceRecord& record, Result* result) override;
  rocksdb::Status Handle(const rocksdb::IteratorSeekQueryTraceRecord& record,
                         Result* result) override;
  rocksdb::Status Handle(const rocksdb::MultiGetQueryTraceRecord& record, Result* result) override;

  rocksdb::Status PutCF(uint32_t family, const rocksdb::Slice& key,
                        const rocksdb::Slice& value) override;
  rocksdb::Status PutEntityCF(uint32_t family, const rocksdb::Slice& key,
                              const rocksdb::Slice& entity) override;
  rocksdb::Status DeleteCF(uint32_t family, const rocksdb::Slice& key) override;
  rocksdb::Status SingleDeleteCF(uint32_t family, const rocksdb::Slice& key) override;
  rocksdb::Status DeleteRangeCF(uint32_t family, const rocksdb::Slice& begin,
                                const rocksdb::Slice& end) override;
  rocksdb::Status MergeCF(uint32_t family, const rocksdb::Slice& key,
                          const rocksdb::Slice& value) override;
  rocksdb::Status PutBlobIndexCF(uint32_t, const rocksdb::Slice&, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }
  rocksdb::Status MarkBeginPrepare(bool) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkEndPrepare(const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkNoop(bool) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkRollback(const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkCommit(const rocksdb::Slice&) override { return rocksdb::Status::OK(); }
  rocksdb::Status MarkCommitWithTimestamp(const rocksdb::Slice&, const rocksdb::Slice&) override {
    return rocksdb::Status::OK();
  }

  // One operation that is on so many keys.
  void Tell(OperationType type, uint64_t timestamp, const std::vector<uint32_t>& families,
            const std::vector<rocksdb::Slice>& keys, size_t value_size);
  void TellWrite(OperationType type, uint32_t family, const rocksdb::Slice& key,
                 size_t value_size) {
    Tell(type, batch_time_, {family}, {key}, value_size);
  }
  void Count(OperationType type, uint64_t timestamp, uint32_t family, const std::string& key,
             size_t value_size);
  void CountPairs(OperationType type, uint64_t timestamp, uint32_t family, const std::string& key,
                  KeyStats* stats);

  const AnalyzerOptions& options_;
  text_output::OutputFile& readable_;
  std::array<std::map<uint32_t, OperationStats>, kOperationTypes> operations_;
  std::array<uint64_t, kOperationTypes> passed_{};  // for the sampling
  std::map<uint32_t, std::map<uint64_t, uint64_t>> families_;
  uint64_t created_ = 0;  // timestamps, in microseconds
  uint64_t begin_ = 0;    // 0: nothing was analysed
  uint64_t end_ = 0;
  uint64_t batch_time_ = 0;  // of the batch that is gone through
  uint64_t requests_ = 0;
  uint64_t gets_ = 0;
  uint64_t writes_ = 0;
  uint64_t seeks_ = 0;
  uint64_t seeks_for_prev_ = 0;
  uint64_t multi_gets_ = 0;
};

}  // namespace trace_analyzer
