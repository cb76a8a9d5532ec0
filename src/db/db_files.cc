// Obsolete files: which ones no reader, no memtable and no manifest needs any more, and their
// deletion.
//
// Two ways to find them. While running, the manifest, the WAL set and the retired super versions
// say what became obsolete. At open, a scan of the directories also finds what an earlier life left
// behind (outputs of an unfinished compaction, temporary files).
#include <set>

#include "base/logging.h"
#include "db/db_impl.h"
#include "fs/file_names.h"

namespace cairn {

std::multiset<uint64_t>::iterator DBImpl::ProtectNewFiles() {
  return protected_files_.insert(versions_->current_next_file_number());
}

void DBImpl::UnprotectNewFiles(std::multiset<uint64_t>::iterator it) { protected_files_.erase(it); }

void DBImpl::FindObsoleteFiles(ObsoleteFiles* out) {
  if (deletions_disabled_ > 0 || mode_ != OpenMode::kReadWrite) return;
  const uint64_t min_protected = protected_files_.empty() ? UINT64_MAX : *protected_files_.begin();
  std::vector<ObsoleteFile> tables;
  std::vector<std::string> manifests;
  versions_->GetObsoleteFiles(&tables, &manifests, min_protected);
  for (const ObsoleteFile& table : tables) {
    out->tables.push_back(table.number);
    out->paths.push_back(TableFileName(paths_, table.number, table.path_id));
  }
  for (const std::string& manifest : manifests) out->paths.push_back(dbname_ + "/" + manifest);
  AddObsoleteWals(out);
}

void DBImpl::AddObsoleteWals(ObsoleteFiles* out) {
  for (uint64_t wal : wals_->TakeObsolete(versions_->MinLogNumberToKeep())) {
    out->paths.push_back(LogFileName(wals_->dir(), wal));
  }
}

void DBImpl::FindObsoleteFilesByScan(ObsoleteFiles* out) {
  std::vector<uint64_t> live_list;
  versions_->AddLiveFiles(&live_list);
  const std::set<uint64_t> live(live_list.begin(), live_list.end());
  const uint64_t next_file = versions_->current_next_file_number();
  std::set<std::string> dirs(paths_.begin(), paths_.end());
  dirs.insert(dbname_);
  for (const std::string& dir : dirs) {
    std::vector<std::string> names;
    fs_->GetChildren(dir, IOOptions(), &names, nullptr).PermitUncheckedError();
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (!ParseFileName(name, &number, &type)) continue;
      bool obsolete = false;
      switch (type) {
        case FileType::kTableFile:
          obsolete = !live.contains(number) && number < next_file;
          if (obsolete) out->tables.push_back(number);
          break;
        case FileType::kDescriptorFile:
          obsolete = number < versions_->manifest_file_number();
          break;
        case FileType::kTempFile:
          obsolete = true;
          break;
        default:
          break;
      }
      if (obsolete) out->paths.emplace_back(dir).append("/").append(name);
    }
  }
  AddObsoleteWals(out);
}

void DBImpl::DeleteFiles(const ObsoleteFiles& files) {
  for (uint64_t number : files.tables) table_cache_->Evict(number);
  for (const std::string& path : files.paths) {
    IOStatus io = fs_->DeleteFile(path, IOOptions(), nullptr);
    if (io.ok()) {
      LogInfo(db_options_.info_log.get(), "Deleted obsolete file %s", path.c_str());
    } else if (!io.IsNotFound() && !io.IsPathNotFound()) {
      // The next open's scan finds it again.
      LogWarn(db_options_.info_log.get(), "Cannot delete obsolete file: %s", io.ToString().c_str());
    }
  }
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
  if (mode_ == OpenMode::kReadWrite) CloseObsoleteWals();
  {
    fiber::MutexLock lock(&mutex_);
    retired = TakeRetired();
    FindObsoleteFiles(&obsolete);
  }
  FreeRetired(retired);
  DeleteFiles(obsolete);
}

// Before they may be deleted, or recycled: a close cuts off what was preallocated.
void DBImpl::CloseObsoleteWals() {
  uint64_t min_wal;
  {
    fiber::MutexLock lock(&mutex_);
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
  return out;
}

void DBImpl::FreeRetired(const std::vector<SuperVersion*>& retired) {
  for (SuperVersion* sv : retired) {
    sv->imm->Unref();
    sv->mem->Unref();
    delete sv;
  }
}

Status DBImpl::DisableFileDeletions() {
  // A removal that is under way ends first: from the return on, no file goes.
  fiber::MutexLock no_purge(&purge_mutex_);
  fiber::MutexLock lock(&mutex_);
  ++deletions_disabled_;
  return Status::OK();
}

Status DBImpl::EnableFileDeletions(bool force) {
  {
    fiber::MutexLock lock(&mutex_);
    if (force) {
      deletions_disabled_ = 0;
    } else if (deletions_disabled_ > 0) {
      --deletions_disabled_;
    }
    if (deletions_disabled_ > 0) return Status::OK();
  }
  Purge();
  return Status::OK();
}

Status DBImpl::GetLiveFiles(std::vector<std::string>& files, uint64_t* manifest_file_size,
                            bool flush_memtable) {
  if (flush_memtable && mode_ == OpenMode::kReadWrite) {
    Status s = FlushMemTables(FlushOptions());
    if (!s.ok()) return s;
  }
  fiber::MutexLock lock(&mutex_);
  files.clear();
  std::vector<uint64_t> tables;
  versions_->current()->AddLiveFiles(&tables);
  for (uint64_t number : tables) files.push_back(TableFileName("", number));
  files.push_back(CurrentFileName(""));
  files.push_back(DescriptorFileName("", versions_->manifest_file_number()));
  if (!options_file_.empty()) files.push_back(options_file_);
  *manifest_file_size = versions_->manifest_file_size();
  return Status::OK();
}

void DBImpl::GetLiveFilesMetaData(std::vector<LiveFileMetaData>* metadata) {
  fiber::MutexLock lock(&mutex_);
  versions_->GetLiveFilesMetaData(metadata);
}

void DBImpl::GetColumnFamilyMetaData(ColumnFamilyHandle* family, ColumnFamilyMetaData* metadata) {
  *metadata = ColumnFamilyMetaData();
  if (!CheckFamily(family).ok()) return;
  std::vector<LiveFileMetaData> files;
  GetLiveFilesMetaData(&files);
  metadata->name = kDefaultColumnFamilyName;
  std::vector<std::vector<SstFileMetaData>> levels(static_cast<size_t>(num_levels_));
  std::vector<uint64_t> sizes(levels.size(), 0);
  for (const LiveFileMetaData& file : files) {
    levels[file.level].push_back(file);
    sizes[file.level] += file.size;
    metadata->size += file.size;
    ++metadata->file_count;
  }
  for (size_t level = 0; level < levels.size(); ++level) {
    metadata->levels.emplace_back(static_cast<int>(level), sizes[level], std::move(levels[level]));
  }
}

}  // namespace cairn
