// crash_writer: the program that crash_check.py kills. It opens a database, verifies what the life
// before it left there, and writes on until it is killed: writes, batches, deletes, flushes,
// compactions and syncs, on several writers at once, under options that differ from life to life.
// What was acknowledged goes to a journal outside of the database (journal.h).
//
//   crash_writer --db=DIR --state=FILE --seed=N [--power] [--durability=D] [--verify_only]
//
// Uses the public API alone. Prints a line for each step. It reads commands from standard input:
// "distrust" before the file system breaks off (what is synced from then on need not be there),
// "resume" after the disk failed (DB::Resume, then the writes that failed once more), "stop" (flush
// and close). Exit status: 0; 1: the database lacks what it promised, or has what nobody wrote;
// 2: the check itself cannot go on, or a bad command line.
#include <gflags/gflags.h>
#include <unistd.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"
#include "crash/journal.h"
#include "crash/work.h"
#include "fiber/io.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/db.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/table.h"
#include "rocksdb/write_batch.h"

DEFINE_string(db, "", "the database's directory");
DEFINE_string(state, "", "where it is remembered what was written, outside of the database");
DEFINE_uint64(seed, 1, "of the writes and options; odd: without SingleDelete");
DEFINE_uint32(writers, 4, "that write at once, half of the lives as fibers");
DEFINE_bool(power, false, "the last life ended by a power cut: only what was synced must be there");
DEFINE_string(durability, "any", "sync, os, manual (FlushWAL), nowal, or any: drawn for each life");
DEFINE_bool(verify_only, false, "verify, close, open, verify, and end");

namespace cairn::crash {
namespace {

constexpr uint32_t kMaxWriters = 64;

enum class Durability { kSync, kOs, kManual, kNoWal };
constexpr const char* kDurabilityNames[] = {"sync", "os", "manual", "nowal"};

struct Plan {
  Options options;
  Durability durability = Durability::kOs;
  uint64_t sync_one_in = 0;
  bool fibers = false;
  uint64_t pause_micros = 0;  // of the maintenance, at most
};

Plan Draw(uint64_t seed, uint64_t life) {
  Random64 random(seed * 1000003 + life);
  Plan plan;
  plan.durability = static_cast<Durability>(random.Uniform(4));
  for (int i = 0; i < 4; ++i) {
    if (FLAGS_durability == kDurabilityNames[i]) plan.durability = static_cast<Durability>(i);
  }
  const uint64_t sync_one_in[] = {1, 3, 20, 100};
  plan.sync_one_in = plan.durability == Durability::kSync     ? sync_one_in[random.Uniform(4)]
                     : plan.durability == Durability::kManual ? 50
                                                              : 0;
  plan.fibers = random.OneIn(2);
  plan.pause_micros = random.OneIn(2) ? 5'000 : 100'000;
  Options& o = plan.options;
  o.create_if_missing = true;
  o.write_buffer_size = random.OneIn(2) ? 64 << 10 : 512 << 10;
  o.max_write_buffer_number = static_cast<int>(2 + random.Uniform(3));
  o.target_file_size_base = 64 << 10;
  o.max_bytes_for_level_base = 128 << 10;
  o.level0_file_num_compaction_trigger = static_cast<int>(1 + random.Uniform(4));
  o.max_background_jobs = static_cast<int>(1 + random.Uniform(4));
  o.max_subcompactions = static_cast<uint32_t>(1 + random.Uniform(3));
  if (random.OneIn(4)) o.compaction_style = kCompactionStyleUniversal;
  o.compression = random.OneIn(2) ? kNoCompression : kLZ4Compression;
  o.enable_pipelined_write = random.OneIn(3);
  o.allow_concurrent_memtable_write = random.OneIn(2);
  o.manual_wal_flush = plan.durability == Durability::kManual;
  o.recycle_log_file_num = random.Uniform(3);
  o.wal_bytes_per_sync = random.OneIn(3) ? 16 << 10 : 0;
  o.bytes_per_sync = random.OneIn(3) ? 16 << 10 : 0;
  o.max_total_wal_size = random.OneIn(4) ? 200 << 10 : 0;
  o.avoid_flush_during_recovery = random.OneIn(3);
  o.avoid_flush_during_shutdown = random.OneIn(4);
  o.max_manifest_file_size = random.OneIn(3) ? 2000 : uint64_t{1} << 30;
  o.max_open_files = random.OneIn(3) ? 20 : -1;
  o.use_direct_io_for_flush_and_compaction = random.OneIn(4);
  o.use_direct_reads = random.OneIn(6);
  o.use_fsync = random.OneIn(4);
  o.paranoid_file_checks = random.OneIn(4);
  BlockBasedTableOptions table;
  table.block_size = 1024;
  if (random.OneIn(2)) table.filter_policy.reset(NewBloomFilterPolicy(10));
  o.table_factory.reset(NewBlockBasedTableFactory(table));
  return plan;
}

[[noreturn]] void Violation(const std::string& text) {
  std::printf("VIOLATION: %s\n", text.c_str());
  std::fflush(stdout);
  _exit(1);
}

void Say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

std::string Join(const std::vector<uint64_t>& numbers) {
  std::string text;
  for (const uint64_t n : numbers) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

// A life: from the opening to the kill.
class Life {
 public:
  Life(const Plan& plan, Memory memory) : plan_(plan), memory_(std::move(memory)) {}

  // Opens the database and compares what it holds with what the life before was promised.
  void OpenAndVerify() {
    Open();
    const std::vector<uint64_t> held = Held();
    const Promises promises = ReadJournal(LogName(FLAGS_state, memory_.life), held, FLAGS_power);
    Verify(promises);
  }

  // Verifies once more, with all that is there promised, after a close.
  void ReopenAndVerify() {
    const Status s = db_->Close();
    if (!s.ok()) Violation("the database does not close: " + s.ToString());
    db_.reset();
    Open();
    Promises promises{held_, held_, held_, {}};
    promises.before.resize(held_.size());
    Verify(promises);
    db_.reset();
  }

  // Writes until the process is killed, or "stop" is read.
  void Run() {
    const uint64_t last = memory_.life;
    ++memory_.life;
    for (uint32_t w = 0; w < FLAGS_writers; ++w) {
      auto& starts = memory_.starts[w];
      while (!starts.empty() && starts.back().first > held_[w]) starts.pop_back();
      starts.push_back({memory_.life, held_[w] + 1});
    }
    memory_.Save(FLAGS_state);
    fiber::io::unlink(LogName(FLAGS_state, last).c_str());
    journal_ = std::make_unique<Journal>(LogName(FLAGS_state, memory_.life));
    Say("life " + std::to_string(memory_.life) + " writes, durability " +
        kDurabilityNames[static_cast<int>(plan_.durability)]);

    fiber::Thread maintenance("maintenance", [this] { Maintain(); });
    std::unique_ptr<fiber::Runtime> runtime;
    std::vector<fiber::JoinHandle> fibers;
    std::vector<fiber::Thread> threads;
    if (plan_.fibers) {
      fiber::RuntimeOptions options;
      options.workers = 2;
      runtime = std::make_unique<fiber::Runtime>(options);
    }
    for (uint32_t w = 0; w < FLAGS_writers; ++w) {
      if (plan_.fibers) {
        fibers.push_back(runtime->spawn([this, w] { Write(w); }));
      } else {
        threads.emplace_back("writer", [this, w] { Write(w); });
      }
    }
    Obey();
    for (auto& fiber : fibers) fiber.join();
    for (auto& thread : threads) thread.join();
    maintenance.join();
    Promise("s", [&] { return db_->Flush(FlushOptions()); });
    const Status s = db_->Close();
    Say("closed: " + s.ToString());
    db_.reset();
  }

 private:
  void Open() {
    const Status s = DB::Open(plan_.options, FLAGS_db, &db_);
    if (!s.ok()) Violation("the database does not open: " + s.ToString());
  }

  // The number of each writer's last write when the last life began.
  std::vector<uint64_t> Held() const {
    std::vector<uint64_t> held;
    for (const auto& starts : memory_.starts) {
      held.push_back(starts.empty() ? 0 : starts.back().first - 1);
    }
    return held;
  }

  std::vector<std::map<std::string, std::string>> ReadAll() {
    std::vector<std::map<std::string, std::string>> found(FLAGS_writers);
    std::unique_ptr<Iterator> it(db_->NewIterator(ReadOptions()));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      uint32_t writer = kMaxWriters;
      const std::string key = it->key().ToString();
      if (std::sscanf(key.c_str(), "w%02u/", &writer) != 1 || writer >= FLAGS_writers) {
        Violation("a key that nobody wrote: " + key);
      }
      found[writer][key] = it->value().ToString();
    }
    if (!it->status().ok()) Violation("it cannot be read: " + it->status().ToString());
    return found;
  }

  void Verify(const Promises& promises) {
    const auto found = ReadAll();
    held_.assign(FLAGS_writers, 0);
    contents_.assign(FLAGS_writers, {});
    std::vector<Matches> matches(FLAGS_writers);
    uint64_t lost = 0;
    for (uint32_t w = 0; w < FLAGS_writers; ++w) {
      std::string difference;
      if (!Match(FLAGS_seed, w, memory_.starts[w], promises.least[w], promises.most[w], found[w],
                 &matches[w], &contents_[w], &difference)) {
        Violation("writer " + std::to_string(w) + "'s keys are as after none of its writes " +
                  std::to_string(promises.least[w]) + " (promised) to " +
                  std::to_string(promises.most[w]) + "; after the first of them:" + difference);
      }
      held_[w] = matches[w].last;
      if (promises.acknowledged[w] > held_[w]) lost += promises.acknowledged[w] - held_[w];
    }
    // What is there has all before it that had been acknowledged when it began.
    for (uint32_t w = 0; w < FLAGS_writers; ++w) {
      const auto before = promises.before[w].find(matches[w].first);
      if (before == promises.before[w].end()) continue;
      for (uint32_t other = 0; other < FLAGS_writers; ++other) {
        if (before->second[other] > held_[other]) {
          Violation("a hole: writer " + std::to_string(w) + "'s write " + std::to_string(held_[w]) +
                    " is there, and writer " + std::to_string(other) + "'s " +
                    std::to_string(before->second[other]) +
                    ", acknowledged before it began, is not: there are " +
                    std::to_string(held_[other]));
        }
      }
    }
    for (uint32_t w = 0; w < FLAGS_writers; ++w) {  // the other way to read
      for (const auto& [key, value] : found[w]) {
        std::string got;
        const Status s = db_->Get(ReadOptions(), key, &got);
        if (!s.ok()) Violation("Get of a key that the iterator has: " + key + ": " + s.ToString());
        if (got != value) Violation("Get differs from the iterator: " + key);
      }
    }
    if (memory_.life % 8 == 7) {
      const Status s = db_->VerifyChecksum();
      if (!s.ok()) Violation("VerifyChecksum: " + s.ToString());
    }
    Say("life " + std::to_string(memory_.life) + " verified: promised " + Join(promises.least) +
        " issued " + Join(promises.most) + " held " + Join(held_) + " acknowledged_lost " +
        std::to_string(lost));
  }

  // One writer. A write that fails is issued again, unchanged, after "resume".
  void Write(uint32_t writer) {
    Random64 random(FLAGS_seed + memory_.life * 1000 + writer);
    Contents& contents = contents_[writer];
    for (uint64_t n = held_[writer] + 1; !stop_.load(std::memory_order_relaxed); ++n) {
      const std::vector<Change> changes = ChangesOf(FLAGS_seed, writer, n);
      const std::string name = std::to_string(writer) + " " + std::to_string(n);
      WriteOptions options;
      options.disableWAL = plan_.durability == Durability::kNoWal;
      options.sync = plan_.sync_one_in > 0 && random.OneIn(plan_.sync_one_in);
      for (;;) {
        journal_->Line("b " + name);
        const Status s = Issue(options, writer, n, changes);
        if (s.ok()) break;
        if (!AwaitResume("write " + name + ": " + s.ToString())) return;
      }
      journal_->Line("a " + name +
                     (options.sync                             ? " s"
                      : plan_.durability == Durability::kNoWal ? " n"
                      : plan_.options.manual_wal_flush         ? " n"
                                                               : " o"));
      Apply(changes, memory_.life, n, &contents);
      if (random.OneIn(6)) {
        const std::string key = ChangesOf(FLAGS_seed, writer, 1 + random.Uniform(n)).front().key;
        if (!CheckRead(writer, key, contents)) return;
      }
    }
  }

  Status Issue(const WriteOptions& options, uint32_t writer, uint64_t n,
               const std::vector<Change>& changes) {
    const auto value = [&](const Change& change) {
      return ValueOf(FLAGS_seed, writer, {memory_.life, n, change.part});
    };
    if (changes.size() == 1) {
      const Change& only = changes.front();
      switch (only.kind) {
        case Change::Kind::kPut:
          return db_->Put(options, only.key, value(only));
        case Change::Kind::kDelete:
          return db_->Delete(options, only.key);
        case Change::Kind::kSingleDelete:
          return db_->SingleDelete(options, only.key);
      }
    }
    WriteBatch batch;
    for (const Change& change : changes) {
      const Status s = change.kind == Change::Kind::kPut ? batch.Put(change.key, value(change))
                                                         : batch.Delete(change.key);
      if (!s.ok()) return s;
    }
    return db_->Write(options, &batch);
  }

  // Whether the writer is to go on.
  bool CheckRead(uint32_t writer, const std::string& key, const Contents& contents) {
    for (;;) {
      std::string value;
      const Status s = db_->Get(ReadOptions(), key, &value);
      const auto expected = contents.find(key);
      if (s.IsNotFound() && expected == contents.end()) return true;
      if (s.ok() && expected != contents.end() &&
          value == ValueOf(FLAGS_seed, writer, expected->second)) {
        return true;
      }
      if (s.ok() || s.IsNotFound()) {
        Violation("a read of " + key + " found " + (s.ok() ? value.substr(0, 40) : "nothing"));
      }
      if (!AwaitResume("read " + key + ": " + s.ToString())) return false;
    }
  }

  // SUSPENDS until "resume" or "stop" is read, after an error. False: stop.
  bool AwaitResume(const std::string& error) {
    Say("error: " + error);
    fiber::MutexLock lock(&mutex_);
    const uint64_t resumed = resumed_;
    while (resumed_ == resumed && !stop_.load(std::memory_order_relaxed)) {
      changed_.wait(&mutex_);
    }
    return !stop_.load(std::memory_order_relaxed);
  }

  template <class Operation>
  Status Promise(const char* kind, Operation operation) {
    const std::string id = std::to_string(++operations_);
    journal_->Line("B " + id);
    const Status s = operation();
    if (s.ok()) journal_->Line("D " + id + " " + kind);
    return s;
  }

  // Flushes, compactions and syncs beside the writers.
  void Maintain() {
    Random64 random(FLAGS_seed * 31 + memory_.life);
    const bool log = plan_.durability != Durability::kNoWal;
    while (!stop_.load(std::memory_order_relaxed)) {
      fiber::sleep_for(random.Uniform(plan_.pause_micros) * 1000);
      Status s;
      switch (random.Uniform(log ? 6 : 3)) {
        case 0:
          s = db_->CompactRange(CompactRangeOptions(), nullptr, nullptr);
          break;
        case 1:
        case 2:
          s = Promise("s", [&] { return db_->Flush(FlushOptions()); });
          break;
        case 3:
          s = Promise("s", [&] { return db_->SyncWAL(); });
          break;
        case 4:
          s = Promise("o", [&] { return db_->FlushWAL(false); });
          break;
        default:
          s = Promise("s", [&] { return db_->FlushWAL(true); });
      }
      if (!s.ok() && !AwaitResume("maintenance: " + s.ToString())) return;
    }
  }

  // Reads commands until "stop" or the end of the input; at the end waits for the kill.
  void Obey() {
    std::string pending;
    for (;;) {
      char buffer[256];
      const ssize_t n = fiber::io::read(0, buffer, sizeof(buffer));
      if (n <= 0) break;
      pending.append(buffer, static_cast<size_t>(n));
      for (size_t end; (end = pending.find('\n')) != std::string::npos;) {
        const std::string command = pending.substr(0, end);
        pending.erase(0, end + 1);
        if (command == "distrust") {
          journal_->Line("X");
          Say("distrusts");
        } else if (command == "resume") {
          const Status s = db_->Resume();
          Say("resumed: " + s.ToString());
          if (!s.ok()) continue;
          fiber::MutexLock lock(&mutex_);
          ++resumed_;
          changed_.notify_all();
        } else if (command == "stop") {
          fiber::MutexLock lock(&mutex_);
          stop_.store(true, std::memory_order_relaxed);
          changed_.notify_all();
          return;
        } else {
          Fail("no such command: " + command);
        }
      }
    }
    for (;;) fiber::sleep_for(1'000'000'000);
  }

  const Plan plan_;
  Memory memory_;
  std::unique_ptr<DB> db_;
  std::unique_ptr<Journal> journal_;
  std::vector<uint64_t> held_;      // of each writer, after Verify()
  std::vector<Contents> contents_;  // each one its writer's own
  std::atomic<bool> stop_{false};   // relaxed: looked at again and again
  uint64_t operations_ = 0;         // the maintenance's, then Run()'s
  fiber::Mutex mutex_;
  fiber::CondVar changed_;
  uint64_t resumed_ FIBER_GUARDED_BY(mutex_) = 0;
};

int Main() {
  bool known = FLAGS_durability == "any";
  for (const char* name : kDurabilityNames) known = known || FLAGS_durability == name;
  if (FLAGS_db.empty() || FLAGS_state.empty() || !known || FLAGS_writers == 0 ||
      FLAGS_writers > kMaxWriters) {
    std::fprintf(stderr,
                 "crash_writer: --db and --state are needed; --durability is sync, os, "
                 "manual, nowal or any; --writers 1 to 64\n");
    return 2;
  }
  Memory memory;
  if (!Memory::Load(FLAGS_state, &memory)) memory.starts.resize(FLAGS_writers);
  if (memory.starts.size() != FLAGS_writers) Fail("the state is of other --writers");
  Life life(Draw(FLAGS_seed, memory.life + 1), memory);
  life.OpenAndVerify();
  if (FLAGS_verify_only) {
    life.ReopenAndVerify();
  } else {
    life.Run();
  }
  return 0;
}

}  // namespace
}  // namespace cairn::crash

int main(int argc, char** argv) {
  gflags::SetUsageMessage("--db=DIR --state=FILE [flags]: see test/crash/crash_check.py");
  gflags::ParseCommandLineFlags(&argc, &argv, /*remove_flags=*/true);
  return cairn::crash::Main();
}
