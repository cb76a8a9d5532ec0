// crash_writer: the program that crash_check.py kills. It opens a database, verifies what the life
// before it left there, and writes on until it is killed: writes, batches, deletes, flushes,
// compactions and syncs, on several writers at once, under options that differ from life to life.
// What was acknowledged goes to a journal outside of the database (journal.h).
//
//   crash_writer --db=DIR --state=FILE --seed=N [--power] [--durability=D] [--wide] [--retry]
//                [--backups=DIR] [--verify_only]
//
// Uses the public API alone. Prints a line for each step. It reads commands from standard input:
// "distrust" before the file system breaks off (what is synced from then on need not be there),
// "resume" after the disk failed (DB::Resume, then the writes that failed once more), "probe N" (it
// says "well N" once each writer had a write acknowledged that began after that), "flush", "stop"
// (flush and close). A write that fails is issued again after "resume", with --retry also all the
// time. Exit status: 0; 1: the database lacks what it promised, or has what nobody wrote; 2: the
// check itself cannot go on, or a bad command line.
#include <gflags/gflags.h>

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "crash/backups.h"
#include "crash/journal.h"
#include "crash/plan.h"
#include "crash/process_id.h"
#include "crash/work.h"
#include "fiber/io.h"
#include "fiber/mutex.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/utilities/checkpoint.h"
#include "rocksdb/write_batch.h"

DEFINE_string(db, "", "the database's directory");
DEFINE_string(state, "", "where it is remembered what was written, outside of the database");
DEFINE_uint64(seed, 1, "of the writes and options; odd: without SingleDelete");
DEFINE_uint32(writers, 4, "that write at once, half of the lives as fibers");
DEFINE_bool(power, false, "the last life ended by a power cut: only what was synced must be there");
DEFINE_string(durability, "any", "sync, os, manual (FlushWAL), nowal, or any: drawn for each life");
DEFINE_bool(wide, false, "also column families, wal_dir outside, checkpoints ...: plan.h");
DEFINE_string(
    backups, "",
    "directory of backups that are made, deleted and restored meanwhile; the values are in "
    "blob files then");
DEFINE_bool(retry, false, "what fails is tried again all the time, not only after \"resume\"");
DEFINE_bool(verify_only, false, "verify, close, open, verify, and end");

namespace cairn::crash {

void Violation(const std::string& text) {
  std::printf("VIOLATION: %s\n", text.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}

void Say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

namespace {

constexpr uint32_t kMaxWriters = 64;
constexpr uint64_t kRetryNanos = 5'000'000;
constexpr uint64_t kCheckpointsOfALife = 3;

std::string Join(const std::vector<uint64_t>& numbers) {
  std::string text;
  for (const uint64_t n : numbers) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

// A life: from the opening to the kill.
class Life {
 public:
  Life(const Plan& plan, Memory memory)
      : plan_(plan),
        memory_(std::move(memory)),
        issued_(FLAGS_writers),
        acknowledged_(FLAGS_writers),
        probed_(FLAGS_writers, 0) {}

  // Opens the database and compares what it holds with what the life before was promised.
  void OpenAndVerify() {
    Open();
    const std::vector<uint64_t> held = Held();
    const Promises promises = ReadJournal(LogName(FLAGS_state, memory_.life), held, FLAGS_power);
    Verify(promises);
    checkpoints_ = promises.checkpoints;
    for (const CheckpointPromise& checkpoint : checkpoints_) {
      if (!checkpoint.ended) continue;
      const CopyPromise promise{checkpoint.least, checkpoint.most, memory_.starts};
      if (!VerifyCopy(checkpoint.path, {&promise})) {
        Violation("the checkpoint does not open: " + checkpoint.path);
      }
      Say("checkpoint verified");
    }
    if (FLAGS_backups.empty()) return;
    VerifyNoOrphans();
    backups_ = std::make_unique<Backups>(FLAGS_backups, FLAGS_state + ".backups",
                                         FLAGS_seed * 131 + memory_.life);
    backups_->Verify(
        [this](const std::string& path, const std::vector<const CopyPromise*>& promises) {
          return VerifyCopy(path, promises);
        });
  }

  // Verifies once more, with all that is there promised, after a close.
  void ReopenAndVerify() {
    const Status s = db_->Close();
    if (!s.ok()) Violation("the database does not close: " + s.ToString());
    CloseHandles();
    Open();
    Promises promises{held_, held_, held_, {}, {}};
    promises.before.resize(held_.size());
    Verify(promises);
    CloseHandles();
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
    // (What cannot be removed now is in nobody's way.)
    for (const CheckpointPromise& checkpoint : checkpoints_) RemoveTree(checkpoint.path);
    journal_ = std::make_unique<Journal>(LogName(FLAGS_state, memory_.life));
    for (uint32_t w = 0; w < FLAGS_writers; ++w) issued_[w] = acknowledged_[w] = held_[w];
    if (backups_ != nullptr) backups_->Begin(memory_.starts, !plan_.log());
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
    FlushAll().PermitUncheckedError();
    const Status s = db_->Close();
    Say("closed: " + s.ToString());
    CloseHandles();
  }

 private:
  using Handles = std::vector<ColumnFamilyHandle*>;

  Status OpenAt(const Options& options, const std::string& path, std::unique_ptr<DB>* db,
                Handles* handles) const {
    std::vector<ColumnFamilyDescriptor> families;
    for (const std::string& name : plan_.families) families.emplace_back(name, options);
    return DB::Open(options, path, families, handles, db);
  }

  void Open() {
    const Status s = OpenAt(plan_.options, FLAGS_db, &db_, &handles_);
    if (!s.ok()) Violation("the database does not open: " + s.ToString());
  }

  static void Close(std::unique_ptr<DB>* db, Handles* handles) {
    for (ColumnFamilyHandle* handle : *handles) delete handle;
    handles->clear();
    db->reset();
  }
  void CloseHandles() { Close(&db_, &handles_); }

  ColumnFamilyHandle* HandleOf(const std::string& key) const {
    return handles_[FamilyOf(key, handles_.size())];
  }

  // A directory with what is in it; errors do not matter.
  static void RemoveTree(const std::string& path) {
    std::vector<std::string> names;
    if (fiber::io::list_dir(path.c_str(), &names) < 0) return;
    for (const std::string& name : names) {
      const std::string child = path + "/" + name;
      if (fiber::io::unlink(child.c_str()) < 0) RemoveTree(child);
    }
    fiber::io::rmdir(path.c_str());
  }

  // A copy is a database of its own, with a state from between its begin and its end: one of
  // these. False: it does not open.
  bool VerifyCopy(const std::string& path, const std::vector<const CopyPromise*>& promises) {
    Options options = plan_.options;
    options.wal_dir.clear();
    options.create_if_missing = false;
    std::unique_ptr<DB> db;
    Handles handles;
    if (!OpenAt(options, path, &db, &handles).ok()) return false;
    const auto found = ReadAll(db.get(), handles);
    std::string wrong;
    for (const CopyPromise* const promise : promises) {
      if (Keeps(*promise, found, &wrong)) {
        Close(&db, &handles);
        return true;
      }
    }
    Violation("the copy " + path + wrong);
  }

  static bool Keeps(const CopyPromise& promise,
                    const std::vector<std::map<std::string, std::string>>& found,
                    std::string* wrong) {
    for (uint32_t w = 0; w < FLAGS_writers; ++w) {
      std::string difference;
      Matches matches;
      Contents contents;
      if (Match(FLAGS_seed, w, promise.starts[w], promise.least[w], promise.most[w], found[w],
                &matches, &contents, &difference)) {
        continue;
      }
      *wrong += " has writer " + std::to_string(w) + "'s keys as after none of its writes " +
                std::to_string(promise.least[w]) + " to " + std::to_string(promise.most[w]) + ":" +
                difference;
      return false;
    }
    return true;
  }

  // Tables and blob files that belong to no version are gone once compactions have ended.
  void VerifyNoOrphans() {
    WaitForCompactOptions wait;
    wait.wait_for_purge = true;
    Status s = db_->WaitForCompact(wait);
    std::vector<LiveFileStorageInfo> live;
    LiveFilesStorageInfoOptions options;
    options.wal_size_for_flush = std::numeric_limits<uint64_t>::max();
    if (s.ok()) s = db_->GetLiveFilesStorageInfo(options, &live);
    if (!s.ok()) Violation("what is live cannot be listed: " + s.ToString());
    std::set<std::string> expected;
    for (const LiveFileStorageInfo& file : live) expected.insert(file.relative_filename);
    std::vector<std::string> names;
    if (fiber::io::list_dir(FLAGS_db.c_str(), &names) < 0) Fail("the directory cannot be listed");
    for (const std::string& name : names) {
      if ((name.ends_with(".sst") || name.ends_with(".blob")) && !expected.contains(name)) {
        Violation("an orphan is left: " + name);
      }
    }
    Say("no orphans");
  }

  // The number of each writer's last write when the last life began.
  std::vector<uint64_t> Held() const {
    std::vector<uint64_t> held;
    for (const auto& starts : memory_.starts) {
      held.push_back(starts.empty() ? 0 : starts.back().first - 1);
    }
    return held;
  }

  // What each writer wrote, out of all families.
  static std::vector<std::map<std::string, std::string>> ReadAll(DB* db, const Handles& handles) {
    std::vector<std::map<std::string, std::string>> found(FLAGS_writers);
    for (size_t family = 0; family < handles.size(); ++family) {
      std::unique_ptr<Iterator> it(db->NewIterator(ReadOptions(), handles[family]));
      for (it->SeekToFirst(); it->Valid(); it->Next()) {
        uint32_t writer = kMaxWriters;
        const std::string key = it->key().ToString();
        if (std::sscanf(key.c_str(), "w%02u/", &writer) != 1 || writer >= FLAGS_writers) {
          Violation("a key that nobody wrote: " + key);
        }
        if (FamilyOf(key, handles.size()) != family) {
          Violation("a key in the wrong family " + std::to_string(family) + ": " + key);
        }
        found[writer][key] = it->value().ToString();
      }
      if (!it->status().ok()) Violation("it cannot be read: " + it->status().ToString());
    }
    return found;
  }

  void Verify(const Promises& promises) {
    const auto found = ReadAll(db_.get(), handles_);
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
        const Status s = db_->Get(ReadOptions(), HandleOf(key), key, &got);
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

  // One writer. A write that fails is issued again, unchanged.
  void Write(uint32_t writer) {
    Random64 random(FLAGS_seed + memory_.life * 1000 + writer);
    Contents& contents = contents_[writer];
    for (uint64_t n = held_[writer] + 1; !stop_.load(std::memory_order_relaxed); ++n) {
      const std::vector<Change> changes = ChangesOf(FLAGS_seed, writer, n);
      const std::string name = std::to_string(writer) + " " + std::to_string(n);
      WriteOptions options;
      options.disableWAL = !plan_.log();
      options.sync = plan_.sync_one_in > 0 && random.OneIn(plan_.sync_one_in);
      Troubles troubles;
      uint64_t probe = 0;
      for (;;) {
        probe = probe_.load();
        issued_[writer].store(n);
        journal_->Line("b " + name);
        const Status s = Issue(options, writer, n, changes);
        if (s.ok()) break;
        if (!AwaitResume("write " + name + ": " + s.ToString(), &troubles)) return;
      }
      Over(troubles, "write " + name);
      journal_->Line("a " + name +
                     (options.sync                                     ? " s"
                      : !plan_.log() || plan_.options.manual_wal_flush ? " n"
                                                                       : " o"));
      acknowledged_[writer].store(n);
      Apply(changes, memory_.life, n, &contents);
      if (random.OneIn(6)) {
        const std::string key = ChangesOf(FLAGS_seed, writer, 1 + random.Uniform(n)).front().key;
        if (!CheckRead(writer, key, contents)) return;
      }
      Answer(writer, probe);
    }
  }

  // Says it once all writers have had their write after the "probe".
  void Answer(uint32_t writer, uint64_t probe) {
    fiber::MutexLock lock(&mutex_);
    if (probed_[writer] >= probe) return;
    probed_[writer] = probe;
    for (const uint64_t each : probed_) {
      if (each < probe) return;
    }
    Say("well " + std::to_string(probe) + " after errors " + std::to_string(errors_));
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
          return db_->Put(options, HandleOf(only.key), only.key, value(only));
        case Change::Kind::kDelete:
          return db_->Delete(options, HandleOf(only.key), only.key);
        case Change::Kind::kSingleDelete:
          return db_->SingleDelete(options, HandleOf(only.key), only.key);
      }
    }
    WriteBatch batch;
    for (const Change& change : changes) {
      ColumnFamilyHandle* const family = HandleOf(change.key);
      const Status s = change.kind == Change::Kind::kPut
                           ? batch.Put(family, change.key, value(change))
                           : batch.Delete(family, change.key);
      if (!s.ok()) return s;
    }
    return db_->Write(options, &batch);
  }

  // Whether the writer is to go on.
  bool CheckRead(uint32_t writer, const std::string& key, const Contents& contents) {
    Troubles troubles;
    for (;;) {
      std::string value;
      const Status s = db_->Get(ReadOptions(), HandleOf(key), key, &value);
      const auto expected = contents.find(key);
      const bool right = expected == contents.end()
                             ? s.IsNotFound()
                             : s.ok() && value == ValueOf(FLAGS_seed, writer, expected->second);
      if (right) {
        Over(troubles, "read " + key);
        return true;
      }
      if (s.ok() || s.IsNotFound()) {
        Violation("a read of " + key + " found " + (s.ok() ? value.substr(0, 40) : "nothing"));
      }
      if (!AwaitResume("read " + key + ": " + s.ToString(), &troubles)) return false;
    }
  }

  // The errors of one operation, until it succeeds.
  struct Troubles {
    std::string said;
    uint64_t count = 0;
  };

  // SUSPENDS until the operation is to be tried again, after an error. False: stop.
  bool AwaitResume(const std::string& error, Troubles* troubles) {
    if (error != troubles->said) Say("error: " + error);
    troubles->said = error;
    ++troubles->count;
    fiber::MutexLock lock(&mutex_);
    ++errors_;
    const uint64_t resumed = resumed_;
    const uint64_t until = fiber::now_nanos() + kRetryNanos;
    while (resumed_ == resumed && !stop_.load(std::memory_order_relaxed)) {
      if (!FLAGS_retry) {
        changed_.wait(&mutex_);
      } else if (fiber::now_nanos() < until) {
        (void)changed_.wait_until(&mutex_, until);
      } else {
        break;
      }
    }
    return !stop_.load(std::memory_order_relaxed);
  }

  static void Over(const Troubles& troubles, const std::string& operation) {
    if (troubles.count > 0) {
      Say("healed: " + operation + " after errors " + std::to_string(troubles.count));
    }
  }

  template <class Operation>
  Status Promise(const char* kind, Operation operation) {
    const std::string id = std::to_string(operations_.fetch_add(1));
    journal_->Line("B " + id);
    const Status s = operation();
    if (s.ok()) journal_->Line("D " + id + " " + kind);
    return s;
  }

  Status FlushAll() {
    return Promise("s", [&] { return db_->Flush(FlushOptions(), handles_); });
  }

  Status CompactAll() {
    Status s;
    for (size_t i = 0; i < handles_.size() && s.ok(); ++i) {
      s = db_->CompactRange(CompactRangeOptions(), handles_[i], nullptr, nullptr);
    }
    return s;
  }

  Status MakeCheckpoint() {
    const std::string id = std::to_string(operations_.fetch_add(1));
    const std::string path = FLAGS_db + "-copy" + std::to_string(memory_.life) + "." + id;
    journal_->Line("C " + id + " " + path);
    Checkpoint* created = nullptr;
    Status s = Checkpoint::Create(db_.get(), &created);
    const std::unique_ptr<Checkpoint> checkpoint(created);
    if (s.ok()) s = checkpoint->CreateCheckpoint(path);
    if (s.ok()) journal_->Line("E " + id);
    if (s.ok()) Say("checkpoint made");
    return s;
  }

  // Flushes, compactions and syncs beside the writers.
  void Maintain() {
    Random64 random(FLAGS_seed * 31 + memory_.life);
    uint64_t checkpoints = plan_.checkpoints ? kCheckpointsOfALife : 0;
    Troubles troubles;
    while (!stop_.load(std::memory_order_relaxed)) {
      fiber::sleep_for(random.Uniform(plan_.pause_micros) * 1000);
      Status s;
      if (checkpoints > 0 && random.OneIn(6)) {
        --checkpoints;
        s = MakeCheckpoint();
      } else if (backups_ != nullptr && !random.OneIn(4)) {
        s = backups_->Step(
            db_.get(), &random, [this] { return Numbers(acknowledged_); },
            [this] { return Numbers(issued_); });
      } else {
        s = MaintainOnce(random.Uniform(plan_.log() ? 6 : 3));
      }
      if (!s.ok() && !AwaitResume("maintenance: " + s.ToString(), &troubles)) return;
      if (s.ok()) troubles = {};
    }
  }

  static std::vector<uint64_t> Numbers(const std::vector<std::atomic<uint64_t>>& numbers) {
    return {numbers.begin(), numbers.end()};
  }

  Status MaintainOnce(uint64_t which) {
    switch (which) {
      case 0:
        return CompactAll();
      case 1:
      case 2:
        return FlushAll();
      case 3:
        return Promise("s", [&] { return db_->SyncWAL(); });
      case 4:
        return Promise("o", [&] { return db_->FlushWAL(false); });
      default:
        return Promise("s", [&] { return db_->FlushWAL(true); });
    }
  }

  // Reads commands until "stop" or the end of the input; at the end waits for the kill.
  void Obey() {
    std::string pending;
    for (;;) {
      char buffer[256];
      const ptrdiff_t n = fiber::io::read(0, buffer, sizeof(buffer));
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
        } else if (command.starts_with("probe ")) {
          probe_.store(std::stoull(command.substr(6)));
        } else if (command == "flush") {
          Say("flushed: " + FlushAll().ToString());
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
  Handles handles_;                             // of plan_.families
  std::vector<CheckpointPromise> checkpoints_;  // of the life before
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Backups> backups_;  // with --backups
  // Of each writer, its last write.
  std::vector<std::atomic<uint64_t>> issued_, acknowledged_;
  std::vector<uint64_t> held_;      // of each writer, after Verify()
  std::vector<Contents> contents_;  // each one its writer's own
  std::atomic<bool> stop_{false};   // relaxed: looked at again and again
  std::atomic<uint64_t> operations_{1};
  std::atomic<uint64_t> probe_{0};
  fiber::Mutex mutex_;
  fiber::CondVar changed_;
  uint64_t resumed_ FIBER_GUARDED_BY(mutex_) = 0;
  uint64_t errors_ FIBER_GUARDED_BY(mutex_) = 0;
  std::vector<uint64_t> probed_ FIBER_GUARDED_BY(mutex_);  // of each writer, the last "probe"
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
  Say("process " + std::to_string(ProcessId()));
  Memory memory;
  if (!Memory::Load(FLAGS_state, &memory)) memory.starts.resize(FLAGS_writers);
  if (memory.starts.size() != FLAGS_writers) Fail("the state is of other --writers");
  Plan plan = DrawPlan(FLAGS_seed, memory.life + 1, FLAGS_durability, FLAGS_wide, FLAGS_db);
  if (!FLAGS_backups.empty()) {
    AddBlobs(FLAGS_seed, memory.life + 1, &plan.options);
    plan.pause_micros = 5'000;  // many backups in a life
  }
  Life life(plan, memory);
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
