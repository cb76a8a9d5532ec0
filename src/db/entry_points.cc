// The static entry points of the public API: Open in its forms, ListColumnFamilies, DestroyDB; and
// the virtual methods of DB that answer "not supported" until a database overrides them.
#include <cassert>
#include <map>
#include <set>

#include "base/allocation.h"
#include "db/db_impl.h"
#include "db/outside_directories.h"
#include "db/remote_worker.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/info_log.h"
#include "fs/space_manager.h"
#include "options/options_check.h"
#include "rocksdb/convenience.h"
#include "rocksdb/experimental.h"

namespace ROCKSDB_NAMESPACE {
namespace {

using cairn::DBImpl;
using cairn::OpenMode;

Status OpenDefault(const Options& options, const std::string& name, OpenMode mode,
                   std::unique_ptr<DB>* db) {
  std::vector<ColumnFamilyHandle*> handles;
  Status s =
      DBImpl::Open(DBOptions(options), name,
                   {{kDefaultColumnFamilyName, ColumnFamilyOptions(options)}}, mode, &handles, db);
  for (ColumnFamilyHandle* handle : handles) delete handle;
  return s;
}

// The older form: the caller deletes *db.
template <typename OpenFn>
Status OpenRaw(DB** db, OpenFn&& open_fn) {
  *db = nullptr;
  std::unique_ptr<DB> owned;
  Status s = open_fn(&owned);
  if (s.ok()) *db = owned.release();
  return s;
}

OpenMode ReadOnlyMode(bool error_if_wal_file_exists) {
  return error_if_wal_file_exists ? OpenMode::kReadOnlyFailIfWal : OpenMode::kReadOnly;
}

}  // namespace

DB::~DB() = default;

Status DB::Open(const Options& options, const std::string& name, std::unique_ptr<DB>* db) {
  return OpenDefault(options, name, OpenMode::kReadWrite, db);
}

Status DB::Open(const Options& options, const std::string& name, DB** db) {
  return OpenRaw(db, [&](std::unique_ptr<DB>* owned) { return Open(options, name, owned); });
}

Status DB::Open(const DBOptions& options, const std::string& name,
                const std::vector<ColumnFamilyDescriptor>& families,
                std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db) {
  return DBImpl::Open(options, name, families, OpenMode::kReadWrite, handles, db);
}

Status DB::Open(const DBOptions& options, const std::string& name,
                const std::vector<ColumnFamilyDescriptor>& families,
                std::vector<ColumnFamilyHandle*>* handles, DB** db) {
  return OpenRaw(db, [&](std::unique_ptr<DB>* owned) {
    return Open(options, name, families, handles, owned);
  });
}

Status DB::OpenAndTrimHistory(const DBOptions& options, const std::string& name,
                              const std::vector<ColumnFamilyDescriptor>& families,
                              std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db,
                              std::string trim_ts) {
  db->reset();
  if (options.avoid_flush_during_recovery) {
    return Status::InvalidArgument(
        "avoid_flush_during_recovery incompatible with OpenAndTrimHistory");
  }
  for (const ColumnFamilyDescriptor& family : families) {
    if (family.options.comparator == nullptr || !cairn::LacksTimestampsInTables(family.options))
      continue;
    return Status::NotSupported(
        "OpenAndTrimHistory with persist_user_defined_timestamps=false: tables do not tell what is "
        "newer",
        family.name);
  }
  Status s = DBImpl::Open(options, name, families, OpenMode::kReadWrite, handles, db);
  if (!s.ok()) return s;
  for (ColumnFamilyHandle* handle : *handles) {
    if (s.ok()) s = static_cast<DBImpl*>(db->get())->TrimHistory(handle, trim_ts);
  }
  if (s.ok()) return s;
  for (ColumnFamilyHandle* handle : *handles) delete handle;
  handles->clear();
  db->reset();
  return s;
}

Status DB::OpenAndTrimHistory(const DBOptions& options, const std::string& name,
                              const std::vector<ColumnFamilyDescriptor>& families,
                              std::vector<ColumnFamilyHandle*>* handles, DB** db,
                              std::string trim_ts) {
  return OpenRaw(db, [&](std::unique_ptr<DB>* owned) {
    return OpenAndTrimHistory(options, name, families, handles, owned, trim_ts);
  });
}

Status DB::OpenForReadOnly(const Options& options, const std::string& name, std::unique_ptr<DB>* db,
                           bool error_if_wal_file_exists) {
  return OpenDefault(options, name, ReadOnlyMode(error_if_wal_file_exists), db);
}

Status DB::OpenForReadOnly(const Options& options, const std::string& name, DB** db,
                           bool error_if_wal_file_exists) {
  return OpenRaw(db, [&](std::unique_ptr<DB>* owned) {
    return OpenForReadOnly(options, name, owned, error_if_wal_file_exists);
  });
}

Status DB::OpenForReadOnly(const DBOptions& options, const std::string& name,
                           const std::vector<ColumnFamilyDescriptor>& families,
                           std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db,
                           bool error_if_wal_file_exists) {
  return DBImpl::Open(options, name, families, ReadOnlyMode(error_if_wal_file_exists), handles, db);
}

Status DB::OpenForReadOnly(const DBOptions& options, const std::string& name,
                           const std::vector<ColumnFamilyDescriptor>& families,
                           std::vector<ColumnFamilyHandle*>* handles, DB** db,
                           bool error_if_wal_file_exists) {
  return OpenRaw(db, [&](std::unique_ptr<DB>* owned) {
    return OpenForReadOnly(options, name, families, handles, owned, error_if_wal_file_exists);
  });
}

Status DB::OpenAsSecondary(const Options& options, const std::string& name,
                           const std::string& secondary_path, std::unique_ptr<DB>* db) {
  std::vector<ColumnFamilyHandle*> handles;
  Status s =
      OpenAsSecondary(DBOptions(options), name, secondary_path,
                      {{kDefaultColumnFamilyName, ColumnFamilyOptions(options)}}, &handles, db);
  for (ColumnFamilyHandle* handle : handles) delete handle;
  return s;
}

Status DB::OpenAsSecondary(const Options& options, const std::string& name,
                           const std::string& secondary_path, DB** db) {
  return OpenRaw(db, [&](std::unique_ptr<DB>* owned) {
    return OpenAsSecondary(options, name, secondary_path, owned);
  });
}

Status DB::OpenAsSecondary(const DBOptions& options, const std::string& name,
                           const std::string& secondary_path,
                           const std::vector<ColumnFamilyDescriptor>& families,
                           std::vector<ColumnFamilyHandle*>* handles, std::unique_ptr<DB>* db) {
  return DBImpl::Open(options, name, families, OpenMode::kSecondary, handles, db, secondary_path);
}

Status DB::OpenAsSecondary(const DBOptions& options, const std::string& name,
                           const std::string& secondary_path,
                           const std::vector<ColumnFamilyDescriptor>& families,
                           std::vector<ColumnFamilyHandle*>* handles, DB** db) {
  return OpenRaw(db, [&](std::unique_ptr<DB>* owned) {
    return OpenAsSecondary(options, name, secondary_path, families, handles, owned);
  });
}

Status DB::OpenAndCompact(const std::string& name, const std::string& output_directory,
                          const std::string& input, std::string* output,
                          const CompactionServiceOptionsOverride& override_options) {
  return OpenAndCompact(OpenAndCompactOptions(), name, output_directory, input, output,
                        override_options);
}

Status DB::OpenAndCompact(const OpenAndCompactOptions& options, const std::string& name,
                          const std::string& output_directory, const std::string& input,
                          std::string* output,
                          const CompactionServiceOptionsOverride& override_options) {
  return cairn::RunRemoteWorker({options, name, output_directory, override_options}, input, output);
}

Status DB::ListColumnFamilies(const DBOptions& options, const std::string& name,
                              std::vector<std::string>* families) {
  return cairn::VersionSet::ListColumnFamilies(name, options.env->GetFileSystem().get(), families);
}

// --- Not there in this version: said, not ignored.

Status DB::IngestExternalFile(ColumnFamilyHandle* column_family,
                              const std::vector<std::string>& external_files,
                              const IngestExternalFileOptions& options) {
  IngestExternalFileArg arg;
  arg.column_family = column_family;
  arg.external_files = external_files;
  arg.options = options;
  return IngestExternalFiles({arg});
}

Status DB::TryCatchUpWithPrimary() {
  return Status::NotSupported("Supported only by secondary instance");
}
Status DB::CreateColumnFamily(const ColumnFamilyOptions&, const std::string&,
                              ColumnFamilyHandle**) {
  return Status::NotSupported("CreateColumnFamily() is not supported.");
}
Status DB::CreateColumnFamilies(const ColumnFamilyOptions&, const std::vector<std::string>&,
                                std::vector<ColumnFamilyHandle*>*) {
  return Status::NotSupported("CreateColumnFamilies() is not supported.");
}
Status DB::CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>&,
                                std::vector<ColumnFamilyHandle*>*) {
  return Status::NotSupported("CreateColumnFamilies() is not supported.");
}
Status DB::CreateColumnFamilyWithImport(const ColumnFamilyOptions&, const std::string&,
                                        const ImportColumnFamilyOptions&,
                                        const std::vector<const ExportImportFilesMetaData*>&,
                                        ColumnFamilyHandle** handle) {
  *handle = nullptr;
  return Status::NotSupported("CreateColumnFamilyWithImport() is not supported.");
}
Status DB::DropColumnFamily(ColumnFamilyHandle*) {
  return Status::NotSupported("DropColumnFamily() is not supported.");
}
Status DB::DropColumnFamilies(const std::vector<ColumnFamilyHandle*>&) {
  return Status::NotSupported("DropColumnFamilies() is not supported.");
}

Status DB::DestroyColumnFamilyHandle(ColumnFamilyHandle* family) {
  if (family == DefaultColumnFamily()) {
    return Status::InvalidArgument("Cannot destroy the handle returned by DefaultColumnFamily()");
  }
  delete family;
  return Status::OK();
}

Status DB::DeleteRange(const WriteOptions&, ColumnFamilyHandle*, const Slice&, const Slice&) {
  return Status::NotSupported("DeleteRange is not supported");
}

Status DB::Get(const ReadOptions& options, ColumnFamilyHandle* column_family, const Slice& key,
               std::string* value) {
  assert(value != nullptr);
  PinnableSlice pinnable(value);
  Status s = Get(options, column_family, key, &pinnable);
  if (s.ok() && pinnable.IsPinned() &&
      !cairn::AssignIfPossible(value, pinnable.data(), pinnable.size())) {
    s = Status::MemoryLimit("no memory for a value of " + std::to_string(pinnable.size()) +
                            " bytes");
  }
  return s;
}

FileSystem* DB::GetFileSystem() const { return GetEnv()->GetFileSystem().get(); }

Status DB::GetApproximateSizes(ColumnFamilyHandle* family, const Range* ranges, int n,
                               uint64_t* sizes, SizeApproximationFlags flags) {
  SizeApproximationOptions options;
  options.include_memtables =
      (flags & SizeApproximationFlags::INCLUDE_MEMTABLES) != SizeApproximationFlags::NONE;
  options.include_files =
      (flags & SizeApproximationFlags::INCLUDE_FILES) != SizeApproximationFlags::NONE;
  return GetApproximateSizes(options, family, ranges, n, sizes);
}

// --- Outside an open database

Status CreateLoggerFromOptions(const std::string& dbname, const DBOptions& options,
                               std::shared_ptr<Logger>* logger) {
  if (options.info_log != nullptr) {
    *logger = options.info_log;
    return Status::OK();
  }
  cairn::InfoLogOptions log;
  log.level = options.info_log_level;
  log.log_dir = options.db_log_dir;
  log.max_file_size = options.max_log_file_size;
  log.time_to_roll_seconds = options.log_file_time_to_roll;
  log.keep_files = options.keep_log_file_num;
  return cairn::CreateInfoLog(options.env->GetFileSystem().get(), dbname, log, logger);
}

void CancelAllBackgroundWork(DB* db, bool wait) {
  // A DB of the user's own that wraps one of ours forwards GetRootDB.
  if (auto* impl = dynamic_cast<DBImpl*>(db->GetRootDB())) impl->CancelAllBackgroundWork(wait);
}

namespace {

// What the free functions do with a database that is none of ours.
Status NotOurs(const char* function) {
  return Status::NotSupported(std::string(function) + ": not a database of this library");
}

}  // namespace

Status DeleteFilesInRanges(DB* db, ColumnFamilyHandle* column_family, const RangePtr* ranges,
                           size_t n, bool include_end) {
  auto* const impl = dynamic_cast<DBImpl*>(db->GetRootDB());
  if (impl == nullptr) return NotOurs("DeleteFilesInRanges");
  return impl->DeleteFilesInRanges(column_family, ranges, n, include_end);
}

Status DeleteFilesInRange(DB* db, ColumnFamilyHandle* column_family, const Slice* begin,
                          const Slice* end, bool include_end) {
  const RangePtr range(begin, end);
  return DeleteFilesInRanges(db, column_family, &range, 1, include_end);
}

namespace experimental {

Status SuggestCompactRange(DB* db, ColumnFamilyHandle* column_family, const Slice* begin,
                           const Slice* end) {
  return db->SuggestCompactRange(column_family, begin, end);
}

Status SuggestCompactRange(DB* db, const Slice* begin, const Slice* end) {
  return SuggestCompactRange(db, db->DefaultColumnFamily(), begin, end);
}

Status PromoteL0(DB* db, ColumnFamilyHandle* column_family, int target_level) {
  return db->PromoteL0(column_family, target_level);
}

}  // namespace experimental

namespace {

// The files whose deletion an SstFileManager may put off.
bool MayWait(cairn::FileType type) {
  return type == cairn::FileType::kTableFile || type == cairn::FileType::kBlobFile ||
         type == cairn::FileType::kWalFile;
}

}  // namespace

Status DestroyDB(const std::string& dbname, const Options& options,
                 const std::vector<ColumnFamilyDescriptor>& others) {
  const DBOptions db_options = cairn::SanitizeOptions(DBOptions(options), dbname);
  FileSystem* fs = db_options.env->GetFileSystem().get();
  std::vector<ColumnFamilyDescriptor> families = others;
  families.emplace_back(kDefaultColumnFamilyName, ColumnFamilyOptions(options));
  const IOOptions io_options;
  std::vector<std::string> names;
  if (IOStatus listed = fs->GetChildren(dbname, io_options, &names, nullptr); !listed.ok()) {
    // A directory that is not there is destroyed; but a path that leads nowhere is a mistake.
    listed = fs->GetChildren(cairn::ParentOf(dbname), io_options, &names, nullptr);
    return listed.ok() ? Status::OK() : Status(IOStatus::PathNotFound("no such directory", dbname));
  }

  FileLock* lock = nullptr;
  const std::string lock_name = cairn::LockFileName(dbname);
  IOStatus result = fs->LockFile(lock_name, io_options, &lock, nullptr);
  if (!result.ok()) return result;
  // Elsewhere only what belongs there: options that GetOptions() of another database returned name
  // that one's directories.
  const std::string wal_dir = db_options.wal_dir.empty() ? dbname : db_options.wal_dir;
  std::map<std::string, std::set<cairn::FileType>> dirs;
  cairn::OutsideDirectories outside(fs, dbname, nullptr);
  std::string db_id;
  cairn::ReadIdentityFile(fs, dbname, &db_id).PermitUncheckedError();  // unknown: empty
  // (That of another database is none of ours.)
  const bool found = outside.Find(db_options, families).ok();
  if (wal_dir == dbname || (found && outside.MayDestroy(wal_dir, db_id))) {
    dirs[wal_dir].insert(cairn::FileType::kWalFile);
    dirs[cairn::ArchiveDirName(wal_dir)].insert(cairn::FileType::kWalFile);
  }
  std::vector<DbPath> paths = db_options.db_paths;
  for (const ColumnFamilyDescriptor& family : families) {
    const std::vector<DbPath>& own = family.options.cf_paths;
    paths.insert(paths.end(), own.begin(), own.end());
  }
  for (const DbPath& path : paths) {
    if (path.path != dbname && (!found || !outside.MayDestroy(path.path, db_id))) continue;
    dirs[path.path].insert({cairn::FileType::kTableFile, cairn::FileType::kBlobFile});
  }
  dirs.try_emplace(dbname);
  auto* const space = dynamic_cast<cairn::SpaceManager*>(db_options.sst_file_manager.get());
  for (const auto& [dir, types] : dirs) {
    if (!fs->GetChildren(dir, io_options, &names, nullptr).ok()) continue;
    for (const std::string& name : names) {
      uint64_t number;
      cairn::FileType type;
      const bool is_trash = cairn::IsTrashFileName(name);
      if (!is_trash &&
          (!cairn::ParseFileName(name, &number, &type) || type == cairn::FileType::kLockFile ||
           (dir != dbname && !types.contains(type)))) {
        continue;
      }
      const std::string path = std::string(dir).append("/").append(name);
      const bool may_wait = space != nullptr && (is_trash || MayWait(type));
      IOStatus io = may_wait ? space->DeleteFile(path, /*force_slow=*/true)
                             : fs->DeleteFile(path, io_options, nullptr);
      if (!io.ok() && result.ok()) result = io;
    }
  }
  fs->UnlockFile(lock, io_options, nullptr).PermitUncheckedError();
  fs->DeleteFile(lock_name, io_options, nullptr).PermitUncheckedError();
  // Other files of the user's may be left in there: then the directories stay.
  for (auto dir = dirs.rbegin(); dir != dirs.rend(); ++dir) {
    if (result.ok()) outside.RemoveFiles(dir->first);
    if (dir->first != dbname) fs->DeleteDir(dir->first, io_options, nullptr).PermitUncheckedError();
  }
  fs->DeleteDir(dbname, io_options, nullptr).PermitUncheckedError();
  return result;
}

}  // namespace ROCKSDB_NAMESPACE
