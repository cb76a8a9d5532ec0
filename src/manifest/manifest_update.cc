#include "manifest/manifest_update.h"

#include <algorithm>

#include "manifest/version_set.h"

namespace cairn {

void ManifestUpdate::Start(ColumnFamilyState* family, const Version* base) {
  Family& started = families[family->id()];
  started.state = family;
  started.builder = std::make_unique<VersionBuilder>(&family->icmp(), base);
  if (base != nullptr) started.log_number = family->log_number();
}

uint64_t ManifestUpdate::FirstLogNeeded() const {
  uint64_t least = UINT64_MAX;
  for (const auto& [id, family] : families) least = std::min(least, family.log_number);
  return std::max(least, min_log_to_keep);
}

Status ManifestUpdate::Apply(ManifestReader* reader, const OpenFamily& find_or_make) {
  VersionEdit edit;
  while (reader->Next(&edit)) {
    if (Status s = Apply(edit, find_or_make); !s.ok()) {
      return s.IsCorruption() ? reader->Locate(s) : s;
    }
  }
  position = reader->position();
  return reader->status();
}

Status ManifestUpdate::ApplyTimestamps(const VersionEdit& edit, Family* family) {
  bool stripped = edit.persist_user_defined_timestamps() == false;
  for (const VersionEdit::NewFile& file : edit.new_files()) {
    stripped |= !file.meta.user_defined_timestamps_persisted;
  }
  const size_t size = family->state->icmp().timestamp_size();
  if (stripped && size != 0) {
    return Status::NotSupported("persist_user_defined_timestamps=false", family->state->name());
  }
  if (!edit.full_history_ts_low()) return Status::OK();
  if (edit.full_history_ts_low()->size() != size) {
    return Status::Corruption("full_history_ts_low of another size than the family's timestamps",
                              family->state->name());
  }
  // (One that goes back is passed over: two raises at once may be written in any order.)
  if (family->history_low.empty() || family->state->user_comparator()->CompareTimestamp(
                                         family->history_low, *edit.full_history_ts_low()) < 0) {
    family->history_low = *edit.full_history_ts_low();
  }
  return Status::OK();
}

Status ManifestUpdate::Apply(const VersionEdit& edit, const OpenFamily& find_or_make) {
  const uint32_t id = edit.column_family();
  const bool known = unopened.contains(id) || families.contains(id);
  if (edit.is_column_family_add()) {
    if (known) return Status::Corruption("column family is added twice");
    if (ColumnFamilyState* const family = find_or_make(id, *edit.column_family_name())) {
      Start(family, nullptr);
    } else {
      unopened[id] = *edit.column_family_name();
    }
    max_column_family = std::max(max_column_family, id);
  } else if (!known) {
    return Status::Corruption("an edit of an unknown column family", std::to_string(id));
  } else if (edit.is_column_family_drop()) {
    if (id == 0) return Status::Corruption("the default column family is dropped");
    unopened.erase(id);
    families.erase(id);
  }
  if (const auto it = families.find(id); it != families.end()) {
    Family& family = it->second;
    const char* const comparator = family.state->user_comparator()->Name();
    if (edit.comparator() && *edit.comparator() != comparator) {
      return Status::InvalidArgument(comparator,
                                     "does not match existing comparator " + *edit.comparator());
    }
    // (One that goes back is passed over.)
    if (edit.log_number()) family.log_number = std::max(family.log_number, *edit.log_number());
    if (!edit.new_files().empty() || !edit.deleted_files().empty() ||
        !edit.blob_additions().empty() || !edit.blob_garbage().empty()) {
      family.changed = true;
    }
    if (Status s = ApplyTimestamps(edit, &family); !s.ok()) return s;
    if (Status s = family.builder->Apply(edit); !s.ok()) return s;
  }
  if (edit.log_number()) have_log_number = true;
  if (edit.prev_log_number()) prev_log = *edit.prev_log_number();
  if (edit.next_file_number()) {
    have_next_file = true;
    next_file = std::max(next_file, *edit.next_file_number());
  }
  if (edit.last_sequence()) {
    have_last_sequence = true;
    last_sequence = std::max(last_sequence, *edit.last_sequence());
  }
  if (edit.synced_log()) synced_log = std::max(synced_log, *edit.synced_log());
  if (edit.max_column_family()) {
    max_column_family = std::max(max_column_family, *edit.max_column_family());
  }
  if (edit.min_log_number_to_keep()) {
    min_log_to_keep = std::max(min_log_to_keep, *edit.min_log_number_to_keep());
  }
  if (edit.db_id()) db_id = *edit.db_id();
  return Status::OK();
}

}  // namespace cairn
