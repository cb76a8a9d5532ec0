// What the tickers counted in past intervals, in a column family of its own
// (DBOptions::persist_stats_to_disk), as RocksDB keeps it there
// (monitoring/persistent_stats_history.h, format 1): for each note and ticker an entry
//
//   key    seconds since 1970, 10 digits or more, '#', the ticker's name
//   value  by how much it has grown since the note before, in decimal digits
//
// and two that say which release can read them. Nothing of it is ever deleted, but all of it where
// a later release has written what this one cannot read, or nobody knows who wrote it: then the
// family is dropped and made anew.
//
// Guards: notes come from one fiber, one at a time, which may run already while the family is
// opened.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/namespace.h"
#include "db/database.h"
#include "db/stats_history.h"
#include "rocksdb/write_batch.h"

namespace cairn {

class StatsOnDisk final : public Part {
 public:
  static constexpr char kFamilyName[] = "___rocksdb_stats_history___";

  using Part::Part;

  // The family's options: small memtables and tables, and what others share of the default's.
  [[nodiscard]] static Status FamilyOptions(const DBOptions& db_options,
                                            const ColumnFamilyOptions& of_default,
                                            ColumnFamilyOptions* options);
  // Of an opening: finds the family, or makes it where the database is written to. SUSPENDS.
  [[nodiscard]] Status Open();
  // At the end.
  void Forget() { handle_.reset(); }
  // Before, nothing can be noted. Any thread.
  bool is_open() const { return open_.load(std::memory_order_acquire); }
  // Null: there is none yet, or none at all, as of a reader of a database without one. Any thread.
  ColumnFamily* family() const { return is_open() ? family_ : nullptr; }
  // One note. A write that the database does not take now (Incomplete) is an error like any other.
  // SUSPENDS. REQUIRES: is_open(), and the database is written to
  [[nodiscard]] Status Note(uint64_t seconds, const StatsHistory::Tickers& counted);
  // From `start` to before `end`, seconds. Each step of the iterator reads the database, which must
  // be open then.
  std::unique_ptr<StatsHistoryIterator> NewIterator(uint64_t start, uint64_t end) const;

 private:
  [[nodiscard]] Status FindOrMake();
  [[nodiscard]] Status Create();
  // Made by a release whose entries are read here. Else *fits is false.
  [[nodiscard]] Status CheckVersion(bool* fits) const;
  [[nodiscard]] Status Write(WriteBatch* batch);

  std::unique_ptr<ColumnFamilyHandle> handle_;
  ColumnFamily* family_ = nullptr;
  bool says_version_ = false;
  std::atomic<bool> open_{false};  // release: after the others
};

}  // namespace cairn
