// The jobs of the demo: load (in the child), verify, read at random, scan. Each runs its clients as
// OS threads or as fibers and measures them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cairn_demo/shared_log.h"
#include "rocksdb/db.h"
#include "support/latency.h"

namespace demo {

struct Mode {
  bool fibers = false;
  int clients = 16;
  int workers = 2;  // of the fibers' runtime
};

struct Measure {
  std::string phase;
  uint64_t ops = 0;
  double seconds = 0;
  double cpu_seconds = 0;  // of the whole process, background work included
  bench::Latency latency;
  uint64_t wrong = 0;  // values missing or different
};

rocksdb::Options DemoOptions();

// Runs job(client) for each client at once and waits for all.
void RunClients(const Mode& mode, const std::function<void(int)>& job);

// In the child: opens the database and writes items until killed. Returns only on an error, with an
// exit status.
int LoadUntilKilled(const std::string& path, const Mode& mode, SharedLog* log);

// Every acknowledged item is there, with its value.
void Verify(rocksdb::DB* db, const Mode& mode, const SharedLog& log, Measure* measure);
// `reads` acknowledged items at random.
void ReadAtRandom(rocksdb::DB* db, const Mode& mode, const SharedLog& log, uint64_t reads,
                  Measure* measure);
// One pass over all: keys ascend, each value is right, none of the acknowledged is missing and none
// is made up. The latencies are those of 1000 pairs.
void Scan(rocksdb::DB* db, const Mode& mode, const SharedLog& log, Measure* measure);

}  // namespace demo
