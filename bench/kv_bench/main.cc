// kv_bench: one program that measures any library with RocksDB's C interface: Cairn's libcairn.so,
// or a release of RocksDB. Prints a line per workload for people, and with --json one for scripts.
#include <gflags/gflags.h>
#include <sys/resource.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "kv_bench/engine.h"
#include "kv_bench/workloads.h"

DEFINE_string(library, "", "the shared library to measure: a path, or a name for the linker");
DEFINE_string(benchmarks, "fillrandom,compact,readrandom", "workloads, in order");
DEFINE_string(db, "", "directory of the database");
DEFINE_bool(use_existing_db, false, "keep what --db holds at the start");
DEFINE_uint64(num, 1000000, "keys");
DEFINE_uint64(operations, 0, "operations of all clients together (0: --num)");
DEFINE_double(duration, 0, "end each workload after so many seconds (0: by operations)");
DEFINE_int32(threads, 1, "clients");
DEFINE_int32(fiber_workers, 0, "run the clients as fibers on so many workers (0: OS threads)");
DEFINE_uint64(key_size, 16, "bytes");
DEFINE_uint64(value_size, 100, "bytes");
DEFINE_double(compression_ratio, 0.5, "of the values");
DEFINE_uint64(batch_size, 1, "entries in a write, keys in a multi-get");
DEFINE_uint64(seek_nexts, 10, "entries read by each seek");
DEFINE_bool(sync, false, "sync each write");
DEFINE_bool(disable_wal, false, "write without a log");
DEFINE_uint64(cache_size, 64 << 20, "block cache, bytes");
DEFINE_uint64(block_size, 4096, "bytes");
DEFINE_double(bloom_bits, 10, "bits per key; 0: no filter");
DEFINE_uint64(write_buffer_size, 64 << 20, "bytes");
DEFINE_int32(max_write_buffer_number, 2, "");
DEFINE_int32(max_background_jobs, 2, "");
DEFINE_int32(compression_type, 1, "as in rocksdb/c.h: 0 none, 1 Snappy, 4 LZ4, 7 ZSTD");
DEFINE_int32(allow_concurrent_memtable_write, -1, "0, 1, or -1: the library's default");
DEFINE_int32(enable_write_thread_adaptive_yield, -1, "0, 1, or -1: the library's default");
DEFINE_bool(use_direct_reads, false, "");
DEFINE_uint64(seed, 1, "of the random numbers");
DEFINE_bool(json, false, "print a line of JSON per workload, too");

namespace kv_bench {
namespace {

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void RunClient(Client* client, Workload workload) {
  Run& run = *client->run;
  run.ready.fetch_add(1);
  // On a fiber its siblings must come up first, so this yields; the wait is short.
  while (!run.start.load()) fiber::yield();
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
    rocksdb_options_t* options = MakeOptions();
    if (empty) {
      engine_.rocksdb_destroy_db(options, FLAGS_db.c_str(), &error);
      // There may be nothing to destroy.
      engine_.rocksdb_free(error);
      error = nullptr;
    }
    db_ = engine_.rocksdb_open(options, FLAGS_db.c_str(), &error);
    engine_.rocksdb_options_destroy(options);
    return db_ != nullptr || Complain("open", error);
  }
  void Close() {
    if (db_ != nullptr) engine_.rocksdb_close(db_);
    db_ = nullptr;
  }

  bool Do(const std::string& name) {
    if (name == "flush") {
      char* error = nullptr;
      rocksdb_flushoptions_t* options = engine_.rocksdb_flushoptions_create();
      engine_.rocksdb_flush(db_, options, &error);
      engine_.rocksdb_flushoptions_destroy(options);
      return error == nullptr || Complain("flush", error);
    }
    if (name == "compact") {
      engine_.rocksdb_compact_range(db_, nullptr, 0, nullptr, 0);
      return true;
    }
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

  rocksdb_options_t* MakeOptions() {
    rocksdb_options_t* o = engine_.rocksdb_options_create();
    engine_.rocksdb_options_set_create_if_missing(o, 1);
    engine_.rocksdb_options_set_write_buffer_size(o, FLAGS_write_buffer_size);
    engine_.rocksdb_options_set_max_write_buffer_number(o, FLAGS_max_write_buffer_number);
    engine_.rocksdb_options_set_max_background_jobs(o, FLAGS_max_background_jobs);
    engine_.rocksdb_options_set_compression(o, FLAGS_compression_type);
    // Releases differ in this default: the same for all.
    engine_.rocksdb_options_set_level_compaction_dynamic_level_bytes(o, 1);
    engine_.rocksdb_options_set_use_direct_reads(o, FLAGS_use_direct_reads);
    if (FLAGS_allow_concurrent_memtable_write >= 0) {
      engine_.rocksdb_options_set_allow_concurrent_memtable_write(
          o, static_cast<unsigned char>(FLAGS_allow_concurrent_memtable_write));
    }
    if (FLAGS_enable_write_thread_adaptive_yield >= 0) {
      engine_.rocksdb_options_set_enable_write_thread_adaptive_yield(
          o, static_cast<unsigned char>(FLAGS_enable_write_thread_adaptive_yield));
    }
    rocksdb_block_based_table_options_t* table = engine_.rocksdb_block_based_options_create();
    rocksdb_cache_t* cache = engine_.rocksdb_cache_create_lru(FLAGS_cache_size);
    engine_.rocksdb_block_based_options_set_block_cache(table, cache);
    engine_.rocksdb_block_based_options_set_block_size(table, FLAGS_block_size);
    if (FLAGS_bloom_bits > 0) {
      engine_.rocksdb_block_based_options_set_filter_policy(
          table, engine_.rocksdb_filterpolicy_create_bloom_full(FLAGS_bloom_bits));
    }
    engine_.rocksdb_options_set_block_based_table_factory(o, table);
    engine_.rocksdb_block_based_options_destroy(table);
    engine_.rocksdb_cache_destroy(cache);
    return o;
  }

  bool Measure(const std::string& name) {
    const Workload workload = FindWorkload(name);
    const int clients = std::max(FLAGS_threads, name == "readwhilewriting" ? 2 : 1);
    rocksdb_readoptions_t* reading = engine_.rocksdb_readoptions_create();
    rocksdb_writeoptions_t* writing = engine_.rocksdb_writeoptions_create();
    engine_.rocksdb_writeoptions_set_sync(writing, FLAGS_sync);
    engine_.rocksdb_writeoptions_disable_WAL(writing, FLAGS_disable_wal);

    Run run;
    run.engine = &engine_;
    run.db = db_;
    run.reading = reading;
    run.writing = writing;
    run.settings.num = FLAGS_num;
    run.settings.key_size = FLAGS_key_size;
    run.settings.value_size = FLAGS_value_size;
    run.settings.compression_ratio = FLAGS_compression_ratio;
    run.settings.batch_size = std::max<uint64_t>(1, FLAGS_batch_size);
    run.settings.seek_nexts = std::max<uint64_t>(1, FLAGS_seek_nexts);
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
      // The clients are the library's fibers, and our own fiber::yield() would only stop the
      // worker: they start at once, the clock with the first.
      run.start = true;
    }
    const double cpu = CpuSeconds();
    uint64_t start = fiber::now_nanos();
    const auto set_deadline = [&run](uint64_t from) {
      if (FLAGS_duration <= 0) return;
      run.settings.deadline = from + static_cast<uint64_t>(FLAGS_duration * 1e9);
      run.settings.operations = UINT64_MAX / 2;
    };
    set_deadline(start);
    for (Start& s : starts) {
      if (runtime != nullptr) {
        fibers.push_back(engine_.fiber_spawn(runtime, body, &s));
      } else {
        threads.push_back(std::make_unique<fiber::Thread>("client", [&s, body] { body(&s); }));
      }
    }
    if (runtime == nullptr) {
      while (run.ready.load() < clients) fiber::yield();
      start = fiber::now_nanos();
      set_deadline(start);
      run.start = true;
    }
    for (auto& thread : threads) thread->join();
    for (fiber_handle_t* handle : fibers) engine_.fiber_join(handle);
    const double seconds = static_cast<double>(fiber::now_nanos() - start) / 1e9;
    const double cpu_seconds = CpuSeconds() - cpu;
    if (runtime != nullptr) engine_.fiber_runtime_destroy(runtime);
    engine_.rocksdb_readoptions_destroy(reading);
    engine_.rocksdb_writeoptions_destroy(writing);
    return Print(name, own, seconds, cpu_seconds);
  }

  static bool Print(const std::string& name, const std::vector<std::unique_ptr<Client>>& clients,
                    double seconds, double cpu_seconds) {
    bench::Latency latency;
    uint64_t operations = 0;
    uint64_t found = 0;
    uint64_t bytes = 0;
    uint64_t longest = 0;
    for (const auto& client : clients) {
      if (!client->error.empty()) {
        std::fprintf(stderr, "kv_bench: %s: %s\n", name.c_str(), client->error.c_str());
        return false;
      }
      if (client->background_writer) continue;
      latency.Merge(client->latency);
      operations += client->operations;
      found += client->found;
      bytes += client->bytes;
      longest = std::max(longest, client->longest_nanos);
    }
    const auto ops = static_cast<double>(std::max<uint64_t>(operations, 1));
    const double p50 = latency.PercentileMicros(0.5);
    const double p99 = latency.PercentileMicros(0.99);
    const double p999 = latency.PercentileMicros(0.999);
    std::printf(
        "%-16s : %11.0f ops/sec  %8.3f CPU us/op  p50 %.2f  p99 %.2f  p99.9 %.2f  "
        "max %.0f us  %.1f MB/s",
        name.c_str(), ops / seconds, cpu_seconds * 1e6 / ops, p50, p99, p999,
        static_cast<double>(longest) / 1000, static_cast<double>(bytes) / 1e6 / seconds);
    if (found != 0) std::printf("  (%" PRIu64 " of %" PRIu64 " found)", found, operations);
    std::printf("\n");
    if (FLAGS_json) {
      std::printf(
          "{\"workload\": \"%s\", \"threads\": %d, \"fiber_workers\": %d, "
          "\"operations\": %" PRIu64
          ", \"seconds\": %.6f, \"ops_per_second\": %.1f, "
          "\"cpu_us_per_op\": %.4f, \"p50_us\": %.3f, \"p99_us\": %.3f, "
          "\"p999_us\": %.3f, \"max_us\": %.1f}\n",
          name.c_str(), FLAGS_threads, FLAGS_fiber_workers, operations, seconds, ops / seconds,
          cpu_seconds * 1e6 / ops, p50, p99, p999, static_cast<double>(longest) / 1000);
    }
    std::fflush(stdout);
    return true;
  }

  const Engine& engine_;
  rocksdb_t* db_ = nullptr;
  uint64_t clients_made_ = 0;
};

bool IsKnown(const std::string& name) {
  return FindWorkload(name) != nullptr || name == "flush" || name == "compact" || name == "stats";
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
  Engine engine;
  std::string error;
  if (!Load(FLAGS_library, &engine, &error)) {
    std::fprintf(stderr, "kv_bench: %s\n", error.c_str());
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
