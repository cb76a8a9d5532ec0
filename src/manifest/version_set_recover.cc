// How the MANIFEST becomes Versions again: CURRENT, Recover, the list of column families, and the
// database's identity.

#include <algorithm>
#include <map>

#include "base/logging.h"
#include "base/string_util.h"
#include "base/timestamps.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "manifest/best_efforts.h"
#include "manifest/manifest_reader.h"
#include "manifest/manifest_update.h"
#include "manifest/version_set.h"

namespace cairn {

Status VersionSet::GetCurrentManifestPath(const std::string& dbname, FileSystem* fs,
                                          std::string* path, uint64_t* number) {
  const std::string current = CurrentFileName(dbname);
  std::string name;
  IOStatus s = ReadFileToString(fs, current, &name);
  if (!s.ok()) return s;
  if (name.empty() || name.back() != '\n') {
    return Status::Corruption(current,
                              "does not end with newline at offset " + std::to_string(name.size()));
  }
  name.pop_back();
  FileType type;
  if (!ParseFileName(name, number, &type) || type != FileType::kDescriptorFile) {
    return Status::Corruption(current, "does not name a MANIFEST, at offset 0");
  }
  *path = dbname + (dbname.empty() || dbname.back() != '/' ? "/" : "") + name;
  return Status::OK();
}

Status VersionSet::OpenCurrent(const std::string& dbname, FileSystem* fs, bool growing,
                               std::unique_ptr<ManifestReader>* reader, uint64_t* number) {
  std::string path;
  // A new MANIFEST may take the place of one that another process writes, between the two steps.
  constexpr int kAttempts = 10;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const uint64_t before = *number;
    if (Status s = GetCurrentManifestPath(dbname, fs, &path, number); !s.ok()) return s;
    if (attempt > 0 && *number == before) break;
    const Status s = growing ? ManifestReader::OpenGrowing(fs, path, *number, reader)
                             : ManifestReader::Open(fs, path, *number, reader);
    if (!s.IsNotFound() && !s.IsPathNotFound()) return s;
  }
  return Status::Corruption("CURRENT file points to a non-existent file", path);
}

Status VersionSet::Recover(const std::vector<ColumnFamilyDescriptor>& families, bool read_only,
                           bool growing, const ColumnFamilyDescriptor* unasked) {
  ManifestUpdate recovered;
  std::unique_ptr<ManifestReader> reader;
  Status s = OpenCurrent(dbname_, fs_, growing, &reader, &recovered.manifest);
  return s.ok() ? RecoverFrom(reader.get(), families, read_only, growing, unasked, &recovered) : s;
}

Status VersionSet::RecoverFrom(ManifestReader* reader,
                               const std::vector<ColumnFamilyDescriptor>& families, bool read_only,
                               bool growing, const ColumnFamilyDescriptor* unasked,
                               ManifestUpdate* recovered) {
  std::unordered_map<std::string, const ColumnFamilyOptions*> wanted;
  for (const ColumnFamilyDescriptor& d : families) wanted.emplace(d.name, &d.options);
  if (unasked != nullptr) wanted.emplace(unasked->name, &unasked->options);
  const auto open_family = [&](uint32_t id, const std::string& name) -> ColumnFamilyState* {
    const auto it = wanted.find(name);
    if (it == wanted.end()) return nullptr;
    // (One of this name may have been dropped since: it goes below.)
    return Enter(std::unique_ptr<ColumnFamilyState>(new ColumnFamilyState(id, name, *it->second)));
  };
  default_ = open_family(0, kDefaultColumnFamilyName);
  if (default_ == nullptr) return Status::InvalidArgument("Default column family not specified");
  recovered->Start(default_, nullptr);
  Status s = recovered->Apply(reader, open_family);
  if (!s.ok()) return s;
  if (!recovered->have_next_file) {
    return reader->Locate(Status::Corruption("no next file number in the MANIFEST"));
  }
  if (!recovered->have_log_number) {
    return reader->Locate(Status::Corruption("no log number in the MANIFEST"));
  }
  if (!recovered->have_last_sequence) {
    return reader->Locate(Status::Corruption("no last sequence number in the MANIFEST"));
  }
  for (auto it = families_.begin(); it != families_.end();) {
    it = recovered->families.contains(it->first) ? std::next(it) : Leave(it);
  }
  dropped_.clear();  // (they have no Versions)
  for (const auto& [id, family] : recovered->families) {
    family.state->comparator_changed_ = family.comparator_changed;
  }
  if (growing) s = RefuseChangedComparator(*recovered);
  if (!s.ok()) return s;
  s = CheckFound(families, *recovered, read_only);
  // As in RocksDB, where each family begins with an empty Version (rocksdb.sstables shows numbers).
  next_version_number_ += recovered->families.size();
  if (s.ok()) s = BuildVersions(recovered);
  if (s.ok()) s = RefuseBlobsOfBareKeys(recovered);
  if (!s.ok()) return s.IsCorruption() ? reader->Locate(s) : s;
  InstallUpdate(recovered);
  last_sequence_.store(recovered->last_sequence, std::memory_order_release);
  return RecoverIdentity(read_only);
}

Status VersionSet::RecoverBestEfforts(const std::vector<ColumnFamilyDescriptor>& families,
                                      bool read_only, const ColumnFamilyDescriptor* unasked,
                                      bool* loses_files) {
  std::vector<uint64_t> manifests;
  Status s = FindManifests(fs_, dbname_, &manifests);
  if (s.ok() && manifests.empty()) s = Status::NotFound("no MANIFEST", dbname_);
  std::vector<std::string> paths{dbname_};
  if (!options_->db_paths.empty()) paths.clear();
  for (const DbPath& path : options_->db_paths) paths.push_back(path.path);
  for (const uint64_t number : manifests) {
    const std::string path = DescriptorFileName(dbname_, number);
    LogInfo(options_->info_log.get(), "Trying to recover from manifest: %s", path.c_str());
    BestEffortsPlan plan(fs_, paths);
    ManifestUpdate recovered;
    recovered.manifest = number;
    recovered.files_until = &plan.files_until();
    std::unique_ptr<ManifestReader> reader;
    s = ManifestReader::Open(fs_, path, number, &reader);
    if (s.ok()) s = plan.Read(reader.get());
    if (s.ok()) s = ManifestReader::Open(fs_, path, number, &reader);
    if (s.ok()) {
      s = RecoverFrom(reader.get(), families, read_only, /*growing=*/false, unasked, &recovered);
    }
    *loses_files = plan.loses_files();
    // What the user asks for and the newest state does not have is no reason to take an older one.
    const bool installed = default_ != nullptr && default_->current() != nullptr;
    if (s.ok() || installed || !(s.IsCorruption() || s.IsNotFound() || s.IsPathNotFound())) break;
    LogWarn(options_->info_log.get(), "Cannot recover from manifest: %s", s.ToString().c_str());
    for (auto it = families_.begin(); it != families_.end();) it = Leave(it);
    dropped_.clear();  // (they have no Versions)
    default_ = nullptr;
  }
  if (!s.ok()) return s;
  // An older MANIFEST does not know of files that are newer.
  paths.push_back(dbname_);
  for (const std::string& path : paths) {
    std::vector<std::string> names;
    IOStatus io = fs_->GetChildren(path, IOOptions(), &names, nullptr);
    if (!io.ok()) return io;
    for (const std::string& name : names) {
      uint64_t number;
      FileType type;
      if (ParseFileName(name, &number, &type)) MarkFileNumberUsed(number);
    }
  }
  return s;
}

// (A blob has its key with it, whole.)
Status VersionSet::RefuseBlobsOfBareKeys(ManifestUpdate* update) {
  for (const auto& [id, family] : update->families) {
    if (!LacksTimestampsInTables(family.state->options()) || family.version == nullptr ||
        family.version->blob_files().empty()) {
      continue;
    }
    const std::string name = family.state->name();
    DropVersions(update);
    return Status::NotSupported("blob files with persist_user_defined_timestamps=false", name);
  }
  return Status::OK();
}

// What it writes is of another kind than what is read.
Status VersionSet::RefuseChangedComparator(const ManifestUpdate& update) {
  for (const auto& [id, family] : update.families) {
    if (!family.comparator_changed) continue;
    return Status::InvalidArgument("the process that writes the database has another comparator",
                                   family.state->name());
  }
  return Status::OK();
}

Status VersionSet::CheckFound(const std::vector<ColumnFamilyDescriptor>& families,
                              const ManifestUpdate& recovered, bool read_only) const {
  if (!read_only && !recovered.unopened.empty()) {
    std::string names;
    for (const auto& [id, name] : recovered.unopened) {
      names.append(names.empty() ? "" : ", ").append(name);
    }
    return Status::InvalidArgument("Column families not opened: " + names);
  }
  for (const ColumnFamilyDescriptor& d : families) {
    if (family(d.name) == nullptr) {
      return Status::InvalidArgument("Column family not found", d.name);
    }
  }
  return Status::OK();
}

// --- A MANIFEST that goes on

Status VersionSet::ReadUpdate(std::unique_ptr<ManifestUpdate>* update) const {
  *update = std::make_unique<ManifestUpdate>();
  std::unique_ptr<ManifestReader> reader;
  Status s = OpenCurrent(dbname_, fs_, /*growing=*/true, &reader, &(*update)->manifest);
  if (!s.ok()) return s;
  if ((*update)->manifest == manifest_file_number_) {
    s = reader->SkipTo(manifest_file_size_);
    if (!s.ok()) return s;
    for (const auto& [id, family] : families_) (*update)->Start(family.get(), family->current());
    (*update)->unopened = unopened_;
    (*update)->last_sequence = manifest_last_sequence_;
    (*update)->prev_log = prev_log_number_;
    (*update)->min_log_to_keep = min_log_number_to_keep_;
    (*update)->tracked_wals = tracked_wals_;
  } else {
    // The whole state again. (Files that are open already stay so: the table cache knows them by
    // their numbers.)
    (*update)->Start(default_, nullptr);
  }
  return (*update)->Apply(reader.get(),
                          [this](uint32_t id, const std::string& /*name*/) { return family(id); });
}

Status VersionSet::BuildVersions(ManifestUpdate* update) {
  for (auto& [id, family] : update->families) {
    const bool whole = update->manifest != manifest_file_number_;
    if (!family.changed && !whole) continue;
    Status s =
        family.builder->Save(family.state, this, next_version_number_++, family.state->options(),
                             /*infer_epochs=*/true, &family.version);
    if (!s.ok()) {
      DropVersions(update);
      return s;
    }
  }
  return Status::OK();
}

void VersionSet::DropVersions(ManifestUpdate* update) {
  for (auto& [id, family] : update->families) {
    if (family.version != nullptr) VersionBuilder::Discard(std::exchange(family.version, nullptr));
  }
}

void VersionSet::InstallUpdate(ManifestUpdate* update) {
  for (auto it = families_.begin(); it != families_.end();) {
    if (update->families.contains(it->first)) {
      ++it;
      continue;
    }
    it->second->dropped_ = true;
    it = Leave(it);
  }
  for (auto& [id, family] : update->families) {
    ColumnFamilyState* const cf = family.state;
    cf->SetLogNumber(family.log_number);
    cf->RaiseHistoryLow(family.history_low);
    MarkFileNumberUsed(family.log_number);
    Version* const version = std::exchange(family.version, nullptr);
    if (version == nullptr) continue;
    Install(cf, version);
    for (int level = 0; level < version->num_levels(); ++level) {
      for (const FileMetaData* f : version->files(level)) {
        cf->next_epoch_ = std::max(cf->next_epoch_, f->epoch_number + 1);
        MarkFileNumberUsed(f->number);
      }
    }
    for (const auto& f : version->blob_files()) MarkFileNumberUsed(f->number());
  }
  manifest_file_number_ = update->manifest;
  manifest_file_size_ = update->position;
  unopened_ = std::move(update->unopened);
  if (update->next_file > 0) MarkFileNumberUsed(update->next_file - 1);
  MarkFileNumberUsed(update->prev_log);
  MarkFileNumberUsed(update->min_log_to_keep);
  MarkFileNumberUsed(manifest_file_number_);
  max_column_family_ = std::max(max_column_family_, update->max_column_family);
  prev_log_number_ = update->prev_log;
  min_log_number_to_keep_ = update->min_log_to_keep;
  manifest_last_sequence_ = update->last_sequence;
  synced_log_ = std::max(synced_log_, update->synced_log);
  tracked_wals_ = std::move(update->tracked_wals);
  if (!update->db_id.empty()) db_id_ = update->db_id;
}

Status VersionSet::RecoverIdentity(bool read_only) {
  std::string id;
  IOStatus s = ReadIdentityFile(fs_, dbname_, &id);
  if (!s.ok() && !s.IsNotFound() && !s.IsPathNotFound()) return s;
  if (s.ok() && !id.empty() && (db_id_.empty() || db_id_ == id)) {
    db_id_ = id;
    return Status::OK();
  }
  // Missing, empty, or of another database: the MANIFEST decides, else there is a new one.
  if (read_only) return Status::OK();
  if (!options_->write_identity_file) {
    if (db_id_.empty()) db_id_ = GenerateDbId();
    return Status::OK();
  }
  s = SetIdentityFile(fs_, dbname_, db_id_);
  if (s.ok() && db_id_.empty()) s = ReadIdentityFile(fs_, dbname_, &db_id_);
  return s;
}

Status VersionSet::ListColumnFamilies(const std::string& dbname, FileSystem* fs,
                                      std::vector<std::string>* names) {
  names->clear();
  uint64_t number = 0;
  std::unique_ptr<ManifestReader> reader;
  if (Status s = OpenCurrent(dbname, fs, /*growing=*/false, &reader, &number); !s.ok()) return s;
  std::map<uint32_t, std::string> families{{0, kDefaultColumnFamilyName}};
  VersionEdit edit;
  while (reader->Next(&edit)) {
    if (edit.is_column_family_add()) {
      families[edit.column_family()] = *edit.column_family_name();
    } else if (edit.is_column_family_drop()) {
      families.erase(edit.column_family());
    }
  }
  if (!reader->status().ok()) return reader->status();
  for (auto& [id, name] : families) names->push_back(std::move(name));
  return Status::OK();
}

}  // namespace cairn
