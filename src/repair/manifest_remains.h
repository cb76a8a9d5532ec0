// What the MANIFESTs of a damaged database still say, for RepairDB. Each is read up to its first
// damage: what a record says whose checksum is right was true once, and of much of it one knows
// that it still is (a name, a file that is deleted, a log number, which only grows).
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "manifest/version_edit.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace cairn {

struct ManifestRemains {
  struct Family {
    std::string name;
    uint64_t log_number = 0;  // what older logs have of it is in tables
    // Where keys have timestamps: all marks below which nobody reads, of which the largest counts.
    std::vector<std::string> history_lows;
    bool dropped = false;
    std::set<uint64_t> tables;  // that it has at the end
  };
  struct Table {
    uint32_t family = 0;
    FileMetaData meta;
  };

  // Adds what one MANIFEST says; older ones are read before newer ones. A missing or damaged one
  // is no error. SUSPENDS.
  void Read(FileSystem* fs, const std::string& path, uint64_t number, Logger* info_log);

  std::map<uint32_t, Family> families;  // the default family is always there
  std::map<uint64_t, Table> tables;     // all that ever were, by number
  std::set<uint64_t> deleted;           // numbers of those that no family has any more
  uint32_t max_column_family = 0;
  SequenceNumber last_sequence = 0;
  std::string db_id;

 private:
  void Apply(const VersionEdit& edit);
};

}  // namespace cairn
