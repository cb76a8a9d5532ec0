// Changes a MANIFEST while nobody has the database open, for what cannot be done to an open one:
// taking a table out that is damaged or gone.
//
// Thread safety: one caller. SUSPENDS.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "manifest/version_set.h"
#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace cairn {

class OfflineManifest {
 public:
  // Both are copied; env outlives this.
  OfflineManifest(std::string dbname, const DBOptions& options,
                  std::vector<ColumnFamilyDescriptor> families);
  ~OfflineManifest();
  OfflineManifest(const OfflineManifest&) = delete;
  OfflineManifest& operator=(const OfflineManifest&) = delete;

  // Takes the database's lock and reads its MANIFEST; tables are not looked at. IOError: somebody
  // has it open.
  [[nodiscard]] Status Open();
  // NotFound: there is no such table.
  [[nodiscard]] Status RemoveTable(uint64_t number);
  // Has the MANIFEST say of each table the temperature that its file system says, if it says any.
  [[nodiscard]] Status UpdateTemperatures(size_t* files_updated);

 private:
  [[nodiscard]] Status Apply(ColumnFamilyState* family, VersionEdit* edit);
  [[nodiscard]] Status CollectTemperatures(const ColumnFamilyState& family, VersionEdit* edit,
                                           size_t* files) const;

  const std::string dbname_;
  const DBOptions options_;
  const std::vector<ColumnFamilyDescriptor> families_;
  FileSystem* const fs_;
  FileLock* lock_ = nullptr;
  std::unique_ptr<FSDirectory> directory_;
  fiber::Mutex mutex_;
  VersionSet versions_;
};

}  // namespace cairn
