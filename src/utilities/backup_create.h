// Makes a backup of an open database.
//
// A list of the database's files of one moment (DB::GetLiveFilesStorageInfo) is copied, while the
// database keeps its files: what may change to private/<id>, tables to a directory that all backups
// share, unless they are there already. Shared files are copied under a temporary name, so that a
// file is whole or not there. Names are synced, and then the catalog gets the backup.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/db.h"
#include "rocksdb/io_status.h"
#include "utilities/backup_catalog.h"
#include "utilities/backup_context.h"

namespace cairn {

// The caller holds the engine's lock and that of the directory. After an error all that was made is
// gone again, as far as that is possible. SUSPENDS.
[[nodiscard]] IOStatus CreateBackup(const BackupContext& context,
                                    const CreateBackupOptions& options, DB* db,
                                    const std::string& app_metadata, BackupCatalog* catalog,
                                    BackupID* id);

}  // namespace cairn
