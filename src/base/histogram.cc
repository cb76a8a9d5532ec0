#include "base/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace cairn {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Two significant digits: 1297 becomes 1200.
uint64_t RoundDown(uint64_t value) {
  uint64_t scale = 1;
  while (value / 10 > 10) {
    value /= 10;
    scale *= 10;
  }
  return value * scale;
}

}  // namespace

// 1, 2, and from there on half as much again each time, shown with two digits.
const std::array<uint64_t, HistogramBuckets::kCount>& HistogramBuckets::Limits() {
  static const std::array<uint64_t, kCount> limits = [] {
    std::array<uint64_t, kCount> result = {1, 2};
    double exact = 2;
    for (size_t i = 2; i < kCount; i++) {
      exact = 1.5 * exact;
      result[i] = RoundDown(static_cast<uint64_t>(exact));
    }
    return result;
  }();
  return limits;
}

size_t HistogramBuckets::IndexFor(uint64_t value) {
  const auto& limits = Limits();
  const auto it = std::lower_bound(limits.begin(), limits.end(), value);
  return it == limits.end() ? kCount - 1 : static_cast<size_t>(it - limits.begin());
}

void Histogram::Clear() {
  min_.store(std::numeric_limits<uint64_t>::max(), kRelaxed);
  max_.store(0, kRelaxed);
  count_.store(0, kRelaxed);
  sum_.store(0, kRelaxed);
  sum_squares_.store(0, kRelaxed);
  for (auto& bucket : buckets_) bucket.store(0, kRelaxed);
}

void Histogram::Add(uint64_t value) {
  buckets_[HistogramBuckets::IndexFor(value)].fetch_add(1, kRelaxed);
  uint64_t seen = min_.load(kRelaxed);
  while (value < seen && !min_.compare_exchange_weak(seen, value, kRelaxed)) {
  }
  seen = max_.load(kRelaxed);
  while (value > seen && !max_.compare_exchange_weak(seen, value, kRelaxed)) {
  }
  count_.fetch_add(1, kRelaxed);
  sum_.fetch_add(value, kRelaxed);
  sum_squares_.fetch_add(value * value, kRelaxed);
}

void Histogram::Merge(const Histogram& other) {
  uint64_t theirs = other.Min();
  uint64_t seen = min_.load(kRelaxed);
  while (theirs < seen && !min_.compare_exchange_weak(seen, theirs, kRelaxed)) {
  }
  theirs = other.Max();
  seen = max_.load(kRelaxed);
  while (theirs > seen && !max_.compare_exchange_weak(seen, theirs, kRelaxed)) {
  }
  count_.fetch_add(other.Count(), kRelaxed);
  sum_.fetch_add(other.Sum(), kRelaxed);
  sum_squares_.fetch_add(other.sum_squares_.load(kRelaxed), kRelaxed);
  for (size_t i = 0; i < buckets_.size(); i++) {
    const uint64_t count = other.BucketCount(i);
    if (count != 0) buckets_[i].fetch_add(count, kRelaxed);
  }
}

double Histogram::Percentile(double percent) const {
  const double threshold = static_cast<double>(Count()) * (percent / 100.0);
  uint64_t below = 0;
  for (size_t i = 0; i < buckets_.size(); i++) {
    const uint64_t here = BucketCount(i);
    if (static_cast<double>(below + here) < threshold) {
      below += here;
      continue;
    }
    const double left = i == 0 ? 0 : static_cast<double>(HistogramBuckets::Limit(i - 1));
    const double right = static_cast<double>(HistogramBuckets::Limit(i));
    const double part =
        here == 0 ? 0 : (threshold - static_cast<double>(below)) / static_cast<double>(here);
    // The smallest and the largest value are known exactly.
    const double value = left + (right - left) * part;
    return std::min(std::max(value, static_cast<double>(Min())), static_cast<double>(Max()));
  }
  return static_cast<double>(Max());
}

double Histogram::Average() const {
  const uint64_t count = Count();
  return count == 0 ? 0 : static_cast<double>(Sum()) / static_cast<double>(count);
}

double Histogram::StandardDeviation() const {
  const double count = static_cast<double>(Count());
  if (count == 0) return 0;
  const double sum = static_cast<double>(Sum());
  const double squares = static_cast<double>(sum_squares_.load(kRelaxed));
  return std::sqrt(std::max(0.0, (squares * count - sum * sum) / (count * count)));
}

void Histogram::Data(HistogramData* data) const {
  data->median = Median();
  data->percentile95 = Percentile(95);
  data->percentile99 = Percentile(99);
  data->average = Average();
  data->standard_deviation = StandardDeviation();
  data->max = static_cast<double>(Max());
  data->count = Count();
  data->sum = Sum();
  data->min = Empty() ? 0 : static_cast<double>(Min());
}

std::string Histogram::ToString() const {
  using ull = unsigned long long;
  const ull count = Count();
  char line[1024];
  std::snprintf(line, sizeof(line), "Count: %llu Average: %.4f  StdDev: %.2f\n", count, Average(),
                StandardDeviation());
  std::string text = line;
  std::snprintf(line, sizeof(line), "Min: %llu  Median: %.4f  Max: %llu\n",
                count == 0 ? 0 : static_cast<ull>(Min()), Median(), static_cast<ull>(Max()));
  text += line;
  std::snprintf(
      line, sizeof(line), "Percentiles: P50: %.2f P75: %.2f P99: %.2f P99.9: %.2f P99.99: %.2f\n",
      Percentile(50), Percentile(75), Percentile(99), Percentile(99.9), Percentile(99.99));
  text += line;
  text += "------------------------------------------------------\n";
  if (count == 0) return text;

  const double percent_each = 100.0 / static_cast<double>(count);
  uint64_t cumulative = 0;
  for (size_t i = 0; i < buckets_.size(); i++) {
    const uint64_t here = BucketCount(i);
    if (here == 0) continue;
    cumulative += here;
    const double percent = percent_each * static_cast<double>(here);
    std::snprintf(line, sizeof(line), "%c %7llu, %7llu ] %8llu %7.3f%% %7.3f%% ",
                  i == 0 ? '[' : '(', i == 0 ? 0 : static_cast<ull>(HistogramBuckets::Limit(i - 1)),
                  static_cast<ull>(HistogramBuckets::Limit(i)), static_cast<ull>(here), percent,
                  percent_each * static_cast<double>(cumulative));
    text += line;
    // A mark for each 5 percent, rounded.
    text.append(static_cast<size_t>(percent / 5 + 0.5), '#');
    text.push_back('\n');
  }
  return text;
}

}  // namespace cairn
