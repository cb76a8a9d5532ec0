// What one client measured, how the clients' measures merge, and how they print: RocksDB's report
// lines.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "db_bench/histogram.h"
#include "fiber/sync.h"
#include "fiber/thread.h"

namespace rocksdb {
class DB;
}

namespace db_bench {

enum class OpKind {
  kRead,
  kWrite,
  kDelete,
  kSeek,
  kMultiGet,
  kUpdate,
  kMerge,
  kCompact,
  kCompress,
  kUncompress,
  kCrc,
  kHash,
  kMultiScan,
  kOther
};
inline constexpr int kOpKinds = 14;

// Writes `seconds,operations in that interval` lines to a file while workloads run
// (--report_interval_seconds).
class Reporter {
 public:
  Reporter(std::string path, uint64_t interval_seconds);
  ~Reporter();

  void Finished(uint64_t ops) {
    total_.fetch_add(ops, std::memory_order_relaxed);
  }  // a counter, orders nothing

 private:
  void Run();

  const std::string path_;
  const uint64_t interval_nanos_;
  std::atomic<uint64_t> total_{0};
  fiber::Event stop_;
  std::unique_ptr<fiber::Thread> thread_;
};

// Per second.
struct Throughput {
  double operations = 0;
  double megabytes = 0;  // 0: the workload does not say
};

// One client's measures; used by that client alone until Merge(), which runs after it ended.
class Stats {
 public:
  void Start(int id, Reporter* reporter);
  void Stop();
  // After `ops` operations of one call. `db` is asked for its own statistics if
  // --stats_per_interval says so.
  void FinishedOps(rocksdb::DB* db, int64_t ops, OpKind kind);
  // What was waited for since the last operation is none of the next one's.
  void BeginNextOp();
  void AddBytes(uint64_t bytes) { bytes_ += bytes; }
  void AddMessage(const std::string& message);
  // A background client (the writer of readwhilewriting) stays out of the merged report.
  void SetExcludedFromMerge() { excluded_ = true; }

  void Merge(const Stats& other);
  // The line `name : micros/op ops/sec seconds operations; MB/s message`, and the histograms if
  // asked for.
  void Report(const std::string& name);
  [[nodiscard]] Throughput Measured() const;

 private:
  void PrintProgress(rocksdb::DB* db);
  [[nodiscard]] double Elapsed() const;  // seconds, above 0

  int id_ = 0;
  Reporter* reporter_ = nullptr;
  uint64_t start_nanos_ = 0;
  uint64_t finish_nanos_ = 0;
  double seconds_ = 0;  // summed over the merged clients
  uint64_t done_ = 0;
  uint64_t next_report_ = 0;
  uint64_t last_report_done_ = 0;
  uint64_t last_report_nanos_ = 0;
  uint64_t last_op_nanos_ = 0;
  uint64_t bytes_ = 0;
  bool excluded_ = false;
  bool merged_any_ = false;
  std::unique_ptr<Histogram> histograms_[kOpKinds];
  std::string message_;
};

}  // namespace db_bench
