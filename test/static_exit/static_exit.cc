// A database that lives longer than main(), or begins before it, in the ways in which programs do
// that.
//
//   static_exit SCENARIO DIRECTORY    writes kEntries entries and ends as the scenario says
//   static_exit verify DIRECTORY      all of them are there, and every table is sound
//
// static_exit_test.py plays all scenarios, with the static and with the shared library. What is
// acknowledged in main() must be there; what goes on while static objects are destroyed must only
// not break anything.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "fiber/default_runtime.h"
#include "fiber/runtime.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "rocksdb/db.h"
#include "rocksdb/statistics.h"

namespace {

constexpr int kEntries = 2000;

void Check(const rocksdb::Status& s, const char* what) {
  if (s.ok()) return;
  fprintf(stderr, "%s: %s\n", what, s.ToString().c_str());
  abort();
}

void Require(bool good, const char* what) {
  if (good) return;
  fprintf(stderr, "wrong: %s\n", what);
  abort();
}

std::string Key(int i) { return "key" + std::to_string(100000 + i); }
std::string Value(int i) { return Key(i) + std::string(100, 'v'); }

rocksdb::Options MakeOptions() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.statistics = rocksdb::CreateDBStatistics();
  return options;
}

// Many small tables: flushes and compactions run all the time.
rocksdb::Options BusyOptions() {
  rocksdb::Options options = MakeOptions();
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 64 << 10;
  options.level0_file_num_compaction_trigger = 2;
  return options;
}

std::unique_ptr<rocksdb::DB> Open(const rocksdb::Options& options, const std::string& path) {
  rocksdb::DB* db = nullptr;
  Check(rocksdb::DB::Open(options, path, &db), "Open");
  return std::unique_ptr<rocksdb::DB>(db);
}

void Write(rocksdb::DB* db, int from, int to) {
  for (int i = from; i < to; i++) Check(db->Put({}, Key(i), Value(i)), "Put");
}

// What a program may ask at any time: constants, names, statistics, reads in both ways, and files.
void UseAll(rocksdb::DB* db) {
  std::string text;
  Require(rocksdb::kDefaultColumnFamilyName == "default", "kDefaultColumnFamilyName");
  Require(db->GetProperty(rocksdb::DB::Properties::kStats, &text) && !text.empty(), "kStats");
  Require(rocksdb::TickersNameMap.size() == rocksdb::TICKER_ENUM_MAX, "TickersNameMap");
  Require(rocksdb::HistogramsNameMap.size() == rocksdb::HISTOGRAM_ENUM_MAX, "HistogramsNameMap");
  Require(rocksdb::kNoWideColumns.empty(), "kNoWideColumns");
  Require(!db->GetOptions().statistics->ToString().empty(), "Statistics::ToString");
  std::string value;
  Check(db->Get({}, Key(0), &value), "Get");
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator({}));
  int count = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) count++;
  Check(it->status(), "Iterator");
  Require(count >= 1, "entries");
  Check(db->Flush({}), "Flush");
  Check(db->CompactRange({}, nullptr, nullptr), "CompactRange");
}

// --- Scenarios. Each of the objects is empty unless its scenario is played.

// `global`: destroyed by the program's static destructors, before or after the library's own.
struct Holder {
  std::unique_ptr<rocksdb::DB> db;
  ~Holder() {
    if (db == nullptr) return;
    UseAll(db.get());
    Check(db->Close(), "Close");
    db.reset();
  }
};
Holder g_holder;

// `before_main`: opened by a static constructor.
struct Early {
  std::unique_ptr<rocksdb::DB> db;
  Early() {
    const char* const path = getenv("STATIC_EXIT_BEFORE_MAIN");
    if (path == nullptr) return;
    db = Open(BusyOptions(), path);
    Write(db.get(), 0, kEntries);
    UseAll(db.get());
  }
  ~Early() {
    if (db != nullptr) UseAll(db.get());
  }
};
Early g_early;

// `background`: a thread writes while static objects are destroyed; flushes and compactions run.
struct Writing {
  std::unique_ptr<rocksdb::DB> db;
  std::atomic<bool> stop{false};
  fiber::Event more;  // something was written since the destructor began
  std::atomic<bool> ending{false};
  fiber::Thread thread;

  void Start() {
    thread = fiber::Thread("writer", [this] {
      for (int i = kEntries; !stop.load(); i++) {
        Check(db->Put({}, Key(i % 50000 + kEntries), Value(i)), "Put");
        if (ending.load()) more.set();
      }
    });
  }
  ~Writing() {
    if (db == nullptr) return;
    ending.store(true);
    more.wait();
    UseAll(db.get());
    stop.store(true);
    thread.join();
  }
};
Writing g_writing;

// `fibers`: the same on a runtime of its own, in a global object, and on the default one.
struct Fibers {
  std::unique_ptr<rocksdb::DB> db;
  std::unique_ptr<fiber::Runtime> runtime;
  std::atomic<bool> stop{false};
  std::atomic<bool> ending{false};
  fiber::Event more;
  fiber::JoinHandle own, standard;

  void Start() {
    fiber::RuntimeOptions options;
    options.workers = 2;
    runtime = std::make_unique<fiber::Runtime>(options);
    const auto work = [this](int first) {
      for (int i = 0; !stop.load(); i++) {
        Check(db->Put({}, Key(first + i % 10000), Value(i)), "Put");
        if (ending.load()) more.set();
        fiber::yield();
      }
    };
    own = runtime->spawn([work] { work(kEntries); });
    standard = fiber::default_runtime().spawn([work] { work(kEntries + 10000); });
  }
  ~Fibers() {
    if (db == nullptr) return;
    ending.store(true);
    more.wait();
    UseAll(db.get());
    stop.store(true);
    own.join();
    standard.join();
    runtime.reset();
  }
};
Fibers g_fibers;

// `thread_local`: closed by the main thread's and by another thread's exit.
struct OfThread {
  std::unique_ptr<rocksdb::DB> db;
  ~OfThread() {
    if (db != nullptr) UseAll(db.get());
  }
};
thread_local OfThread t_holder;  // style: the case

rocksdb::DB* g_at_exit = nullptr;
void CloseAtExit() {
  UseAll(g_at_exit);
  Check(g_at_exit->Close(), "Close");
  delete g_at_exit;
}

void Verify(const std::string& path) {
  const std::unique_ptr<rocksdb::DB> db = Open(BusyOptions(), path);
  for (int i = 0; i < kEntries; i++) {
    std::string value;
    Check(db->Get({}, Key(i), &value), "Get");
    Require(value == Value(i), "value");
  }
  Check(db->VerifyChecksum(), "VerifyChecksum");
  UseAll(db.get());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string scenario = argv[1];
  const std::string path = argv[2];
  if (scenario == "verify") {
    Verify(path);
  } else if (scenario == "global") {
    // (As ../shared/cases/static_exit.cc.)
    g_holder.db = Open(MakeOptions(), path);
    Write(g_holder.db.get(), 0, kEntries);
  } else if (scenario == "before_main") {
    Require(g_early.db != nullptr, "STATIC_EXIT_BEFORE_MAIN");
  } else if (scenario == "background") {
    g_writing.db = Open(BusyOptions(), path);
    Write(g_writing.db.get(), 0, kEntries);
    g_writing.Start();
  } else if (scenario == "fibers") {
    g_fibers.db = Open(BusyOptions(), path);
    Write(g_fibers.db.get(), 0, kEntries);
    g_fibers.Start();
  } else if (scenario == "leaked") {
    // Nobody closes it: threads and fibers write and compact until the process is gone.
    auto* const db = Open(BusyOptions(), path).release();
    Write(db, 0, kEntries);
    const auto forever = [db] {
      for (int i = 0;; i++) (void)db->Put({}, Key(i % 50000 + kEntries), Value(i)).ok();
    };
    (void)new fiber::Thread("writer", forever);
    fiber::default_runtime().spawn(forever).detach();
  } else if (scenario == "at_exit") {
    g_at_exit = Open(BusyOptions(), path).release();
    Write(g_at_exit, 0, kEntries);
    Require(atexit(CloseAtExit) == 0, "atexit");
  } else if (scenario == "at_exit_first") {
    // Registered before the library is used: runs after what the library would have registered.
    Require(atexit(CloseAtExit) == 0, "atexit");
    g_at_exit = Open(BusyOptions(), path).release();
    Write(g_at_exit, 0, kEntries);
  } else if (scenario == "thread_local") {
    fiber::Thread("other", [&path] {
      t_holder.db = Open(BusyOptions(), path);
      Write(t_holder.db.get(), 0, kEntries / 2);
    }).join();
    t_holder.db = Open(BusyOptions(), path);
    Write(t_holder.db.get(), kEntries / 2, kEntries);
  } else {
    return 2;
  }
  return 0;
}
