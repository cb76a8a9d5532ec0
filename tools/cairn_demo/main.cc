// cairn_demo: the main job of a store on real input. A child process loads a million keys and is
// killed while it still writes; the database is opened again, every acknowledged value checked,
// then read at random and scanned; once with OS threads as clients and once with fibers. One table
// at the end. Exit status 0: no value was lost or wrong.

#include <getopt.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "cairn_demo/phases.h"
#include "cairn_demo/shared_log.h"
#include "fiber/clock.h"
#include "fiber/cpu.h"
#include "fiber/io.h"
#include "fiber/runtime.h"
#include "rocksdb/db.h"

namespace demo {

namespace {

const char kUsage[] =
    "usage: cairn_demo [--keys=N] [--clients=N] [--workers=N] [--dir=DIR]\n"
    "  --keys=N      keys to load before the kill (1000000)\n"
    "  --clients=N   threads, then fibers, that write and read (16)\n"
    "  --workers=N   OS threads that run the fibers (the cores, at most 4)\n"
    "  --dir=DIR     directory for the databases, removed at the end (a new one under $TMPDIR or "
    "/tmp)\n";

struct Arguments {
  uint64_t keys = 1000000;
  int clients = 16;
  int workers = static_cast<int>(std::clamp(fiber::hardware_concurrency(), 1u, 4u));
  std::string dir;
  // Given by the parent to its child.
  std::string child_path;
  int child_log = -1;
  bool child_fibers = false;
};

Arguments Parse(int argc, char** argv) {
  static const option kOptions[] = {{"keys", required_argument, nullptr, 'k'},
                                    {"clients", required_argument, nullptr, 'c'},
                                    {"workers", required_argument, nullptr, 'w'},
                                    {"dir", required_argument, nullptr, 'd'},
                                    {"help", no_argument, nullptr, 'h'},
                                    {"child-path", required_argument, nullptr, 'P'},
                                    {"child-log", required_argument, nullptr, 'L'},
                                    {"child-fibers", no_argument, nullptr, 'F'},
                                    {nullptr, 0, nullptr, 0}};
  Arguments args;
  for (int c; (c = getopt_long(argc, argv, "", kOptions, nullptr)) != -1;) {
    switch (c) {
      case 'k':
        args.keys = std::strtoull(optarg, nullptr, 10);
        break;
      case 'c':
        args.clients = std::atoi(optarg);
        break;
      case 'w':
        args.workers = std::atoi(optarg);
        break;
      case 'd':
        args.dir = optarg;
        break;
      case 'P':
        args.child_path = optarg;
        break;
      case 'L':
        args.child_log = std::atoi(optarg);
        break;
      case 'F':
        args.child_fibers = true;
        break;
      case 'h':
        std::fputs(kUsage, stdout);
        std::exit(0);
      default:
        std::fputs(kUsage, stderr);
        std::exit(2);
    }
  }
  if (optind != argc || args.keys == 0 || args.clients < 1 || args.clients > kMaxClients ||
      args.workers < 1) {
    std::fputs(kUsage, stderr);
    std::exit(2);
  }
  return args;
}

// Starts this program again as the loading child.
pid_t StartChild(const std::string& path, const Mode& mode, int log_fd) {
  std::vector<std::string> words = {
      "cairn_demo", "--child-path=" + path, "--child-log=" + std::to_string(log_fd),
      "--clients=" + std::to_string(mode.clients), "--workers=" + std::to_string(mode.workers)};
  if (mode.fibers) words.push_back("--child-fibers");
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv("/proc/self/exe", argv.data());
    std::perror("cairn_demo: exec");
    std::_Exit(127);
  }
  if (child < 0) std::perror("cairn_demo: fork");
  return child;
}

class Progress {
 public:
  explicit Progress(const char* what) : what_(what), terminal_(isatty(STDERR_FILENO)) {}

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
bool LoadAndKill(const std::string& path, const Mode& mode, uint64_t keys, int log_fd,
                 const SharedLog& log, Measure* measure) {
  measure->phase = "load";
  const uint64_t start = fiber::now_nanos();
  const pid_t child = StartChild(path, mode, log_fd);
  if (child < 0) return false;
  Progress progress("loading");
  int status = 0;
  rusage usage = {};
  pid_t ended = 0;
  while (log.Acknowledged() < keys && ended == 0) {
    fiber::sleep_for(2 * 1000 * 1000);
    progress.Show(log.Acknowledged(), keys);
    ended = wait4(child, &status, WNOHANG, &usage);
  }
  progress.End();
  if (ended != 0) {
    std::fprintf(stderr, "cairn_demo: the loading child ended by itself, status %#x\n", status);
    return false;
  }
  kill(child, SIGKILL);
  measure->seconds = static_cast<double>(fiber::now_nanos() - start) * 1e-9;
  wait4(child, &status, 0, &usage);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  measure->cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
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
  int log_fd = -1;
  SharedLog* log = CreateSharedLog(&log_fd);
  if (log == nullptr) return false;
  auto add = [&]() -> Measure* {
    table->emplace_back(mode, std::make_unique<Measure>());
    return table->back().second.get();
  };
  if (!LoadAndKill(path, mode, keys, log_fd, *log, add())) return false;

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
  ReleaseSharedLog(log, log_fd);
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
    const std::string path = dir + "/" + name;
    if (fiber::io::unlink(path.c_str()) == -EISDIR) RemoveTree(path);
  }
  fiber::io::rmdir(dir.c_str());
}

// Goes on in a child of this process. The parent stays behind, for Ctrl-C (which both hear) or
// another signal that ends the child: then it removes `dir`. Returns in the child only.
void LeaveACleanerBehind(const std::string& dir) {
  const pid_t child = fork();
  if (child <= 0) {
    if (child == 0) prctl(PR_SET_PDEATHSIG, SIGTERM);
    return;  // without a cleaner, if there can be none
  }
  ::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) std::_Exit(WEXITSTATUS(status));
  RemoveTree(dir);
  std::fprintf(stderr, "cairn_demo: ended by signal %d; removed %s\n", WTERMSIG(status),
               dir.c_str());
  std::_Exit(128 + WTERMSIG(status));
}

int Main(int argc, char** argv) {
  const Arguments args = Parse(argc, argv);
  Mode mode;
  mode.clients = args.clients;
  mode.workers = args.workers;
  if (!args.child_path.empty()) {
    mode.fibers = args.child_fibers;
    SharedLog* log = AttachSharedLog(args.child_log);
    return log == nullptr ? 1 : LoadUntilKilled(args.child_path, mode, log);
  }

  std::string dir = args.dir;
  bool made = false;
  if (dir.empty()) {
    const char* base = std::getenv("TMPDIR");
    std::string pattern =
        std::string(base == nullptr || *base == '\0' ? "/tmp" : base) + "/cairn_demo.XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) {
      std::fprintf(stderr, "cairn_demo: %s: %s\n", pattern.c_str(), std::strerror(errno));
      return 1;
    }
    dir = pattern;
    made = true;
  } else {
    const int result = fiber::io::mkdir(dir.c_str(), 0755);
    if (result < 0 && result != -EEXIST) {
      std::fprintf(stderr, "cairn_demo: %s: %s\n", dir.c_str(), std::strerror(-result));
      return 1;
    }
    made = result == 0;
  }

  if (made) LeaveACleanerBehind(dir);

  std::vector<std::pair<Mode, std::unique_ptr<Measure>>> table;
  std::vector<std::string> databases = {dir + "/threads", dir + "/fibers"};
  bool good = true;
  for (int i = 0; i < 2 && good; i++) {
    mode.fibers = i == 1;
    good = RunMode(databases[i], mode, args.keys, &table);
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

int main(int argc, char** argv) { return demo::Main(argc, argv); }
