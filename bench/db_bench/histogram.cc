#include "db_bench/histogram.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>

namespace db_bench {

namespace {

// Upper limits of the buckets: 1, 2, then each half as large again, cut to two significant digits
// (3, 4, 6, 10, 15, 22, 34, 51, 76, 110, 170 ...).
const std::vector<uint64_t>& Limits() {
  static const std::vector<uint64_t>* const limits = [] {
    auto* all = new std::vector<uint64_t>{1, 2};
    double exact = 2;
    while (exact < 1e18) {
      exact *= 1.5;
      auto rounded = static_cast<uint64_t>(exact);
      uint64_t scale = 1;
      while (rounded / 10 > 10) {
        rounded /= 10;
        scale *= 10;
      }
      all->push_back(rounded * scale);
    }
    return all;
  }();
  return *limits;
}

}  // namespace

Histogram::Histogram() : counts_(Limits().size() + 1) {}

void Histogram::Add(uint64_t micros) {
  const auto& limits = Limits();
  counts_[std::lower_bound(limits.begin(), limits.end(), micros) - limits.begin()]++;
  count_++;
  min_ = std::min(min_, micros);
  max_ = std::max(max_, micros);
  const auto value = static_cast<double>(micros);
  sum_ += value;
  sum_of_squares_ += value * value;
}

void Histogram::Merge(const Histogram& other) {
  for (size_t i = 0; i < counts_.size(); i++) counts_[i] += other.counts_[i];
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  sum_of_squares_ += other.sum_of_squares_;
}

double Histogram::Percentile(double percent) const {
  const auto& limits = Limits();
  const double threshold = static_cast<double>(count_) * percent / 100;
  double below = 0;
  for (size_t i = 0; i < limits.size(); i++) {
    const auto here = static_cast<double>(counts_[i]);
    if (here > 0 && below + here >= threshold) {
      const double low = i == 0 ? 0 : static_cast<double>(limits[i - 1]);
      const double value =
          low + (static_cast<double>(limits[i]) - low) * (threshold - below) / here;
      return std::clamp(value, static_cast<double>(min_), static_cast<double>(max_));
    }
    below += here;
  }
  return static_cast<double>(count_ == 0 ? 0 : max_);
}

std::string Histogram::ToString() const {
  const auto& limits = Limits();
  const double count = static_cast<double>(std::max<uint64_t>(count_, 1));
  const double average = sum_ / count;
  const double variance = std::max(0.0, sum_of_squares_ / count - average * average);
  char line[256];
  std::string out;
  std::snprintf(line, sizeof(line), "Count: %" PRIu64 " Average: %.4f  StdDev: %.2f\n", count_,
                average, std::sqrt(variance));
  out += line;
  std::snprintf(line, sizeof(line), "Min: %" PRIu64 "  Median: %.4f  Max: %" PRIu64 "\n",
                count_ == 0 ? 0 : min_, Percentile(50), max_);
  out += line;
  std::snprintf(
      line, sizeof(line), "Percentiles: P50: %.2f P75: %.2f P99: %.2f P99.9: %.2f P99.99: %.2f\n",
      Percentile(50), Percentile(75), Percentile(99), Percentile(99.9), Percentile(99.99));
  out += line;
  out += "------------------------------------------------------\n";
  uint64_t total = 0;
  for (size_t i = 0; i < limits.size(); i++) {
    if (counts_[i] == 0) continue;
    total += counts_[i];
    const double share = 100 * static_cast<double>(counts_[i]) / count;
    std::snprintf(line, sizeof(line),
                  "%c %7" PRIu64 ", %7" PRIu64 " ] %8" PRIu64 " %7.3f%% %7.3f%% ",
                  i == 0 ? '[' : '(', i == 0 ? 0 : limits[i - 1], limits[i], counts_[i], share,
                  100 * static_cast<double>(total) / count);
    out += line;
    out.append(static_cast<size_t>(share / 5 + 0.5), '#');
    out += "\n";
  }
  return out;
}

}  // namespace db_bench
