#include "kv_bench/report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace kv_bench {
namespace {

double Micros(uint64_t nanos) { return static_cast<double>(nanos) / 1000; }

double Operations(const Result& r) {
  return static_cast<double>(std::max<uint64_t>(r.operations, 1));
}

void PrintTickers(const Usage& usage) {
  if (usage.tickers.empty()) return;
  const char* separator = ", \"tickers\": {";
  for (const auto& [name, count] : usage.tickers) {
    std::printf("%s\"%s\": %" PRIu64, separator, name.c_str(), count);
    separator = ", ";
  }
  std::printf("}");
}

// The typical number and the largest of one field.
std::pair<uint64_t, uint64_t> MedianAndMost(const std::vector<RoundTrips>& all,
                                            uint64_t RoundTrips::* field) {
  std::vector<uint64_t> values;
  for (const RoundTrips& one : all) values.push_back(one.*field);
  std::sort(values.begin(), values.end());
  return {values[values.size() / 2], values.back()};
}

}  // namespace

void PrintLine(const Result& r) {
  const double ops = Operations(r);
  std::printf(
      "%-16s : %11.0f ops/sec  %8.3f CPU us/op  p50 %.2f  p99 %.2f  p99.9 %.2f  "
      "max %.0f  pause %.0f us  %.1f MB/s",
      r.workload.c_str(), ops / r.seconds, r.usage.cpu_seconds * 1e6 / ops,
      r.latency.PercentileMicros(0.5), r.latency.PercentileMicros(0.99),
      r.latency.PercentileMicros(0.999), Micros(r.longest_nanos), Micros(r.pause_nanos),
      static_cast<double>(r.bytes) / 1e6 / r.seconds);
  if (r.found != 0) std::printf("  (%" PRIu64 " of %" PRIu64 " found)", r.found, r.operations);
  if (r.backup_seconds > 0) std::printf("  backup %.3f seconds", r.backup_seconds);
  if (!r.round_trips.empty()) {
    const auto [rounds, most_rounds] = MedianAndMost(r.round_trips, &RoundTrips::rounds);
    const auto [reads, most_reads] = MedianAndMost(r.round_trips, &RoundTrips::reads);
    std::printf("  storage: median %" PRIu64 " round trips (at most %" PRIu64 "), %" PRIu64
                " reads (at most %" PRIu64 ")",
                rounds, most_rounds, reads, most_reads);
  }
  std::printf("\n");
}

void PrintJson(const Result& r, bool with_seconds) {
  const double ops = Operations(r);
  std::printf(
      "{\"workload\": \"%s\", \"threads\": %d, \"fiber_workers\": %d, \"operations\": %" PRIu64
      ", \"seconds\": %.6f, \"ops_per_second\": %.1f, \"cpu_seconds\": %.4f, "
      "\"cpu_us_per_op\": %.4f, \"p50_us\": %.3f, \"p99_us\": %.3f, \"p999_us\": %.3f, "
      "\"max_us\": %.1f, \"pause_us\": %.1f, \"user_bytes\": %" PRIu64
      ", \"storage_bytes\": %" PRIu64,
      r.workload.c_str(), r.threads, r.fiber_workers, r.operations, r.seconds, ops / r.seconds,
      r.usage.cpu_seconds, r.usage.cpu_seconds * 1e6 / ops, r.latency.PercentileMicros(0.5),
      r.latency.PercentileMicros(0.99), r.latency.PercentileMicros(0.999), Micros(r.longest_nanos),
      Micros(r.pause_nanos), r.written_bytes, r.usage.written_bytes);
  std::printf(", \"waits\": %" PRIu64 ", \"write_calls\": %" PRIu64
              ", \"peak_memory_bytes\": %" PRIu64 ", \"found\": %" PRIu64 ", \"bytes\": %" PRIu64,
              r.usage.waits, r.usage.write_calls, r.usage.peak_memory_bytes, r.found, r.bytes);
  if (!r.round_trips.empty()) {
    const auto [rounds, most_rounds] = MedianAndMost(r.round_trips, &RoundTrips::rounds);
    const auto [reads, most_reads] = MedianAndMost(r.round_trips, &RoundTrips::reads);
    std::printf(", \"rounds\": %" PRIu64 ", \"most_rounds\": %" PRIu64 ", \"reads\": %" PRIu64
                ", \"most_reads\": %" PRIu64,
                rounds, most_rounds, reads, most_reads);
  }
  if (r.backup_seconds > 0) std::printf(", \"backup_seconds\": %.6f", r.backup_seconds);
  PrintTickers(r.usage);
  if (with_seconds) {
    std::printf(", \"per_second\": [");
    for (size_t i = 0; i < r.per_second.size(); ++i) {
      std::printf("%s%" PRIu64, i == 0 ? "" : ", ", r.per_second[i]);
    }
    std::printf("]");
  }
  std::printf("}\n");
}

void PrintStep(const char* name, double seconds, const Usage& usage, bool json) {
  std::printf("%-16s : %.3f seconds  %.3f CPU seconds  %.1f MB written\n", name, seconds,
              usage.cpu_seconds, static_cast<double>(usage.written_bytes) / 1e6);
  if (!json) return;
  std::printf(
      "{\"workload\": \"%s\", \"seconds\": %.6f, \"cpu_seconds\": %.4f, "
      "\"storage_bytes\": %" PRIu64,
      name, seconds, usage.cpu_seconds, usage.written_bytes);
  PrintTickers(usage);
  std::printf("}\n");
}

}  // namespace kv_bench
