#include "db_bench/repeats.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "db_bench/flags.h"

namespace db_bench {

namespace {

using Samples = std::vector<double>;

double Mean(const Samples& samples) {
  return std::accumulate(samples.begin(), samples.end(), 0.0) / static_cast<double>(samples.size());
}

double Median(Samples samples) {
  std::sort(samples.begin(), samples.end());
  const size_t middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

// Half of the interval around the mean. REQUIRES: two samples at least.
double HalfInterval(const Samples& samples) {
  const double mean = Mean(samples);
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  const auto n = static_cast<double>(samples.size());
  return 1.959964 * std::sqrt(squares / (n - 1)) / std::sqrt(n);
}

}  // namespace

void Repeats::Add(const Throughput& run) {
  operations_.push_back(run.operations);
  if (run.megabytes > 0) megabytes_.push_back(run.megabytes);
}

void Repeats::Report() const {
  const size_t runs = operations_.size();
  if (runs < 2) return;
  const double ops = Mean(operations_), around = HalfInterval(operations_);
  if (FLAGS_confidence_interval_only) {
    std::printf("%s [CI95 %zu runs] : (%.0f, %.0f) ops/sec", name_.c_str(), runs, ops - around,
                ops + around);
    if (has_bytes()) {
      const double bytes = Mean(megabytes_), half = HalfInterval(megabytes_);
      std::printf("; (%.1f, %.1f) MB/sec", bytes - half, bytes + half);
    }
  } else {
    std::printf("%s [AVG %zu runs] : %.0f (\xC2\xB1 %.0f) ops/sec", name_.c_str(), runs, ops,
                around);
    if (has_bytes()) {
      std::printf("; %6.1f (\xC2\xB1 %.1f) MB/sec", Mean(megabytes_), HalfInterval(megabytes_));
    }
  }
  std::printf("\n");
}

void Repeats::ReportAll() const {
  const size_t runs = operations_.size();
  if (runs < 2) return;
  const double ops = Mean(operations_);
  std::printf("\n%s [AVG    %zu runs] : %.0f (\xC2\xB1 %.0f) ops/sec; %.3f ms/op", name_.c_str(),
              runs, ops, HalfInterval(operations_), ops > 0 ? 1000 / ops : 0);
  if (has_bytes()) {
    std::printf("; %6.1f (\xC2\xB1 %.1f) MB/sec", Mean(megabytes_), HalfInterval(megabytes_));
  }
  std::printf("\n%s [MEDIAN %zu runs] : %.0f ops/sec", name_.c_str(), runs, Median(operations_));
  if (has_bytes()) std::printf("; %6.1f MB/sec", Median(megabytes_));
  std::printf("\n");
}

}  // namespace db_bench
