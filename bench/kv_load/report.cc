#include "kv_load/report.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace kv_load {
namespace {

struct Latencies {
  double mean, p50, p90, p99, p999, max;  // microseconds
};

Latencies LatenciesOf(const KindTally& kind) {
  const double max = static_cast<double>(kind.max_nanos.value()) / 1000;
  const uint64_t count = std::max<uint64_t>(kind.latency.count(), 1);
  const auto percentile = [&](double fraction) {
    // The middle of a bucket may lie above the largest that fell into it.
    return std::min(kind.latency.PercentileMicros(fraction), max);
  };
  return {static_cast<double>(kind.nanos.value()) / 1000 / static_cast<double>(count),
          percentile(0.5),
          percentile(0.9),
          percentile(0.99),
          percentile(0.999),
          max};
}

double PerOperation(double seconds, const PhaseResult& result) {
  return seconds * 1e6 / static_cast<double>(std::max<uint64_t>(result.tally.replies(), 1));
}

double OpsPerSecond(const PhaseResult& result) {
  return static_cast<double>(result.tally.replies()) / result.seconds;
}

void Append(std::string* text, const char* format, ...) __attribute__((format(printf, 2, 3)));
void Append(std::string* text, const char* format, ...) {
  char piece[512];
  va_list arguments;
  va_start(arguments, format);
  const int n = std::vsnprintf(piece, sizeof(piece), format, arguments);
  va_end(arguments);
  text->append(piece, std::min(static_cast<size_t>(std::max(n, 0)), sizeof(piece) - 1));
}

std::string Quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
      Append(&result, "\\u%04x", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

void PrintLatencies(const char* name, const KindTally& kind) {
  const Latencies l = LatenciesOf(kind);
  std::printf("  %-9s %12" PRIu64 "  %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f\n", name,
              kind.replies.value(), l.mean, l.p50, l.p90, l.p99, l.p999, l.max);
}

void PrintFaults(const Tally& t) {
  std::printf("  errors    %" PRIu64 " replies, %" PRIu64 " disconnects, %" PRIu64
              " timeouts, %" PRIu64 " wrong values; %" PRIu64 " keys not found\n",
              t.errors.value(), t.disconnects.value(), t.timeouts.value(), t.wrong.value(),
              t.not_found.value());
  if (t.lost.value() + t.unsent.value() + t.abandoned.value() != 0) {
    std::printf("            %" PRIu64 " requests lost with their connection, %" PRIu64
                " not sent in time, %" PRIu64 " connections given up\n",
                t.lost.value(), t.unsent.value(), t.abandoned.value());
  }
  if (!t.first_error.empty()) std::printf("            the first: %s\n", t.first_error.c_str());
}

void AppendCounts(std::string* json, const PhaseResult& result) {
  const Tally& t = result.tally;
  Append(json,
         "\"operations\": %" PRIu64
         ", \"seconds\": %.6f, \"ops_per_second\": %.1f, "
         "\"errors\": %" PRIu64 ", \"disconnects\": %" PRIu64 ", \"timeouts\": %" PRIu64
         ", \"wrong\": %" PRIu64 ", \"not_found\": %" PRIu64 ", ",
         t.replies(), result.seconds, OpsPerSecond(result), t.errors.value(), t.disconnects.value(),
         t.timeouts.value(), t.wrong.value(), t.not_found.value());
  Append(json,
         "\"lost\": %" PRIu64 ", \"unsent\": %" PRIu64 ", \"abandoned\": %" PRIu64
         ", \"bytes_out\": %" PRIu64 ", \"bytes_in\": %" PRIu64 ", \"first_error\": %s, ",
         t.lost.value(), t.unsent.value(), t.abandoned.value(), t.bytes_out.value(),
         t.bytes_in.value(), Quoted(t.first_error).c_str());
  Append(json, "\"generator_cpu_seconds\": %.4f, \"generator_cpu_us_per_op\": %.4f",
         result.cpu_seconds, PerOperation(result.cpu_seconds, result));
}

void AppendLatencies(std::string* json, const KindTally& kind) {
  const Latencies l = LatenciesOf(kind);
  Append(json,
         "\"mean_us\": %.3f, \"p50_us\": %.3f, \"p90_us\": %.3f, \"p99_us\": %.3f, "
         "\"p999_us\": %.3f, \"max_us\": %.3f",
         l.mean, l.p50, l.p90, l.p99, l.p999, l.max);
}

// Of both kinds together. On the heap, as all histograms.
std::unique_ptr<KindTally> Together(const Tally& tally) {
  auto all = std::make_unique<KindTally>();
  for (const KindTally& kind : tally.kinds) all->Merge(kind);
  return all;
}

}  // namespace

void PrintTable(const Report& report) {
  const Plan& plan = *report.plan;
  if (report.loaded) {
    std::printf("load: %" PRIu64 " keys in %.1f s, %.0f keys/s\n", report.load.tally.replies(),
                report.load.seconds, OpsPerSecond(report.load));
    if (!report.load.tally.clean()) PrintFaults(report.load.tally);
  }
  if (!report.measured) return;
  const PhaseResult& run = report.run;
  const size_t keys_each = plan.mixed() ? 1 : plan.commands[0].keys();
  std::printf("%s on %s, %d connections, pipeline %d, ", plan.command_name.c_str(),
              plan.server_name.c_str(), plan.connections, plan.pipeline);
  if (plan.rate > 0) {
    std::printf("open loop of %.0f requests/s\n", plan.rate);
  } else {
    std::printf("closed loop\n");
  }
  std::printf("  rate      %12.0f ops/s", OpsPerSecond(run));
  if (keys_each > 1) {
    std::printf(" (%.0f keys/s)", OpsPerSecond(run) * static_cast<double>(keys_each));
  }
  std::printf(" over %.2f s\n", run.seconds);
  PrintFaults(run.tally);
  std::printf("  %-9s %12s  %9s %9s %9s %9s %9s %9s\n", "us", "operations", "mean", "p50", "p90",
              "p99", "p99.9", "max");
  if (plan.mixed()) {
    for (int i = 0; i < Plan::kKinds; ++i) PrintLatencies(plan.kind_names[i], run.tally.kinds[i]);
  }
  PrintLatencies("all", *Together(run.tally));
  if (plan.rate > 0) {
    std::printf("  lateness  p50 %.1f us, p99 %.1f us: the generator's own part in the latencies\n",
                run.tally.late.PercentileMicros(0.5), run.tally.late.PercentileMicros(0.99));
  }
  std::printf("  CPU/op    generator %.2f us", PerOperation(run.cpu_seconds, run));
  if (plan.pid != 0) {
    std::printf(", server %.2f us; server's memory %.1f MB, at most %.1f MB",
                PerOperation(report.server_cpu_seconds, run),
                static_cast<double>(report.server.memory_bytes) / 1e6,
                static_cast<double>(report.server.peak_memory_bytes) / 1e6);
  }
  std::printf("\n");
}

std::string Json(const Report& report) {
  const Plan& plan = *report.plan;
  std::string json = "{\"server\": " + Quoted(plan.server_name) +
                     ", \"command\": " + Quoted(plan.command_name) +
                     ", \"distribution\": " + Quoted(plan.distribution_name);
  Append(&json,
         ", \"connections\": %d, \"threads\": %d, \"pipeline\": %d, \"keys\": %" PRIu64
         ", \"key_size\": %zu, \"value_size\": %zu, \"rate\": %.1f, \"keys_per_op\": %zu",
         plan.connections, plan.threads, plan.pipeline, plan.keys, plan.key_size, plan.value_size,
         plan.rate, plan.mixed() ? 1 : plan.commands[0].keys());
  if (report.loaded) {
    json += ", \"load\": {";
    AppendCounts(&json, report.load);
    json += "}";
  }
  if (report.measured) {
    const Tally& t = report.run.tally;
    json += ", ";
    AppendCounts(&json, report.run);
    json += ", ";
    AppendLatencies(&json, *Together(t));
    for (int i = 0; plan.mixed() && i < Plan::kKinds; ++i) {
      Append(&json, ", \"%s\": {\"operations\": %" PRIu64 ", ", plan.kind_names[i],
             t.kinds[i].replies.value());
      AppendLatencies(&json, t.kinds[i]);
      json += "}";
    }
    if (plan.rate > 0) {
      Append(&json, ", \"late_p50_us\": %.3f, \"late_p99_us\": %.3f", t.late.PercentileMicros(0.5),
             t.late.PercentileMicros(0.99));
    }
    if (plan.pid != 0) {
      Append(&json,
             ", \"server_cpu_seconds\": %.2f, \"server_cpu_us_per_op\": %.4f, "
             "\"server_memory_bytes\": %" PRIu64 ", \"server_peak_memory_bytes\": %" PRIu64,
             report.server_cpu_seconds, PerOperation(report.server_cpu_seconds, report.run),
             report.server.memory_bytes, report.server.peak_memory_bytes);
    }
    json += ", \"per_second\": [";
    const char* separator = "";
    for (const uint64_t n : report.run.per_second) {
      Append(&json, "%s%" PRIu64, separator, n);
      separator = ", ";
    }
    json += "]";
  }
  return json + "}\n";
}

}  // namespace kv_load
