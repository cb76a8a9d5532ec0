// db_stress: many threads, or fibers, work on one database at once, and each answer is compared
// with a table of what is expected. In rounds: operations of all kinds; reads from a disk that
// fails; then the database is closed, or loses power, is opened again with other options, and
// compared as a whole.
//
//   db_stress [--seconds=60] [--threads=8] [--fibers] [--seed=N] [--db=DIR] ...
//
// On the public API alone, with cairn/fault_injection.h over the local file system. Threads race:
// a seed repeats what each client asks for, not the order (that is what cairn-sim is for). Exit
// status: 0; 1 after a violation, which is printed, with the database left as it is; 2 for a bad
// command line.
#include <gflags/gflags.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cairn/fault_injection.h"
#include "db_stress/client.h"
#include "db_stress/expected.h"
#include "fiber/clock.h"
#include "fiber/random.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"

DEFINE_string(
    db, "",
    "the database's directory, removed at the end; empty: a new one in $TMPDIR or where tests go");
DEFINE_uint32(threads, 8, "clients");
DEFINE_bool(fibers, false, "the clients are fibers on --workers OS threads");
DEFINE_uint32(workers, 2, "OS threads that run the fibers");
DEFINE_uint64(keys, 5000, "keys");
DEFINE_uint64(operations, 5000, "of each client in a round");
DEFINE_uint64(rounds, 0, "0: as many as begin within --seconds");
DEFINE_uint64(seconds, 60, "see --rounds");
DEFINE_uint64(seed, 0, "of options and operations; 0: a new one, printed");
DEFINE_bool(power_cuts, true, "half of the rounds end by the loss of what was not synced");
DEFINE_bool(read_faults, true, "a phase of each round has reads that fail or have a wrong bit");

namespace stress {
namespace {

using cairn::fault::Effect;
using rocksdb::Status;

constexpr uint32_t kMaxClients = 1024;
constexpr uint64_t kMaxKeys = 10'000'000;

rocksdb::Options Draw(uint64_t seed, rocksdb::Env* env) {
  Numbers numbers(seed);
  rocksdb::Options o;
  o.env = env;
  o.create_if_missing = true;
  o.write_buffer_size = (64 + numbers.Below(512)) << 10;
  o.max_write_buffer_number = static_cast<int>(2 + numbers.Below(3));
  o.target_file_size_base = 64 << 10;
  o.max_bytes_for_level_base = 256 << 10;
  o.level0_file_num_compaction_trigger = static_cast<int>(1 + numbers.Below(4));
  o.level_compaction_dynamic_level_bytes = numbers.OneIn(2);
  o.max_background_jobs = static_cast<int>(1 + numbers.Below(4));
  o.max_subcompactions = static_cast<uint32_t>(1 + numbers.Below(3));
  if (numbers.OneIn(4)) o.compaction_style = rocksdb::kCompactionStyleUniversal;
  o.compression = numbers.OneIn(2) ? rocksdb::kNoCompression : rocksdb::kLZ4Compression;
  o.enable_pipelined_write = numbers.OneIn(3);
  o.allow_concurrent_memtable_write = numbers.OneIn(2);
  o.manual_wal_flush = numbers.OneIn(5);
  o.recycle_log_file_num = numbers.Below(3);
  o.max_total_wal_size = numbers.OneIn(4) ? 300 << 10 : 0;
  o.avoid_flush_during_recovery = numbers.OneIn(3);
  o.max_open_files = numbers.OneIn(3) ? 20 : -1;
  o.max_manifest_file_size = numbers.OneIn(3) ? 4000 : uint64_t{1} << 30;
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 512 << numbers.Below(4);
  table.cache_index_and_filter_blocks = numbers.OneIn(2);
  table.block_cache = rocksdb::NewLRUCache(numbers.OneIn(2) ? 64 << 10 : 4 << 20);
  if (numbers.OneIn(2)) table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  o.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return o;
}

class Stress {
 public:
  Stress(std::string path, uint64_t seed)
      : path_(std::move(path)),
        seed_(seed),
        faults_(std::make_shared<cairn::fault::FaultInjectionFileSystem>(
            rocksdb::FileSystem::Default())),
        env_(rocksdb::NewCompositeEnv(faults_)),
        shared_(FLAGS_keys),
        numbers_(seed) {}

  void Run() {
    const uint64_t deadline = fiber::deadline_after(FLAGS_seconds * 1'000'000'000);
    bool power_cut = false;
    uint64_t round = 0, cuts = 0;
    for (; FLAGS_rounds > 0 ? round < FLAGS_rounds : fiber::now_nanos() < deadline; ++round) {
      Open(round, power_cut);
      Clients(FLAGS_operations, round * 2);
      if (FLAGS_read_faults) ReadFromAFailingDisk(round);
      power_cut = FLAGS_power_cuts && numbers_.OneIn(2);
      cuts += power_cut;
      Close(power_cut);
    }
    Open(round, power_cut);
    Close(/*power_cut=*/false);
    std::printf("%" PRIu64 " rounds, %" PRIu64 " power cuts, %" PRIu64 " operations, %" PRIu64
                " reads that the disk failed: no violation\n",
                round, cuts, shared_.operations.load(), shared_.failed_reads.load());
    const Status s = rocksdb::DestroyDB(path_, rocksdb::Options());
    if (!s.ok()) Violation("DestroyDB: " + s.ToString());
  }

 private:
  // Opens with other options, and compares everything. After a power cut what is there counts, if
  // it is what was durable or newer.
  void Open(uint64_t round, bool power_cut) {
    const Status s = rocksdb::DB::Open(Draw(seed_ + round, env_.get()), path_, &db_);
    if (!s.ok()) Violation("Open: " + s.ToString());
    shared_.db = db_.get();
    std::vector<Version> from = shared_.expected.AllAcknowledged();
    if (power_cut) {
      const fiber::MutexLock lock(&shared_.durable_mutex);
      from = shared_.durable;
      from.resize(FLAGS_keys);
    }
    std::vector<std::optional<std::string>> found(FLAGS_keys);
    const std::unique_ptr<rocksdb::Iterator> it(db_->NewIterator(rocksdb::ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      const std::optional<uint64_t> key = KeyNumber(it->key().ToStringView(), FLAGS_keys);
      if (!key.has_value()) Violation("after the open, a key of nobody: " + it->key().ToString());
      found[*key] = it->value().ToString();
    }
    if (!it->status().ok()) Violation("after the open: " + it->status().ToString());
    for (uint64_t key = 0; key < FLAGS_keys; ++key) {
      std::string error;
      if (!shared_.expected.Restart(key, from[key], found[key], &error)) {
        Violation((power_cut ? "after a power cut: " : "after the open: ") + error);
      }
    }
    const fiber::MutexLock lock(&shared_.durable_mutex);
    shared_.durable = shared_.expected.AllAcknowledged();
  }

  void Clients(uint64_t operations, uint64_t phase) {
    std::unique_ptr<fiber::Runtime> runtime;
    std::vector<fiber::JoinHandle> fibers;
    std::vector<fiber::Thread> threads;
    std::vector<std::unique_ptr<Client>> clients;
    if (FLAGS_fibers) {
      fiber::RuntimeOptions options;
      options.workers = static_cast<int>(FLAGS_workers);
      runtime = std::make_unique<fiber::Runtime>(options);
    }
    for (uint32_t i = 0; i < FLAGS_threads; ++i) {
      clients.push_back(
          std::make_unique<Client>(&shared_, seed_ * 1'000'003 + phase * kMaxClients + i));
      Client* const client = clients.back().get();
      const auto run = [client, operations] { client->Run(operations); };
      if (FLAGS_fibers) {
        fibers.push_back(runtime->spawn(run));
      } else {
        threads.emplace_back("client", run);
      }
    }
    for (auto& fiber : fibers) fiber.join();
    for (auto& thread : threads) thread.join();
  }

  // Nothing is flushed or compacted meanwhile: a job that cannot read would stop the writes.
  void ReadFromAFailingDisk(uint64_t round) {
    Must(db_->PauseBackgroundWork(), "PauseBackgroundWork");
    shared_.read_only = true;
    cairn::fault::Rule rule;
    rule.operations = cairn::fault::kRead;
    rule.files = cairn::fault::kTables;
    rule.one_in = 20;
    rule.seed = seed_ + round;
    const auto errors = faults_->AddRule(rule);
    rule.effect = Effect::kWrongBit;
    const auto bits = faults_->AddRule(rule);
    Clients(FLAGS_operations / 5, round * 2 + 1);
    faults_->RemoveRule(errors);
    faults_->RemoveRule(bits);
    shared_.read_only = false;
    Must(db_->ContinueBackgroundWork(), "ContinueBackgroundWork");
  }

  void Close(bool power_cut) {
    if (!power_cut) {
      Must(db_->Close(), "Close");
      db_.reset();
      return;
    }
    faults_->SetFilesystemActive(false);
    db_.reset();
    faults_->Heal();
    Must(numbers_.OneIn(2) ? faults_->DropUnsynced()
                           : faults_->DropUnsyncedRandomly(numbers_.Next()),
         "the loss of what was not synced");
  }

  void Must(const Status& s, const char* what) {
    if (!s.ok()) Violation(std::string(what) + " fails: " + s.ToString());
  }

  const std::string path_;
  const uint64_t seed_;
  const std::shared_ptr<cairn::fault::FaultInjectionFileSystem> faults_;
  const std::unique_ptr<rocksdb::Env> env_;
  Shared shared_;
  Numbers numbers_;
  std::unique_ptr<rocksdb::DB> db_;
};

int Main() {
  if (FLAGS_threads == 0 || FLAGS_threads > kMaxClients || FLAGS_keys == 0 ||
      FLAGS_keys > kMaxKeys || FLAGS_workers == 0 || FLAGS_workers > kMaxClients) {
    std::fprintf(stderr,
                 "db_stress: --threads and --workers are 1 to 1024, --keys 1 to 10000000\n");
    return 2;
  }
  const uint64_t seed = FLAGS_seed != 0 ? FLAGS_seed : 1 + fiber::random_u64() % 1'000'000;
  std::string path = FLAGS_db;
  if (path.empty()) {
    const char* folder = std::getenv("TMPDIR");
    if (folder != nullptr) {
      path = folder;
    } else {
      (void)rocksdb::Env::Default()->GetTestDirectory(&path);
    }
    path += "/db_stress." + std::to_string(fiber::random_u64());
  }
  std::printf("seed %" PRIu64 ", %u %s, %s\n", seed, FLAGS_threads,
              FLAGS_fibers ? "fibers" : "threads", path.c_str());
  std::fflush(stdout);
  Stress(path, seed).Run();
  return 0;
}

}  // namespace
}  // namespace stress

int main(int argc, char** argv) {
  gflags::SetUsageMessage("[flags]: works on a database from many threads or fibers, and verifies");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  return stress::Main();
}
