// Applies a run of edits to a Version and produces the next one.
//
// Used by VersionSet for recovery (one builder per column family fed with the whole MANIFEST) and
// for each LogAndApply. What an edit claims is checked: deleting a file that is not there, adding
// one twice, or a result whose levels are unsorted or overlap is Corruption.
//
// Thread safety: none; needs the database mutex when the base is live.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/namespace.h"
#include "manifest/blob_files_builder.h"
#include "manifest/version.h"
#include "manifest/version_edit.h"

namespace cairn {

class VersionBuilder {
 public:
  // `base` may be nullptr (empty); it must outlive the builder, as must `icmp`.
  VersionBuilder(const InternalKeyComparator* icmp, const Version* base);
  ~VersionBuilder();
  VersionBuilder(const VersionBuilder&) = delete;
  VersionBuilder& operator=(const VersionBuilder&) = delete;

  // Adds an edit's file changes; deletions count before additions. After an error the builder is
  // of no use.
  [[nodiscard]] Status Apply(const VersionEdit& edit);

  // Builds the result: orders, checks, and computes its compaction state. The Version has no
  // reference yet. Call at most once.
  // `infer_epochs`: the result comes from a MANIFEST, where files written by old versions lack an
  // epoch; then all are inferred anew.
  // InvalidArgument: a file is on a level that num_levels does not have.
  [[nodiscard]] Status Save(ColumnFamilyState* cf, VersionSet* set, uint64_t version_number,
                            const ColumnFamilyOptions& options, bool infer_epochs,
                            Version** result);
  // Deletes a Version made by Save that nobody referenced.
  static void Discard(Version* version);

 private:
  struct Added {
    int level;
    std::unique_ptr<FileMetaData> meta;
  };

  struct InBase {
    int level = -1;  // it is not there
    const FileMetaData* meta = nullptr;
  };

  InBase FindInBase(uint64_t number);
  int LevelInBase(uint64_t number) { return FindInBase(number).level; }
  static void InferEpochs(std::vector<std::vector<FileMetaData*>>* levels);
  [[nodiscard]] Status CheckConsistency(
      const std::vector<std::vector<FileMetaData*>>& levels) const;

  const InternalKeyComparator* const icmp_;
  const Version* const base_;
  std::unordered_map<uint64_t, InBase> base_files_;  // by number; filled at the first question
  bool base_indexed_ = false;
  std::unordered_set<uint64_t> deleted_;  // of the base
  std::unordered_map<uint64_t, Added> added_;
  BlobFilesBuilder blob_files_;
};

}  // namespace cairn
