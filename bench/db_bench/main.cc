// db_bench: RocksDB's benchmark program for Cairn. Same flags (gflags syntax), same workloads, same
// report lines, so that either binary's output can stand in the other's table; --fiber_workers=N,
// ours, runs the clients as fibers. Uses the public API and fiber/ only. (No release of RocksDB has
// all of the options that its flags set: it builds with Cairn alone.)

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "db_bench/database.h"
#include "db_bench/flags.h"
#include "db_bench/options.h"
#include "db_bench/repeats.h"
#include "db_bench/runner.h"
#include "db_bench/support.h"
#include "db_bench/workloads.h"
#include "fiber/clock.h"
#include "fiber/cpu.h"
#include "fiber/runtime.h"
#include "rocksdb/version.h"

namespace db_bench {

namespace {

// Entries of --benchmarks that act on the database without clients and without a report line.
const struct {
  const char* name;
  const char* help;
  const char* property;  // printed; null: handled by name
} kActions[] = {
    {"flush", "flush the memtable", nullptr},
    {"waitforcompaction", "wait until no flush or compaction runs or waits", nullptr},
    {"stats", "print the database's statistics", "rocksdb.stats"},
    {"levelstats", "print the files and bytes of each level", "rocksdb.levelstats"},
    {"sstables", "print the tables", "rocksdb.sstables"},
    {"block_cache_entry_stats", "print what the block cache holds",
     "rocksdb.block-cache-entry-stats"},
    {"memstats", "print the memory of memtables, caches and pinned blocks", nullptr},
    {"resetstats", "set the statistics back to 0", nullptr},
    {"stats_history", "print what the tickers counted in each --stats_persist_period_sec", nullptr},
    {"verify", "compare all entries with those of --truth_db", nullptr},
};

// RocksDB's that need what Cairn has not.
const struct {
  const char* name;
  const char* why;
} kRefused[] = {
    {"fillembeddedentity", "SstFileWriter puts no blobs into tables: see --enable_blob_files"},
    {"fillembeddedblob", "SstFileWriter puts no blobs into tables: see --enable_blob_files"},
    {"cache_report_problems", "Cache has no ReportProblems: use block_cache_entry_stats"},
};

const std::vector<NamedWorkload>& Workloads() {
  static const auto* const all = [] {
    auto* list = new std::vector<NamedWorkload>;
    for (const auto of : {WriteWorkloads, DeterministicWorkloads, ReadWorkloads, MergeWorkloads,
                          MixedWorkloads, TransactionWorkloads, UpkeepWorkloads,
                          TimeSeriesWorkloads, TraceWorkloads, IngestWorkloads, DisposableWorkloads,
                          RemoteWorkloads, CpuWorkloads, ScanWorkloads, CoroutineWorkloads}) {
      for (auto& workload : of()) list->push_back(std::move(workload));
    }
    return list;
  }();
  return *all;
}

void PrintHeader() {
  const time_t now = static_cast<time_t>(fiber::wall_micros() / 1000000);
  std::fprintf(stderr, "Cairn:      RocksDB API %d.%d.%d\n", ROCKSDB_MAJOR, ROCKSDB_MINOR,
               ROCKSDB_PATCH);
  std::fprintf(stderr, "Date:       %s", std::ctime(&now));
  std::fprintf(stderr, "CPU:        %u\n", fiber::hardware_concurrency());
  const double megabyte = 1048576.0;
  const double pair = FLAGS_key_size + FLAGS_value_size;
  const double compressed = FLAGS_key_size + FLAGS_value_size * FLAGS_compression_ratio;
  const auto keys = static_cast<double>(FLAGS_num);
  std::printf("Keys:       %d bytes each\n", FLAGS_key_size);
  std::printf("Values:     %d bytes each (%d bytes after compression)\n", FLAGS_value_size,
              static_cast<int>(FLAGS_value_size * FLAGS_compression_ratio + 0.5));
  std::printf("Entries:    %ld\n", static_cast<long>(FLAGS_num));
  std::printf("RawSize:    %.1f MB (estimated)\n", pair * keys / megabyte);
  std::printf("FileSize:   %.1f MB (estimated)\n", compressed * keys / megabyte);
  std::printf("Compression: %s\n", CompressionName());
  if (FLAGS_fiber_workers > 0) {
    std::printf("Clients:    %d fibers on %d workers\n", FLAGS_threads, FLAGS_fiber_workers);
  } else {
    std::printf("Clients:    %d threads\n", FLAGS_threads);
  }
#ifndef NDEBUG
  std::printf("WARNING: Assertions are enabled; benchmarks unnecessarily slow\n");
#endif
#if !defined(__OPTIMIZE__)
  std::printf("WARNING: Optimization is disabled: benchmarks unnecessarily slow\n");
#endif
  std::printf("------------------------------------------------\n");
  std::fflush(stdout);
}

void WaitForCompaction(const Database& database) {
  std::printf("waitforcompaction(%s): started\n", database.path().c_str());
  const char* const busy[] = {"rocksdb.mem-table-flush-pending", "rocksdb.num-running-flushes",
                              "rocksdb.compaction-pending", "rocksdb.num-running-compactions"};
  for (bool idle = false; !idle;) {
    fiber::sleep_for(10 * 1000 * 1000);
    idle = std::all_of(std::begin(busy), std::end(busy), [&](const char* property) {
      uint64_t value = 0;
      return !database.db()->GetIntProperty(property, &value) || value == 0;
    });
  }
  std::printf("waitforcompaction(%s): finished\n", database.path().c_str());
  std::fflush(stdout);
}

void PrintMemory(const Database& database) {
  for (const char* property : {"rocksdb.cur-size-all-mem-tables", "rocksdb.size-all-mem-tables",
                               "rocksdb.estimate-table-readers-mem", "rocksdb.block-cache-usage",
                               "rocksdb.block-cache-pinned-usage", "rocksdb.num-snapshots"}) {
    uint64_t value = 0;
    if (!database.db()->GetIntProperty(property, &value)) Fail(std::string("no ") + property);
    std::printf("%s: %llu\n", property, static_cast<unsigned long long>(value));
  }
}

bool RunAction(const std::string& name, const Database& database) {
  for (const auto& action : kActions) {
    if (name != action.name) continue;
    if (action.property != nullptr) {
      std::string text;
      if (!database.db()->GetProperty(action.property, &text)) text = "(failed)";
      std::printf("\n%s\n", text.c_str());
    } else if (name == "flush") {
      const rocksdb::Status s = database.db()->Flush(rocksdb::FlushOptions(), database.families());
      if (!s.ok()) Fail("flush error: " + s.ToString());
      std::printf("flush memtable\n");
    } else if (name == "memstats") {
      PrintMemory(database);
    } else if (name == "stats_history") {
      PrintStatsHistory(database.db());
    } else if (name == "verify") {
      VerifyAgainstTruth(database.db());
    } else if (name == "resetstats") {
      const rocksdb::Status s = database.ResetStatistics();
      if (!s.ok()) Fail("resetstats error: " + s.ToString());
    } else {
      WaitForCompaction(database);
    }
    std::fflush(stdout);
    return true;
  }
  return false;
}

bool IsAction(const std::string& name) {
  return std::any_of(std::begin(kActions), std::end(kActions),
                     [&](const auto& a) { return name == a.name; });
}

// How often a workload runs: name[X<runs>-W<warm-ups>].
struct Times {
  int runs = 1;
  int warm_ups = 0;
};

// Takes the brackets off the name.
Times TakeTimes(std::string* name) {
  Times times;
  const size_t bracket = name->find('[');
  if (bracket == std::string::npos) return times;
  const std::string whole = *name;
  const auto fail = [&] { Fail("unknown benchmark arguments '" + whole + "'"); };
  if (whole.back() != ']') fail();
  name->resize(bracket);
  if (IsAction(*name)) fail();
  std::stringstream list(whole.substr(bracket + 1, whole.size() - bracket - 2));
  for (std::string each; std::getline(list, each, '-');) {
    if (each.size() < 2 || each.size() > 7 || (each[0] != 'X' && each[0] != 'W') ||
        each.find_first_not_of("0123456789", 1) != std::string::npos) {
      fail();
    }
    const int number = std::stoi(each.substr(1));
    (each[0] == 'X' ? times.runs : times.warm_ups) = number;
  }
  if (times.runs < 1) fail();
  return times;
}

void RunTimes(const std::string& name, const Times& times, const std::function<Throughput()>& run) {
  if (times.warm_ups > 0) {
    std::printf("Warming up benchmark by running %d times\n", times.warm_ups);
  }
  for (int i = 0; i < times.warm_ups; i++) run();
  if (times.runs > 1) std::printf("Running benchmark for %d times\n", times.runs);
  Repeats repeats(name);
  for (int i = 0; i < times.runs; i++) {
    repeats.Add(run());
    repeats.Report();
  }
  repeats.ReportAll();
}

int Main(int argc, char** argv) {
  ParseFlags(&argc, &argv);
  std::vector<std::string> names;
  std::vector<Times> times;  // of each name
  std::stringstream list(FLAGS_benchmarks);
  for (std::string name; std::getline(list, name, ',');) {
    if (name.empty()) continue;
    times.push_back(TakeTimes(&name));
    for (const auto& refused : kRefused) {
      if (name != refused.name) continue;
      Fail("benchmark '" + name + "' is not supported by Cairn's db_bench: " + refused.why);
    }
    if (!IsAction(name) && FindWorkload(name) == nullptr) Fail("unknown benchmark '" + name + "'");
    names.push_back(name);
  }
  if (names.size() > 1 && !FLAGS_trace_file.empty() &&
      std::count(names.begin(), names.end(), "replay") > 0) {
    Fail("replay reads --trace_file, which other workloads write: give them a run of their own");
  }
  if (FLAGS_seed == 0) {
    FLAGS_seed = static_cast<int64_t>(fiber::wall_micros());
    std::printf("Set seed to %ld because --seed was 0\n", static_cast<long>(FLAGS_seed));
  }
  Database database;
  PrintHeader();
  database.OpenFirst();
  if (FLAGS_use_existing_keys) Key::UseExisting(database.db());
  for (size_t i = 0; i < names.size(); i++) {
    const std::string& name = names[i];
    if (RunAction(name, database)) continue;
    const NamedWorkload& workload = *FindWorkload(name);
    if (workload.refusal != nullptr) {
      if (const std::string why = workload.refusal(); !why.empty()) Fail(why);
    }
    int clients = workload.has_own_threads ? 1 : FLAGS_threads;
    if (workload.single_client && clients > 1) {
      std::fprintf(stderr, "%s multithreaded not supported, use 1 thread\n", name.c_str());
      clients = 1;
    }
    if (workload.fresh_db) {
      if (FLAGS_use_existing_db || FLAGS_use_secondary_db) {
        std::printf("%-12s : skipped (--%s is true)\n", name.c_str(),
                    FLAGS_use_existing_db ? "use_existing_db" : "use_secondary_db");
        continue;
      }
      database.Recreate();
    }
    std::printf("DB path: [%s]\n", database.path().c_str());
    const bool replays = name == "replay";
    StartTraces(database.db(), replays);
    RunTimes(name, times[i], [&] {
      const Throughput run =
          RunWorkload(name, clients + workload.extra_clients, database, workload.run);
      std::printf("%s", database.FileOperationsDone().c_str());
      return run;
    });
    EndTraces(database.db(), replays);
    if (workload.after != nullptr) workload.after(database.db());
  }
  if (FLAGS_statistics) {
    std::printf("STATISTICS:\n%s\n", database.Statistics().c_str());
  }
  database.Close();
  if (FLAGS_use_secondary_db) {
    std::printf("Secondary instance updated  %" PRIu64 " times.\n", database.updates());
  }
  return 0;
}

}  // namespace

const NamedWorkload* FindWorkload(const std::string& name) {
  for (const auto& workload : Workloads()) {
    if (name == workload.name) return &workload;
  }
  return nullptr;
}

std::string WorkloadsHelp() {
  std::string text = "Workloads for --benchmarks (name[X3-W1]: three times, after a warm-up):\n";
  auto add = [&text](const char* name, const char* help) {
    char line[160];
    std::snprintf(line, sizeof(line), "  %-22s %s\n", name, help);
    text += line;
  };
  for (const auto& workload : Workloads()) add(workload.name, workload.help);
  for (const auto& action : kActions) add(action.name, action.help);
  return text;
}

}  // namespace db_bench

int main(int argc, char** argv) { return db_bench::Main(argc, argv); }
