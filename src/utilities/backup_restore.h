// Makes a database of a backup, and tells whether a backup is whole.
//
// A restore is begun only when all files of the backup are there. First CURRENT of what it replaces
// goes, last its own comes: whatever moment it dies at, what is there is no database, or the
// backup's.
#pragma once

#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/io_status.h"
#include "utilities/backup_catalog.h"
#include "utilities/backup_context.h"

namespace cairn {

// A directory of backups that may have a file.
struct BackupPlace {
  const BackupContext* context = nullptr;
  const BackupCatalog* catalog = nullptr;
};

// As BackupEngineReadOnlyBase says of RestoreDBFromBackup(). `places`: the first one has the
// backup, and perhaps the others what it left out. SUSPENDS.
[[nodiscard]] IOStatus RestoreBackup(const std::vector<BackupPlace>& places,
                                     const BackupMeta& backup, const RestoreOptions& options,
                                     const std::string& db_dir, const std::string& wal_dir);

// As of VerifyBackup(). SUSPENDS.
[[nodiscard]] IOStatus VerifyBackupFiles(const BackupContext& context, const BackupCatalog& catalog,
                                         const BackupMeta& backup, bool checksums);

}  // namespace cairn
