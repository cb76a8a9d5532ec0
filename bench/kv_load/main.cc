// kv_load: a load generator for servers of the Redis protocol. A fiber per connection, in a closed
// loop or by a schedule; prints a table, and with --json writes the figures for scripts.
#include <fcntl.h>
#include <gflags/gflags.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "fiber/io.h"
#include "kv_load/flags.h"
#include "kv_load/load.h"
#include "kv_load/report.h"
#include "kv_load/server_usage.h"

namespace kv_load {
namespace {

int Complain(const std::string& what, int status) {
  std::fprintf(stderr, "kv_load: %s\n", what.c_str());
  return status;
}

void RunFor(Load* load, const Plan& plan, Phase::Kind kind, uint64_t nanos, uint64_t requests,
            PhaseResult* result) {
  Phase phase;
  phase.kind = kind;
  if (requests != 0) {
    phase.total = requests;
  } else {
    phase.end = nanos;  // from the start, which Run() decides
  }
  if (plan.rate > 0 && kind != Phase::Kind::kLoad) phase.period_nanos = 1e9 / plan.rate;
  load->Run(&phase, result);
}

bool WriteJson(const Report& report, std::string* error) {
  const std::string text = Json(report);
  const std::string& path = report.plan->json;
  int status = fiber::io::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
  const int fd = status;
  for (size_t written = 0; status >= 0 && written < text.size();) {
    const ssize_t n = fiber::io::write(fd, text.data() + written, text.size() - written);
    status = n < 0 ? static_cast<int>(n) : 0;
    if (n > 0) written += static_cast<size_t>(n);
  }
  if (fd >= 0) {
    const int closed = fiber::io::close(fd);
    if (status >= 0) status = closed;
  }
  if (status >= 0) return true;
  *error = "--json=" + path + ": " + std::strerror(-status);
  return false;
}

int Main() {
  Plan plan;
  std::string error;
  if (!ReadFlags(&plan, &error)) return Complain(error, 2);
  ServerUsage before;
  auto report = std::make_unique<Report>();
  report->plan = &plan;
  if (plan.pid != 0 && !ReadServerUsage(plan.pid, &before, &error)) {
    return Complain("--pid: " + error, 2);
  }
  Load load(&plan);
  if (!load.Connect(&error)) return Complain(error, 1);
  if (plan.load) {
    report->loaded = true;
    RunFor(&load, plan, Phase::Kind::kLoad, 0, plan.keys, &report->load);
  }
  const bool load_failed = report->loaded && !report->load.tally.clean();
  if (!load_failed && (plan.duration_nanos != 0 || plan.requests != 0)) {
    if (plan.warmup_nanos != 0) {
      PhaseResult ignored;
      RunFor(&load, plan, Phase::Kind::kWarmUp, plan.warmup_nanos, 0, &ignored);
    }
    if (plan.pid != 0 && !ReadServerUsage(plan.pid, &before, &error)) return Complain(error, 1);
    report->measured = true;
    RunFor(&load, plan, Phase::Kind::kMeasure, plan.duration_nanos, plan.requests, &report->run);
    // A server that died is told of by the disconnects.
    if (plan.pid != 0 && !ReadServerUsage(plan.pid, &report->server, &error)) {
      Complain("--pid: " + error, 1);
      report->server = before;
    }
    report->server_cpu_seconds = report->server.cpu_seconds - before.cpu_seconds;
  }
  PrintTable(*report);
  std::fflush(stdout);
  if (!plan.json.empty() && !WriteJson(*report, &error)) return Complain(error, 1);
  return load_failed || (report->measured && !report->run.tally.clean()) ? 1 : 0;
}

}  // namespace
}  // namespace kv_load

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "[flags]\nLoads a server of the Redis protocol (cairn-server, pool_server, redis-server) and "
      "tells how fast it answers. Exit status: 0 if every request was answered well, 1 if not, 2 "
      "for wrong flags. For example:\n"
      "  kv_load --port=6379 --load --keys=1000000 --reads=0.9 --connections=200 --duration=30\n"
      "  kv_load --unix=/tmp/s.sock --command=get --rate=20000 --verify --json=figures.json");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (argc > 1) {
    std::fprintf(stderr, "kv_load: what is '%s'? Flags begin with --; see --help\n", argv[1]);
    return 2;
  }
  return kv_load::Main();
}
