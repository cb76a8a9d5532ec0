// What the runs of one repeated workload, name[X<times>-W<warm-ups>], say together: the lines of
// RocksDB's db_bench.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "db_bench/stats.h"

namespace db_bench {

class Repeats {
 public:
  explicit Repeats(std::string name) : name_(std::move(name)) {}

  void Add(const Throughput& run);
  // After each run but the first: the mean and what 95 of 100 means lie in, of a normal
  // distribution. As an interval, with --confidence_interval_only.
  void Report() const;
  // The mean and the median.
  void ReportAll() const;

 private:
  [[nodiscard]] bool has_bytes() const { return megabytes_.size() == operations_.size(); }

  const std::string name_;
  std::vector<double> operations_;  // per second, of each run
  std::vector<double> megabytes_;   // of those that tell them
};

}  // namespace db_bench
