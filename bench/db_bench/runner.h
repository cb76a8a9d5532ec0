// Runs one workload: starts the clients (threads, or fibers on a runtime: --fiber_workers), lets
// them go together, merges what they measured and prints the report.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "db_bench/generator.h"
#include "db_bench/stats.h"
#include "fiber/sync.h"
#include "rocksdb/db.h"
#include "rocksdb/rate_limiter.h"

namespace db_bench {

// What the clients of one workload share.
struct Shared {
  Shared(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>* families, int clients)
      : db(db), families(*families), clients(clients), initialized(clients), start(1) {}

  // Waits for so many of the limiter's units, in as many steps as its bursts ask for.
  static void Request(rocksdb::RateLimiter* limiter, int64_t units);

  rocksdb::DB* const db;
  const std::vector<rocksdb::ColumnFamilyHandle*>& families;  // --num_column_families
  const int clients;
  // Of all clients together; null: none is asked for.
  std::unique_ptr<rocksdb::RateLimiter> read_limit, write_limit;
  fiber::Latch initialized;
  fiber::Latch start;
  std::atomic<int> ended{0};  // clients that finished; relaxed polling by the background writer
};

// One client's own state, seen by no other until it ended.
struct Client {
  Client(int id, uint64_t seed, Shared* shared) : id(id), random{seed}, shared(shared) {}

  const int id;
  Random random;
  Stats stats;
  Shared* const shared;
  ValueGenerator* values = nullptr;
};

using Workload = std::function<void(Client*)>;

class Database;

// Runs `workload` with `clients` clients, prints the line `name : ...`, and says what it had.
Throughput RunWorkload(const std::string& name, int clients, const Database& database,
                       const Workload& workload);

// Says when a client is done: after `max_ops` operations, or after `max_seconds` if that is
// positive.
class Duration {
 public:
  Duration(int64_t max_seconds, int64_t max_ops);
  // Counts `increment` operations that are about to run; true: stop, do not run them.
  bool Done(int64_t increment);

 private:
  const int64_t max_seconds_;
  const int64_t max_ops_;
  const uint64_t start_nanos_;
  int64_t ops_ = 0;
};

}  // namespace db_bench
