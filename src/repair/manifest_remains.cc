#include "repair/manifest_remains.h"

#include <algorithm>
#include <memory>

#include "base/logging.h"
#include "manifest/manifest_reader.h"
#include "rocksdb/db.h"

namespace cairn {

void ManifestRemains::Read(FileSystem* fs, const std::string& path, uint64_t number,
                           Logger* info_log) {
  families[0].name = kDefaultColumnFamilyName;
  std::unique_ptr<ManifestReader> reader;
  Status s = ManifestReader::Open(fs, path, number, &reader);
  uint64_t edits = 0;
  if (s.ok()) {
    VersionEdit edit;
    for (; reader->Next(&edit); ++edits) Apply(edit);
    s = reader->status();
  }
  LogInfo(info_log, "%s: %llu edits read, %s", path.c_str(), static_cast<unsigned long long>(edits),
          s.ToString().c_str());
}

void ManifestRemains::Apply(const VersionEdit& edit) {
  const uint32_t id = edit.column_family();
  max_column_family = std::max({max_column_family, id, edit.max_column_family().value_or(0)});
  Family& family = families[id];
  if (edit.is_column_family_add() && id != 0) family.name = *edit.column_family_name();
  if (edit.is_column_family_drop() && id != 0) {
    family.dropped = true;
    family.tables.clear();
  }
  if (edit.full_history_ts_low()) family.history_lows.push_back(*edit.full_history_ts_low());
  family.log_number = std::max(family.log_number, edit.log_number().value_or(0));
  for (const VersionEdit::DeletedFile& file : edit.deleted_files()) {
    family.tables.erase(file.number);
    deleted.insert(file.number);
  }
  for (const VersionEdit::NewFile& file : edit.new_files()) {
    family.tables.insert(file.meta.number);
    deleted.erase(file.meta.number);
    tables[file.meta.number] = {id, file.meta};
  }
  if (const SequenceNumber last = edit.last_sequence().value_or(0); last <= kMaxSequenceNumber) {
    last_sequence = std::max(last_sequence, last);
  }
  if (edit.db_id()) db_id = *edit.db_id();
}

}  // namespace cairn
