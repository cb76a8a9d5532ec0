// Client: one of the threads or fibers that work on the database at once, with random operations,
// and compare each answer with what is expected.
//
// Thread safety: Run() by one thread or fiber; what a client shares (Shared) is thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "db_stress/expected.h"
#include "fiber/mutex.h"
#include "rocksdb/db.h"
#include "rocksdb/snapshot.h"

namespace stress {

// What all clients of a round share.
struct Shared {
  explicit Shared(uint64_t keys) : expected(keys) {}

  Expected expected;
  rocksdb::DB* db = nullptr;
  // The reading phase: nobody writes, and reads may fail, as the disk does on purpose.
  bool read_only = false;
  std::atomic<uint64_t> operations{0};  // statistics: relaxed
  std::atomic<uint64_t> failed_reads{0};

  // What a power cut must leave: noted before a sync that succeeded.
  fiber::Mutex durable_mutex;
  std::vector<Version> durable FIBER_GUARDED_BY(durable_mutex);
  // As if each call had been made in this order: the later one holds.
  void NoteDurable(const std::vector<Version>& versions);
};

// Prints what is wrong and ends the program, with status 1.
[[noreturn]] void Violation(const std::string& text);

class Client {
 public:
  Client(Shared* shared, uint64_t seed) : shared_(*shared), numbers_(seed) {}

  void Run(uint64_t operations);

 private:
  // Keys that were read at a snapshot, and what they then held.
  struct Held {
    const rocksdb::Snapshot* snapshot;
    uint64_t first;
    std::vector<Version> from, to;
    std::vector<std::optional<std::optional<std::string>>> found;  // nothing: not yet read
  };

  void Step();
  void WriteOne();
  void WriteBatch();
  void GetOne();
  void GetMany();
  void Scan();
  void TakeSnapshot();
  void ReadSnapshot();
  void Administer();
  // Whether the read has an answer; ends the program where it failed without a reason.
  bool Answered(const rocksdb::Status& s, const char* what);
  uint64_t DrawKey();
  void Check(uint64_t key, Version from, Version to, const std::optional<std::string>& value,
             const char* what);

  Shared& shared_;
  Numbers numbers_;
  std::vector<Held> held_;
};

}  // namespace stress
