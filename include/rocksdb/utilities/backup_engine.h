// BackupEngine: copies of a running database in a directory of their own, each of one moment. A
// table that an earlier backup has is not copied again.
//
//   rocksdb::BackupEngine* made = nullptr;
//   rocksdb::IOStatus s = rocksdb::BackupEngine::Open(
//       rocksdb::BackupEngineOptions("/backups/db"), rocksdb::Env::Default(), &made);
//   std::unique_ptr<rocksdb::BackupEngine> engine(made);
//   if (s.ok()) s = engine->CreateNewBackup(rocksdb::CreateBackupOptions(), db);
//   ...
//   if (s.ok()) s = engine->RestoreDBFromLatestBackup(rocksdb::RestoreOptions(), "/db", "/db");
//
// The directory is RocksDB's, and either library goes on with what the other one wrote:
//
//   meta/7                       what backup 7 consists of; it is there once all else is
//   private/7/                   its files that change: MANIFEST, CURRENT, OPTIONS, logs
//   shared_checksum/000012_s<session>_<bytes>.sst   tables, of all backups that have them
//   shared/000012.sst            the same without share_files_with_checksum
//   BACKUP_LOCK                  held by who changes the directory (RocksDB passes over it)
//
// After an error, a kill or (with `sync`) a power cut at any moment, each backup that was there is
// whole. What was left half done is removed by the next call that writes.
//
// Thread safety: any thread or fiber, any call. Calls that read (of BackupEngineReadOnlyBase) run
// beside one another; one that writes waits for all others, and they for it. All but StopBackup()
// may SUSPEND. Copies are made by threads of the engine's own.
//
// Several engines on one directory: a call that writes fails with Busy while another engine writes,
// and sees what others did before. Calls that read show what the engine knew when it was opened, or
// last wrote. (RocksDB's engines do not look for others.)
#pragma once

#include <climits>
#include <cstdint>
#include <forward_list>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/io_status.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/rate_limiter.h"
#include "rocksdb/rocksdb_namespace.h"
#include "rocksdb/status.h"

namespace ROCKSDB_NAMESPACE {

class DB;

// How the MANIFEST names the checksum of tables that backups compare their copies with.
constexpr char kDbFileChecksumFuncName[] = "FileChecksumCrc32c";
// How backups name the same checksum.
constexpr char kBackupFileChecksumFuncName[] = "crc32c";

struct BackupEngineOptions {
  // The directory of the backups, and of nothing else. Not empty.
  std::string backup_dir;
  // Whose file system the backups are on; it outlives the engine. Null: that of the databases.
  Env* backup_env = nullptr;
  // Tables are kept once for all backups that have them. False: each backup is a whole copy.
  bool share_table_files = true;
  // Gets a line for each step; outlives the engine. May be null.
  Logger* info_log = nullptr;
  // Files and their names are synced before a backup is one, and before a restored database opens.
  // False: a power cut may take the last backup, never an earlier one that was synced.
  bool sync = true;
  // Open() deletes all backups that it finds.
  bool destroy_old_data = false;
  // False: backups have no logs, and so not what is in no table yet.
  bool backup_log_files = true;
  // Bytes per second that are written for a backup, or for a restore; 0: no limit.
  uint64_t backup_rate_limit = 0;
  // In place of backup_rate_limit, if not null. One whose mode says so limits reads, too.
  std::shared_ptr<RateLimiter> backup_rate_limiter;
  uint64_t restore_rate_limit = 0;
  // In place of restore_rate_limit, if not null.
  std::shared_ptr<RateLimiter> restore_rate_limiter;
  // Shared tables are told apart by more than their number, so that one directory may have backups
  // of databases whose histories parted (after a restore, say). False: by their number alone;
  // CreateNewBackup then reads each table that is shared already, and fails with Corruption
  // rather than take another one for it. Without effect unless share_table_files.
  bool share_files_with_checksum = true;
  // Threads that copy or read files at once; at least 1.
  int max_background_operations = 1;
  // Bytes that are copied for a backup between two calls of progress_callback.
  uint64_t callback_trigger_interval_size = 4 << 20;
  // Bytes that a thread copies at once, 1 GiB at most; 0: 256 KiB. (Of RocksDB 8.)
  uint64_t io_buffer_size = 0;
  // How many good backups BackupEngineReadOnly looks at, the latest ones. BackupEngine must know
  // all; there it is without effect.
  int max_valid_backups_to_open = INT_MAX;

  // What shared tables are called, by share_files_with_checksum.
  enum ShareFilesNaming : uint32_t {
    // 000012_<crc32c>_<bytes>.sst, in decimal. Each backup reads the whole table to know its name.
    kLegacyCrc32cAndFileSize = 1U,
    // 000012_s<session>.sst, with the identity of the session that made the table, from its
    // properties. (The older name where it has none.)
    kUseDbSessionId = 2U,
    kMaskNoNamingFlags = 0xffffU,
    // The name ends with _<bytes>.sst.
    kFlagIncludeFileSize = 1U << 31,
    kMaskNamingFlags = ~kMaskNoNamingFlags,
  };
  // One directory may have several kinds; a table under another name is copied again.
  ShareFilesNaming share_files_with_checksum_naming =
      static_cast<ShareFilesNaming>(kUseDbSessionId | kFlagIncludeFileSize);

  // Of the files in meta/: 1, or 2, which keeps sizes and temperatures, too, and is read by RocksDB
  // 6.19 and later. InvalidArgument or NotSupported by CreateNewBackup: another one.
  int schema_version = 1;
  // With schema 2: a file's temperature is what its file system says. False: what the MANIFEST
  // says, where it says something.
  bool current_temperatures_override_manifest = false;

  // Writes them to the log.
  void Dump(Logger* logger) const;

  explicit BackupEngineOptions(const std::string& _backup_dir, Env* _backup_env = nullptr,
                               bool _share_table_files = true, Logger* _info_log = nullptr,
                               bool _sync = true, bool _destroy_old_data = false,
                               bool _backup_log_files = true, uint64_t _backup_rate_limit = 0,
                               uint64_t _restore_rate_limit = 0, int _max_background_operations = 1,
                               uint64_t _callback_trigger_interval_size = 4 * 1024 * 1024,
                               int _max_valid_backups_to_open = INT_MAX,
                               ShareFilesNaming _share_files_with_checksum_naming =
                                   static_cast<ShareFilesNaming>(kUseDbSessionId |
                                                                 kFlagIncludeFileSize))
      : backup_dir(_backup_dir),
        backup_env(_backup_env),
        share_table_files(_share_table_files),
        info_log(_info_log),
        sync(_sync),
        destroy_old_data(_destroy_old_data),
        backup_log_files(_backup_log_files),
        backup_rate_limit(_backup_rate_limit),
        restore_rate_limit(_restore_rate_limit),
        max_background_operations(_max_background_operations),
        callback_trigger_interval_size(_callback_trigger_interval_size),
        max_valid_backups_to_open(_max_valid_backups_to_open),
        share_files_with_checksum_naming(_share_files_with_checksum_naming) {}
};

inline BackupEngineOptions::ShareFilesNaming operator&(BackupEngineOptions::ShareFilesNaming lhs,
                                                       BackupEngineOptions::ShareFilesNaming rhs) {
  return static_cast<BackupEngineOptions::ShareFilesNaming>(static_cast<uint32_t>(lhs) &
                                                            static_cast<uint32_t>(rhs));
}
inline BackupEngineOptions::ShareFilesNaming operator|(BackupEngineOptions::ShareFilesNaming lhs,
                                                       BackupEngineOptions::ShareFilesNaming rhs) {
  return static_cast<BackupEngineOptions::ShareFilesNaming>(static_cast<uint32_t>(lhs) |
                                                            static_cast<uint32_t>(rhs));
}

// A shared file that a backup could leave out (RocksDB 8), by its path in the backup's directory.
struct BackupExcludedFileInfo {
  explicit BackupExcludedFileInfo(const std::string& path) : relative_file(path) {}
  std::string relative_file;
};
struct MaybeExcludeBackupFile {
  explicit MaybeExcludeBackupFile(BackupExcludedFileInfo&& file) : info(std::move(file)) {}
  const BackupExcludedFileInfo info;
  bool exclude_decision = false;
};

struct CreateBackupOptions {
  // Memtables are flushed first. Without it a backup has copies of logs instead, and lacks what was
  // written without a log.
  bool flush_before_backup = false;
  // Called each callback_trigger_interval_size bytes, by a thread that copies, by one at a time. It
  // must not throw, nor call the engine, but for StopBackup().
  std::function<void()> progress_callback = []() {};
  // Whether the threads that copy get background_thread_cpu_priority, if that is lower than what
  // they have; the engine's later calls keep it. (kLow and kIdle are niceness 19.)
  bool decrease_background_thread_cpu_priority = false;
  CpuPriority background_thread_cpu_priority = CpuPriority::kNormal;
  // With flush_before_backup: of all families together, as DBOptions::atomic_flush. (Of
  // RocksDB 11.)
  bool atomic_flush = false;
  // Sets exclude_decision of files that are to be left out, as they are in another backup directory
  // (RestoreOptions::alternate_dirs): it sees the shared tables and blob files that are not in this
  // one yet, in the call's thread. Needs schema_version 2 and share_files_with_checksum. Aborted by
  // CreateNewBackup: it threw. (Of RocksDB 8.)
  std::function<void(MaybeExcludeBackupFile* begin, MaybeExcludeBackupFile* end)>
      exclude_files_callback = nullptr;
};

class BackupEngineReadOnlyBase;

struct RestoreOptions {
  // What of the database that is there may stay, so that it is not copied again: of its tables and
  // blob files those that are the backup's. (Of RocksDB 9.)
  enum Mode : uint32_t {
    // By number, size and the session that wrote them, as their names in the backup have it:
    // nothing
    // is read of them. For a database whose files are known to be sound. (Blob files, and tables
    // whose names in the backup have checksums instead, are copied.)
    kKeepLatestDbSessionIdFiles = 1U,
    // By their checksums: all of them are read.
    kVerifyChecksum = 2U,
    // Nothing.
    kPurgeAllFiles = 0xffffU,
  };

  // The logs in wal_dir stay, those of its archive are moved there, and of a backup's logs none
  // overwrites one: what was written after the backup is replayed on top. For databases whose logs
  // outlive their tables, with backups without logs.
  bool keep_log_files;
  // Where files are that the backup left out (exclude_files_callback), searched in this order,
  // after its own directory. They outlive the call, and were made by this library. (Of RocksDB 8.)
  std::forward_list<BackupEngineReadOnlyBase*> alternate_dirs;
  Mode mode;

  explicit RestoreOptions(bool _keep_log_files = false, Mode _mode = Mode::kPurgeAllFiles)
      : keep_log_files(_keep_log_files), mode(_mode) {}
};

// From 1 on, in the order of their making.
using BackupID = uint32_t;

// relative_filename is a path within the backup directory, which `directory` names; file_number and
// file_type are those of the database's file. (RocksDB leaves these two unset, and names another
// directory.)
using BackupFileInfo = FileStorageInfo;

struct BackupInfo {
  BackupID backup_id = 0U;
  int64_t timestamp = 0;  // when it was made: seconds since 1970
  uint64_t size = 0U;     // bytes of its files, shared ones included
  uint32_t number_files = 0U;
  std::string app_metadata;  // as it was given to CreateNewBackupWithMetadata()

  // What follows is filled in with include_file_details only.
  std::vector<BackupFileInfo> file_details;
  // Left out by exclude_files_callback; not in file_details, size and number_files.
  std::vector<BackupExcludedFileInfo> excluded_files;
  // The backup as a database, unless it has excluded files, for DB::OpenForReadOnly() with
  // env_for_open as DBOptions::env and an empty wal_dir. What writes there is NotSupported.
  std::string name_for_open;
  // Does not need the engine.
  std::shared_ptr<Env> env_for_open;

  BackupInfo() = default;
  BackupInfo(BackupID _backup_id, int64_t _timestamp, uint64_t _size, uint32_t _number_files,
             const std::string& _app_metadata)
      : backup_id(_backup_id),
        timestamp(_timestamp),
        size(_size),
        number_files(_number_files),
        app_metadata(_app_metadata) {}
};

// A count of backups, for who wants one. Not thread-safe.
class BackupStatistics {
 public:
  BackupStatistics() = default;
  BackupStatistics(uint32_t _number_success_backup, uint32_t _number_fail_backup)
      : number_success_backup(_number_success_backup), number_fail_backup(_number_fail_backup) {}
  ~BackupStatistics() = default;

  void IncrementNumberSuccessBackup();
  void IncrementNumberFailBackup();
  uint32_t GetNumberSuccessBackup() const;
  uint32_t GetNumberFailBackup() const;
  std::string ToString() const;

 private:
  uint32_t number_success_backup = 0;
  uint32_t number_fail_backup = 0;
};

// What changes no backup.
class BackupEngineReadOnlyBase {
 public:
  virtual ~BackupEngineReadOnlyBase() = default;

  // Of the latest good backup. NotFound: there is none.
  virtual Status GetLatestBackupInfo(BackupInfo* backup_info,
                                     bool include_file_details = false) const = 0;
  // NotFound: no such backup. Corruption: it is none of the good ones.
  virtual Status GetBackupInfo(BackupID backup_id, BackupInfo* backup_info,
                               bool include_file_details = false) const = 0;
  // Of all good backups, the oldest first.
  virtual void GetBackupInfo(std::vector<BackupInfo>* backup_infos,
                             bool include_file_details = false) const = 0;
  // Those that cannot be restored: their file in meta/ is damaged or of a schema that is not known,
  // or files are missing or of another size than that or their name says. Their files stay until
  // DeleteBackup(). (RocksDB's next write may remove them.)
  virtual void GetCorruptedBackups(std::vector<BackupID>* corrupt_backup_ids) const = 0;

  // Makes `db_dir` and, for logs, `wal_dir` (empty: the same) what the database was. All files that
  // are there go, whosever they are, before the first is copied; directories stay. CURRENT comes
  // last: a database that opens is whole. Every file is compared with its checksum.
  //
  // NotFound: no such backup. InvalidArgument: a file that it left out is in none of
  // alternate_dirs. Corruption: it is damaged; where that shows without reading its files
  // (they are missing, or of another size), and in all that follows, nothing was changed yet.
  // InvalidArgument: a directory's name is empty, or it is another database's. IOError: the
  // database is open. Incomplete: StopBackup() was called.
  virtual IOStatus RestoreDBFromBackup(const RestoreOptions& options, BackupID backup_id,
                                       const std::string& db_dir,
                                       const std::string& wal_dir) const = 0;
  virtual IOStatus RestoreDBFromBackup(BackupID backup_id, const std::string& db_dir,
                                       const std::string& wal_dir,
                                       const RestoreOptions& options = RestoreOptions()) const {
    return RestoreDBFromBackup(options, backup_id, db_dir, wal_dir);
  }
  // The same from the latest good backup.
  virtual IOStatus RestoreDBFromLatestBackup(const RestoreOptions& options,
                                             const std::string& db_dir,
                                             const std::string& wal_dir) const = 0;
  virtual IOStatus RestoreDBFromLatestBackup(
      const std::string& db_dir, const std::string& wal_dir,
      const RestoreOptions& options = RestoreOptions()) const {
    return RestoreDBFromLatestBackup(options, db_dir, wal_dir);
  }

  // OK: all files are there, with the sizes that they had when the engine was opened or made the
  // backup; and, with verify_with_checksum, which reads them all, with their checksums. NotFound: a
  // file is missing, or there is no such backup. Corruption: a file is another one.
  virtual IOStatus VerifyBackup(BackupID backup_id, bool verify_with_checksum = false) const = 0;
};

// What adds backups and loses none.
class BackupEngineAppendOnlyBase {
 public:
  virtual ~BackupEngineAppendOnlyBase() = default;

  // Makes a backup of the database as it is at one moment of the call, while it goes on. `db` may
  // be open for reading. app_metadata: any bytes, up to 1 MiB. *new_backup_id, if not null, is set
  // if the call succeeds.
  //
  // Tables of all db_paths are in it, and all come into the one directory that it is restored to,
  // which is to be opened without db_paths.
  //
  // After an error there is no new backup. InvalidArgument: an option. NotSupported: the database
  // is open for reading without all of its column families. Incomplete: StopBackup() was called.
  // Corruption: a table has not the size or the checksum that the MANIFEST says. Busy: another
  // engine writes here.
  virtual IOStatus CreateNewBackupWithMetadata(const CreateBackupOptions& options, DB* db,
                                               const std::string& app_metadata,
                                               BackupID* new_backup_id = nullptr) = 0;
  virtual IOStatus CreateNewBackupWithMetadata(
      DB* db, const std::string& app_metadata, bool flush_before_backup = false,
      std::function<void()> progress_callback = []() {}) {
    CreateBackupOptions options;
    options.flush_before_backup = flush_before_backup;
    options.progress_callback = std::move(progress_callback);
    return CreateNewBackupWithMetadata(options, db, app_metadata);
  }
  // The same without metadata.
  virtual IOStatus CreateNewBackup(const CreateBackupOptions& options, DB* db,
                                   BackupID* new_backup_id = nullptr) {
    return CreateNewBackupWithMetadata(options, db, "", new_backup_id);
  }
  virtual IOStatus CreateNewBackup(
      DB* db, bool flush_before_backup = false, std::function<void()> progress_callback = []() {}) {
    CreateBackupOptions options;
    options.flush_before_backup = flush_before_backup;
    options.progress_callback = std::move(progress_callback);
    return CreateNewBackup(options, db);
  }

  // What copies ends soon, with Incomplete. Returns at once. As in RocksDB, it is for good: later
  // backups and restores of this engine are Incomplete, too.
  virtual void StopBackup() = 0;

  // Removes what killed or failed calls left; the first call of an engine that writes does so, too.
  // Never what belongs to a backup, be it a corrupt one; with a backup of an unknown schema, no
  // shared file that is whole. Of several failures the first.
  virtual IOStatus GarbageCollect() = 0;
};

class BackupEngine : public BackupEngineReadOnlyBase, public BackupEngineAppendOnlyBase {
 public:
  ~BackupEngine() override = default;

  // Makes the directory, if it is not there. `db_env`: of the databases to back up and restore;
  // outlives the engine. InvalidArgument: an option, or a null `db_env`. Damaged backups are no
  // error (GetCorruptedBackups). The caller deletes *backup_engine_ptr, which is null after an
  // error.
  static IOStatus Open(const BackupEngineOptions& options, Env* db_env,
                       BackupEngine** backup_engine_ptr);
  static IOStatus Open(Env* db_env, const BackupEngineOptions& options,
                       BackupEngine** backup_engine_ptr) {
    return BackupEngine::Open(options, db_env, backup_engine_ptr);
  }

  // Deletes the oldest good backups, all but the latest num_backups_to_keep.
  virtual IOStatus PurgeOldBackups(uint32_t num_backups_to_keep) = 0;
  // A good or a corrupt one, and what no other backup needs. NotFound: no such backup.
  virtual IOStatus DeleteBackup(BackupID backup_id) = 0;
};

// Changes nothing in the backup directory, which may be of a file system that cannot be written to.
class BackupEngineReadOnly : public BackupEngineReadOnlyBase {
 public:
  ~BackupEngineReadOnly() override = default;

  // NotFound: no backups are there. Else as BackupEngine::Open.
  static IOStatus Open(const BackupEngineOptions& options, Env* db_env,
                       BackupEngineReadOnly** backup_engine_ptr);
  static IOStatus Open(Env* db_env, const BackupEngineOptions& options,
                       BackupEngineReadOnly** backup_engine_ptr) {
    return BackupEngineReadOnly::Open(options, db_env, backup_engine_ptr);
  }
};

}  // namespace ROCKSDB_NAMESPACE
