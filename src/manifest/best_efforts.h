// best_efforts_recovery: what can be had of a MANIFEST some of whose tables and blob files are gone
// or have another size.
//
// Each family gets what it had at the newest point of the MANIFEST at which all of its files are
// there now; at worst none. Files that a later compaction removed are gone by right, so that such
// points lie between the last compactions and the loss. Families are apart, except for edits that
// were written as one group: all families of a group have it, or none has. (RocksDB then holds all
// families of the database back, also those that were not in the group.)
//
// VersionSet::RecoverBestEfforts reads a MANIFEST twice: once for this plan, and once with the
// files of later edits left out. Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "manifest/manifest_reader.h"
#include "rocksdb/file_system.h"

namespace cairn {

// The numbers of the MANIFESTs in the directory that have anything in them, newest first.
[[nodiscard]] Status FindManifests(FileSystem* fs, const std::string& dbname,
                                   std::vector<uint64_t>* numbers);

// Names of all column families by the newest MANIFEST that can be read to its end.
[[nodiscard]] Status ListFamiliesBestEfforts(FileSystem* fs, const std::string& dbname,
                                             std::vector<std::string>* names);

class BestEffortsPlan {
 public:
  // The number of an edit in its MANIFEST; the first one has 1.
  using Ordinal = uint64_t;

  // `paths`: of tables, by path id; blob files are in the first.
  BestEffortsPlan(FileSystem* fs, std::vector<std::string> paths)
      : fs_(fs), paths_(std::move(paths)) {}

  // Looks for all files of all edits. Errors: the reader's, or a look at a file failed otherwise
  // than that it is not there. SUSPENDS.
  [[nodiscard]] Status Read(ManifestReader* reader);

  // Of each family that there is at the end: its files are those of its edits up to this one.
  // 0: it has none.
  const std::map<uint32_t, Ordinal>& files_until() const { return files_until_; }
  // Some family has not all that it had at the end.
  bool loses_files() const { return loses_files_; }

 private:
  struct Table {
    bool is_there = false;
    uint64_t oldest_blob_file = 0;  // kNoBlobFile: none
  };
  struct Blobs {
    bool is_there = false;
    uint64_t blobs = 0, garbage = 0;
  };
  struct Family {
    std::map<uint64_t, Table> tables;
    std::map<uint64_t, Blobs> blob_files;
    size_t missing_tables = 0, missing_blob_files = 0;
    std::vector<Ordinal> whole_at = {0};  // ascending: all of its files are there
    Ordinal last_change = 0;              // the last edit with files
  };
  struct Group {
    Ordinal first = 0, last = 0;
    std::vector<uint32_t> families;
  };

  [[nodiscard]] Status Apply(const VersionEdit& edit, Ordinal ordinal);
  [[nodiscard]] Status IsThere(const std::string& path, uint64_t bytes, bool* is_there) const;
  static bool IsWhole(const Family& family);
  void ChoosePoints();

  FileSystem* const fs_;
  const std::vector<std::string> paths_;
  std::map<uint32_t, Family> families_{{0, Family()}};
  std::vector<Group> groups_;
  std::map<uint32_t, Ordinal> files_until_;
  bool loses_files_ = false;
};

}  // namespace cairn
