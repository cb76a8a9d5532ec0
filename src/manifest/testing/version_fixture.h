// Builds Versions and files for tests of the manifest and of the compaction picker, without a
// database.
//
// Thread safety: none.
#pragma once

#include <memory>
#include <string>

#include "manifest/version_builder.h"

namespace cairn {

// A file with these user keys as bounds. Sequence numbers and epoch follow from the number, so a
// larger number is newer.
inline FileMetaData MakeFile(uint64_t number, const std::string& smallest,
                             const std::string& largest, uint64_t size = 1000) {
  FileMetaData f;
  f.number = number;
  f.file_size = size;
  f.smallest = InternalKey(smallest, number * 100, kTypeValue);
  f.largest = InternalKey(largest, number * 100, kTypeValue);
  f.smallest_seqno = number * 100;
  f.largest_seqno = number * 100 + 99;
  f.epoch_number = number;
  return f;
}

// Holds one Version; Add() the files, then Build().
class VersionFixture {
 public:
  explicit VersionFixture(const Comparator* comparator = BytewiseComparator()) : icmp_(comparator) {
    options_.comparator = comparator;
    options_.level_compaction_dynamic_level_bytes = false;
  }
  ~VersionFixture() {
    if (version_ != nullptr) version_->Unref();
  }
  ColumnFamilyOptions& options() { return options_; }
  const InternalKeyComparator& icmp() const { return icmp_; }
  VersionFixture& Add(int level, const FileMetaData& f) {
    edit_.AddFile(level, f);
    return *this;
  }
  VersionFixture& Add(int level, uint64_t number, const std::string& smallest,
                      const std::string& largest, uint64_t size = 1000) {
    return Add(level, MakeFile(number, smallest, largest, size));
  }
  VersionFixture& Delete(int level, uint64_t number) {
    edit_.DeleteFile(level, number);
    return *this;
  }
  VersionFixture& Apply(const VersionEdit& edit) {
    for (const auto& f : edit.deleted_files()) edit_.DeleteFile(f.level, f.number);
    for (const auto& f : edit.new_files()) edit_.AddFile(f.level, f.meta);
    return *this;
  }
  // Applies what was added since the last Build to the Version that it made.
  Status Build() {
    VersionBuilder builder(&icmp_, version_);
    Status s = builder.Apply(edit_);
    edit_.Clear();
    if (!s.ok()) return s;
    Version* next = nullptr;
    s = builder.Save(nullptr, nullptr, ++number_, options_, /*infer_epochs=*/version_ == nullptr,
                     &next);
    if (!s.ok()) return s;
    next->Ref();
    if (version_ != nullptr) version_->Unref();
    version_ = next;
    return s;
  }
  Version* version() const { return version_; }
  FileMetaData* file(uint64_t number) const { return version_->FindFileByNumber(number); }

 private:
  ColumnFamilyOptions options_;
  const InternalKeyComparator icmp_;
  VersionEdit edit_;
  Version* version_ = nullptr;
  uint64_t number_ = 0;
};

}  // namespace cairn
