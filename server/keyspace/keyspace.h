// The databases of a server in one key-value store: opens it, hands out namespaces and the numbers
// of collections, and remembers where scans stopped. Thread safe.

#ifndef CAIRN_SERVER_KEYSPACE_KEYSPACE_H_
#define CAIRN_SERVER_KEYSPACE_KEYSPACE_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fiber/mutex.h"
#include "rocksdb/db.h"
#include "rocksdb/options.h"
#include "server/keyspace/lock_table.h"
#include "server/keyspace/memory_budget.h"

namespace cairn::server {

struct KeyspaceOptions {
  std::string directory;
  rocksdb::Options engine;
  int databases = 16;
  uint64_t memory_limit = UINT64_MAX;  // of what clients size (memory_budget.h)
};

class ExpiryFilterFactory;

class Keyspace {
 public:
  static rocksdb::Status Open(const KeyspaceOptions& options, std::unique_ptr<Keyspace>* keyspace);
  ~Keyspace();
  // SUSPENDS. Syncs the log and closes the store. REQUIRES: nobody uses it.
  rocksdb::Status Close();

  rocksdb::DB* db() { return db_.get(); }
  LockTable& locks() { return locks_; }
  MemoryBudget& memory() { return memory_; }
  const std::string& directory() const { return directory_; }
  // SUSPENDS. Whether the store takes writes. Asked by a write where it has had an error since it
  // was last known to.
  bool TakesWrites();
  // Milliseconds since 1970; never less than before.
  uint64_t NowMillis();

  int databases() const { return static_cast<int>(namespaces_.size()); }
  uint32_t NamespaceOf(int database) const {
    return namespaces_[static_cast<size_t>(database)].load(std::memory_order_acquire);
  }
  // True also of one that a commit under way is about to give out.
  bool NamespaceLives(uint32_t ns);
  // Those that no database has any more, as [first, second).
  std::vector<std::pair<uint32_t, uint32_t>> DeadNamespaces();
  // A number that no collection has had. SUSPENDS once in a million.
  uint64_t NextId();

  // Which databases get which namespaces by a transaction, and how many of these are fresh.
  // REQUIRES of all three: all stripes are held.
  using Namespaces = std::vector<std::pair<int, uint32_t>>;
  uint32_t next_namespace() const { return next_namespace_; }
  void WriteNamespaces(
      const Namespaces& changes, uint32_t fresh,
      const std::function<void(const std::string& key, const std::string& value)>& put) const;
  void AdoptNamespaces(const Namespaces& changes, uint32_t fresh);

  // Remembers where a scan stopped; the number is what the client gets for it, never 0. The oldest
  // of some ten thousand is forgotten: a scan that goes on with it begins anew.
  uint64_t RememberCursor(std::string position);
  // "" if it is unknown.
  std::string CursorPosition(uint64_t cursor);

 private:
  explicit Keyspace(uint64_t memory_limit) : memory_(memory_limit) {}
  rocksdb::Status Load(int databases);
  rocksdb::Status ReserveIds();

  std::string directory_;
  std::shared_ptr<ExpiryFilterFactory> filter_;
  std::unique_ptr<rocksdb::DB> db_;
  LockTable locks_;
  MemoryBudget memory_;
  // Written under all stripes and the mutex, which keeps a compaction from seeing half of an
  // exchange.
  fiber::Mutex namespaces_mutex_;
  std::vector<std::atomic<uint32_t>> namespaces_;
  uint32_t next_namespace_ = 1;
  std::atomic<uint64_t> now_ms_{0};
  std::atomic<uint64_t> survived_errors_{0};

  fiber::Mutex ids_mutex_;
  std::atomic<uint64_t> next_id_{1};
  std::atomic<uint64_t> ids_end_{1};  // reserved in the store

  fiber::Mutex cursors_mutex_;
  std::vector<std::pair<uint64_t, std::string>> cursors_ FIBER_GUARDED_BY(cursors_mutex_);
  uint64_t next_cursor_ FIBER_GUARDED_BY(cursors_mutex_) = 1;
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_KEYSPACE_KEYSPACE_H_
