// A histogram of latencies in microseconds, printed in RocksDB's layout. Not thread-safe: each
// client fills its own, the clients' are merged at the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace db_bench {

class Histogram {
 public:
  Histogram();

  void Add(uint64_t micros);
  void Merge(const Histogram& other);
  // In [0, 100]; linear within a bucket. 0 if empty.
  double Percentile(double percent) const;
  std::string ToString() const;

 private:
  std::vector<uint64_t> counts_;  // counts_[i]: values in (limit[i-1], limit[i]]
  uint64_t count_ = 0;
  uint64_t min_ = UINT64_MAX;
  uint64_t max_ = 0;
  double sum_ = 0;
  double sum_of_squares_ = 0;
};

}  // namespace db_bench
