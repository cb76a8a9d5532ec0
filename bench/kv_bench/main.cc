// kv_bench: one program that measures any library with RocksDB's C interface: Cairn's libcairn.so,
// or a release of RocksDB. Prints a line per workload for people, and with --json one for scripts.
#include <gflags/gflags.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "kv_bench/backup.h"
#include "kv_bench/engine.h"
#include "kv_bench/options.h"
#include "kv_bench/report.h"
#include "kv_bench/usage.h"
#include "kv_bench/workloads.h"

DECLARE_uint64(cache_size);
DECLARE_uint64(prefix_size);
DEFINE_string(library, "", "the shared library to measure: a path, or a name for the linker");
DEFINE_string(benchmarks, "fillrandom,compact,readrandom", "workloads, in order");
DEFINE_string(db, "", "directory of the database");
DEFINE_bool(use_existing_db, false, "keep what --db holds at the start");
DEFINE_uint64(num, 1000000, "keys");
DEFINE_uint64(operations, 0, "operations of all clients together (0: --num)");
DEFINE_double(duration, 0, "end each workload after so many seconds (0: by operations)");
DEFINE_double(
    read_duration, 0,
    "the same of workloads that only read, in place of --duration or operations (0: not)");
DEFINE_int32(threads, 1, "clients");
DEFINE_int32(fiber_workers, 0, "run the clients as fibers on so many workers (0: OS threads)");
DEFINE_uint64(key_size, 16, "bytes");
DEFINE_uint64(value_size, 100, "bytes");
DEFINE_double(compression_ratio, 0.5, "of the values");
DEFINE_uint64(batch_size, 1, "entries in a write, keys in a multi-get");
DEFINE_uint64(seek_nexts, 10, "entries read by each seek");
DEFINE_uint64(multiread_stride, 0,
              "distance of a multi-get's keys, the first of which is random (0: all are)");
DEFINE_bool(async_io, false, "let reads wait together, and iterators read ahead in the background");
DEFINE_uint64(readahead_size, 0, "bytes that iterators read ahead (0: as they go on)");
DEFINE_bool(sync, false, "sync each write");
DEFINE_bool(disable_wal, false, "write without a log");
DEFINE_uint64(seed, 1, "of the random numbers");
DEFINE_bool(json, false, "print a line of JSON per workload, too");
DEFINE_bool(per_second, false, "with --json: also the operations in each second");
DEFINE_bool(readonly, false, "open the database for reading only (with --use_existing_db)");
DEFINE_string(slowfs_control, "",
              "the file .slowfs of a mount of slowfs that --db lies on: count the storage's round "
              "trips of each operation, and empty the block cache before it (one client; the "
              "latencies then have that in them)");
DEFINE_string(
    distribution, "uniform",
    "of keys that are drawn at random: uniform, or zipfian (a few are drawn often; they lie "
    "all over the key space)");
DEFINE_double(zipf_theta, 0.99, "of --distribution=zipfian: how much the few are preferred");
DEFINE_double(rate, 0,
              "readwrite: operations per second of all clients, whose durations begin when they "
              "were due (0: each client begins the next when one ends)");
DEFINE_double(reads, 0.5, "readwrite: the share of operations that read, the others overwrite");
DEFINE_string(backup_dir, "", "where backup and readwritewhilebackup add a backup");
DEFINE_double(settle_limit, 3600, "settle: seconds until it gives up");

namespace kv_bench {
namespace {

void RunClient(Client* client, Workload workload) {
  Run& run = *client->run;
  run.ready.fetch_add(1);
  // On a fiber its siblings must come up first, so this yields; the wait is short.
  while (!run.start.load()) run.yield();
  workload(client);
}

class Bench {
 public:
  explicit Bench(const Engine& engine) : engine_(engine) {}
  ~Bench() { Close(); }

  // False after an error, which it prints.
  bool Open(bool empty) {
    Close();
    char* error = nullptr;
    std::string refusal;
    if (!MakeOptions(engine_, &cache_, &options_, &refusal)) {
      std::fprintf(stderr, "kv_bench: %s\n", refusal.c_str());
      return false;
    }
    if (empty) {
      engine_.rocksdb_destroy_db(options_, FLAGS_db.c_str(), &error);
      // There may be nothing to destroy.
      engine_.rocksdb_free(error);
      error = nullptr;
    }
    db_ = FLAGS_readonly ? engine_.rocksdb_open_for_read_only(options_, FLAGS_db.c_str(), 0, &error)
                         : engine_.rocksdb_open(options_, FLAGS_db.c_str(), &error);
    return db_ != nullptr || Complain("open", error);
  }
  void Close() {
    if (db_ != nullptr) engine_.rocksdb_close(db_);
    if (options_ != nullptr) engine_.rocksdb_options_destroy(options_);
    if (cache_ != nullptr) engine_.rocksdb_cache_destroy(cache_);
    db_ = nullptr;
    options_ = nullptr;
    cache_ = nullptr;
  }

  bool Do(const std::string& name) {
    if (name == "flush") return Flush();
    if (name == "settle") return Settle();
    if (name == "compact") return Compact();
    if (name == "warm") return Warm();
    if (name == "backup") return Backup();
    if (name == "stats") {
      char* text = engine_.rocksdb_property_value(db_, "rocksdb.stats");
      if (text != nullptr) std::printf("%s\n", text);
      engine_.rocksdb_free(text);
      return true;
    }
    return Measure(name);
  }

 private:
  bool Complain(const char* what, char* error) {
    std::fprintf(stderr, "kv_bench: %s: %s\n", what, error == nullptr ? "failed" : error);
    engine_.rocksdb_free(error);
    return false;
  }

  bool Flush() {
    char* error = nullptr;
    rocksdb_flushoptions_t* options = engine_.rocksdb_flushoptions_create();
    engine_.rocksdb_flush(db_, options, &error);
    engine_.rocksdb_flushoptions_destroy(options);
    return error == nullptr || Complain("flush", error);
  }

  bool Compact() {
    const Usage before = UsageNow(engine_, options_);
    const uint64_t start = fiber::now_nanos();
    engine_.rocksdb_compact_range(db_, nullptr, 0, nullptr, 0);
    PrintStep("compact", static_cast<double>(fiber::now_nanos() - start) / 1e9,
              Difference(before, UsageNow(engine_, options_)), FLAGS_json);
    std::fflush(stdout);
    return true;
  }

  bool Backup() {
    const Usage before = UsageNow(engine_, options_);
    std::string error;
    const double seconds = MakeBackup(engine_, options_, db_, FLAGS_backup_dir, &error);
    if (!error.empty()) {
      std::fprintf(stderr, "kv_bench: backup: %s\n", error.c_str());
      return false;
    }
    PrintStep("backup", seconds, Difference(before, UsageNow(engine_, options_)), FLAGS_json);
    std::fflush(stdout);
    return true;
  }

  // Reads every entry, so that the block cache has what it can hold.
  bool Warm() {
    rocksdb_readoptions_t* reading = engine_.rocksdb_readoptions_create();
    engine_.rocksdb_readoptions_set_total_order_seek(reading, 1);
    rocksdb_iterator_t* it = engine_.rocksdb_create_iterator(db_, reading);
    engine_.rocksdb_iter_seek_to_first(it);
    while (engine_.rocksdb_iter_valid(it)) engine_.rocksdb_iter_next(it);
    char* error = nullptr;
    engine_.rocksdb_iter_get_error(it, &error);
    engine_.rocksdb_iter_destroy(it);
    engine_.rocksdb_readoptions_destroy(reading);
    return error == nullptr || Complain("warm", error);
  }

  uint64_t Property(const char* name) {
    uint64_t value = 0;
    engine_.rocksdb_property_int(db_, name, &value);
    return value;
  }

  // Flushes, and waits until nothing is left to compact. Asks the properties: older releases have
  // no function for it.
  bool Settle() {
    const Usage before = UsageNow(engine_, options_);
    const uint64_t start = fiber::now_nanos();
    const uint64_t deadline = start + static_cast<uint64_t>(FLAGS_settle_limit * 1e9);
    if (!Flush()) return false;
    // Between the end of a compaction and the choice of the next one nothing may seem to be left.
    constexpr int kCalmReadings = 3;
    uint64_t calm_since = start;
    for (int calm = 0; calm < kCalmReadings;) {
      if (Property("rocksdb.background-errors") != 0) return Complain("settle", nullptr);
      if (fiber::now_nanos() > deadline) {
        std::fprintf(stderr, "kv_bench: settle: not within --settle_limit\n");
        return false;
      }
      const bool busy = Property("rocksdb.mem-table-flush-pending") != 0 ||
                        Property("rocksdb.num-running-flushes") != 0 ||
                        Property("rocksdb.compaction-pending") != 0 ||
                        Property("rocksdb.num-running-compactions") != 0;
      calm = busy ? 0 : calm + 1;
      if (calm <= 1) calm_since = fiber::now_nanos();
      fiber::sleep_for(20'000'000);
    }
    PrintStep("settle", static_cast<double>(calm_since - start) / 1e9,
              Difference(before, UsageNow(engine_, options_)), FLAGS_json);
    std::fflush(stdout);
    return true;
  }

  bool Measure(const std::string& name) {
    const Workload workload = FindWorkload(name);
    const int clients = name == "readwritewhilebackup"
                            ? FLAGS_threads + 1
                            : std::max(FLAGS_threads, name == "readwhilewriting" ? 2 : 1);
    rocksdb_readoptions_t* reading = engine_.rocksdb_readoptions_create();
    engine_.rocksdb_readoptions_set_readahead_size(reading, FLAGS_readahead_size);
    if (name == "prefixscan" && FLAGS_prefix_size > 0) {
      engine_.rocksdb_readoptions_set_prefix_same_as_start(reading, 1);
    } else if (FLAGS_prefix_size > 0) {
      engine_.rocksdb_readoptions_set_total_order_seek(reading, 1);
    }
    if (FLAGS_async_io) engine_.rocksdb_readoptions_set_async_io(reading, 1);
    rocksdb_writeoptions_t* writing = engine_.rocksdb_writeoptions_create();
    engine_.rocksdb_writeoptions_set_sync(writing, FLAGS_sync);
    engine_.rocksdb_writeoptions_disable_WAL(writing, FLAGS_disable_wal);

    Run run;
    run.engine = &engine_;
    run.db = db_;
    run.cache = cache_;
    run.options = options_;
    run.reading = reading;
    run.writing = writing;
    run.values = &values_;
    run.settings.num = FLAGS_num;
    run.settings.key_size = FLAGS_key_size;
    run.settings.value_size = FLAGS_value_size;
    run.keys = &keys_;
    run.settings.batch_size = std::max<uint64_t>(1, FLAGS_batch_size);
    run.settings.multiread_stride = FLAGS_multiread_stride;
    run.settings.slowfs_control = FLAGS_slowfs_control;
    run.settings.cache_size = FLAGS_cache_size;
    run.settings.prefix_size = FLAGS_prefix_size;
    run.settings.seek_nexts = std::max<uint64_t>(1, FLAGS_seek_nexts);
    run.settings.rate = FLAGS_rate;
    run.settings.reads = FLAGS_reads;
    run.settings.clients = FLAGS_threads;
    run.settings.backup_dir = FLAGS_backup_dir;
    const uint64_t all = FLAGS_operations != 0 ? FLAGS_operations : FLAGS_num;
    run.settings.operations = std::max<uint64_t>(1, all / static_cast<uint64_t>(clients));
    run.readers = clients - 1;
    std::vector<std::unique_ptr<Client>> own;
    for (int i = 0; i < clients; ++i) {
      own.push_back(std::make_unique<Client>(i, FLAGS_seed * 1000 + ++clients_made_));
      own.back()->run = &run;
    }

    struct Start {
      Client* client;
      Workload workload;
    };
    std::vector<Start> starts;
    for (auto& client : own) starts.push_back({client.get(), workload});
    const auto body = [](void* argument) {
      const auto* start = static_cast<Start*>(argument);
      RunClient(start->client, start->workload);
    };
    std::vector<std::unique_ptr<fiber::Thread>> threads;
    std::vector<fiber_handle_t*> fibers;
    fiber_runtime_t* runtime = nullptr;
    if (FLAGS_fiber_workers > 0) {
      runtime = engine_.fiber_runtime_create(FLAGS_fiber_workers, 256 << 10);
      // The clients are the library's fibers: our own fiber::yield() would only stop the worker.
      run.yield = engine_.fiber_yield;
    }
    const Usage before = UsageNow(engine_, options_);
    const double duration =
        FLAGS_read_duration > 0 && ReadsOnly(name) ? FLAGS_read_duration : FLAGS_duration;
    const auto begin = [&run, duration](uint64_t from) {
      run.settings.begin = from;
      if (duration <= 0) return;
      run.settings.deadline = from + static_cast<uint64_t>(duration * 1e9);
      run.settings.operations = UINT64_MAX / 2;
    };
    for (Start& s : starts) {
      if (runtime != nullptr) {
        fibers.push_back(engine_.fiber_spawn(runtime, body, &s));
      } else {
        threads.push_back(std::make_unique<fiber::Thread>("client", [&s, body] { body(&s); }));
      }
    }
    while (run.ready.load() < clients) fiber::yield();
    const uint64_t start = fiber::now_nanos();
    begin(start);
    run.start = true;
    for (auto& thread : threads) thread->join();
    for (fiber_handle_t* handle : fibers) engine_.fiber_join(handle);
    const uint64_t end = fiber::now_nanos();
    Result result;
    result.workload = name;
    result.threads = FLAGS_threads;
    result.fiber_workers = FLAGS_fiber_workers;
    result.seconds = static_cast<double>(end - start) / 1e9;
    result.pause_nanos = run.pauses.longest();
    result.usage = Difference(before, UsageNow(engine_, options_));
    if (runtime != nullptr) engine_.fiber_runtime_destroy(runtime);
    engine_.rocksdb_readoptions_destroy(reading);
    engine_.rocksdb_writeoptions_destroy(writing);
    if (!Sum(own, &result)) return false;
    PrintLine(result);
    if (FLAGS_json) PrintJson(result, FLAGS_per_second);
    std::fflush(stdout);
    return true;
  }

  // False if a client failed: printed.
  static bool Sum(const std::vector<std::unique_ptr<Client>>& clients, Result* result) {
    for (const auto& client : clients) {
      if (!client->error.empty()) {
        std::fprintf(stderr, "kv_bench: %s: %s\n", result->workload.c_str(), client->error.c_str());
        return false;
      }
      result->backup_seconds = std::max(result->backup_seconds, client->backup_seconds);
      if (client->in_background) continue;
      const Measured& measured = client->measured;
      result->latency.Merge(measured.latency);
      result->operations += measured.operations;
      result->found += client->found;
      result->bytes += client->bytes;
      result->written_bytes += client->written_bytes;
      for (const RoundTrips& one : client->round_trips) result->round_trips.push_back(one);
      result->longest_nanos = std::max(result->longest_nanos, measured.longest_nanos);
      const std::vector<uint64_t>& counts = measured.timeline.counts();
      if (result->per_second.size() < counts.size()) result->per_second.resize(counts.size());
      for (size_t i = 0; i < counts.size(); ++i) result->per_second[i] += counts[i];
    }
    return true;
  }

  const Engine& engine_;
  const db_bench::ValueGenerator values_{FLAGS_compression_ratio};
  bench::KeySpace keys_{FLAGS_num,
                        FLAGS_distribution == "zipfian" ? bench::Distribution::kZipfian
                                                        : bench::Distribution::kUniform,
                        FLAGS_zipf_theta};
  // Kept while the database is open: the library's counts hang on them.
  rocksdb_options_t* options_ = nullptr;
  rocksdb_cache_t* cache_ = nullptr;
  rocksdb_t* db_ = nullptr;
  uint64_t clients_made_ = 0;
};

bool IsKnown(const std::string& name) {
  return FindWorkload(name) != nullptr || name == "flush" || name == "compact" ||
         name == "settle" || name == "stats" || name == "warm" || name == "backup";
}

int Main() {
  std::vector<std::string> names;
  std::stringstream list(FLAGS_benchmarks);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  for (const std::string& name : names) {
    if (IsKnown(name)) continue;
    std::fprintf(stderr, "kv_bench: no workload '%s'; there are: %s\n", name.c_str(),
                 WorkloadNames());
    return 2;
  }
  if (FLAGS_library.empty() || FLAGS_db.empty() || FLAGS_num == 0 || FLAGS_key_size == 0 ||
      FLAGS_threads < 1) {
    std::fprintf(stderr,
                 "kv_bench: --library=FILE and --db=DIRECTORY are needed; --num, --key_size "
                 "and --threads must be at least 1\n");
    return 2;
  }
  if ((FLAGS_distribution != "uniform" && FLAGS_distribution != "zipfian") ||
      !(FLAGS_zipf_theta > 0)) {
    std::fprintf(stderr,
                 "kv_bench: --distribution: uniform or zipfian; --zipf_theta must be above 0\n");
    return 2;
  }
  if (FLAGS_backup_dir.empty()) {
    for (const std::string& name : names) {
      if (name != "backup" && name != "readwritewhilebackup") continue;
      std::fprintf(stderr, "kv_bench: %s: --backup_dir=DIRECTORY is needed\n", name.c_str());
      return 2;
    }
  }
  if (FLAGS_rate > 0 && FLAGS_fiber_workers > 0) {
    // Our own sleep would stop the worker, and C has none for the library's fibers.
    std::fprintf(stderr, "kv_bench: --rate is kept by threads: leave out --fiber_workers\n");
    return 2;
  }
  if (!FLAGS_slowfs_control.empty() && FLAGS_threads != 1) {
    std::fprintf(stderr, "kv_bench: --slowfs_control counts for one client: --threads=1\n");
    return 2;
  }
  Engine engine;
  std::string error;
  if (!Load(FLAGS_library, FLAGS_sync, &engine, &error)) {
    std::fprintf(stderr, "kv_bench: %s\n", error.c_str());
    return 2;
  }
  if (FLAGS_async_io && engine.rocksdb_readoptions_set_async_io == nullptr) {
    std::fprintf(stderr, "kv_bench: %s is too old for --async_io\n", FLAGS_library.c_str());
    return 2;
  }
  if (FLAGS_fiber_workers > 0 && !engine.has_fibers()) {
    std::fprintf(stderr, "kv_bench: --fiber_workers: %s has no fibers\n", FLAGS_library.c_str());
    return 2;
  }
  Bench bench(engine);
  bool open = false;
  for (const std::string& name : names) {
    const bool fresh =
        FindWorkload(name) != nullptr && WantsEmptyDatabase(name) && !FLAGS_use_existing_db;
    if ((!open || fresh) && !bench.Open(fresh)) return 1;
    open = true;
    if (!bench.Do(name)) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace kv_bench

int main(int argc, char** argv) {
  gflags::SetUsageMessage(std::string("--library=FILE --db=DIRECTORY [flags]\nworkloads: ") +
                          kv_bench::WorkloadNames());
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (argc > 1) {
    std::fprintf(stderr, "kv_bench: what is '%s'? Flags begin with --; see --help\n", argv[1]);
    return 2;
  }
  return kv_bench::Main();
}
