// How the MANIFEST becomes Versions again: CURRENT, Recover, the list of column families, and the
// database's identity.

#include <algorithm>
#include <map>

#include "base/logging.h"
#include "base/string_util.h"
#include "fs/file_names.h"
#include "fs/file_util.h"
#include "manifest/manifest_reader.h"
#include "manifest/version_set.h"

namespace cairn {

struct VersionSet::Recovery {
  std::map<std::string, const ColumnFamilyDescriptor*> requested;
  std::map<uint32_t, std::unique_ptr<VersionBuilder>> builders;  // of families in families_
  std::map<uint32_t, std::string> unopened;                      // id -> name
  bool have_log_number = false, have_next_file = false, have_last_sequence = false;
  uint64_t next_file = 0, prev_log = 0, min_log_to_keep = 0;
  SequenceNumber last_sequence = 0;
};

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

Status VersionSet::Recover(const std::vector<ColumnFamilyDescriptor>& families, bool read_only) {
  std::string path;
  uint64_t number = 0;
  if (Status s = GetCurrentManifestPath(dbname_, fs_, &path, &number); !s.ok()) return s;
  std::unique_ptr<ManifestReader> reader;
  if (Status s = ManifestReader::Open(fs_, path, number, &reader); !s.ok()) {
    if (s.IsNotFound() || s.IsPathNotFound()) {
      return Status::Corruption("CURRENT file points to a non-existent file", path);
    }
    return s;
  }

  Recovery recovery;
  for (const ColumnFamilyDescriptor& d : families) recovery.requested[d.name] = &d;
  const auto open_family = [&](uint32_t id, const ColumnFamilyDescriptor& d) {
    families_[id].reset(new ColumnFamilyState(id, d.name, d.options));
    recovery.builders[id] =
        std::make_unique<VersionBuilder>(&families_[id]->icmp(), /*base=*/nullptr);
  };
  const auto default_descriptor = recovery.requested.find(kDefaultColumnFamilyName);
  if (default_descriptor == recovery.requested.end()) {
    return Status::InvalidArgument("Default column family not specified");
  }
  open_family(0, *default_descriptor->second);
  default_ = families_[0].get();

  VersionEdit edit;
  while (reader->Next(&edit)) {
    const uint32_t id = edit.column_family();
    const bool unopened = recovery.unopened.count(id) != 0;
    const bool known = unopened || families_.count(id) != 0;
    if (edit.is_column_family_add()) {
      if (known) return reader->Locate(Status::Corruption("column family is added twice"));
      const auto it = recovery.requested.find(*edit.column_family_name());
      if (it == recovery.requested.end()) {
        recovery.unopened[id] = *edit.column_family_name();
      } else {
        open_family(id, *it->second);
      }
      max_column_family_ = std::max(max_column_family_, id);
    } else if (!known) {
      return reader->Locate(
          Status::Corruption("an edit of an unknown column family", std::to_string(id)));
    } else if (edit.is_column_family_drop()) {
      if (id == 0)
        return reader->Locate(Status::Corruption("the default column family is dropped"));
      recovery.unopened.erase(id);
      recovery.builders.erase(id);
      families_.erase(id);
    }
    if (ColumnFamilyState* cf = family(id); cf != nullptr) {
      if (edit.comparator() && *edit.comparator() != cf->user_comparator()->Name()) {
        return Status::InvalidArgument(cf->user_comparator()->Name(),
                                       "does not match existing comparator " + *edit.comparator());
      }
      if (edit.log_number()) {
        if (*edit.log_number() < cf->log_number()) {
          LogWarn(options_->info_log.get(), "MANIFEST: the log number of family %u goes back", id);
        } else {
          cf->SetLogNumber(*edit.log_number());
        }
      }
      if (Status s = recovery.builders[id]->Apply(edit); !s.ok()) return reader->Locate(s);
    }
    if (edit.log_number()) recovery.have_log_number = true;
    if (edit.prev_log_number()) recovery.prev_log = *edit.prev_log_number();
    if (edit.next_file_number()) {
      recovery.have_next_file = true;
      recovery.next_file = std::max(recovery.next_file, *edit.next_file_number());
    }
    if (edit.last_sequence()) {
      recovery.have_last_sequence = true;
      recovery.last_sequence = std::max(recovery.last_sequence, *edit.last_sequence());
    }
    if (edit.max_column_family()) {
      max_column_family_ = std::max(max_column_family_, *edit.max_column_family());
    }
    if (edit.min_log_number_to_keep()) {
      recovery.min_log_to_keep = std::max(recovery.min_log_to_keep, *edit.min_log_number_to_keep());
    }
    if (edit.db_id()) db_id_ = *edit.db_id();
  }
  if (!reader->status().ok()) return reader->status();
  if (!recovery.have_next_file) {
    return reader->Locate(Status::Corruption("no next file number in the MANIFEST"));
  }
  if (!recovery.have_log_number) {
    return reader->Locate(Status::Corruption("no log number in the MANIFEST"));
  }
  if (!recovery.have_last_sequence) {
    return reader->Locate(Status::Corruption("no last sequence number in the MANIFEST"));
  }
  manifest_file_number_ = number;
  manifest_file_size_ = reader->offset();
  Status s = FinishRecovery(&recovery, read_only);
  if (s.IsCorruption()) s = reader->Locate(s);
  return s;
}

Status VersionSet::FinishRecovery(Recovery* recovery, bool read_only) {
  if (!read_only && !recovery->unopened.empty()) {
    std::string names;
    for (const auto& [id, name] : recovery->unopened) {
      names.append(names.empty() ? "" : ", ").append(name);
    }
    return Status::InvalidArgument("Column families not opened: " + names);
  }
  for (const auto& [name, descriptor] : recovery->requested) {
    const bool found = std::any_of(families_.begin(), families_.end(),
                                   [&](const auto& f) { return f.second->name() == name; });
    if (!found) return Status::InvalidArgument("Column family not found", name);
  }
  for (auto& [id, cf] : families_) {
    Version* version = nullptr;
    Status s = recovery->builders[id]->Save(cf.get(), this, next_version_number_++, cf->options(),
                                            /*infer_epochs=*/true, &version);
    if (!s.ok()) return s;
    Install(cf.get(), version);
    for (int level = 0; level < version->num_levels(); ++level) {
      for (const FileMetaData* f : version->files(level)) {
        cf->next_epoch_ = std::max(cf->next_epoch_, f->epoch_number + 1);
        MarkFileNumberUsed(f->number);
      }
    }
    MarkFileNumberUsed(cf->log_number());
  }
  if (recovery->next_file > 0) MarkFileNumberUsed(recovery->next_file - 1);
  MarkFileNumberUsed(recovery->prev_log);
  MarkFileNumberUsed(recovery->min_log_to_keep);
  MarkFileNumberUsed(manifest_file_number_);
  prev_log_number_ = recovery->prev_log;
  min_log_number_to_keep_ = recovery->min_log_to_keep;
  manifest_last_sequence_ = recovery->last_sequence;
  last_sequence_.store(recovery->last_sequence, std::memory_order_release);
  last_allocated_sequence_.store(recovery->last_sequence);
  return RecoverIdentity(read_only);
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
  s = SetIdentityFile(fs_, dbname_, db_id_);
  if (s.ok() && db_id_.empty()) s = ReadIdentityFile(fs_, dbname_, &db_id_);
  return s;
}

Status VersionSet::ListColumnFamilies(const std::string& dbname, FileSystem* fs,
                                      std::vector<std::string>* names) {
  names->clear();
  std::string path;
  uint64_t number = 0;
  if (Status s = GetCurrentManifestPath(dbname, fs, &path, &number); !s.ok()) return s;
  std::unique_ptr<ManifestReader> reader;
  if (Status s = ManifestReader::Open(fs, path, number, &reader); !s.ok()) return s;
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
