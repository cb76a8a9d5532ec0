#include "rocksdb/utilities/checkpoint.h"

#include <memory>
#include <vector>

#include "base/logging.h"
#include "base/namespace.h"
#include "fs/file_util.h"
#include "fs/platform.h"
#include "manifest/copied_database.h"
#include "rocksdb/db.h"
#include "rocksdb/file_system.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/statistics.h"

namespace cairn {
namespace {

class CheckpointImpl final : public Checkpoint {
 public:
  explicit CheckpointImpl(DB* db) : db_(db) {}
  Status CreateCheckpoint(const std::string& checkpoint_dir, uint64_t log_size_for_flush,
                          uint64_t* sequence_number_ptr) override;
  Status ExportColumnFamily(ColumnFamilyHandle* handle, const std::string& export_dir,
                            ExportImportFilesMetaData** metadata) override;

 private:
  // The directory's name without separators at its end. InvalidArgument: there is nothing else in
  // it, or something of this name exists.
  Status CheckName(const std::string& directory, std::string* name);
  // An empty directory for what becomes `name`; what a former attempt left there goes.
  Status Stage(const std::string& name, std::string* staging);
  // Files of the database as they are now, all of one moment, in `dir`.
  Status Gather(const std::string& dir, uint64_t log_size_for_flush, Logger* info_log);
  IOStatus Take(const LiveFileStorageInfo& file, const std::string& dir, bool* links,
                Logger* info_log);
  // The tables of one family as they are now, in `dir`.
  Status GatherTables(ColumnFamilyHandle* handle, const std::string& dir,
                      std::vector<LiveFileMetaData>* files, Logger* info_log);
  IOStatus LinkOrCopy(const std::string& from, const std::string& to, uint64_t size, bool* links,
                      Logger* info_log);
  // Counted in the database's statistics.
  IOStatus Copy(const std::string& from, const std::string& to, uint64_t size);
  // What is left of an attempt goes. OK if there is nothing.
  IOStatus Remove(const std::string& dir);

  DB* const db_;
  FileSystem* const fs_ = db_->GetFileSystem();
};

Status CheckpointImpl::CreateCheckpoint(const std::string& checkpoint_dir,
                                        uint64_t log_size_for_flush,
                                        uint64_t* sequence_number_ptr) {
  std::string dir, staging;
  Status s = CheckName(checkpoint_dir, &dir);
  if (!s.ok()) return s;
  const DBOptions options = db_->GetDBOptions();
  Logger* const info_log = options.info_log.get();
  LogInfo(info_log, "Checkpoint: creating %s", dir.c_str());

  const SequenceNumber sequence = db_->GetLatestSequenceNumber();
  s = Stage(dir, &staging);
  if (s.ok()) {
    // A database that is open for reading deletes nothing.
    const Status disabled = db_->DisableFileDeletions();
    s = disabled.IsNotSupported() ? Status::OK() : disabled;
    if (s.ok()) s = Gather(staging, log_size_for_flush, info_log);
    if (disabled.ok()) {
      const Status enabled = db_->EnableFileDeletions(/*force=*/false);
      if (s.ok()) s = enabled;
    }
  }
  // Else the two would pass for one another, where something outside of them says whose it is.
  if (s.ok()) s = GiveNewIdentity(fs_, staging);
  // The names in it are durable before it has its own.
  if (s.ok()) s = SyncDirectoryAt(fs_, staging);
  if (s.ok()) s = fs_->RenameFile(staging, dir, IOOptions(), nullptr);
  if (!s.ok()) {
    // If this fails the next attempt tries again.
    Remove(staging).PermitUncheckedError();
  } else {
    s = SyncNameOfDirectory(fs_, dir);
  }
  LogInfo(info_log, "Checkpoint: %s: %s", dir.c_str(), s.ToString().c_str());
  if (s.ok() && sequence_number_ptr != nullptr) *sequence_number_ptr = sequence;
  return s;
}

Status CheckpointImpl::CheckName(const std::string& directory, std::string* name) {
  *name = WithoutTrailingSeparators(directory);
  // Before the system is asked: of "///" Windows says that it knows no such machine.
  if (name->size() == RootLength(*name)) {
    return Status::InvalidArgument("invalid checkpoint directory name", directory);
  }
  const IOStatus io = fs_->FileExists(directory, IOOptions(), nullptr);
  if (io.ok()) return Status::InvalidArgument("Directory exists", directory);
  return io.IsNotFound() ? IOStatus::OK() : io;
}

Status CheckpointImpl::Stage(const std::string& name, std::string* staging) {
  *staging = name + ".tmp";
  IOStatus io = Remove(*staging);
  // style: its name need not last, and somebody else's is an error
  if (io.ok()) io = fs_->CreateDir(*staging, IOOptions(), nullptr);
  return io;
}

Status CheckpointImpl::Gather(const std::string& dir, uint64_t log_size_for_flush,
                              Logger* info_log) {
  LiveFilesStorageInfoOptions options;
  options.wal_size_for_flush = log_size_for_flush;
  std::vector<LiveFileStorageInfo> files;
  Status s = db_->GetLiveFilesStorageInfo(options, &files);
  if (!s.ok()) return s;
  // (All come into one directory, whichever of the source's db_paths they are in: without db_paths
  // of its own a database has its tables there, whatever the MANIFEST calls their path.)
  bool links = true;
  for (const LiveFileStorageInfo& file : files) {
    s = Take(file, dir, &links, info_log);
    if (!s.ok()) return s;
  }
  return s;
}

IOStatus CheckpointImpl::Take(const LiveFileStorageInfo& file, const std::string& dir, bool* links,
                              Logger* info_log) {
  const std::string from = file.directory + "/" + file.relative_filename;
  const std::string to = dir + "/" + file.relative_filename;
  if (!file.replacement_contents.empty()) {
    return WriteStringToFile(fs_, file.replacement_contents, to, /*sync=*/true);
  }
  if (file.file_type == kOptionsFile) {
    // All of a checkpoint is in its directory. What names the source's would make it replay, and
    // delete, the source's logs.
    std::string text;
    IOStatus s = ReadFileToString(fs_, from, &text);
    return s.ok() ? WriteStringToFile(fs_, WithoutDirectories(text), to, /*sync=*/true) : s;
  }
  // Only tables and blob files never change. (A log may be recycled, which overwrites it in its
  // place.)
  if (file.file_type == kTableFile || file.file_type == kBlobFile) {
    return LinkOrCopy(from, to, file.size, links, info_log);
  }
  return Copy(from, to, file.size);
}

IOStatus CheckpointImpl::LinkOrCopy(const std::string& from, const std::string& to, uint64_t size,
                                    bool* links, Logger* info_log) {
  if (*links) {
    IOStatus s = fs_->LinkFile(from, to, IOOptions(), nullptr);
    if (!s.IsNotSupported()) return s;
    LogInfo(info_log, "Checkpoint: copying, for there are no links: %s", s.ToString().c_str());
    *links = false;
  }
  return Copy(from, to, size);
}

IOStatus CheckpointImpl::Copy(const std::string& from, const std::string& to, uint64_t size) {
  IOStatus s = CopyFile(fs_, from, to, size);
  const std::shared_ptr<Statistics> statistics = db_->GetDBOptions().statistics;
  if (s.ok() && statistics != nullptr) {
    statistics->recordTick(CHECKPOINT_READ_BYTES, size);
    statistics->recordTick(CHECKPOINT_WRITE_BYTES, size);
  }
  return s;
}

Status CheckpointImpl::ExportColumnFamily(ColumnFamilyHandle* handle, const std::string& export_dir,
                                          ExportImportFilesMetaData** metadata) {
  if (handle == nullptr) return Status::InvalidArgument("column family handle must not be null");
  if (metadata == nullptr || *metadata != nullptr) {
    return Status::InvalidArgument("metadata must point to a null pointer");
  }
  std::string dir, staging;
  Status s = CheckName(export_dir, &dir);
  if (!s.ok()) return s;
  const DBOptions options = db_->GetDBOptions();
  Logger* const info_log = options.info_log.get();
  LogInfo(info_log, "[%s] export to %s", handle->GetName().c_str(), dir.c_str());
  s = db_->Flush(FlushOptions(), handle);
  if (!s.ok()) return s;
  auto exported = std::make_unique<ExportImportFilesMetaData>();
  exported->db_comparator_name = handle->GetComparator()->Name();
  s = Stage(dir, &staging);
  if (s.ok()) s = db_->DisableFileDeletions();
  if (s.ok()) {
    s = GatherTables(handle, staging, &exported->files, info_log);
    const Status enabled = db_->EnableFileDeletions(/*force=*/false);
    if (s.ok()) s = enabled;
  }
  if (s.ok()) s = SyncDirectoryAt(fs_, staging);
  std::string made = staging;
  if (s.ok()) s = fs_->RenameFile(staging, dir, IOOptions(), nullptr);
  if (s.ok()) {
    made = dir;
    s = SyncNameOfDirectory(fs_, dir);
  }
  LogInfo(info_log, "[%s] export to %s: %s", handle->GetName().c_str(), dir.c_str(),
          s.ToString().c_str());
  if (!s.ok()) {
    Remove(made).PermitUncheckedError();
    return s;
  }
  for (LiveFileMetaData& file : exported->files) file.db_path = file.directory = dir;
  *metadata = exported.release();
  return s;
}

Status CheckpointImpl::GatherTables(ColumnFamilyHandle* handle, const std::string& dir,
                                    std::vector<LiveFileMetaData>* files, Logger* info_log) {
  ColumnFamilyMetaData family;
  db_->GetColumnFamilyMetaData(handle, &family);
  bool links = true;
  for (const LevelMetaData& level : family.levels) {
    for (const SstFileMetaData& table : level.files) {
      if (table.oldest_blob_file_number != 0) {
        return Status::NotSupported("export of a column family with values in blob files",
                                    table.relative_filename);
      }
      LiveFileMetaData file;
      static_cast<SstFileMetaData&>(file) = table;
      file.level = level.level;
      file.num_reads_sampled = 0;
      file.being_compacted = false;
      const IOStatus io =
          LinkOrCopy(table.directory + "/" + table.relative_filename,
                     dir + "/" + table.relative_filename, table.size, &links, info_log);
      if (!io.ok()) return io;
      files->push_back(std::move(file));
    }
  }
  return Status::OK();
}

IOStatus CheckpointImpl::Remove(const std::string& dir) {
  const IOOptions options;
  IOStatus s = fs_->FileExists(dir, options, nullptr);
  if (s.IsNotFound()) return IOStatus::OK();
  std::vector<std::string> names;
  if (s.ok()) s = fs_->GetChildren(dir, options, &names, nullptr);
  for (const std::string& name : names) {
    if (name == "." || name == "..") continue;
    if (!s.ok()) break;
    std::string path = dir;
    path.append("/").append(name);
    s = fs_->DeleteFile(path, options, nullptr);
  }
  return s.ok() ? fs_->DeleteDir(dir, options, nullptr) : s;
}

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status Checkpoint::Create(DB* db, Checkpoint** checkpoint_ptr) {
  if (db == nullptr) return Status::InvalidArgument("a checkpoint needs a database");
  *checkpoint_ptr = new cairn::CheckpointImpl(db);
  return Status::OK();
}

Status Checkpoint::CreateCheckpoint(const std::string& /*checkpoint_dir*/,
                                    uint64_t /*log_size_for_flush*/,
                                    uint64_t* /*sequence_number_ptr*/) {
  return Status::NotSupported("CreateCheckpoint() is not supported.");
}

Status Checkpoint::ExportColumnFamily(ColumnFamilyHandle* /*handle*/,
                                      const std::string& /*export_dir*/,
                                      ExportImportFilesMetaData** /*metadata*/) {
  return Status::NotSupported("ExportColumnFamily() is not supported.");
}

}  // namespace ROCKSDB_NAMESPACE
