// Obsolete files: which ones no reader, no memtable and no manifest needs any more, and their
// deletion.
//
// Two ways to find them. While running, the manifest, the WAL set and the retired super versions
// say what became obsolete. At open, a scan of the directories also finds what an earlier life left
// behind (outputs of an unfinished compaction, temporary files).
#include <algorithm>
#include <map>
#include <set>

#include "base/logging.h"
#include "base/shortage.h"
#include "db/database.h"
#include "db/event_notifier.h"
#include "db/families.h"
#include "db/file_purger.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "fs/space_manager.h"
#include "options/options_check.h"

namespace cairn {

std::multiset<uint64_t>::iterator FilePurger::ProtectNewFiles() {
  return protected_files_.insert(db_.versions->current_next_file_number());
}

void FilePurger::UnprotectNewFiles(std::multiset<uint64_t>::iterator it) {
  protected_files_.erase(it);
}

void FilePurger::FindObsoleteFiles(ObsoleteFiles* out) {
  const bool follows = db_.mode == OpenMode::kSecondary;
  if (deletions_disabled_ > 0 || (db_.mode != OpenMode::kReadWrite && !follows) ||
      db_.wals == nullptr) {
    return;
  }
  const uint64_t min_protected = protected_files_.empty() ? UINT64_MAX : *protected_files_.begin();
  std::vector<ObsoleteFile> tables;
  std::vector<std::string> manifests;
  db_.versions->GetObsoleteFiles(&tables, &manifests, min_protected);
  for (const ObsoleteFile& table : tables) {
    out->tables.push_back(table.number);
    if (follows) continue;  // it is closed; to delete it is the primary's
    out->paths.push_back(TableFileName(table.directory, table.number));
  }
  for (const ObsoleteFile& file : db_.versions->TakeObsoleteBlobFiles(min_protected)) {
    out->blob_files.push_back(file.number);
    if (!follows) out->paths.push_back(BlobFileName(file.directory, file.number));
  }
  if (follows) return;
  for (const std::string& manifest : manifests) out->paths.push_back(db_.name + "/" + manifest);
  AddObsoleteWals(out);
}

void FilePurger::AddObsoleteWals(ObsoleteFiles* out) {
  // (A database that was refused may have a MANIFEST that says nothing: it keeps all.)
  for (uint64_t wal : db_.wals->TakeObsolete(db_.versions->SaidMinLogNumberToKeep())) {
    out->wals.push_back(wal);
  }
  db_.wals->SetFlushedBelow(db_.versions->MinLogNumberWithUnflushedData());
}

std::map<uint64_t, std::string> FilePurger::PathsOfLiveTables() const {
  std::map<uint64_t, std::string> paths;
  if (db_.all_table_directories.size() < 2) return paths;
  for (const auto& [id, family] : db_.versions->families()) {
    const Version* const version = family->current();
    const std::vector<std::string> directories =
        TableDirectoriesOf(db_.options, family->options(), db_.name);
    for (int level = 0; level < version->num_levels(); ++level) {
      for (const FileMetaData* file : version->files(level)) {
        paths[file->number] = TableFileName(directories, file->number, file->path_id);
      }
    }
  }
  return paths;
}

bool FilePurger::IsTwinOfLive(const std::string& dir, const std::string& name, uint64_t number,
                              const std::map<uint64_t, std::string>& live_paths) const {
  const auto live = live_paths.find(number);
  if (live == live_paths.end()) return false;
  const std::string& path = live->second;
  if (db_.outside.SameDirectory(ParentOf(path), dir)) return false;
  // One file after all, whatever the names say?
  bool same = false;
  const IOStatus io = db_.fs->AreFilesSame(path, dir + "/" + name, IOOptions(), &same, nullptr);
  return io.ok() ? !same : io.IsNotSupported();
}

void FilePurger::FindObsoleteFilesByScan(ObsoleteFiles* out) {
  std::vector<uint64_t> live_list;
  db_.versions->AddLiveFiles(&live_list);
  const std::set<uint64_t> live(live_list.begin(), live_list.end());
  std::vector<uint64_t> live_blob_list;
  db_.versions->AddLiveBlobFiles(&live_blob_list);
  const std::set<uint64_t> live_blobs(live_blob_list.begin(), live_blob_list.end());
  const std::map<uint64_t, std::string> live_paths = PathsOfLiveTables();
  std::set<std::string> dirs = db_.all_table_directories;
  dirs.insert(db_.name);
  for (const std::string& dir : dirs) {
    std::vector<std::string> names;
    db_.fs->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
    const uint64_t foreign_below = db_.outside.foreign_tables_below(dir);
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (db_.space == nullptr && IsTrashFileName(name))
        out->paths.emplace_back(dir).append("/").append(name);
      if (!ParseFileName(name, &number, &type)) continue;
      // Elsewhere are tables and blob files only, and perhaps some that were there before this
      // database came.
      const bool is_data = type == FileType::kTableFile || type == FileType::kBlobFile;
      if (dir != db_.name && !is_data) continue;
      bool obsolete = false;
      switch (type) {
        case FileType::kTableFile:
        case FileType::kBlobFile: {
          const bool is_table = type == FileType::kTableFile;
          const bool twin = is_table && IsTwinOfLive(dir, name, number, live_paths);
          obsolete = twin || !(is_table ? live : live_blobs).contains(number);
          if (obsolete && number < foreign_below) {
            db_.versions->MarkFileNumberUsed(number);
            LogWarn(db_.options.info_log.get(), "%s is left alone: %s had no owner when it came",
                    name.c_str(), dir.c_str());
            obsolete = false;
          }
          if (obsolete && !twin) (is_table ? out->tables : out->blob_files).push_back(number);
          break;
        }
        case FileType::kDescriptorFile:
          obsolete = number != db_.versions->manifest_file_number();
          break;
        case FileType::kTempFile:
          obsolete = true;
          break;
        case FileType::kOptionsFile:
          // As below: one that is written from now on is the newest, by its number.
          db_.versions->MarkFileNumberUsed(number);
          break;
        default:
          break;
      }
      if (!obsolete) continue;
      // Beyond what the manifest knew when the power went: no new file may get the number, or the
      // deletion would be of that one.
      db_.versions->MarkFileNumberUsed(number);
      out->paths.emplace_back(dir).append("/").append(name);
    }
  }
  AddObsoleteWals(out);
}

void FilePurger::DeleteFiles(const ObsoleteFiles& files) {
  // (All families' tables are in one cache.)
  for (uint64_t number : files.tables) db_.families->default_family()->tables->Evict(number);
  for (uint64_t number : files.blob_files) db_.families->default_family()->blobs->Evict(number);
  for (const std::string& path : files.paths) {
    IOStatus io = db_.fs->DeleteFile(path, IOOptions(), nullptr);
    if (db_.has_listeners()) db_.events->TellDeleted(path, io);
    if (io.ok()) {
      LogInfo(db_.options.info_log.get(), "Deleted obsolete file %s", path.c_str());
    } else if (!io.IsNotFound() && !io.IsPathNotFound()) {
      // The next purge tries again, or the next open's scan finds it.
      LogWarn(db_.options.info_log.get(), "Cannot delete obsolete file: %s", io.ToString().c_str());
      if (IsShortage(io)) {
        fiber::MutexLock lock(&postponed_mutex_);
        postponed_.paths.push_back(path);
      }
    }
  }
  if (!files.wals.empty()) RemoveWals(files.wals);
}

void FilePurger::TakeStock() {
  for (const std::string& dir : db_.managed_directories) {
    std::vector<std::string> names;
    db_.fs->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();  // none: empty
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (ParseFileName(name, &number, &type) &&
          (type == FileType::kTableFile || type == FileType::kBlobFile)) {
        // (Perhaps of one that goes just now.)
        db_.space->Track(std::string(dir).append("/").append(name)).PermitUncheckedError();
      }
    }
    db_.space->DeleteTrashOf(dir);
  }
  db_.space->SetStatisticsPtr(db_.options.statistics);
}

// --- The archive of logs (WAL_ttl_seconds, WAL_size_limit_MB), for GetUpdatesSince

void FilePurger::RemoveWals(const std::vector<uint64_t>& wals) {
  const std::string archive = ArchiveDirName(db_.wals->dir());
  IOStatus io;
  if (archives_wals()) io = CreateDirDurably(db_.fs, archive);
  for (const uint64_t wal : wals) {
    const std::string path = LogFileName(db_.wals->dir(), wal);
    if (!archives_wals()) {
      io = db_.fs->DeleteFile(path, IOOptions(), nullptr);
    } else if (io.ok()) {
      io = db_.fs->RenameFile(path, LogFileName(archive, wal), IOOptions(), nullptr);
    }
    if (io.ok()) {
      LogInfo(db_.options.info_log.get(), "%s obsolete log %s",
              archives_wals() ? "Archived" : "Deleted", path.c_str());
    } else if (!io.IsNotFound() && !io.IsPathNotFound()) {
      // The next purge tries again, or the next open finds it.
      LogWarn(db_.options.info_log.get(), "Cannot remove obsolete log: %s", io.ToString().c_str());
      if (IsShortage(io)) {
        fiber::MutexLock lock(&postponed_mutex_);
        postponed_.wals.push_back(wal);
      }
    }
  }
  if (archives_wals()) TrimArchive();
}

std::vector<FilePurger::ArchivedWal> FilePurger::ArchivedWals() const {
  const std::string archive = ArchiveDirName(db_.wals->dir());
  std::vector<std::string> names;
  db_.fs->GetChildren(archive, IOOptions(), &names, nullptr).PermitUncheckedError();  // none: empty
  std::vector<ArchivedWal> wals;
  for (const std::string& name : names) {
    ArchivedWal wal;
    FileType type;
    if (!ParseFileName(name, &wal.number, &type) || type != FileType::kWalFile) continue;
    const IOStatus io =
        db_.fs->GetFileSize(LogFileName(archive, wal.number), IOOptions(), &wal.bytes, nullptr);
    if (io.ok()) wals.push_back(wal);
  }
  std::sort(wals.begin(), wals.end(),
            [](const ArchivedWal& a, const ArchivedWal& b) { return a.number < b.number; });
  return wals;
}

void FilePurger::TrimArchive() {
  const std::string archive = ArchiveDirName(db_.wals->dir());
  const std::vector<ArchivedWal> wals = ArchivedWals();
  const uint64_t now = fiber::wall_micros() / 1'000'000;
  const uint64_t ttl = db_.options.WAL_ttl_seconds;
  const uint64_t limit = std::min(db_.options.WAL_size_limit_MB, UINT64_MAX >> 20) << 20;
  uint64_t bytes = 0;
  for (const ArchivedWal& wal : wals) bytes += wal.bytes;
  for (const ArchivedWal& wal : wals) {
    const std::string path = LogFileName(archive, wal.number);
    uint64_t written = 0;
    const bool known = db_.fs->GetFileModificationTime(path, IOOptions(), &written, nullptr).ok();
    const bool too_old = ttl > 0 && known && now > written && now - written > ttl;
    const bool too_much = limit > 0 && bytes > limit;
    if (!too_old && !too_much) continue;
    const IOStatus io = db_.fs->DeleteFile(path, IOOptions(), nullptr);
    if (!io.ok()) {
      LogWarn(db_.options.info_log.get(), "Cannot delete archived log: %s", io.ToString().c_str());
      continue;
    }
    bytes -= wal.bytes;
    LogInfo(db_.options.info_log.get(), "Deleted archived log %s", path.c_str());
  }
}

void FilePurger::DeleteOutputs(const ColumnFamily& family, const VersionEdit& edit) {
  ObsoleteFiles files;
  for (const VersionEdit::NewFile& file : edit.new_files()) {
    files.tables.push_back(file.meta.number);
    files.paths.push_back(TableFileName(family.paths, file.meta.number, file.meta.path_id));
  }
  for (const BlobFileAddition& file : edit.blob_additions()) {
    files.blob_files.push_back(file.number);
    files.paths.push_back(BlobFileName(family.paths.front(), file.number));
  }
  db_.mutex()->unlock();
  DeleteFiles(files);
  db_.mutex()->lock();
}

void FilePurger::SchedulePurge() {
  if (purge_scheduled_.exchange(true)) return;
  if (db_.scheduler == nullptr ||
      !db_.scheduler->Schedule(JobPriority::kHigh, [this] { Purge(); })) {
    purge_scheduled_.store(false);
  }
}

void FilePurger::Purge() {
  purge_scheduled_.store(false);
  ObsoleteFiles obsolete;
  std::vector<SuperVersion*> retired;
  // Whoever returns from here finds the files gone, also those that another purge had set out to
  // delete.
  fiber::MutexLock one_at_a_time(&purge_mutex_);
  if (db_.mode == OpenMode::kReadWrite && db_.wals != nullptr) CloseObsoleteWals();
  std::vector<std::unique_ptr<ColumnFamily>> unreferenced;
  {
    DBMutexLock lock(db_.mutex());
    unreferenced = TakeUnreferenced();  // which retires super versions
    retired = TakeRetired();
    for (const auto& family : unreferenced) db_.versions->ForgetDropped(family->state);
    FindObsoleteFiles(&obsolete);
    if (deletions_disabled_ == 0) {
      fiber::MutexLock postponed(&postponed_mutex_);
      obsolete.paths.insert(obsolete.paths.end(), postponed_.paths.begin(), postponed_.paths.end());
      obsolete.wals.insert(obsolete.wals.end(), postponed_.wals.begin(), postponed_.wals.end());
      postponed_ = ObsoleteFiles();
    }
  }
  FreeRetired(retired);
  unreferenced.clear();
  DeleteFiles(obsolete);
}

// Before they may be deleted, or recycled: a close cuts off what was preallocated.
void FilePurger::CloseObsoleteWals() {
  uint64_t min_wal;
  {
    DBMutexLock lock(db_.mutex());
    min_wal = db_.versions->MinLogNumberToKeep();
  }
  db_.wals->ForgetBelow(min_wal);
}

void FilePurger::Retire(SuperVersion* sv) {
  {
    fiber::MutexLock lock(&retired_mutex_);
    retired_.push_back(sv);
  }
  SchedulePurge();
}

bool FilePurger::AddUnreferenced(ColumnFamily* family) {
  fiber::MutexLock lock(&retired_mutex_);
  if (last_purge_began_) return false;
  unreferenced_.push_back(family);
  return true;
}

void FilePurger::LastPurge() {
  {
    fiber::MutexLock lock(&retired_mutex_);
    last_purge_began_ = true;
  }
  Purge();
}

std::vector<std::unique_ptr<ColumnFamily>> FilePurger::TakeUnreferenced() {
  std::vector<ColumnFamily*> unreferenced;
  {
    fiber::MutexLock lock(&retired_mutex_);
    unreferenced.swap(unreferenced_);
  }
  std::vector<std::unique_ptr<ColumnFamily>> out;
  for (const ColumnFamily* family : unreferenced) out.push_back(db_.families->Disown(family->id()));
  for (const auto& family : out) {
    const Version& version = *family->current();
    for (int level = 0; level < version.num_levels(); ++level) {
      for (const FileMetaData* file : version.files(level)) family->tables->Evict(file->number);
    }
    for (const auto& file : version.blob_files()) family->blobs->Evict(file->number());
    family->Release();
  }
  return out;
}

std::vector<SuperVersion*> FilePurger::TakeRetired() {
  std::vector<SuperVersion*> out;
  {
    fiber::MutexLock lock(&retired_mutex_);
    out.swap(retired_);
  }
  for (SuperVersion* sv : out) {
    sv->current->Unref();
    sv->current = nullptr;
  }
  super_versions_ -= out.size();
  return out;
}

void FilePurger::FreeRetired(const std::vector<SuperVersion*>& retired) {
  for (SuperVersion* sv : retired) {
    sv->imm->Unref();
    sv->mem->Unref();
    delete sv;
  }
}

// --- Forbidden for a while

Status FilePurger::EnableFileDeletions(bool force) {
  Status s = db_.RefuseIfReadOnly();
  if (!s.ok()) return s;
  {
    DBMutexLock lock(db_.mutex());
    if (force) {
      deletions_disabled_ = 0;
    } else if (deletions_disabled_ > 0) {
      --deletions_disabled_;
    }
    if (deletions_disabled_ > 0) return s;
  }
  Purge();
  return s;
}

Status FilePurger::DisableFileDeletions() {
  Status s = db_.RefuseIfReadOnly();
  if (!s.ok()) return s;
  // A removal that is under way ends first: from the return on, no file goes.
  fiber::MutexLock no_purge(&purge_mutex_);
  DBMutexLock lock(db_.mutex());
  ++deletions_disabled_;
  return s;
}

}  // namespace cairn
