// The database under test: options from the flags, opening, emptying. Used by the main thread
// between workloads only; the clients share the open DB.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "db_bench/file_operations.h"
#include "fiber/sync.h"
#include "fiber/thread.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/options.h"

namespace db_bench {

class Database {
 public:
  // Exits with a message if a flag's value means nothing (an unknown compression, say).
  Database();

  // Destroys the database that is there, unless --use_existing_db, and opens it. Exits on failure.
  void OpenFirst();
  // An empty database. REQUIRES: not --use_existing_db.
  void Recreate();
  void Close();

  rocksdb::DB* db() const { return db_.get(); }
  // All of them, the default one first. Valid until the database is closed.
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const { return families_; }
  const std::string& path() const { return path_; }
  // The statistics as text; empty without --statistics.
  std::string Statistics() const;
  // With --report_file_operations: what was done to files since the last call; else nothing.
  std::string FileOperationsDone() const;
  // With --use_secondary_db: how often it caught up with its primary.
  uint64_t updates() const { return updates_.load(std::memory_order_relaxed); }
  // Those, and the database's own, begin again at 0.
  rocksdb::Status ResetStatistics() const;

 private:
  void Destroy();
  void Open();
  // Catches up with the primary every --secondary_update_interval seconds, until the database is
  // closed. It ends early where that fails, with a message.
  void FollowPrimary();

  std::shared_ptr<rocksdb::Env> env_;  // null: an Env that lives for ever; outlives what follows
  std::shared_ptr<FileOperations> files_;       // null: nobody counts them
  std::unique_ptr<rocksdb::Env> counting_env_;  // over them
  std::string path_;
  rocksdb::Options options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;  // owned, of db_
  std::unique_ptr<fiber::Thread> follower_;             // null: it is no secondary
  fiber::Event closing_;
  std::atomic<uint64_t> updates_{0};  // relaxed: a number to print
};

}  // namespace db_bench
