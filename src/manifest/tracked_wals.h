// TrackedWals: which logs the MANIFEST says were synced and closed, and how long they were then
// (track_and_verify_wals_in_manifest). Recovery misses one that is gone, or shorter, though nothing
// in the other logs tells.
//
// Records of a MANIFEST may come in another order than the syncs that they tell of: a size never
// shrinks, and a log that was given up does not come back. As in RocksDB.
//
// Owned by VersionSet. Thread safety: the database mutex.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/namespace.h"
#include "manifest/version_edit.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace cairn {

class TrackedWals {
 public:
  // What the edit says of logs. Corruption: a log is made twice.
  [[nodiscard]] Status Apply(const VersionEdit& edit);
  // Logs below `number` are not missed any more.
  void ForgetBelow(uint64_t number);
  // Whether the addition says anything that is not known.
  bool IsNews(const WalAddition& wal) const;

  // Logs below this were given up. 0: none ever was.
  uint64_t kept_from() const { return kept_from_; }
  bool empty() const { return wals_.empty(); }
  // An edit that makes an empty object this one, but for kept_from().
  VersionEdit Additions() const;

  // Corruption, with the path: a log that was synced is not among `present`, or is shorter now.
  // Those that were never synced are not looked for. SUSPENDS.
  [[nodiscard]] Status Check(FileSystem* fs, const std::string& wal_dir,
                             const std::set<uint64_t>& present) const;

 private:
  std::map<uint64_t, std::optional<uint64_t>> wals_;  // the synced sizes, in bytes
  uint64_t kept_from_ = 0;
};

}  // namespace cairn
