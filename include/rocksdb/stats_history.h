// StatsHistoryIterator: what the tickers of a database's statistics counted in past intervals, from
// DB::GetStatsHistory().
//
// With Options::statistics set, every stats_persist_period_sec the database notes by how much each
// ticker has grown since the time before. Notes are kept in memory, the newest ones, in about
// stats_history_buffer_size bytes; or, all of them, in a column family (persist_stats_to_disk).
//
//   std::unique_ptr<StatsHistoryIterator> it;
//   for (db->GetStatsHistory(0, UINT64_MAX, &it); it->Valid(); it->Next()) {
//     it->GetStatsTime();  it->GetStatsMap().at("rocksdb.bytes.written");
//   }
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/statistics.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

// Not thread-safe. Of notes in memory it may outlive the database; else Next() reads it.
class StatsHistoryIterator {
 public:
  StatsHistoryIterator() {}
  virtual ~StatsHistoryIterator() {}

  virtual bool Valid() const = 0;
  // REQUIRES: Valid().
  virtual void Next() = 0;
  // When the note was taken: seconds since 1970. REQUIRES: Valid().
  virtual uint64_t GetStatsTime() const = 0;
  // -1: of notes in memory.
  virtual int GetFormatVersion() const { return -1; }
  // By how much the tickers of these names grew. REQUIRES: Valid().
  virtual const std::map<std::string, uint64_t>& GetStatsMap() const = 0;
  virtual Status status() const = 0;
};

}  // namespace ROCKSDB_NAMESPACE
