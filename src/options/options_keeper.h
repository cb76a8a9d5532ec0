// OptionsKeeper: the OPTIONS files of an open database, and how a change of one column family costs
// what that family's options take and not what all have.
//
// A database with ten thousand families has an OPTIONS file of some 50 MB. To write one anew for
// each family that is created would be quadratic; to append to the newest one would risk it: a torn
// tail makes all of it unreadable. So there are two files, as RocksDB keeps the newest two anyway,
// and they take turns. The older one is renamed to a temporary name, gets what it lacks (the
// sections that were changed since it was the newest, appended; what they replace becomes empty
// lines), is synced, and then renamed to be the newest. The newest file is never touched, so that
// after a power cut at any moment the file with the greatest number is whole and has every change
// that was acknowledged.
//
// db/ calls it, for each change that it persists, with a lock of its own (one call at a time).
//
// Invariants: `newest_` is as it was written; `older_.lacks` is what newest_ has and older_ has
// not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"

namespace cairn {

class OptionsKeeper {
 public:
  // A file that is smaller than this is written anew: it costs no more than the sync.
  static constexpr uint64_t kPatchFrom = 64 << 10;  // bytes

  // What changed, of the families. The default family's options, which stand first, and those of
  // the database are in nobody's list: for them the whole file is written.
  struct Change {
    std::vector<ColumnFamilyDescriptor> written;  // new ones, or with new options
    std::vector<std::string> dropped;
  };

  OptionsKeeper(FileSystem* fs, std::string dbname, uint64_t patch_from = kPatchFrom);

  // Whether Patch may succeed.
  bool CanPatch() const;
  // Makes OPTIONS-<number> out of the older file and the change. After an error (also of a file
  // system that does not write into existing files) the newest file is what it was, and the next
  // one is written as a whole. REQUIRES: CanPatch().
  [[nodiscard]] Status Patch(uint64_t number, FSDirectory* db_directory,
                             const DBOptions& db_options, const Change& change);
  // Writes OPTIONS-<number> as a whole: `families` are all, the default one first. `change`: what
  // of it is not in the newest file; null: not known, or more than families.
  [[nodiscard]] Status Write(uint64_t number, FSDirectory* db_directory,
                             const DBOptions& db_options,
                             const std::vector<ColumnFamilyDescriptor>& families,
                             const Change* change);

  // For tests: bytes of text that were written, to all files.
  uint64_t bytes_written() const { return bytes_written_; }

 private:
  struct Section {
    uint64_t offset = 0;
    uint64_t size = 0;  // bytes
  };
  struct File {
    uint64_t number = 0;  // 0: there is none, or nothing is known of it
    uint64_t size = 0;    // bytes
    uint64_t blank = 0;   // of these, lines that were emptied
    std::unordered_map<std::string, Section> sections;
    std::map<std::string, std::string> lacks;  // texts of sections; empty: dropped
  };

  [[nodiscard]] IOStatus PatchFile(const std::string& path, File* file);
  static std::map<std::string, std::string> Texts(const Change& change);

  FileSystem* const fs_;
  const std::string dbname_;
  const uint64_t patch_from_;
  File newest_;
  File older_;
  uint64_t bytes_written_ = 0;
};

}  // namespace cairn
