// ManifestUpdate: what the edits of a MANIFEST, from some record on, come to, before any of it is
// true of a VersionSet.
//
// VersionSet::Recover makes one of a whole MANIFEST; VersionSet::ReadUpdate one of what another
// process has written since (db/primary_follower.cc). What an edit claims is checked: Corruption.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/namespace.h"
#include "manifest/manifest_reader.h"
#include "manifest/tracked_wals.h"
#include "manifest/version_builder.h"
#include "rocksdb/types.h"

namespace cairn {

class ColumnFamilyState;

struct ManifestUpdate {
  struct Family {
    ColumnFamilyState* state = nullptr;
    std::unique_ptr<VersionBuilder> builder;
    uint64_t log_number = 0;
    bool changed = false;             // its files are
    bool comparator_changed = false;  // see ColumnFamilyState
    std::string history_low;          // the largest that was set; empty: none was
    Version* version = nullptr;       // VersionSet::BuildVersions: without a reference
  };

  // A family that the MANIFEST adds: null if it is not to be opened.
  using OpenFamily = std::function<ColumnFamilyState*(uint32_t id, const std::string& name)>;

  // A family that exists, with `base` (null: without files), before the first edit.
  void Start(ColumnFamilyState* family, const Version* base);
  // All edits that the reader has. On an error nothing here is of use.
  [[nodiscard]] Status Apply(ManifestReader* reader, const OpenFamily& find_or_make);

  // The oldest log that has anything which the tables of the open families lack, or that the
  // MANIFEST's writer keeps.
  uint64_t FirstLogNeeded() const;
  // The oldest that the writer keeps: what is prepared may be there. 0: all.
  uint64_t FirstLogKept() const { return min_log_to_keep; }

  // With best_efforts_recovery: of each family, the last edit whose files are taken
  // (BestEffortsPlan::files_until). Null: all are.
  const std::map<uint32_t, uint64_t>* files_until = nullptr;

  uint64_t manifest = 0;  // its number
  uint64_t position = 0;  // in it, behind the last edit: bytes
  // Of those that are open. One that is missing, and was there at Start, was dropped.
  std::map<uint32_t, Family> families;
  std::map<uint32_t, std::string> unopened;  // the others' names
  bool have_log_number = false, have_next_file = false, have_last_sequence = false;
  uint64_t next_file = 0, prev_log = 0, min_log_to_keep = 0;
  SequenceNumber last_sequence = 0;
  LogEnd synced_log;
  TrackedWals tracked_wals;
  uint32_t max_column_family = 0;
  std::string db_id;

 private:
  [[nodiscard]] Status Apply(VersionEdit* edit, const OpenFamily& find_or_make);
  // Whether the family that the edit is of may be opened with the comparator of its options.
  [[nodiscard]] static Status CheckComparator(const VersionEdit& edit,
                                              const ColumnFamilyState& family);
  // The mark of the history, and which files have bare keys (base/timestamps.h).
  [[nodiscard]] static Status ApplyTimestamps(VersionEdit* edit, Family* family);
};

}  // namespace cairn
