// Applies a run of edits to a Version and produces the next one.
//
// Used by VersionSet for recovery (one builder per column family fed with the whole MANIFEST) and for each LogAndApply.
// What an edit claims is checked: deleting a file that is not there, adding one twice, or a result whose levels are unsorted
// or overlap is Corruption.
//
// Thread safety: none. Saving takes references of files, so it needs the database mutex when the base is live.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/namespace.h"
#include "manifest/version.h"
#include "manifest/version_edit.h"

namespace cairn {

class VersionBuilder {
 public:
  // `base` may be nullptr (empty); it must outlive the builder.
  VersionBuilder(const InternalKeyComparator* icmp, int num_levels, const Version* base);
  ~VersionBuilder();
  VersionBuilder(const VersionBuilder&) = delete;
  VersionBuilder& operator=(const VersionBuilder&) = delete;

  // Adds an edit's file changes. Deletions count before additions.
  [[nodiscard]] Status Apply(const VersionEdit& edit);

  // Builds the result: orders, checks, and computes its compaction state. The Version has no reference yet.
  // `infer_epochs`: the result comes from a MANIFEST; where any file lacks an epoch all are inferred anew.
  [[nodiscard]] Status Save(ColumnFamilyState* cf, VersionSet* set, uint64_t version_number,
                            const ColumnFamilyOptions& options, bool infer_epochs, Version** result);
  // Deletes a Version made by Save that nobody referenced.
  static void Discard(Version* version);

 private:
  struct Entry {
    int level;
    FileMetaData* meta;
    bool added;  // owned by the builder until Save
  };

  static void InferEpochs(std::vector<std::vector<FileMetaData*>>* levels);
  [[nodiscard]] Status CheckConsistency(const std::vector<std::vector<FileMetaData*>>& levels) const;

  const InternalKeyComparator* const icmp_;
  const int num_levels_;
  std::unordered_map<uint64_t, Entry> files_;
};

}  // namespace cairn
