// Obsolete files: which ones no reader, no memtable and no manifest needs any more, and their
// deletion.
//
// Two ways to find them. While running, the manifest, the WAL set and the retired super versions
// say what became obsolete. At open, a scan of the directories also finds what an earlier life left
// behind (outputs of an unfinished compaction, temporary files).
#include <algorithm>
#include <set>

#include "base/logging.h"
#include "base/shortage.h"
#include "db/db_impl.h"
#include "fiber/clock.h"
#include "fs/file_names.h"
#include "fs/file_util.h"

namespace cairn {

std::multiset<uint64_t>::iterator DBImpl::ProtectNewFiles() {
  return protected_files_.insert(versions_->current_next_file_number());
}

void DBImpl::UnprotectNewFiles(std::multiset<uint64_t>::iterator it) { protected_files_.erase(it); }

void DBImpl::FindObsoleteFiles(ObsoleteFiles* out) {
  const bool follows = mode_ == OpenMode::kSecondary;
  if (deletions_disabled_ > 0 || (mode_ != OpenMode::kReadWrite && !follows) || wals_ == nullptr) {
    return;
  }
  const uint64_t min_protected = protected_files_.empty() ? UINT64_MAX : *protected_files_.begin();
  std::vector<ObsoleteFile> tables;
  std::vector<std::string> manifests;
  versions_->GetObsoleteFiles(&tables, &manifests, min_protected);
  for (const ObsoleteFile& table : tables) {
    out->tables.push_back(table.number);
    if (follows) continue;  // it is closed; to delete it is the primary's
    out->paths.push_back(TableFileName(paths_, table.number, table.path_id));
  }
  if (follows) return;
  for (const std::string& manifest : manifests) out->paths.push_back(dbname_ + "/" + manifest);
  AddObsoleteWals(out);
}

void DBImpl::AddObsoleteWals(ObsoleteFiles* out) {
  for (uint64_t wal : wals_->TakeObsolete(versions_->MinLogNumberToKeep())) {
    out->wals.push_back(wal);
  }
}

void DBImpl::FindObsoleteFilesByScan(ObsoleteFiles* out) {
  std::vector<uint64_t> live_list;
  versions_->AddLiveFiles(&live_list);
  const std::set<uint64_t> live(live_list.begin(), live_list.end());
  std::set<std::string> dirs(paths_.begin(), paths_.end());
  dirs.insert(dbname_);
  for (const std::string& dir : dirs) {
    std::vector<std::string> names;
    fs_->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
    const uint64_t foreign_below = outside_.foreign_tables_below(dir);
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (!ParseFileName(name, &number, &type)) continue;
      // Elsewhere are tables only, and perhaps some that were there before this database came.
      if (dir != dbname_ && type != FileType::kTableFile) continue;
      bool obsolete = false;
      switch (type) {
        case FileType::kTableFile:
          obsolete = !live.contains(number);
          if (obsolete && number < foreign_below) {
            versions_->MarkFileNumberUsed(number);
            LogWarn(db_options_.info_log.get(),
                    "Table #%llu is left alone: %s had no owner when it came",
                    static_cast<unsigned long long>(number), dir.c_str());
            obsolete = false;
          }
          if (obsolete) out->tables.push_back(number);
          break;
        case FileType::kDescriptorFile:
          obsolete = number != versions_->manifest_file_number();
          break;
        case FileType::kTempFile:
          obsolete = true;
          break;
        case FileType::kOptionsFile:
          // As below: one that is written from now on is the newest, by its number.
          versions_->MarkFileNumberUsed(number);
          break;
        default:
          break;
      }
      if (!obsolete) continue;
      // Beyond what the manifest knew when the power went: no new file may get the number, or the
      // deletion would be of that one.
      versions_->MarkFileNumberUsed(number);
      out->paths.emplace_back(dir).append("/").append(name);
    }
  }
  AddObsoleteWals(out);
}

void DBImpl::DeleteFiles(const ObsoleteFiles& files) {
  // (All families' tables are in one cache.)
  for (uint64_t number : files.tables) default_family_->tables->Evict(number);
  for (const std::string& path : files.paths) {
    IOStatus io = fs_->DeleteFile(path, IOOptions(), nullptr);
    if (has_listeners()) TellDeleted(path, io);
    if (io.ok()) {
      LogInfo(db_options_.info_log.get(), "Deleted obsolete file %s", path.c_str());
    } else if (!io.IsNotFound() && !io.IsPathNotFound()) {
      // The next purge tries again, or the next open's scan finds it.
      LogWarn(db_options_.info_log.get(), "Cannot delete obsolete file: %s", io.ToString().c_str());
      if (IsShortage(io)) {
        fiber::MutexLock lock(&postponed_mutex_);
        postponed_.paths.push_back(path);
      }
    }
  }
  if (!files.wals.empty()) RemoveWals(files.wals);
}

// --- The archive of logs (WAL_ttl_seconds, WAL_size_limit_MB), for GetUpdatesSince

void DBImpl::RemoveWals(const std::vector<uint64_t>& wals) {
  const std::string archive = ArchiveDirName(wals_->dir());
  IOStatus io;
  if (archives_wals()) io = CreateDirDurably(fs_, archive);
  for (const uint64_t wal : wals) {
    const std::string path = LogFileName(wals_->dir(), wal);
    if (!archives_wals()) {
      io = fs_->DeleteFile(path, IOOptions(), nullptr);
    } else if (io.ok()) {
      io = fs_->RenameFile(path, LogFileName(archive, wal), IOOptions(), nullptr);
    }
    if (io.ok()) {
      LogInfo(db_options_.info_log.get(), "%s obsolete log %s",
              archives_wals() ? "Archived" : "Deleted", path.c_str());
    } else if (!io.IsNotFound() && !io.IsPathNotFound()) {
      // The next purge tries again, or the next open finds it.
      LogWarn(db_options_.info_log.get(), "Cannot remove obsolete log: %s", io.ToString().c_str());
      if (IsShortage(io)) {
        fiber::MutexLock lock(&postponed_mutex_);
        postponed_.wals.push_back(wal);
      }
    }
  }
  if (archives_wals()) TrimArchive();
}

std::vector<DBImpl::ArchivedWal> DBImpl::ArchivedWals() const {
  const std::string archive = ArchiveDirName(wals_->dir());
  std::vector<std::string> names;
  fs_->GetChildren(archive, IOOptions(), &names, nullptr).PermitUncheckedError();  // none: empty
  std::vector<ArchivedWal> wals;
  for (const std::string& name : names) {
    ArchivedWal wal;
    FileType type;
    if (!ParseFileName(name, &wal.number, &type) || type != FileType::kWalFile) continue;
    const IOStatus io =
        fs_->GetFileSize(LogFileName(archive, wal.number), IOOptions(), &wal.bytes, nullptr);
    if (io.ok()) wals.push_back(wal);
  }
  std::sort(wals.begin(), wals.end(),
            [](const ArchivedWal& a, const ArchivedWal& b) { return a.number < b.number; });
  return wals;
}

void DBImpl::TrimArchive() {
  const std::string archive = ArchiveDirName(wals_->dir());
  const std::vector<ArchivedWal> wals = ArchivedWals();
  const uint64_t now = fiber::wall_micros() / 1'000'000;
  const uint64_t ttl = db_options_.WAL_ttl_seconds;
  const uint64_t limit = std::min(db_options_.WAL_size_limit_MB, UINT64_MAX >> 20) << 20;
  uint64_t bytes = 0;
  for (const ArchivedWal& wal : wals) bytes += wal.bytes;
  for (const ArchivedWal& wal : wals) {
    const std::string path = LogFileName(archive, wal.number);
    uint64_t written = 0;
    const bool known = fs_->GetFileModificationTime(path, IOOptions(), &written, nullptr).ok();
    const bool too_old = ttl > 0 && known && now > written && now - written > ttl;
    const bool too_much = limit > 0 && bytes > limit;
    if (!too_old && !too_much) continue;
    const IOStatus io = fs_->DeleteFile(path, IOOptions(), nullptr);
    if (!io.ok()) {
      LogWarn(db_options_.info_log.get(), "Cannot delete archived log: %s", io.ToString().c_str());
      continue;
    }
    bytes -= wal.bytes;
    LogInfo(db_options_.info_log.get(), "Deleted archived log %s", path.c_str());
  }
}

void DBImpl::DeleteOutputs(const VersionEdit& edit) {
  ObsoleteFiles files;
  for (const VersionEdit::NewFile& file : edit.new_files()) {
    files.tables.push_back(file.meta.number);
    files.paths.push_back(TableFileName(paths_, file.meta.number, file.meta.path_id));
  }
  mutex_.unlock();
  DeleteFiles(files);
  mutex_.lock();
}

void DBImpl::SchedulePurge() {
  if (purge_scheduled_.exchange(true)) return;
  if (scheduler_ == nullptr || !scheduler_->Schedule(JobPriority::kHigh, [this] { Purge(); })) {
    purge_scheduled_.store(false);
  }
}

void DBImpl::Purge() {
  purge_scheduled_.store(false);
  ObsoleteFiles obsolete;
  std::vector<SuperVersion*> retired;
  // Whoever returns from here finds the files gone, also those that another purge had set out to
  // delete.
  fiber::MutexLock one_at_a_time(&purge_mutex_);
  if (mode_ == OpenMode::kReadWrite && wals_ != nullptr) CloseObsoleteWals();
  std::vector<std::unique_ptr<ColumnFamily>> unreferenced;
  {
    DBMutexLock lock(&mutex_);
    unreferenced = TakeUnreferenced();  // which retires super versions
    retired = TakeRetired();
    for (const auto& family : unreferenced) versions_->ForgetDropped(family->state);
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
void DBImpl::CloseObsoleteWals() {
  uint64_t min_wal;
  {
    DBMutexLock lock(&mutex_);
    min_wal = versions_->MinLogNumberToKeep();
  }
  wals_->ForgetBelow(min_wal);
}

std::vector<SuperVersion*> DBImpl::TakeRetired() {
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

void DBImpl::FreeRetired(const std::vector<SuperVersion*>& retired) {
  for (SuperVersion* sv : retired) {
    sv->imm->Unref();
    sv->mem->Unref();
    delete sv;
  }
}

}  // namespace cairn
