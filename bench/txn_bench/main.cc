// txn_bench: clients that move money between accounts, each time in a pessimistic transaction, on
// any library with RocksDB's C interface: Cairn's libcairn.so, on threads or on its fibers, or a
// release of RocksDB. Prints a line for each workload, and with --json one for scripts. It fails if
// money came or went.
#include <gflags/gflags.h>

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
#include "kv_bench/options.h"
#include "kv_bench/usage.h"
#include "txn_bench/bank.h"

DEFINE_string(library, "", "the shared library to measure: a path, or a name for the linker");
DEFINE_string(benchmarks, "transfer",
              "in order: transfer (for --duration), waiting (all clients wait for one account: the "
              "memory that each takes)");
DEFINE_string(db, "", "directory of the database; what is there is destroyed");
DEFINE_uint64(accounts, 1000000, "accounts; few of them: contention");
DEFINE_int32(clients, 16, "");
DEFINE_int32(fiber_workers, 0, "run the clients as fibers on so many workers (0: OS threads)");
DEFINE_uint64(fiber_stack_size, 0, "bytes (0: the library's default)");
DEFINE_double(duration, 10, "seconds of a workload");
DEFINE_uint64(value_size, 100, "bytes of an account, of which the balance takes 8");
DEFINE_double(compression_ratio, 0.5, "of what fills an account up");
DEFINE_int64(lock_timeout, 1000, "milliseconds that a lock is waited for; -1: no limit");
DEFINE_bool(deadlock_detect, false, "look for a cycle of waiting transactions before each wait");
DEFINE_bool(ordered, true,
            "lock the account with the lower number first; false: deadlocks, which a timeout or "
            "--deadlock_detect ends");
DEFINE_bool(sync, false, "sync each commit");
DEFINE_uint64(seed, 1, "of the random numbers");
DEFINE_bool(json, false, "print a line of JSON for each workload, too");

namespace txn_bench {
namespace {

struct Start {
  Client* client;
  void (*workload)(Client*);
};

// The clients of one workload, as threads or as fibers of the library.
class Clients {
 public:
  Clients(const kv_bench::Engine& engine, Bank* bank, uint64_t seed, void (*workload)(Client*))
      : engine_(engine) {
    for (int i = 0; i < FLAGS_clients; ++i) {
      clients_.push_back(std::make_unique<Client>(bank, seed * 1000003 + i));
      starts_.push_back({clients_.back().get(), workload});
    }
  }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  void Run() {
    const auto body = [](void* argument) {
      const auto* start = static_cast<Start*>(argument);
      start->workload(start->client);
    };
    if (FLAGS_fiber_workers > 0) {
      runtime_ = engine_.fiber_runtime_create(FLAGS_fiber_workers, FLAGS_fiber_stack_size);
    }
    for (Start& start : starts_) {
      if (runtime_ != nullptr) {
        fibers_.push_back(engine_.fiber_spawn(runtime_, body, &start));
      } else {
        threads_.push_back(
            std::make_unique<fiber::Thread>("client", [&start, body] { body(&start); }));
      }
    }
  }
  void Join() {
    for (auto& thread : threads_) thread->join();
    for (fiber_handle_t* fiber : fibers_) engine_.fiber_join(fiber);
    if (runtime_ != nullptr) engine_.fiber_runtime_destroy(runtime_);
  }
  // Empty, or what a client ended with.
  std::string error() const {
    for (const auto& client : clients_) {
      if (!client->error.empty()) return client->error;
    }
    return "";
  }
  const std::vector<std::unique_ptr<Client>>& all() const { return clients_; }

 private:
  const kv_bench::Engine& engine_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<Start> starts_;
  std::vector<std::unique_ptr<fiber::Thread>> threads_;
  std::vector<fiber_handle_t*> fibers_;
  fiber_runtime_t* runtime_ = nullptr;
};

class Bench {
 public:
  Bench(const kv_bench::Engine& engine, const Transactions& transactions)
      : engine_(engine), transactions_(transactions) {}
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;
  ~Bench() {
    if (bank_.db != nullptr) transactions_.rocksdb_transactiondb_close(bank_.db);
    if (bank_.options != nullptr) transactions_.rocksdb_transaction_options_destroy(bank_.options);
    if (bank_.reading != nullptr) engine_.rocksdb_readoptions_destroy(bank_.reading);
    if (bank_.writing != nullptr) engine_.rocksdb_writeoptions_destroy(bank_.writing);
    if (options_ != nullptr) engine_.rocksdb_options_destroy(options_);
    if (cache_ != nullptr) engine_.rocksdb_cache_destroy(cache_);
  }

  // False after an error, which it prints. So do the others.
  bool Open() {
    std::string refusal;
    if (!kv_bench::MakeOptions(engine_, &cache_, &options_, &refusal)) {
      std::fprintf(stderr, "txn_bench: %s\n", refusal.c_str());
      return false;
    }
    char* error = nullptr;
    engine_.rocksdb_destroy_db(options_, FLAGS_db.c_str(), &error);
    engine_.rocksdb_free(error);  // there may be nothing to destroy
    error = nullptr;
    auto* const options = transactions_.rocksdb_transactiondb_options_create();
    transactions_.rocksdb_transactiondb_options_set_transaction_lock_timeout(options,
                                                                             FLAGS_lock_timeout);
    bank_.db =
        transactions_.rocksdb_transactiondb_open(options_, options, FLAGS_db.c_str(), &error);
    transactions_.rocksdb_transactiondb_options_destroy(options);
    if (bank_.db == nullptr) {
      std::fprintf(stderr, "txn_bench: open: %s\n", error == nullptr ? "failed" : error);
      engine_.rocksdb_free(error);
      return false;
    }
    bank_.engine = &engine_;
    bank_.transactions = &transactions_;
    bank_.reading = engine_.rocksdb_readoptions_create();
    bank_.writing = engine_.rocksdb_writeoptions_create();
    bank_.options = transactions_.rocksdb_transaction_options_create();
    transactions_.rocksdb_transaction_options_set_deadlock_detect(bank_.options,
                                                                  FLAGS_deadlock_detect);
    bank_.accounts = FLAGS_accounts;
    bank_.value_size = FLAGS_value_size;
    bank_.ordered = FLAGS_ordered;
    bank_.values = &values_;
    const std::string wrong = OpenAccounts(bank_);
    if (!wrong.empty()) std::fprintf(stderr, "txn_bench: accounts: %s\n", wrong.c_str());
    engine_.rocksdb_writeoptions_set_sync(bank_.writing, FLAGS_sync);
    return wrong.empty();
  }

  bool Transfers() {
    Clients clients(engine_, &bank_, FLAGS_seed, &Transfer);
    const kv_bench::Usage before = kv_bench::UsageNow(engine_, options_);
    bank_.begin = fiber::now_nanos();
    bank_.deadline = bank_.begin + static_cast<uint64_t>(FLAGS_duration * 1e9);
    clients.Run();
    clients.Join();
    const double seconds = static_cast<double>(fiber::now_nanos() - bank_.begin) / 1e9;
    const kv_bench::Usage usage =
        kv_bench::Difference(before, kv_bench::UsageNow(engine_, options_));
    std::string error = clients.error();
    int64_t sum = 0;
    if (error.empty()) SumOf(bank_, &sum, &error);
    if (error.empty() && sum != kFirstBalance * static_cast<int64_t>(FLAGS_accounts)) {
      error = "the accounts hold " + std::to_string(sum) + " in all, not " +
              std::to_string(kFirstBalance * static_cast<int64_t>(FLAGS_accounts));
    }
    if (!error.empty()) {
      std::fprintf(stderr, "txn_bench: transfer: %s\n", error.c_str());
      return false;
    }
    Print(clients, seconds, usage);
    return true;
  }

  // One transaction has the account, all clients wait for it; then they have it in turn.
  bool Waiting() {
    auto* const holder =
        transactions_.rocksdb_transaction_begin(bank_.db, bank_.writing, bank_.options, nullptr);
    char* message = nullptr;
    size_t size = 0;
    db_bench::KeyBuffer key(16);
    const rocksdb::Slice name = key.Set(0);
    engine_.rocksdb_free(transactions_.rocksdb_transaction_get_for_update(
        holder, bank_.reading, name.data(), name.size(), &size, 1, &message));
    Clients clients(engine_, &bank_, FLAGS_seed, &WaitForAccount);
    const uint64_t before = kv_bench::ResidentBytes();
    if (message == nullptr) {
      clients.Run();
      while (bank_.ready.load() < FLAGS_clients) fiber::sleep_for(10'000'000);
      fiber::sleep_for(1'000'000'000);  // the last ones, too, are behind the call by then
    }
    const uint64_t resident = kv_bench::ResidentBytes() - before;
    const uint64_t start = fiber::now_nanos();
    if (message == nullptr) transactions_.rocksdb_transaction_rollback(holder, &message);
    clients.Join();
    const double seconds = static_cast<double>(fiber::now_nanos() - start) / 1e9;
    transactions_.rocksdb_transaction_destroy(holder);
    const std::string error = message == nullptr ? clients.error() : message;
    engine_.rocksdb_free(message);
    if (!error.empty()) {
      std::fprintf(stderr, "txn_bench: waiting: %s\n", error.c_str());
      return false;
    }
    std::printf("%-10s : %d clients  %.1f MB resident  %.1f KB each  %.3f s until all had it\n",
                "waiting", FLAGS_clients, static_cast<double>(resident) / 1e6,
                static_cast<double>(resident) / 1e3 / FLAGS_clients, seconds);
    if (FLAGS_json) {
      std::printf(
          "{\"workload\": \"waiting\", \"clients\": %d, \"fiber_workers\": %d, "
          "\"resident_bytes\": %" PRIu64 ", \"seconds\": %.6f}\n",
          FLAGS_clients, FLAGS_fiber_workers, resident, seconds);
    }
    return true;
  }

 private:
  void Print(const Clients& clients, double seconds, const kv_bench::Usage& usage) {
    uint64_t operations = 0, refused = 0, longest = 0;
    bench::Latency latency;
    for (const auto& client : clients.all()) {
      operations += client->measured.operations;
      refused += client->refused;
      longest = std::max(longest, client->measured.longest_nanos);
      latency.Merge(client->measured.latency);
    }
    const auto transfers = static_cast<double>(std::max<uint64_t>(operations, 1));
    std::printf(
        "%-10s : %d clients on %s  %.0f transactions/s  %.2f CPU us each  p50 %.0f  p99 %.0f  "
        "max %.0f us  %" PRIu64 " refused\n",
        "transfer", FLAGS_clients, FLAGS_fiber_workers > 0 ? "fibers" : "threads",
        transfers / seconds, usage.cpu_seconds * 1e6 / transfers, latency.PercentileMicros(0.5),
        latency.PercentileMicros(0.99), static_cast<double>(longest) / 1e3, refused);
    if (!FLAGS_json) return;
    std::printf(
        "{\"workload\": \"transfer\", \"clients\": %d, \"fiber_workers\": %d, \"accounts\": "
        "%" PRIu64 ", \"operations\": %" PRIu64 ", \"refused\": %" PRIu64
        ", \"seconds\": %.6f, \"ops_per_second\": %.1f, \"cpu_us_per_op\": %.4f, "
        "\"p50_us\": %.3f, \"p99_us\": %.3f, \"max_us\": %.1f, \"peak_memory_bytes\": %" PRIu64
        "}\n",
        FLAGS_clients, FLAGS_fiber_workers, FLAGS_accounts, operations, refused, seconds,
        transfers / seconds, usage.cpu_seconds * 1e6 / transfers, latency.PercentileMicros(0.5),
        latency.PercentileMicros(0.99), static_cast<double>(longest) / 1e3,
        usage.peak_memory_bytes);
  }

  const kv_bench::Engine& engine_;
  const Transactions& transactions_;
  const db_bench::ValueGenerator values_{FLAGS_compression_ratio};
  rocksdb_options_t* options_ = nullptr;
  rocksdb_cache_t* cache_ = nullptr;
  Bank bank_;
};

int Main() {
  if (FLAGS_library.empty() || FLAGS_db.empty() || FLAGS_clients < 1 || FLAGS_accounts < 2 ||
      FLAGS_value_size < sizeof(int64_t)) {
    std::fprintf(stderr,
                 "txn_bench: --library=FILE and --db=DIRECTORY are needed; --clients must be at "
                 "least 1, --accounts 2, --value_size 8\n");
    return 2;
  }
  kv_bench::Engine engine;
  Transactions transactions;
  std::string error;
  if (!kv_bench::Load(FLAGS_library, /*sync=*/false, &engine, &error) ||
      !Load(FLAGS_library, &transactions, &error)) {
    std::fprintf(stderr, "txn_bench: %s\n", error.c_str());
    return 2;
  }
  if (FLAGS_fiber_workers > 0 && !engine.has_fibers()) {
    std::fprintf(stderr, "txn_bench: --fiber_workers: %s has no fibers\n", FLAGS_library.c_str());
    return 2;
  }
  std::vector<std::string> names;
  std::stringstream list(FLAGS_benchmarks);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  for (const std::string& name : names) {
    if (name == "transfer" || name == "waiting") continue;
    std::fprintf(stderr, "txn_bench: no workload '%s'; there are: transfer, waiting\n",
                 name.c_str());
    return 2;
  }
  Bench bench(engine, transactions);
  if (!bench.Open()) return 1;
  for (const std::string& name : names) {
    if (!(name == "transfer" ? bench.Transfers() : bench.Waiting())) return 1;
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace txn_bench

int main(int argc, char** argv) {
  gflags::SetUsageMessage("--library=FILE --db=DIRECTORY [flags]: bank transfers in transactions");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  if (argc > 1) {
    std::fprintf(stderr, "txn_bench: what is '%s'? Flags begin with --; see --help\n", argv[1]);
    return 2;
  }
  return txn_bench::Main();
}
