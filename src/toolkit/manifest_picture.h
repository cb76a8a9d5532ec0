// What a MANIFEST says, for those who look at a database without opening it: any comparators, any
// number of levels, tables that need not exist.
//
// Thread safety: none. Reading SUSPENDS, and changes nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "manifest/blob_file_meta.h"
#include "manifest/blob_files_builder.h"
#include "manifest/file_metadata.h"
#include "manifest/version_edit.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace cairn {

struct ManifestPicture {
  struct Family {
    std::string name;
    std::string comparator;  // its name
    uint64_t log_number = 0;
    // By level, in the order of Version::files().
    std::vector<std::vector<FileMetaData>> levels;
    BlobFilesBuilder blobs{nullptr};  // Build(): the blob files that tables can refer to

    uint64_t Bytes(size_t level) const;
  };

  // Called with each edit, before it is applied.
  using Visitor = std::function<void(const VersionEdit& edit)>;

  // Reads the file. Corruption: the MANIFEST is damaged, or contradicts itself; what was read until
  // then is here. (A record that a crash cut off at the end is none.)
  [[nodiscard]] Status Read(FileSystem* fs, const std::string& path, const Visitor& visitor = {});
  // The one that CURRENT names.
  [[nodiscard]] Status ReadCurrent(FileSystem* fs, const std::string& dbname);

  uint64_t number = 0;  // the MANIFEST's
  std::map<uint32_t, Family> families;
  std::string db_id;
  uint64_t next_file = 0, prev_log = 0, min_log_to_keep = 0;
  SequenceNumber last_sequence = 0;
  uint32_t max_column_family = 0;
  size_t families_made = 0;  // with those that were dropped
  size_t edits = 0;

 private:
  [[nodiscard]] Status Apply(const VersionEdit& edit);
  [[nodiscard]] Status ApplyFiles(const VersionEdit& edit, Family* family);
  void Sort();
};

}  // namespace cairn
