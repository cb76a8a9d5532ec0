// readrandomcoroutine and multireadrandomcoroutine: one client starts --coro_jobs_per_thread jobs
// for each of --threads workers. A job is a fiber: it reads like a client of readrandom or
// multireadrandom, and while it waits for a file its worker runs another one.

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "db_bench/flags.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "fiber/runtime.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"

namespace db_bench {

namespace {

int64_t Jobs() { return int64_t{FLAGS_threads} * FLAGS_coro_jobs_per_thread; }
int64_t ReadsOfJob() { return Reads() * FLAGS_threads / Jobs(); }

// What all jobs read.
struct Totals {
  std::atomic<int64_t> read{0}, found{0};
  std::atomic<uint64_t> bytes{0};
};

void Get(Client* job, Totals* totals) {
  Target target(job);
  Key key;
  rocksdb::PinnableSlice value;
  int64_t read = 0, found = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, ReadsOfJob());
  while (!duration.Done(1)) {
    const uint64_t number = NumberToRead(&job->random);
    const rocksdb::Slice k = key.Set(number);
    const rocksdb::Status s = target.Get(number, k, &value);
    if (!s.ok() && !s.IsNotFound()) Fail("get", s);
    read++;
    found += s.ok();
    if (s.ok()) bytes += k.size() + value.size();
  }
  totals->read.fetch_add(read);
  totals->found.fetch_add(found);
  totals->bytes.fetch_add(bytes);
}

void MultiGet(Client* job, Totals* totals) {
  Target target(job);
  const auto batch = static_cast<size_t>(FLAGS_batch_size);
  std::vector<Key> buffers(batch);
  std::vector<rocksdb::Slice> keys(batch);
  std::vector<rocksdb::ColumnFamilyHandle*> families(batch);
  std::vector<rocksdb::PinnableSlice> values(batch);
  std::vector<rocksdb::Status> statuses(batch);
  int64_t read = 0, found = 0;
  uint64_t bytes = 0;
  Duration duration(FLAGS_duration, ReadsOfJob());
  while (!duration.Done(FLAGS_batch_size)) {
    for (size_t i = 0; i < batch; i++) {
      const uint64_t number = NumberToRead(&job->random);
      keys[i] = buffers[i].Set(number);
      families[i] = target.Family(number);
      values[i].Reset();
    }
    job->shared->db->MultiGet(target.Reading(), batch, families.data(), keys.data(), values.data(),
                              statuses.data());
    for (size_t i = 0; i < batch; i++) {
      if (!statuses[i].ok() && !statuses[i].IsNotFound()) Fail("multiget", statuses[i]);
      found += statuses[i].ok();
      if (statuses[i].ok()) bytes += keys[i].size() + values[i].size();
    }
    read += FLAGS_batch_size;
  }
  totals->read.fetch_add(read);
  totals->found.fetch_add(found);
  totals->bytes.fetch_add(bytes);
}

void RunJobs(Client* client, void (*run)(Client*, Totals*)) {
  Totals totals;
  std::string first_context;
  {
    fiber::RuntimeOptions options;
    options.workers = FLAGS_threads;
    options.name = "db_bench";
    options.stack_size = 256 << 10;  // reserved, not resident
    fiber::Runtime runtime(options);
    std::vector<std::unique_ptr<Client>> jobs;
    for (int i = 0; i < static_cast<int>(Jobs()); i++) {
      jobs.push_back(std::make_unique<Client>(i, client->random.Next(), client->shared));
    }
    std::vector<fiber::JoinHandle> handles;
    for (const auto& job : jobs) {
      handles.push_back(runtime.spawn([&, job = job.get()] {
        rocksdb::SetPerfLevel(static_cast<rocksdb::PerfLevel>(FLAGS_perf_level));
        run(job, &totals);
        if (job->id == 0 && FLAGS_perf_level > rocksdb::kDisable) {
          first_context = rocksdb::get_perf_context()->ToString();
        }
      }));
    }
    for (fiber::JoinHandle& handle : handles) handle.join();
  }
  client->stats.FinishedOps(client->shared->db, totals.read, OpKind::kRead);
  client->stats.AddBytes(totals.bytes);
  AddFound(client, totals.found, totals.read, "");
  if (!first_context.empty()) {
    client->stats.AddMessage("PERF_CONTEXT of the first job:\n" + first_context);
  }
}

std::string WhyNoJobs() {
  if (FLAGS_coro_jobs_per_thread <= 0) return "--coro_jobs_per_thread must be positive";
  if (FLAGS_fiber_workers > 0) {
    return "readrandomcoroutine and multireadrandomcoroutine: their jobs are fibers of --threads "
           "workers, without --fiber_workers";
  }
  if (Reads() * FLAGS_threads % Jobs() != 0) {
    return "--reads times --threads must be a multiple of --coro_jobs_per_thread times --threads";
  }
  return "";
}

std::string WhyNoBatches() {
  if (std::string why = WhyNoJobs(); !why.empty()) return why;
  return ReadsOfJob() % FLAGS_batch_size != 0
             ? "multireadrandomcoroutine: the reads of a job must be a multiple of --batch_size"
             : "";
}

}  // namespace

std::vector<NamedWorkload> CoroutineWorkloads() {
  return {{.name = "readrandomcoroutine",
           .help = "readrandom by --coro_jobs_per_thread fibers on each of --threads workers",
           .run = [](Client* client) { RunJobs(client, Get); },
           .has_own_threads = true,
           .refusal = WhyNoJobs},
          {.name = "multireadrandomcoroutine",
           .help = "multireadrandom by such fibers",
           .run = [](Client* client) { RunJobs(client, MultiGet); },
           .has_own_threads = true,
           .refusal = WhyNoBatches}};
}

}  // namespace db_bench
