#include "manifest/best_efforts.h"

#include <algorithm>

#include "fs/file_names.h"
#include "rocksdb/db.h"

namespace cairn {

Status FindManifests(FileSystem* fs, const std::string& dbname, std::vector<uint64_t>* numbers) {
  numbers->clear();
  std::vector<std::string> names;
  IOStatus io = fs->GetChildren(dbname, IOOptions(), &names, nullptr);
  if (!io.ok()) return io;
  for (const std::string& name : names) {
    uint64_t number;
    FileType type;
    if (!ParseFileName(name, &number, &type) || type != FileType::kDescriptorFile) continue;
    uint64_t bytes = 0;
    io = fs->GetFileSize(DescriptorFileName(dbname, number), IOOptions(), &bytes, nullptr);
    if (io.IsNotFound() || io.IsPathNotFound()) continue;
    if (!io.ok()) return io;
    if (bytes > 0) numbers->push_back(number);
  }
  std::sort(numbers->rbegin(), numbers->rend());
  return Status::OK();
}

Status ListFamiliesBestEfforts(FileSystem* fs, const std::string& dbname,
                               std::vector<std::string>* names) {
  std::vector<uint64_t> manifests;
  Status s = FindManifests(fs, dbname, &manifests);
  if (s.ok() && manifests.empty()) s = Status::NotFound("no MANIFEST", dbname);
  for (const uint64_t number : manifests) {
    std::unique_ptr<ManifestReader> reader;
    s = ManifestReader::Open(fs, DescriptorFileName(dbname, number), number, &reader);
    if (!s.ok()) continue;
    std::map<uint32_t, std::string> families{{0, kDefaultColumnFamilyName}};
    VersionEdit edit;
    while (reader->Next(&edit)) {
      if (edit.is_column_family_add()) families[edit.column_family()] = *edit.column_family_name();
      if (edit.is_column_family_drop()) families.erase(edit.column_family());
    }
    s = reader->status();
    if (!s.ok()) continue;
    names->clear();
    for (auto& [id, name] : families) names->push_back(std::move(name));
    break;
  }
  return s;
}

Status BestEffortsPlan::Read(ManifestReader* reader) {
  VersionEdit edit;
  Ordinal ordinal = 0;
  Group group;  // that is being read; empty: none is
  while (reader->Next(&edit)) {
    ++ordinal;
    if (Status s = Apply(edit, ordinal); !s.ok()) return s;
    std::vector<uint32_t> ended{edit.column_family()};
    if (edit.atomic_group_remaining()) {
      if (group.families.empty()) group.first = ordinal;
      group.families.push_back(edit.column_family());
      if (*edit.atomic_group_remaining() > 0) continue;
      group.last = ordinal;
      ended = group.families;
      groups_.push_back(std::exchange(group, Group()));
    }
    for (const uint32_t id : ended) {
      const auto it = families_.find(id);
      if (it == families_.end() || !IsWhole(it->second)) continue;
      if (it->second.whole_at.back() != ordinal) it->second.whole_at.push_back(ordinal);
    }
  }
  if (!reader->status().ok()) return reader->status();
  ChoosePoints();
  return Status::OK();
}

Status BestEffortsPlan::IsThere(const std::string& path, uint64_t bytes, bool* is_there) const {
  uint64_t size = 0;
  IOStatus io = fs_->GetFileSize(path, IOOptions(), &size, nullptr);
  *is_there = io.ok() && size == bytes;
  return io.IsNotFound() || io.IsPathNotFound() ? IOStatus::OK() : io;
}

// What contradicts itself is left to those who apply the edits.
Status BestEffortsPlan::Apply(const VersionEdit& edit, Ordinal ordinal) {
  if (edit.is_column_family_drop()) {
    families_.erase(edit.column_family());
    return Status::OK();
  }
  if (edit.is_column_family_add()) families_.try_emplace(edit.column_family());
  const auto found = families_.find(edit.column_family());
  if (found == families_.end()) return Status::OK();
  Family& family = found->second;
  for (const VersionEdit::DeletedFile& file : edit.deleted_files()) {
    const auto it = family.tables.find(file.number);
    if (it == family.tables.end()) continue;
    family.missing_tables -= it->second.is_there ? 0 : 1;
    family.tables.erase(it);
  }
  for (const VersionEdit::NewFile& file : edit.new_files()) {
    Table table;
    table.oldest_blob_file = file.meta.oldest_blob_file_number;
    const std::string path = TableFileName(paths_, file.meta.number, file.meta.path_id);
    if (Status s = IsThere(path, file.meta.file_size, &table.is_there); !s.ok()) return s;
    if (family.tables.emplace(file.meta.number, table).second) {
      family.missing_tables += table.is_there ? 0 : 1;
    }
  }
  for (const BlobFileAddition& file : edit.blob_additions()) {
    Blobs blobs;
    blobs.blobs = file.blobs;
    const std::string path = BlobFileName(paths_.front(), file.number);
    if (Status s = IsThere(path, file.file_size(), &blobs.is_there); !s.ok()) return s;
    if (family.blob_files.emplace(file.number, blobs).second) {
      family.missing_blob_files += blobs.is_there ? 0 : 1;
    }
  }
  for (const BlobFileGarbage& garbage : edit.blob_garbage()) {
    const auto it = family.blob_files.find(garbage.number);
    if (it != family.blob_files.end()) it->second.garbage += garbage.blobs;
  }
  if (!edit.new_files().empty() || !edit.deleted_files().empty() ||
      !edit.blob_additions().empty()) {
    family.last_change = ordinal;
  }
  return Status::OK();
}

// (Which blob files are of use: see BlobFilesBuilder::Build.)
bool BestEffortsPlan::IsWhole(const Family& family) {
  if (family.missing_tables > 0) return false;
  if (family.missing_blob_files == 0) return true;
  std::map<uint64_t, bool> linked;
  for (const auto& [number, table] : family.tables) {
    if (table.oldest_blob_file != kNoBlobFile) linked[table.oldest_blob_file] = true;
  }
  if (linked.empty()) return true;
  for (auto it = family.blob_files.lower_bound(linked.begin()->first);
       it != family.blob_files.end(); ++it) {
    const bool all_garbage = it->second.garbage >= it->second.blobs && !linked.contains(it->first);
    if (!it->second.is_there && !all_garbage) return false;
  }
  return true;
}

void BestEffortsPlan::ChoosePoints() {
  for (const auto& [id, family] : families_) files_until_[id] = family.whole_at.back();
  // Whoever goes back behind a group takes the others of it along, and may take those behind an
  // older group. So until nobody goes any further.
  for (bool changed = true; changed;) {
    changed = false;
    for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
      const auto lacks = [&](uint32_t id) {
        const auto it = files_until_.find(id);
        return it != files_until_.end() && it->second < group->last;
      };
      if (std::none_of(group->families.begin(), group->families.end(), lacks)) continue;
      for (const uint32_t id : group->families) {
        const auto it = files_until_.find(id);
        if (it == files_until_.end() || it->second < group->first) continue;
        const std::vector<Ordinal>& whole_at = families_.at(id).whole_at;
        it->second = *std::prev(std::lower_bound(whole_at.begin(), whole_at.end(), group->first));
        changed = true;
      }
    }
  }
  for (const auto& [id, family] : families_) {
    if (files_until_[id] < family.last_change) loses_files_ = true;
  }
}

}  // namespace cairn
