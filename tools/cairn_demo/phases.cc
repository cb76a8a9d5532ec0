#include "cairn_demo/phases.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "cairn_demo/data.h"
#include "fiber/clock.h"
#include "fiber/runtime.h"
#include "fiber/thread.h"
#include "rocksdb/cache.h"
#include "rocksdb/filter_policy.h"
#include "rocksdb/iterator.h"
#include "rocksdb/table.h"

namespace demo {

namespace {

// Times `body` and the CPU that the process spends meanwhile.
void Timed(Measure* measure, const std::function<void()>& body) {
  const uint64_t cpu = fiber::process_cpu_nanos();
  const uint64_t start = fiber::now_nanos();
  body();
  measure->seconds = static_cast<double>(fiber::now_nanos() - start) * 1e-9;
  measure->cpu_seconds = static_cast<double>(fiber::process_cpu_nanos() - cpu) * 1e-9;
}

struct Tally {
  bench::Latency latency;
  uint64_t ops = 0;
  uint64_t wrong = 0;
};

// Gets one item, times it, counts it as wrong if it is missing or differs.
void GetAndCheck(rocksdb::DB* db, uint64_t item, rocksdb::PinnableSlice* value, Tally* tally) {
  const std::string key = KeyOf(item);
  value->Reset();
  const uint64_t start = fiber::now_nanos();
  const rocksdb::Status s = db->Get(rocksdb::ReadOptions(), db->DefaultColumnFamily(), key, value);
  tally->latency.Add(fiber::now_nanos() - start);
  tally->ops++;
  if (!s.ok() || *value != ValueOf(item)) {
    if (tally->wrong++ == 0) {
      std::fprintf(stderr, "\nkey %s: %s\n", key.c_str(),
                   s.ok() ? "wrong value" : s.ToString().c_str());
    }
  }
}

void RunTallied(const Mode& mode, Measure* measure, const std::function<void(int, Tally*)>& job) {
  std::vector<std::unique_ptr<Tally>> tallies(mode.clients);
  for (auto& tally : tallies) tally = std::make_unique<Tally>();
  Timed(measure,
        [&] { RunClients(mode, [&](int client) { job(client, tallies[client].get()); }); });
  for (const auto& tally : tallies) {
    measure->latency.Merge(tally->latency);
    measure->ops += tally->ops;
    measure->wrong += tally->wrong;
  }
}

}  // namespace

rocksdb::Options DemoOptions() {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 16 << 20;  // several flushes and compactions in a million keys
  options.allow_concurrent_memtable_write = true;
  options.enable_write_thread_adaptive_yield = true;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(64 << 20);
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

void RunClients(const Mode& mode, const std::function<void(int)>& job) {
  if (mode.fibers) {
    fiber::RuntimeOptions options;
    options.workers = mode.workers;
    options.name = "demo";
    options.stack_size = 256 << 10;  // reserved, not resident
    fiber::Runtime runtime(options);
    std::vector<fiber::JoinHandle> fibers;
    for (int i = 0; i < mode.clients; i++) fibers.push_back(runtime.spawn([&job, i] { job(i); }));
    for (auto& handle : fibers) handle.join();
    return;
  }
  std::vector<std::unique_ptr<fiber::Thread>> threads;
  for (int i = 0; i < mode.clients; i++) {
    threads.push_back(std::make_unique<fiber::Thread>("demo", [&job, i] { job(i); }));
  }
  for (auto& thread : threads) thread->join();
}

int LoadUntilKilled(const std::string& path, const Mode& mode, SharedLog* log) {
  rocksdb::DB* db = nullptr;
  const rocksdb::Status opened = rocksdb::DB::Open(DemoOptions(), path, &db);
  if (!opened.ok()) {
    std::fprintf(stderr, "\ncairn_demo: open: %s\n", opened.ToString().c_str());
    return 1;
  }
  RunClients(mode, [&](int client) {
    ClientLog& mine = log->clients[client];
    for (uint64_t k = 0;; k++) {
      const uint64_t item = ItemOf(client, mode.clients, k);
      const std::string key = KeyOf(item), value = ValueOf(item);
      const uint64_t start = fiber::now_nanos();
      const rocksdb::Status s = db->Put(rocksdb::WriteOptions(), key, value);
      if (!s.ok()) {
        std::fprintf(stderr, "\ncairn_demo: put: %s\n", s.ToString().c_str());
        std::_Exit(1);
      }
      mine.acknowledged.store(k + 1, std::memory_order_release);
      mine.latency.Add(fiber::now_nanos() - start);
      if (k % 64 == 63 && mode.fibers) fiber::yield();
    }
  });
  return 1;
}

void Verify(rocksdb::DB* db, const Mode& mode, const SharedLog& log, Measure* measure) {
  RunTallied(mode, measure, [&](int client, Tally* tally) {
    const uint64_t count = log.clients[client].acknowledged.load(std::memory_order_acquire);
    rocksdb::PinnableSlice value;
    for (uint64_t k = 0; k < count; k++) {
      GetAndCheck(db, ItemOf(client, mode.clients, k), &value, tally);
    }
  });
}

void ReadAtRandom(rocksdb::DB* db, const Mode& mode, const SharedLog& log, uint64_t reads,
                  Measure* measure) {
  RunTallied(mode, measure, [&](int client, Tally* tally) {
    rocksdb::PinnableSlice value;
    const uint64_t share =
        reads / mode.clients + (static_cast<uint64_t>(client) < reads % mode.clients);
    for (uint64_t i = 0; i < share; i++) {
      const uint64_t random = Scatter(i * mode.clients + client + 1);
      const uint64_t writer = random % mode.clients;
      const uint64_t count = log.clients[writer].acknowledged.load(std::memory_order_acquire);
      if (count == 0) continue;
      GetAndCheck(db, ItemOf(writer, mode.clients, (random >> 16) % count), &value, tally);
    }
  });
}

void Scan(rocksdb::DB* db, const Mode& mode, const SharedLog& log, Measure* measure) {
  Mode one = mode;
  one.clients = 1;
  RunTallied(one, measure, [&](int, Tally* tally) {
    constexpr uint64_t kTimed = 1000;
    std::unique_ptr<rocksdb::Iterator> iter(db->NewIterator(rocksdb::ReadOptions()));
    std::string previous;
    uint64_t acknowledged = 0;
    uint64_t start = fiber::now_nanos();
    for (iter->SeekToFirst(); iter->Valid(); iter->Next()) {
      uint64_t item = 0;
      const bool known = ItemOfKey(iter->key(), &item);
      const uint64_t client = item % mode.clients, k = item / mode.clients;
      const uint64_t count = log.clients[client].acknowledged.load(std::memory_order_acquire);
      // A Put that the kill cut off before its acknowledgement may have arrived: one per client.
      const bool right = known && k <= count && iter->value() == ValueOf(item) &&
                         iter->key().compare(previous) > 0;
      tally->wrong += !right;
      acknowledged += k < count;
      previous.assign(iter->key().data(), iter->key().size());
      if (++tally->ops % kTimed == 0) {
        tally->latency.Add(fiber::now_nanos() - start);
        start = fiber::now_nanos();
      }
    }
    if (!iter->status().ok()) {
      std::fprintf(stderr, "\nscan: %s\n", iter->status().ToString().c_str());
      tally->wrong++;
    }
    tally->wrong += log.Acknowledged() - acknowledged;
  });
}

}  // namespace demo
