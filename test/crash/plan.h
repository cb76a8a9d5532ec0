// How a life of crash_writer uses its database: options, threads or fibers, families. All of it is
// drawn from the seed and the number of the life. Pure functions; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/options.h"

namespace cairn::crash {

enum class Durability : uint8_t { kSync, kOs, kManual, kNoWal };
constexpr const char* kDurabilityNames[] = {"sync", "os", "manual", "nowal"};

struct Plan {
  Options options;
  Durability durability = Durability::kOs;
  uint64_t sync_one_in = 0;
  bool fibers = false;
  uint64_t pause_micros = 0;          // of the maintenance, at most
  std::vector<std::string> families;  // the first one is the default family
  bool checkpoints = false;           // while it runs

  bool log() const { return durability != Durability::kNoWal; }
};

// `durability`: one of kDurabilityNames, or any. `wide`: also column families, a wal_dir beside the
// database `db`, an archive, compressed logs, checkpoints, and a recovery that does not wait long.
Plan DrawPlan(uint64_t seed, uint64_t life, const std::string& durability, bool wide,
              const std::string& db);

// Values in blob files, small ones, that are collected and written anew all the time.
void AddBlobs(uint64_t seed, uint64_t life, Options* options);

// Which of `families` has a key: always the same.
size_t FamilyOf(const std::string& key, size_t families);

}  // namespace cairn::crash
