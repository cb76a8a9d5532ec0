// cairn_demo: the main job of a store on real input. A child process loads a million keys and is
// killed while it still writes; the database is opened again, every acknowledged value checked,
// then read at random and scanned; once with OS threads as clients and once with fibers. One table
// at the end. Exit status 0: no value was lost or wrong.

#include <gflags/gflags.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "cairn_demo/phases.h"
#include "cairn_demo/process.h"
#include "cairn_demo/shared_log.h"
#include "fiber/clock.h"
#include "fiber/cpu.h"
#include "fiber/io.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "rocksdb/db.h"

DEFINE_uint64(keys, 1000000, "keys to load before the kill");
DEFINE_int32(clients, 16, "threads, then fibers, that write and read; 256 at most");
DEFINE_int32(workers, 0, "OS threads that run the fibers; 0: the cores, at most 4");
DEFINE_string(dir, "",
              "directory for the databases, removed at the end; empty: a new one among the "
              "temporary files");
DEFINE_string(child_path, "", "of the loading child, which the demo starts itself");
DEFINE_uint64(child_log, 0, "of the loading child: the memory that it shares");
DEFINE_bool(child_fibers, false, "of the loading child");
DEFINE_string(made_dir, "", "of the child that works while its parent waits to clean up");

namespace demo {

namespace {

void CheckFlags() {
  const char* wrong = FLAGS_keys == 0 ? "--keys: at least 1"
                      : FLAGS_clients < 1 || FLAGS_clients > kMaxClients
                          ? "--clients: from 1 to 256"
                      : FLAGS_workers < 0 ? "--workers: 0, or how many"
                                          : nullptr;
  if (wrong == nullptr) return;
  std::fprintf(stderr, "cairn_demo: %s\n", wrong);
  std::exit(2);
}

// Starts this program again as the loading child.
std::unique_ptr<Child> StartLoading(const std::string& path, const Mode& mode, uint64_t log_name) {
  std::vector<std::string> words = {
      "--child_path=" + path, "--child_log=" + std::to_string(log_name),
      "--clients=" + std::to_string(mode.clients), "--workers=" + std::to_string(mode.workers)};
  if (mode.fibers) words.emplace_back("--child_fibers");
  return Child::Start(words);
}

class Progress {
 public:
  explicit Progress(const char* what) : what_(what), terminal_(ErrorIsTerminal()) {}

  void Show(uint64_t done, uint64_t all) {
    const uint64_t tenth = std::min<uint64_t>(10, done * 10 / all);
    if (terminal_) {
      std::fprintf(stderr, "\r  %s %" PRIu64 " of %" PRIu64 " keys  ", what_, done, all);
    } else if (tenth != shown_) {
      std::fprintf(stderr, "  %s %" PRIu64 " of %" PRIu64 " keys\n", what_, done, all);
    }
    shown_ = tenth;
  }
  void End() { std::fputs(terminal_ ? "\n" : "", stderr); }

 private:
  const char* const what_;
  const bool terminal_;
  uint64_t shown_ = 0;
};

// Lets a child load and kills it once it has acknowledged `keys`. False, after a message, if it
// died by itself.
bool LoadAndKill(const std::string& path, const Mode& mode, uint64_t keys, uint64_t log_name,
                 const SharedLog& log, Measure* measure) {
  measure->phase = "load";
  const uint64_t start = fiber::now_nanos();
  const std::unique_ptr<Child> child = StartLoading(path, mode, log_name);
  if (child == nullptr) return false;
  Progress progress("loading");
  Ending ending;
  bool ended = false;
  while (log.Acknowledged() < keys && !ended) {
    fiber::sleep_for(2 * 1000 * 1000);
    progress.Show(log.Acknowledged(), keys);
    ended = child->HasEnded(&ending);
  }
  progress.End();
  if (ended) {
    std::fprintf(stderr, "cairn_demo: the loading child ended, %s %#x\n",
                 ending.by_itself ? "by itself, status" : "by",
                 static_cast<unsigned>(ending.status));
    return false;
  }
  child->Kill();
  measure->seconds = static_cast<double>(fiber::now_nanos() - start) * 1e-9;
  measure->cpu_seconds = child->Wait().cpu_seconds;
  measure->ops = log.Acknowledged();
  for (const auto& client : log.clients) measure->latency.Merge(client.latency);
  std::fprintf(stderr, "  killed while it was writing; %" PRIu64 " keys acknowledged\n",
               measure->ops);
  return true;
}

// All phases in one mode; false if a value was lost or wrong.
bool RunMode(const std::string& path, const Mode& mode, uint64_t keys,
             std::vector<std::pair<Mode, std::unique_ptr<Measure>>>* table) {
  std::fprintf(stderr, mode.fibers ? "%d fibers on %d OS threads\n" : "%d OS threads\n",
               mode.clients, mode.workers);
  uint64_t log_name = 0;
  void* memory = CreateSharedMemory(sizeof(SharedLog), &log_name);
  if (memory == nullptr) return false;
  const SharedLog* log = new (memory) SharedLog();
  auto add = [&]() -> Measure* {
    table->emplace_back(mode, std::make_unique<Measure>());
    return table->back().second.get();
  };
  if (!LoadAndKill(path, mode, keys, log_name, *log, add())) return false;

  Measure* reopen = add();
  reopen->phase = "reopen";
  reopen->ops = 1;
  const uint64_t start = fiber::now_nanos(), cpu = fiber::process_cpu_nanos();
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status s = rocksdb::DB::Open(DemoOptions(), path, &opened);
  if (!s.ok()) {
    std::fprintf(stderr, "cairn_demo: reopen: %s\n", s.ToString().c_str());
    return false;
  }
  std::unique_ptr<rocksdb::DB> db(opened);
  reopen->latency.Add(fiber::now_nanos() - start);
  reopen->seconds = static_cast<double>(fiber::now_nanos() - start) * 1e-9;
  reopen->cpu_seconds = static_cast<double>(fiber::process_cpu_nanos() - cpu) * 1e-9;

  uint64_t wrong = 0;
  auto finish = [&wrong](Measure* measure) {
    std::fprintf(stderr, "  %s: %" PRIu64 " values, %" PRIu64 " wrong\n", measure->phase.c_str(),
                 measure->ops, measure->wrong);
    wrong += measure->wrong;
  };
  Measure* verify = add();
  verify->phase = "verify";
  Verify(db.get(), mode, *log, verify);
  finish(verify);
  Measure* reads = add();
  reads->phase = "random read";
  ReadAtRandom(db.get(), mode, *log, keys, reads);
  finish(reads);
  Measure* scan = add();
  scan->phase = "scan";
  Scan(db.get(), mode, *log, scan);
  finish(scan);
  ReleaseSharedMemory(memory, sizeof(SharedLog), log_name);
  return wrong == 0;
}

void PrintTable(const std::vector<std::pair<Mode, std::unique_ptr<Measure>>>& table) {
  std::printf("\n%-12s %-11s %10s %12s %10s %10s %12s\n", "clients", "phase", "ops", "ops/s",
              "p50 us", "p99 us", "CPU us/op");
  for (const auto& [mode, measure] : table) {
    // A scan's latencies are per 1000 pairs.
    const double unit = measure->phase == "scan" ? 1000 : 1;
    const auto ops = static_cast<double>(std::max<uint64_t>(1, measure->ops));
    std::printf("%3d %-8s %-11s %10" PRIu64 " %12.0f %10.2f %10.2f %12.2f\n", mode.clients,
                mode.fibers ? "fibers" : "threads", measure->phase.c_str(), measure->ops,
                ops / std::max(1e-9, measure->seconds),
                measure->latency.PercentileMicros(0.50) / unit,
                measure->latency.PercentileMicros(0.99) / unit, measure->cpu_seconds * 1e6 / ops);
  }
  std::fflush(stdout);
}

// Removes the databases and the directory if it was ours to make.
void CleanUp(const std::vector<std::string>& databases, const std::string& dir, bool made) {
  for (const auto& path : databases) {
    const rocksdb::Status s = rocksdb::DestroyDB(path, DemoOptions());
    if (!s.ok()) std::fprintf(stderr, "cairn_demo: %s: %s\n", path.c_str(), s.ToString().c_str());
    fiber::io::rmdir(path.c_str());  // DestroyDB leaves a directory with foreign files alone
  }
  if (made) fiber::io::rmdir(dir.c_str());
}

// Removes what a demo that was interrupted left in `dir`: the databases' files, two levels deep.
void RemoveTree(const std::string& dir) {
  std::vector<std::string> names;
  fiber::io::list_dir(dir.c_str(), &names);
  for (const std::string& name : names) {
    const std::string path = std::string(dir).append("/").append(name);
    if (fiber::io::unlink(path.c_str()) == -EISDIR) RemoveTree(path);
  }
  fiber::io::rmdir(dir.c_str());
}

// Lets a child of this process do the work and waits for it, for Ctrl+C (which both hear) or
// whatever else ends the child: then it removes `dir`. Returns only if there can be no child.
void CleanUpAfterChild(const std::string& dir) {
  std::vector<std::string> words = {"--made_dir=" + dir, "--keys=" + std::to_string(FLAGS_keys),
                                    "--clients=" + std::to_string(FLAGS_clients),
                                    "--workers=" + std::to_string(FLAGS_workers)};
  const std::unique_ptr<Child> child = Child::Start(words);
  if (child == nullptr) return;
  IgnoreInterrupts();
  const Ending ending = child->Wait();
  if (ending.by_itself) std::_Exit(ending.status);
  RemoveTree(dir);
  std::fprintf(stderr, "cairn_demo: ended by %#x; removed %s\n",
               static_cast<unsigned>(ending.status), dir.c_str());
  std::_Exit(130);
}

// A directory that nobody has; empty on failure.
std::string MakeTemporaryDirectory() {
  char name[64];
  std::snprintf(name, sizeof(name), "/cairn_demo.%016" PRIx64, fiber::random_u64());
  const std::string dir = TemporaryFolder() + name;
  const int result = fiber::io::mkdir(dir.c_str(), 0700);
  if (result == 0) return dir;
  std::fprintf(stderr, "cairn_demo: %s: %s\n", dir.c_str(), std::strerror(-result));
  return "";
}

int Main() {
  CheckFlags();
  Mode mode;
  mode.clients = FLAGS_clients;
  mode.workers = FLAGS_workers != 0
                     ? FLAGS_workers
                     : static_cast<int>(std::clamp(fiber::hardware_concurrency(), 1u, 4u));
  if (!FLAGS_child_path.empty()) {
    mode.fibers = FLAGS_child_fibers;
    void* log = AttachSharedMemory(sizeof(SharedLog), FLAGS_child_log);
    return log == nullptr ? 1
                          : LoadUntilKilled(FLAGS_child_path, mode, static_cast<SharedLog*>(log));
  }

  std::string dir = FLAGS_made_dir;
  bool made = !dir.empty();
  if (!made) {
    if (FLAGS_dir.empty()) {
      dir = MakeTemporaryDirectory();
      if (dir.empty()) return 1;
      made = true;
    } else {
      dir = FLAGS_dir;
      const int result = fiber::io::mkdir(dir.c_str(), 0755);
      if (result < 0 && result != -EEXIST) {
        std::fprintf(stderr, "cairn_demo: %s: %s\n", dir.c_str(), std::strerror(-result));
        return 1;
      }
      made = result == 0;
    }
    if (made) CleanUpAfterChild(dir);
  }

  std::vector<std::pair<Mode, std::unique_ptr<Measure>>> table;
  std::vector<std::string> databases = {dir + "/threads", dir + "/fibers"};
  bool good = true;
  for (int i = 0; i < 2 && good; i++) {
    mode.fibers = i == 1;
    good = RunMode(databases[i], mode, FLAGS_keys, &table);
  }
  if (!good) {
    std::fprintf(stderr, "cairn_demo: FAILED; the databases stay in %s\n", dir.c_str());
    return 1;
  }
  CleanUp(databases, dir, made);
  PrintTable(table);
  std::printf("\nEvery acknowledged value survived kill -9, on threads and on fibers.\n");
  return 0;
}

}  // namespace

}  // namespace demo

int main(int argc, char** argv) {
  gflags::SetUsageMessage(
      "loads keys in a child, kills it, reopens, verifies, reads and scans; on threads and on "
      "fibers");
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (argc == 1) return demo::Main();
  std::fprintf(stderr, "cairn_demo: what is %s? See --help\n", argv[1]);
  return 2;
}
