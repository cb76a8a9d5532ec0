#include "utilities/backup_catalog.h"

#include <algorithm>
#include <utility>

#include "base/logging.h"
#include "fs/file_util.h"
#include "fs/limited_file_system.h"
#include "utilities/backup_names.h"

namespace cairn {

// --- What is there

IOStatus BackupCatalog::ListIds(std::set<BackupID>* ids) const {
  std::vector<std::string> names;
  const std::string dir = Path(kBackupMetaDir);
  IOStatus s = place_.fs->GetChildren(dir, IOOptions(), &names, nullptr);
  if (s.IsNotFound() || s.IsPathNotFound()) return IOStatus::NotFound(dir, "no backups are here");
  for (const std::string& name : names) {
    BackupID id;
    if (ParseBackupId(name, &id)) ids->insert(id);
  }
  return s;
}

IOStatus BackupCatalog::ReadMeta(BackupID id, std::string* text) const {
  IOStatus s = ReadFileToString(place_.fs, Path(BackupMetaPath(id)), text);
  if (place_.limiter != nullptr) {
    RequestBytes(place_.limiter, text->size(), Env::IO_LOW, /*statistics=*/nullptr,
                 RateLimiter::OpType::kRead);
  }
  return s;
}

IOStatus BackupCatalog::Load(int max_good_backups) {
  State before = std::exchange(state_, State());
  IOStatus s = LoadAll(max_good_backups);
  if (!s.ok()) state_ = std::move(before);
  needs_cleaning_ = true;
  return s;
}

IOStatus BackupCatalog::LoadAll(int max_good_backups) {
  std::set<BackupID> ids;
  IOStatus s = ListIds(&ids);
  Sizes sizes;
  for (const char* dir : {kBackupSharedDir, kBackupSharedChecksumDir}) {
    if (s.ok()) s = SizesIn(dir, &sizes[dir]);
  }
  if (s.ok() && !ids.empty()) {
    last_id_ = std::max(last_id_, *ids.rbegin());
    s = ReadMeta(*ids.rbegin(), &state_.last_meta);
  }
  for (auto id = ids.rbegin(); s.ok() && id != ids.rend(); ++id) {
    if (max_good_backups >= 0 && state_.good.size() == static_cast<size_t>(max_good_backups)) break;
    s = LoadOne(*id, &sizes);
  }
  return s;
}

IOStatus BackupCatalog::LoadChanges() {
  std::set<BackupID> now, known;
  IOStatus s = ListIds(&now);
  if (!s.ok()) return s;
  for (const auto& [id, backup] : state_.good) known.insert(id);
  for (const auto& [id, backup] : state_.corrupt) known.insert(id);
  std::string text;
  // A number is given again only if it was the largest.
  if (now == known && !now.empty()) s = ReadMeta(*now.rbegin(), &text);
  if (!s.ok() || (now == known && text == state_.last_meta)) return s;
  LogInfo(place_.info_log, "Backup: another engine has changed %s", place_.dir.c_str());
  return Load(/*max_good_backups=*/-1);
}

IOStatus BackupCatalog::LoadOne(BackupID id, Sizes* sizes) {
  const std::string private_dir = PrivateBackupDir(id);
  IOStatus s = SizesIn(private_dir, &(*sizes)[private_dir]);
  const std::string name = Path(BackupMetaPath(id));
  std::string text;
  if (s.ok()) s = ReadMeta(id, &text);
  if (!s.ok()) return s;
  const auto meta = std::make_shared<BackupMeta>();
  std::vector<BackupMetaEntry> entries;
  std::vector<std::string> ignored;
  s = ParseBackupMeta(name, text, meta.get(), &entries, &ignored);
  const bool has_unknown_files = !s.ok();
  for (const std::string& field : ignored) {
    if (ignored_.insert(field).second) {
      LogWarn(place_.info_log, "Backup: %s: unknown field %s", name.c_str(), field.c_str());
    }
  }
  const IOStatus resolved = Resolve(name, std::move(entries), *sizes, meta.get());
  if (s.ok()) s = resolved;
  Count(*meta, s.ok() ? &File::good : &File::corrupt, 1);
  if (s.ok()) {
    state_.good[id] = meta;
    LogInfo(place_.info_log, "Backup: %u: %zu files, %llu bytes", id, meta->files.size(),
            static_cast<unsigned long long>(meta->size()));
  } else {
    state_.corrupt[id] = Corrupt{s, meta, has_unknown_files};
    state_.unknown_files |= has_unknown_files;
    LogWarn(place_.info_log, "Backup: %u is corrupt: %s", id, s.ToString().c_str());
  }
  return IOStatus::OK();
}

IOStatus BackupCatalog::Resolve(const std::string& meta_name, std::vector<BackupMetaEntry> entries,
                                const Sizes& sizes, BackupMeta* meta) const {
  IOStatus s;
  const auto bad = [&](const std::string& what) {
    if (s.ok()) s = IOStatus::Corruption(meta_name, what);
  };
  const auto check_size = [&](const BackupFile& file, uint64_t expected) {
    if (file.size == expected) return;
    bad(Path(file.path) + " has " + std::to_string(file.size) + " bytes instead of " +
        std::to_string(expected));
  };
  for (BackupMetaEntry& entry : entries) {
    BackupFile& file = entry.file;
    const size_t slash = file.path.rfind('/');
    const auto dir = sizes.find(file.path.substr(0, slash));
    std::map<std::string, uint64_t>::const_iterator found;
    if (dir == sizes.end() ||
        (found = dir->second.find(file.path.substr(slash + 1))) == dir->second.end()) {
      bad(Path(file.path) + " is missing");
    } else {
      const uint64_t expected = entry.has_size ? file.size : found->second;
      file.size = found->second;
      check_size(file, expected);
      check_size(file, SizeInName(file.path).value_or(file.size));
    }
    const auto known = state_.files.find(file.path);
    if (known != state_.files.end() && known->second.file->crc32c == file.crc32c &&
        known->second.file->size == file.size) {
      meta->files.push_back(known->second.file);
    } else {
      if (known != state_.files.end() && known->second.good > 0 && file.crc32c.has_value() &&
          known->second.file->crc32c.has_value()) {
        bad(Path(file.path) + " has another checksum in a later backup");
      }
      meta->files.push_back(std::make_shared<BackupFile>(std::move(file)));
    }
  }
  return s;
}

void BackupCatalog::Count(const BackupMeta& backup, int File::* by, int change) {
  for (const auto& file : backup.files) {
    const auto at = state_.files.try_emplace(file->path).first;
    File& counted = at->second;
    // What a good backup says of it counts.
    if (counted.file == nullptr || (by == &File::good && counted.good == 0)) counted.file = file;
    counted.*by += change;
    if (counted.good == 0 && counted.corrupt == 0) state_.files.erase(at);
  }
}

std::vector<BackupID> BackupCatalog::corrupt() const {
  std::vector<BackupID> ids;
  for (const auto& [id, backup] : state_.corrupt) ids.push_back(id);
  return ids;
}

IOStatus BackupCatalog::Find(BackupID id, std::shared_ptr<const BackupMeta>* backup) const {
  if (const auto corrupt = state_.corrupt.find(id); corrupt != state_.corrupt.end())
    return corrupt->second.why;
  const auto good = state_.good.find(id);
  if (good == state_.good.end()) {
    return IOStatus::NotFound("Backup not found", std::to_string(id) + " in " + place_.dir);
  }
  *backup = good->second;
  return IOStatus::OK();
}

const BackupFile* BackupCatalog::FindFile(const std::string& path) const {
  const auto found = state_.files.find(path);
  return found != state_.files.end() && found->second.good > 0 ? found->second.file.get() : nullptr;
}

// --- Changes

IOStatus BackupCatalog::Add(BackupID id, BackupMeta backup, int schema, bool* remains) {
  *remains = false;
  const std::string path = Path(BackupMetaPath(id));
  const std::string temporary = Path(TemporaryBackupPath(BackupMetaPath(id)));
  const std::string text = FormatBackupMeta(backup, schema);
  IOStatus s = WriteStringToFile(place_.fs, text, temporary, place_.sync);
  if (s.ok()) {
    s = place_.fs->RenameFile(temporary, path, IOOptions(), nullptr);
    if (s.ok()) s = SyncDir(kBackupMetaDir);
    if (!s.ok()) {
      // Whichever name it has.
      place_.fs->DeleteFile(temporary, IOOptions(), nullptr).PermitUncheckedError();
      place_.fs->DeleteFile(path, IOOptions(), nullptr).PermitUncheckedError();
      *remains = !place_.fs->FileExists(path, IOOptions(), nullptr).IsNotFound();
    }
  }
  if (!s.ok()) return s;
  const auto added = std::make_shared<const BackupMeta>(std::move(backup));
  Count(*added, &File::good, 1);
  state_.good[id] = added;
  last_id_ = std::max(last_id_, id);
  state_.last_meta = text;
  return s;
}

IOStatus BackupCatalog::Delete(BackupID id) {
  const auto good = state_.good.find(id);
  const auto corrupt = state_.corrupt.find(id);
  std::shared_ptr<const BackupMeta> backup;
  if (good == state_.good.end() && corrupt == state_.corrupt.end()) return Find(id, &backup);
  IOStatus s = place_.fs->DeleteFile(Path(BackupMetaPath(id)), IOOptions(), nullptr);
  if (s.IsNotFound() || s.IsPathNotFound()) s = IOStatus::OK();
  // A power cut must not bring it back without its files.
  if (s.ok()) s = SyncDir(kBackupMetaDir);
  LogInfo(place_.info_log, "Backup: deleting %u: %s", id, s.ToString().c_str());
  if (!s.ok()) return s;
  if (good != state_.good.end()) {
    backup = good->second;
    Count(*backup, &File::good, -1);
    state_.good.erase(good);
  } else {
    backup = corrupt->second.remains;
    // Now these are garbage.
    needs_cleaning_ |= corrupt->second.has_unknown_files;
    Count(*backup, &File::corrupt, -1);
    state_.corrupt.erase(corrupt);
    state_.unknown_files =
        std::any_of(state_.corrupt.begin(), state_.corrupt.end(),
                    [](const auto& other) { return other.second.has_unknown_files; });
  }
  state_.last_meta.clear();
  if (!state_.good.empty() || !state_.corrupt.empty()) {
    const BackupID last = std::max(state_.good.empty() ? 0 : state_.good.rbegin()->first,
                                   state_.corrupt.empty() ? 0 : state_.corrupt.rbegin()->first);
    // If it cannot be read, the next call looks again.
    ReadMeta(last, &state_.last_meta).PermitUncheckedError();
  }
  for (const auto& file : backup->files) {
    if (state_.unknown_files) break;  // it may be one of these
    if (IsSharedBackupFile(file->path) && !state_.files.contains(file->path)) {
      if (!RemoveFile(file->path).ok()) needs_cleaning_ = true;
    }
  }
  if (!RemoveDir(PrivateBackupDir(id)).ok()) needs_cleaning_ = true;
  return s;
}

IOStatus BackupCatalog::Clean() {
  LogInfo(place_.info_log, "Backup: cleaning %s", place_.dir.c_str());
  IOStatus first;
  CleanMeta(&first);
  CleanShared(kBackupSharedDir, &first);
  CleanShared(kBackupSharedChecksumDir, &first);
  CleanPrivate(&first);
  needs_cleaning_ = !first.ok();
  return first;
}

void BackupCatalog::CleanShared(const char* dir, IOStatus* first) {
  std::vector<std::string> names;
  IOStatus s = ChildrenOf(dir, &names);
  if (!s.ok() && first->ok()) *first = s;
  for (const std::string& name : names) {
    const std::string path = std::string(dir) + "/" + name;
    if (!IsTemporaryBackupName(name) && (state_.unknown_files || state_.files.contains(path)))
      continue;
    bool is_directory = false;
    place_.fs->IsDirectory(Path(path), IOOptions(), &is_directory, nullptr).PermitUncheckedError();
    if (is_directory) continue;  // nothing of ours
    s = RemoveFile(path);
    if (!s.ok() && first->ok()) *first = s;
  }
}

void BackupCatalog::CleanPrivate(IOStatus* first) {
  std::vector<std::string> names;
  IOStatus s = ChildrenOf(kBackupPrivateDir, &names);
  if (!s.ok() && first->ok()) *first = s;
  constexpr std::string_view kTmp = ".tmp";
  for (const std::string& name : names) {
    BackupID id;
    if (name.ends_with(kTmp)) {
      // As older releases of RocksDB leave them.
      if (!ParseBackupId(name.substr(0, name.size() - kTmp.size()), &id)) continue;
    } else if (!ParseBackupId(name, &id) || state_.good.contains(id) ||
               state_.corrupt.contains(id)) {
      continue;
    }
    s = RemoveDir(std::string(kBackupPrivateDir) + "/" + name);
    if (!s.ok() && first->ok()) *first = s;
  }
}

void BackupCatalog::CleanMeta(IOStatus* first) {
  std::vector<std::string> names;
  IOStatus s = ChildrenOf(kBackupMetaDir, &names);
  if (!s.ok() && first->ok()) *first = s;
  for (const std::string& name : names) {
    if (!IsTemporaryBackupName(name)) continue;
    s = RemoveFile(std::string(kBackupMetaDir) + "/" + name);
    if (!s.ok() && first->ok()) *first = s;
  }
}

// --- Files

IOStatus BackupCatalog::ChildrenOf(const std::string& relative,
                                   std::vector<std::string>* names) const {
  const std::string path = Path(relative);
  IOStatus s = place_.fs->FileExists(path, IOOptions(), nullptr);
  if (s.IsNotFound()) return IOStatus::OK();
  if (s.ok()) s = place_.fs->GetChildren(path, IOOptions(), names, nullptr);
  std::erase_if(*names, [](const std::string& name) { return name == "." || name == ".."; });
  return s;
}

IOStatus BackupCatalog::SizesIn(const std::string& relative,
                                std::map<std::string, uint64_t>* sizes) const {
  const std::string path = Path(relative);
  IOStatus s = place_.fs->FileExists(path, IOOptions(), nullptr);
  if (s.IsNotFound()) return IOStatus::OK();
  std::vector<FileAttributes> files;
  if (s.ok()) s = place_.fs->GetChildrenFileAttributes(path, IOOptions(), &files, nullptr);
  for (const FileAttributes& file : files) (*sizes)[file.name] = file.size_bytes;
  return s;
}

IOStatus BackupCatalog::SyncDir(const std::string& relative) const {
  if (!place_.sync) return IOStatus::OK();
  IOStatus s = SyncDirectoryAt(place_.fs, Path(relative));
  return s.IsNotSupported() ? IOStatus::OK() : s;
}

IOStatus BackupCatalog::RemoveFile(const std::string& relative) {
  IOStatus s = place_.fs->DeleteFile(Path(relative), IOOptions(), nullptr);
  LogInfo(place_.info_log, "Backup: removing %s: %s", relative.c_str(), s.ToString().c_str());
  return s.IsNotFound() || s.IsPathNotFound() ? IOStatus::OK() : s;
}

IOStatus BackupCatalog::RemoveDir(const std::string& relative) {
  std::vector<std::string> names;
  IOStatus first = ChildrenOf(relative, &names);
  for (const std::string& name : names) {
    IOStatus s = RemoveFile(std::string(relative).append("/").append(name));
    if (first.ok()) first = s;
  }
  if (!first.ok()) return first;
  IOStatus s = place_.fs->FileExists(Path(relative), IOOptions(), nullptr);
  if (s.IsNotFound()) return IOStatus::OK();
  return s.ok() ? place_.fs->DeleteDir(Path(relative), IOOptions(), nullptr) : s;
}

}  // namespace cairn
