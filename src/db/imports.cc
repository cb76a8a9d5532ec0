// CreateColumnFamilyWithImport: a family that begins with tables of another database.
//
// What takes long comes first, while everybody goes on: the files are looked into, and linked or
// copied under numbers of this database. Then one atomic group of MANIFEST records makes the family
// and gives it its files (RocksDB makes the family first, and takes it back if the files fail, so
// that a crash may leave it without them).
//
// Entries keep their sequence numbers, and the database's goes up to the largest: it only grows, so
// that what is written from now on is newer than all that came. The log is synced before, as for
// other files from outside: the family must not survive a power cut that takes older writes.
#include "db/imports.h"

#include <algorithm>

#include "base/logging.h"
#include "db/error_handler.h"
#include "db/external_file.h"
#include "db/file_purger.h"
#include "db/options_changes.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "options/options_check.h"

namespace cairn {

Status Imports::CreateColumnFamilyWithImport(
    const ColumnFamilyOptions& options, const std::string& name,
    const ImportColumnFamilyOptions& import,
    const std::vector<const ExportImportFilesMetaData*>& metadatas, ColumnFamilyHandle** handle) {
  if (handle == nullptr) return Status::InvalidArgument("no place for the handle");
  *handle = nullptr;
  Status s = db_.RefuseIfReadOnly();
  ColumnFamilyOptions completed = options;
  if (s.ok()) s = CompleteOptions(*db_.families->LiveOptions(), &completed);
  if (!s.ok()) return s;
  const Options full(*db_.families->LiveOptions(), completed);
  s = CheckRequest(full, name, import, metadatas);
  if (!s.ok()) return s;

  std::multiset<uint64_t>::iterator protected_from;
  {
    DBMutexLock lock(db_.mutex());
    if (db_.errors->failed()) return db_.errors->error();
    protected_from = db_.files->ProtectNewFiles();
  }
  std::vector<ImportedFile> files;
  FamilyFiles parts;
  {
    fiber::MutexLock one_at_a_time(db_.options_changes->changes_mutex());
    s = db_.families->JoinDirectories(full);
  }
  std::vector<std::shared_ptr<FSDirectory>> directories;
  if (s.ok()) s = db_.families->OpenDirectories(full, &directories);
  if (s.ok()) s = TakeFiles(full, import, metadatas, &files);
  if (s.ok()) s = SyncDirectory(directories.front().get());
  if (s.ok()) {
    for (const ImportedFile& file : files) {
      parts.edit.AddFile(file.level, file.meta);
      parts.largest = std::max(parts.largest, file.meta.largest_seqno);
    }
    s = CreateFamilyOf(ColumnFamilyDescriptor(name, options), &parts, handle);
  }
  {
    DBMutexLock lock(db_.mutex());
    db_.files->UnprotectNewFiles(protected_from);
  }
  if (s.ok()) {
    LogInfo(db_.options.info_log.get(), "[%s] imported, of %zu files", name.c_str(), files.size());
    if (import.move_files) {
      for (const ImportedFile& file : files) {
        RemoveOriginal(db_.fs, db_.options.info_log.get(), file.external_path);
      }
    }
  } else {
    LogWarn(db_.options.info_log.get(), "[%s] import FAILED -- %s", name.c_str(),
            s.ToString().c_str());
    for (const ImportedFile& file : files) {
      if (parts.keep || file.internal_path.empty()) continue;
      db_.fs->DeleteFile(file.internal_path, IOOptions(), nullptr).PermitUncheckedError();
    }
  }
  db_.files->Purge();
  return s;
}

Status Imports::CheckRequest(const Options& options, const std::string& name,
                             const ImportColumnFamilyOptions& import,
                             const std::vector<const ExportImportFilesMetaData*>& metadatas) const {
  if (metadatas.empty()) return Status::InvalidArgument("The list of metadatas is empty");
  if (LacksTimestampsInTables(options)) {
    return Status::NotSupported("an import with persist_user_defined_timestamps=false", name);
  }
  const std::string comparator = options.comparator->Name();
  for (const ExportImportFilesMetaData* metadata : metadatas) {
    if (metadata == nullptr) return Status::InvalidArgument("metadata must not be null");
    if (metadata->db_comparator_name != comparator) {
      return Status::InvalidArgument("Comparator name mismatch",
                                     metadata->db_comparator_name + " and " + comparator);
    }
    if (metadata->files.empty()) return Status::InvalidArgument("The list of files is empty");
    for (const LiveFileMetaData& file : metadata->files) {
      const std::string directory = ParentOf(PathOfImported(file));
      if (!import.move_files || !db_.families->IsTableDirectory(directory)) continue;
      return Status::InvalidArgument("the database's own files cannot be moved to it", directory);
    }
  }
  DBMutexLock lock(db_.mutex());
  if (db_.versions->family(name) == nullptr) return Status::OK();
  return Status::InvalidArgument("Column family already exists", name);
}

namespace {

// From the first key of a metadata's files to the last.
struct ImportedRange {
  InternalKey smallest, largest;
};

Status CheckDisjoint(const InternalKeyComparator& icmp, std::vector<ImportedRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [&](const ImportedRange& a, const ImportedRange& b) {
    return icmp.Compare(a.smallest.Encode(), b.smallest.Encode()) < 0;
  });
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (icmp.CompareBare(ranges[i - 1].largest.user_key(), ranges[i].smallest.user_key()) >= 0) {
      return Status::InvalidArgument("CFs have overlapping ranges");
    }
  }
  return Status::OK();
}

}  // namespace

Status Imports::TakeFiles(const Options& options, const ImportColumnFamilyOptions& import,
                          const std::vector<const ExportImportFilesMetaData*>& metadatas,
                          std::vector<ImportedFile>* files) {
  const InternalKeyComparator icmp(options.comparator);
  const uint64_t now = fiber::wall_micros() / 1000000;
  std::vector<ImportedRange> ranges;
  for (const ExportImportFilesMetaData* metadata : metadatas) {
    std::vector<ImportedFile> group;
    ImportedRange range;
    for (const LiveFileMetaData& told : metadata->files) {
      ImportedFile& file = group.emplace_back();
      Status s = InspectImportedFile(icmp, options, db_.fs, told, &file);
      if (!s.ok()) return s;
      FileMetaData& meta = file.meta;
      meta.oldest_ancester_time = meta.file_creation_time = now;
      if (group.size() == 1 || icmp.Compare(meta.smallest.Encode(), range.smallest.Encode()) < 0) {
        range.smallest = meta.smallest;
      }
      if (group.size() == 1 || icmp.Compare(meta.largest.Encode(), range.largest.Encode()) > 0) {
        range.largest = meta.largest;
      }
      if (db_.options.file_checksum_gen_factory == nullptr) continue;
      ExternalFile checked;
      checked.external_path = file.external_path;
      if (!told.file_checksum_func_name.empty()) {
        checked.checksum = told.file_checksum;
        checked.checksum_func_name = told.file_checksum_func_name;
      }
      s = ChecksumExternalFile(db_.fs, db_.file_options, IngestExternalFileOptions(),
                               db_.options.file_checksum_gen_factory.get(), &checked);
      if (!s.ok()) return s;
      meta.file_checksum = checked.checksum;
      meta.file_checksum_func_name = checked.checksum_func_name;
    }
    Status s = OrderImportedFiles(icmp, &group);
    if (!s.ok()) return s;
    ranges.push_back(range);
    std::move(group.begin(), group.end(), std::back_inserter(*files));
  }
  Status s = CheckDisjoint(icmp, std::move(ranges));
  IngestExternalFileOptions how;
  how.move_files = import.move_files;
  for (size_t i = 0; s.ok() && i < files->size(); ++i) {
    ImportedFile& file = (*files)[i];
    // The epochs of other databases say nothing here: those of this family follow the order.
    file.meta.epoch_number = kUnknownEpochNumber;
    file.meta.number = db_.versions->NewFileNumber();
    ExternalFile taken;
    taken.external_path = file.external_path;
    taken.internal_path = file.internal_path =
        TableFileName(TableDirectoriesOf(db_.options, options, db_.name), file.meta.number, 0);
    taken.size = file.meta.file_size;
    s = TakeExternalFile(db_.fs, db_.file_options, how, taken);
  }
  return s;
}

Status Imports::CreateFamilyOf(const ColumnFamilyDescriptor& descriptor, FamilyFiles* files,
                               ColumnFamilyHandle** handle) {
  fiber::MutexLock one_at_a_time(db_.options_changes->changes_mutex());
  Status s = db_.families->CreateFamily(descriptor, handle, files);
  if (!s.ok()) return s;
  std::vector<ColumnFamily*> created = {
      static_cast<const ColumnFamilyHandleImpl*>(*handle)->family()};
  s = db_.options_changes->PersistLiveOptions(&created);
  if (s.ok()) return s;
  files->keep = true;  // they are the family's, and go with it
  const Status dropped = db_.families->DropFamily(*handle);
  if (!dropped.ok()) {
    LogError(db_.options.info_log.get(), "[%s] stays though its import failed: %s",
             descriptor.name.c_str(), dropped.ToString().c_str());
  }
  delete *handle;
  *handle = nullptr;
  return s;
}

}  // namespace cairn
