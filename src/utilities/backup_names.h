// What things are called in a backup directory: RocksDB's names (rocksdb/utilities/backup_engine.h
// draws them). All paths are relative to the directory.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/namespace.h"
#include "rocksdb/utilities/backup_engine.h"

namespace cairn {

inline constexpr char kBackupMetaDir[] = "meta";
inline constexpr char kBackupPrivateDir[] = "private";
inline constexpr char kBackupSharedDir[] = "shared";
inline constexpr char kBackupSharedChecksumDir[] = "shared_checksum";
// What the engine that writes holds. It is not LOCK, so that backups may lie in the directory of
// the database itself. It stands beside the folders: in meta/ RocksDB would remove it.
inline constexpr char kBackupLockFile[] = "BACKUP_LOCK";

// "meta/7".
std::string BackupMetaPath(BackupID id);
// "private/7".
std::string PrivateBackupDir(BackupID id);
// What a file is called until it is whole: "shared/.000012.sst.tmp" for "shared/000012.sst".
std::string TemporaryBackupPath(const std::string& path);
// Whether that is what a name in a directory looks like.
bool IsTemporaryBackupName(const std::string& name);

// False: the name in meta/ or private/ is no backup's.
[[nodiscard]] bool ParseBackupId(std::string_view name, BackupID* id);

// What tells tables of the same number apart.
struct SharedFileMarks {
  std::string session;  // may be empty
  uint32_t crc32c = 0;  // without a session, or by the older naming
  uint64_t size = 0;    // bytes
};
// Whether the table's name needs its checksum.
bool NamedByChecksum(BackupEngineOptions::ShareFilesNaming naming, const std::string& session);
// "shared_checksum/000012_s<session>_<size>.sst" and its like, of the table "000012.sst".
std::string SharedChecksumPath(const std::string& database_name,
                               BackupEngineOptions::ShareFilesNaming naming,
                               const SharedFileMarks& marks);

// Of a path that a backup's meta file names.
// False: it leads to where no backup has files.
[[nodiscard]] bool IsBackupFilePath(const std::string& path);
// It is in one of the two directories that backups share.
bool IsSharedBackupFile(const std::string& path);
// What the file is called in a database: "000012.sst".
std::string DatabaseFileName(const std::string& path);
// The session that the name says it was written in; empty: it does not.
std::string SessionInName(const std::string& path);
// The bytes that the name says it has, if it does.
std::optional<uint64_t> SizeInName(const std::string& path);

}  // namespace cairn
