// What trace_analyzer writes and prints of a trace's statistics. The files' names and lines are
// those of RocksDB's trace_analyzer.
#pragma once

#include <cstdint>
#include <map>

#include "rocksdb/status.h"
#include "trace_analyzer/analyzer_options.h"
#include "trace_analyzer/statistics.h"

namespace trace_analyzer {

class Reports {
 public:
  // NumberKeys() was called. Both outlive it.
  Reports(const AnalyzerOptions& options, const Statistics& statistics)
      : options_(options), statistics_(statistics) {}

  // Those that were asked for. Also reads the lists of all keys, where there are any.
  rocksdb::Status WriteFiles();
  // REQUIRES: WriteFiles() was called.
  void Print() const;

 private:
  std::string FileName(OperationType type, uint32_t family, const char* report) const;
  rocksdb::Status WriteFilesOf(OperationType type, uint32_t family,
                               const OperationStats& stats) const;
  rocksdb::Status WriteKeys(OperationType type, uint32_t family, const OperationStats& stats) const;
  rocksdb::Status WriteSizes(OperationType type, uint32_t family,
                             const OperationStats& stats) const;
  rocksdb::Status WriteSeconds(OperationType type, uint32_t family,
                               const OperationStats& stats) const;
  rocksdb::Status WriteBusiestSeconds(OperationType type, uint32_t family,
                                      const OperationStats& stats) const;
  rocksdb::Status WriteSecondsOfAll() const;
  rocksdb::Status ReadKeySpace(uint32_t family);
  void PrintOperation(OperationType type) const;
  void PrintFamily(OperationType type, uint32_t family, const OperationStats& stats) const;

  const AnalyzerOptions& options_;
  const Statistics& statistics_;
  std::map<uint32_t, uint64_t> key_space_;  // how many keys the lists have
};

}  // namespace trace_analyzer
