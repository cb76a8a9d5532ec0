// SAVE and BGSAVE: checkpoints of the keyspace, each a directory that opens like the data itself
// (cairn-server --dir=THE_CHECKPOINT), in a directory of their own. The newest few are kept.
// Thread safe.

#ifndef CAIRN_SERVER_KEYSPACE_CHECKPOINTS_H_
#define CAIRN_SERVER_KEYSPACE_CHECKPOINTS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fiber/runtime.h"
#include "rocksdb/db.h"
#include "rocksdb/status.h"

namespace cairn::server {

class Log;

class Checkpoints {
 public:
  // In `directory`, made with the first; an absolute path on the file system of the data, so that a
  // checkpoint takes links rather than copies.
  Checkpoints(std::string directory, size_t keep, Log* log)
      : directory_(std::move(directory)), keep_(keep), log_(log) {}

  // SUSPENDS. Busy: another one is under way.
  rocksdb::Status Save(rocksdb::DB* db);
  // The same on a fiber of its own. REQUIRES: Wait() comes before the database is closed.
  rocksdb::Status SaveInBackground(rocksdb::DB* db, fiber::Runtime* runtime);
  // SUSPENDS until none is under way.
  void Wait();

  bool busy() const { return busy_.load(); }
  // Seconds since 1970 of the last that was complete; 0: none since the start.
  uint64_t last_s() const { return last_s_.load(); }
  bool last_ok() const { return last_ok_.load(); }

 private:
  rocksdb::Status Make(rocksdb::DB* db);
  int MakeDirectory() const;  // 0, or the negative errno
  void DeleteOld();

  const std::string directory_;
  const size_t keep_;
  Log* const log_;
  std::atomic<bool> busy_{false};
  std::atomic<uint64_t> last_s_{0};
  std::atomic<bool> last_ok_{true};
};

}  // namespace cairn::server

#endif  // CAIRN_SERVER_KEYSPACE_CHECKPOINTS_H_
