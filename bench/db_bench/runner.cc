#include "db_bench/runner.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "db_bench/database.h"
#include "db_bench/flags.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"

namespace db_bench {

void Shared::Request(rocksdb::RateLimiter* limiter, int64_t units) {
  while (units > 0) {
    const int64_t step = std::min(units, limiter->GetSingleBurstBytes());
    limiter->Request(step, rocksdb::Env::IO_HIGH, nullptr);
    units -= step;
  }
}

namespace {

void RunClient(Client* client, const Workload& workload, Reporter* reporter) {
  ValueGenerator values(FLAGS_compression_ratio);
  client->values = &values;
  client->shared->initialized.count_down();
  client->shared->start.wait();
  const auto level = static_cast<rocksdb::PerfLevel>(FLAGS_perf_level);
  rocksdb::SetPerfLevel(level);
  rocksdb::get_perf_context()->EnablePerLevelPerfContext();
  client->stats.Start(client->id, reporter);
  workload(client);
  if (level > rocksdb::kDisable) {
    client->stats.AddMessage("PERF_CONTEXT:\n" + rocksdb::get_perf_context()->ToString());
  }
  client->stats.Stop();
  client->values = nullptr;
  client->shared->ended.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Throughput RunWorkload(const std::string& name, int clients, const Database& database,
                       const Workload& workload) {
  static uint64_t total_clients = 0;  // later workloads get other random numbers
  std::unique_ptr<Reporter> reporter;
  if (FLAGS_report_interval_seconds > 0) {
    reporter = std::make_unique<Reporter>(FLAGS_report_file, FLAGS_report_interval_seconds);
  }
  Shared shared(database.db(), &database.families(), clients);
  if (FLAGS_benchmark_read_rate_limit > 0) {
    shared.read_limit.reset(
        rocksdb::NewGenericRateLimiter(static_cast<int64_t>(FLAGS_benchmark_read_rate_limit)));
  }
  if (FLAGS_benchmark_write_rate_limit > 0 || FLAGS_sine_write_rate) {
    const auto rate = static_cast<int64_t>(FLAGS_benchmark_write_rate_limit);
    shared.write_limit.reset(rocksdb::NewGenericRateLimiter(std::max<int64_t>(1, rate)));
  }
  std::vector<std::unique_ptr<Client>> all;
  for (int i = 0; i < clients; i++) {
    total_clients++;
    all.push_back(
        std::make_unique<Client>(i, static_cast<uint64_t>(FLAGS_seed) + total_clients, &shared));
  }
  auto body = [&](Client* client) {
    return [&, client] { RunClient(client, workload, reporter.get()); };
  };
  if (FLAGS_fiber_workers > 0) {
    fiber::RuntimeOptions options;
    options.workers = FLAGS_fiber_workers;
    options.name = "db_bench";
    options.stack_size = 256 << 10;  // reserved, not resident
    fiber::Runtime runtime(options);
    std::vector<fiber::JoinHandle> fibers;
    for (auto& client : all) fibers.push_back(runtime.spawn(body(client.get())));
    shared.initialized.wait();
    shared.start.count_down();
    for (auto& handle : fibers) handle.join();
  } else {
    std::vector<std::unique_ptr<fiber::Thread>> threads;
    for (auto& client : all)
      threads.push_back(std::make_unique<fiber::Thread>("db_bench", body(client.get())));
    shared.initialized.wait();
    shared.start.count_down();
    for (auto& thread : threads) thread->join();
  }
  Stats merged;
  for (const auto& client : all) merged.Merge(client->stats);
  merged.Report(name);
  return merged.Measured();
}

Duration::Duration(int64_t max_seconds, int64_t max_ops)
    : max_seconds_(max_seconds), max_ops_(max_ops), start_nanos_(fiber::now_nanos()) {}

bool Duration::Done(int64_t increment) {
  const int64_t before = ops_;
  ops_ += increment;
  if (max_seconds_ <= 0) {
    return ops_ > max_ops_;
  }
  const int64_t step = FLAGS_ops_between_duration_checks;
  return before / step != ops_ / step &&
         fiber::now_nanos() - start_nanos_ >= static_cast<uint64_t>(max_seconds_) * 1000000000;
}

}  // namespace db_bench
