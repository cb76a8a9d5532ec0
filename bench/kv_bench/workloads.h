// The workloads: what one client does.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "db_bench/generator.h"
#include "fiber/runtime.h"
#include "kv_bench/engine.h"
#include "kv_bench/meter.h"
#include "kv_bench/round_trips.h"
#include "support/key_space.h"

namespace kv_bench {

struct Settings {
  uint64_t num = 1000000;         // keys in the database
  uint64_t operations = 0;        // of one client
  size_t key_size = 16;           // bytes
  size_t value_size = 100;        // bytes
  uint64_t batch_size = 1;        // entries in a write, keys in a multi-get
  uint64_t multiread_stride = 0;  // distance of a multi-get's keys; 0: all at random
  uint64_t seek_nexts = 10;       // entries read after each seek
  size_t prefix_size = 0;         // bytes; 0: the whole key
  uint64_t begin = 0;             // a now_nanos() value
  uint64_t deadline = 0;          // a now_nanos() value; 0: none
  uint64_t cache_size = 0;        // bytes
  double rate = 0;     // of readwrite's operations of all clients, per second; 0: no bound
  double reads = 0.5;  // of readwrite's operations, the share that reads
  int clients = 1;     // that keep the rate
  std::string backup_dir;
  // Where the storage counts round trips, which are to be told of each operation, with an empty
  // cache. Empty: they are not.
  std::string slowfs_control;
};

// What the clients of one run share.
struct Run {
  const Engine* engine = nullptr;
  rocksdb_t* db = nullptr;
  rocksdb_cache_t* cache = nullptr;            // its block cache
  const rocksdb_options_t* options = nullptr;  // that it was opened with
  const rocksdb_readoptions_t* reading = nullptr;
  const rocksdb_writeoptions_t* writing = nullptr;
  const db_bench::ValueGenerator* values = nullptr;  // to copy: the text is made once
  bench::KeySpace* keys = nullptr;                   // those that are drawn at random
  Settings settings;
  Pauses pauses;
  std::atomic<bool> start{false};
  void (*yield)() = [] { fiber::yield(); };  // of what the clients run on
  std::atomic<int> ready{0};
  // readwhilewriting: the readers that have not ended; the writer goes on until there is none.
  std::atomic<int> readers{0};
  // readwritewhilebackup: the others go on until it is set.
  std::atomic<bool> backup_ended{false};
};

// One client and what it measured. Used by one thread or fiber.
struct Client {
  Client(int number, uint64_t seed) : id(number), numbers(seed) {}
  const int id;
  db_bench::Random numbers;
  Run* run = nullptr;
  bool in_background = false;  // its operations are not counted
  double backup_seconds = 0;   // of the client that made one
  Measured measured;
  uint64_t found = 0;
  uint64_t bytes = 0;                   // of keys and values written, read or walked over
  uint64_t written_bytes = 0;           // of them those written
  std::vector<RoundTrips> round_trips;  // of each operation, with slowfs_control
  std::string error;                    // empty: all went well
};

using Workload = void (*)(Client*);

// Null: there is no such workload.
Workload FindWorkload(const std::string& name);
// Whether it starts with an empty database.
bool WantsEmptyDatabase(const std::string& name);
// Whether the database is the same after it.
bool ReadsOnly(const std::string& name);
const char* WorkloadNames();

}  // namespace kv_bench
