#include "toolkit/offline_manifest.h"

#include <utility>

#include "base/string_util.h"
#include "fs/file_names.h"
#include "rocksdb/experimental.h"

namespace cairn {

OfflineManifest::OfflineManifest(std::string dbname, const DBOptions& options,
                                 std::vector<ColumnFamilyDescriptor> families)
    : dbname_(std::move(dbname)),
      options_(options),
      families_(std::move(families)),
      fs_(options_.env->GetFileSystem().get()),
      versions_(dbname_, &options_, fs_, FileOptions()) {}

OfflineManifest::~OfflineManifest() {
  {
    const fiber::MutexLock lock(&mutex_);
    (void)versions_.Close(&mutex_);  // what matters was synced
  }
  if (lock_ != nullptr) (void)fs_->UnlockFile(lock_, IOOptions(), nullptr);
}

Status OfflineManifest::Open() {
  // The lock's file is made where it is missing: not in a directory that is no database.
  Status s = fs_->FileExists(CurrentFileName(dbname_), IOOptions(), nullptr);
  if (s.ok()) s = fs_->LockFile(LockFileName(dbname_), IOOptions(), &lock_, nullptr);
  if (s.ok()) s = fs_->NewDirectory(dbname_, IOOptions(), &directory_, nullptr);
  return s.ok() ? versions_.Recover(families_, /*read_only=*/false) : s;
}

Status OfflineManifest::Apply(ColumnFamilyState* family, VersionEdit* edit) {
  const fiber::MutexLock lock(&mutex_);
  return versions_.LogAndApply(family, edit, &mutex_, directory_.get(), /*new_descriptor=*/true);
}

Status OfflineManifest::RemoveTable(uint64_t number) {
  for (const auto& [id, family] : versions_.families()) {
    int level = 0;
    if (family->current()->FindFileByNumber(number, &level) == nullptr) continue;
    VersionEdit edit;
    edit.SetColumnFamily(id);
    edit.DeleteFile(level, number);
    return Apply(family.get(), &edit);
  }
  return Status::NotFound("no table of the database has this number", NumberToString(number));
}

Status OfflineManifest::CollectTemperatures(const ColumnFamilyState& family, VersionEdit* edit,
                                            size_t* files) const {
  std::vector<std::string> dirs;
  for (const DbPath& path : family.options().cf_paths) dirs.push_back(path.path);
  if (dirs.empty()) {
    for (const DbPath& path : options_.db_paths) dirs.push_back(path.path);
  }
  if (dirs.empty()) dirs.push_back(dbname_);
  const Version& version = *family.current();
  for (int level = 0; level < version.num_levels(); ++level) {
    for (const FileMetaData* file : version.files(level)) {
      std::unique_ptr<FSSequentialFile> opened;
      Status s = fs_->NewSequentialFile(TableFileName(dirs, file->number, file->path_id),
                                        FileOptions(), &opened, nullptr);
      if (!s.ok()) return s;
      const Temperature temperature = opened->GetTemperature();
      if (temperature == Temperature::kUnknown || temperature == file->temperature) continue;
      ++*files;
      edit->DeleteFile(level, file->number);
      FileMetaData changed = *file;
      changed.temperature = temperature;
      edit->AddFile(level, std::move(changed));
    }
  }
  return Status::OK();
}

Status OfflineManifest::UpdateTemperatures(size_t* files_updated) {
  *files_updated = 0;
  for (const auto& [id, family] : versions_.families()) {
    VersionEdit edit;
    edit.SetColumnFamily(id);
    size_t files = 0;
    Status s = CollectTemperatures(*family, &edit, &files);
    if (s.ok() && files > 0) s = Apply(family.get(), &edit);
    if (!s.ok()) return s;
    *files_updated += files;
  }
  return Status::OK();
}

}  // namespace cairn

namespace ROCKSDB_NAMESPACE {
namespace experimental {

Status UpdateManifestForFilesState(const DBOptions& db_opts, const std::string& db_name,
                                   const std::vector<ColumnFamilyDescriptor>& column_families,
                                   const UpdateManifestForFilesStateOptions& opts) {
  cairn::OfflineManifest manifest(db_name, db_opts, column_families);
  Status s = manifest.Open();
  size_t files = 0;
  if (s.ok() && opts.update_temperatures) s = manifest.UpdateTemperatures(&files);
  if (s.ok()) {
    Info(db_opts.info_log, "UpdateManifestForFilesState: %zu files", files);
  } else {
    Error(db_opts.info_log, "UpdateManifestForFilesState failed: %s", s.ToString().c_str());
  }
  return s;
}

}  // namespace experimental
}  // namespace ROCKSDB_NAMESPACE
