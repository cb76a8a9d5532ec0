// Names of the files of a database, RocksDB's own, so that its tools find what they expect.
//
// Called by every layer that creates, opens or deletes a file. Pure functions, no state.
//
//   000012.sst   000003.log   MANIFEST-000005   CURRENT   LOCK   IDENTITY
//   OPTIONS-000007   000009.dbtmp   LOG   LOG.old.1700000000000000   METADB-000001

#ifndef CAIRN_FS_FILE_NAMES_H_
#define CAIRN_FS_FILE_NAMES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/slice.h"

namespace cairn {

enum class FileType {
  kWalFile,
  kTableFile,
  kDescriptorFile,
  kCurrentFile,
  kLockFile,
  kIdentityFile,
  kOptionsFile,
  kTempFile,
  kInfoLogFile,
  kMetaDatabase,
  kBlobFile,
};

std::string TableFileName(const std::string& dir, uint64_t number);
// A table's path in the list of directories of the family; a path id out of range means the last
// one.
std::string TableFileName(const std::vector<std::string>& dirs, uint64_t number, uint32_t path_id);
std::string BlobFileName(const std::string& dir, uint64_t number);
std::string LogFileName(const std::string& dir, uint64_t number);
// Where logs go that only GetUpdatesSince may still want.
std::string ArchiveDirName(const std::string& wal_dir);
std::string DescriptorFileName(const std::string& dbname, uint64_t number);
std::string CurrentFileName(const std::string& dbname);
std::string LockFileName(const std::string& dbname);
std::string IdentityFileName(const std::string& dbname);
// Says whose the files of a directory are (db/outside_directories.h). No name that ParseFileName
// knows: RocksDB passes over it.
std::string OwnerFileName(const std::string& dir);
std::string OptionsFileName(const std::string& dbname, uint64_t number);
std::string TempOptionsFileName(const std::string& dbname, uint64_t number);
std::string TempFileName(const std::string& dbname, uint64_t number);

// "dbname/LOG", or with a log directory: "log_dir/<path of the database with '_' for '/'>_LOG".
std::string InfoLogFileName(const std::string& dbname, const std::string& log_dir = "");
std::string OldInfoLogFileName(const std::string& dbname, uint64_t micros,
                               const std::string& log_dir = "");

// Only the last component, for messages and events: "000012.sst".
std::string TableFileBaseName(uint64_t number);

// Takes the last component of a path. False: not a file of ours (leave it alone). The number is 0
// for the files that carry none; for old info logs it is the time in their name.
// `info_log_prefix` is the info log's base name ("LOG" unless a log directory is set).
[[nodiscard]] bool ParseFileName(const std::string& base_name, uint64_t* number, FileType* type,
                                 const Slice& info_log_prefix = Slice("LOG"));

}  // namespace cairn

#endif  // CAIRN_FS_FILE_NAMES_H_
