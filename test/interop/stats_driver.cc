// The history of statistics of a database that two engines take turns on (stats_test.py). The
// public API alone, compiled once against Cairn and once against librocksdb.
//
//   stats_driver write DB    opens DB, and stays until its history has a note more; --die ends the
//                            process then, and leaves the note in the log
//   stats_driver read DB     for reading
//   stats_driver forget DB   opens DB without the option
//
// Prints what the history was at the opening ("before", but of `forget`) and at the end ("after"):
// a line for each note with its time and all counts. Exit status 1: something failed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"
#include "rocksdb/stats_history.h"

namespace {

void Die(const std::string& what) {
  std::fprintf(stderr, "stats_driver: %s\n", what.c_str());
  std::exit(1);
}
void Check(const char* what, const rocksdb::Status& s) {
  if (!s.ok()) Die(std::string(what) + ": " + s.ToString());
}

// The number of notes.
int Print(const char* when, rocksdb::DB* db) {
  constexpr uint64_t kEnd = 9'000'000'000;  // seconds since 1970
  std::unique_ptr<rocksdb::StatsHistoryIterator> it;
  Check("GetStatsHistory", db->GetStatsHistory(0, kEnd, &it));
  int notes = 0;
  for (; it->Valid(); it->Next(), ++notes) {
    if (when == nullptr) continue;
    std::printf("%s %llu", when, static_cast<unsigned long long>(it->GetStatsTime()));
    for (const auto& [name, count] : it->GetStatsMap()) {
      std::printf(" %s=%llu", name.c_str(), static_cast<unsigned long long>(count));
    }
    std::printf("\n");
  }
  Check("the history", it->status());
  return notes;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) Die("usage: stats_driver write|read|forget DB [--die]");
  const std::string command = argv[1];
  rocksdb::Options options;
  options.create_if_missing = true;
  options.statistics = rocksdb::CreateDBStatistics();
  options.stats_persist_period_sec = command == "write" ? 1 : 0;
  options.persist_stats_to_disk = command != "forget";
  rocksdb::DB* opened = nullptr;
  Check("open", command == "read" ? rocksdb::DB::OpenForReadOnly(options, argv[2], &opened)
                                  : rocksdb::DB::Open(options, argv[2], &opened));
  std::unique_ptr<rocksdb::DB> db(opened);
  Check("put", command == "read" ? rocksdb::Status() : db->Put({}, "key", "value"));
  if (command == "write") {
    const int before = Print("before", db.get());
    while (Print(nullptr, db.get()) == before) {
      rocksdb::Env::Default()->SleepForMicroseconds(10'000);  // sleeps: between two looks
    }
  }
  if (command != "forget") Print("after", db.get());
  if (argc > 3) {
    std::fflush(stdout);
    std::_Exit(0);
  }
  return 0;
}
