#include "manifest/manifest_update.h"

#include <algorithm>

#include "base/timestamps.h"
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
  for (uint64_t ordinal = 1; reader->Next(&edit); ++ordinal) {
    if (files_until != nullptr) {
      const auto until = files_until->find(edit.column_family());
      if (until == files_until->end() || ordinal > until->second) edit.ClearFiles();
    }
    if (Status s = Apply(&edit, find_or_make); !s.ok()) {
      return s.IsCorruption() ? reader->Locate(s) : s;
    }
  }
  position = reader->position();
  return reader->status();
}

// As in RocksDB: a family's keys may get timestamps, or lose them, as long as no table has any.
Status ManifestUpdate::CheckComparator(const VersionEdit& edit, const ColumnFamilyState& family) {
  if (!edit.comparator()) return Status::OK();
  const std::string& was = *edit.comparator();
  const std::string now = family.user_comparator()->Name();
  const bool persisted = edit.persist_user_defined_timestamps().value_or(true);
  const bool persists = family.options().persist_user_defined_timestamps;
  if (was == now) {
    if (persisted == persists || family.icmp().timestamp_size() == 0) return Status::OK();
    return Status::InvalidArgument(
        "persist_user_defined_timestamps of a family whose keys have timestamps cannot change",
        family.name());
  }
  if (IsNameOfBare(was, now)) {
    if (!persists) return Status::OK();
    return Status::InvalidArgument(
        "the keys of a family get timestamps only with persist_user_defined_timestamps=false",
        family.name());
  }
  if (IsNameOfBare(now, was)) {
    if (!persisted) return Status::OK();
    return Status::InvalidArgument(
        "the keys of a family lose their timestamps only where persist_user_defined_timestamps was "
        "false",
        family.name());
  }
  return Status::InvalidArgument(now, "does not match existing comparator " + was);
}

Status ManifestUpdate::ApplyTimestamps(VersionEdit* edit, Family* family) {
  const ColumnFamilyState& state = *family->state;
  const size_t size = state.icmp().timestamp_size();
  for (VersionEdit::NewFile& file : edit->mutable_new_files()) {
    FileMetaData& meta = file.meta;
    if (size == 0) {
      if (!meta.user_defined_timestamps_persisted) meta.RemoveTimestamps();
    } else if (!state.options().persist_user_defined_timestamps) {
      // (One from before the keys had timestamps is not marked yet.)
      if (meta.user_defined_timestamps_persisted) meta.AddTimestamps();
    } else if (!meta.user_defined_timestamps_persisted) {
      return Status::InvalidArgument(
          "a table has no timestamps, and persist_user_defined_timestamps is true", state.name());
    }
  }
  // (Of a time when the keys had timestamps: it says nothing any more.)
  if (!edit->full_history_ts_low() || size == 0) return Status::OK();
  if (edit->full_history_ts_low()->size() != size) {
    return Status::Corruption("full_history_ts_low of another size than the family's timestamps",
                              state.name());
  }
  // (One that goes back is passed over: two raises at once may be written in any order.)
  if (family->history_low.empty() || state.user_comparator()->CompareTimestamp(
                                         family->history_low, *edit->full_history_ts_low()) < 0) {
    family->history_low = *edit->full_history_ts_low();
  }
  return Status::OK();
}

Status ManifestUpdate::Apply(VersionEdit* from, const OpenFamily& find_or_make) {
  const VersionEdit& edit = *from;
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
    if (Status s = CheckComparator(edit, *family.state); !s.ok()) return s;
    if (edit.comparator()) {
      family.comparator_changed = *edit.comparator() != family.state->user_comparator()->Name();
    }
    // (One that goes back is passed over.)
    if (edit.log_number()) family.log_number = std::max(family.log_number, *edit.log_number());
    if (!edit.new_files().empty() || !edit.deleted_files().empty() ||
        !edit.blob_additions().empty() || !edit.blob_garbage().empty()) {
      family.changed = true;
    }
    if (Status s = ApplyTimestamps(from, &family); !s.ok()) return s;
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
  return tracked_wals.Apply(edit);
}

}  // namespace cairn
