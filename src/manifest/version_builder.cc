#include "manifest/version_builder.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "manifest/version_set.h"

namespace cairn {

namespace {

std::string FileAtLevel(uint64_t number, int level) {
  return "file #" + std::to_string(number) + " at level " + std::to_string(level);
}

}  // namespace

VersionBuilder::VersionBuilder(const InternalKeyComparator* icmp, const Version* base)
    : icmp_(icmp), base_(base), blob_files_(base == nullptr ? nullptr : &base->blob_files()) {}

VersionBuilder::~VersionBuilder() = default;

VersionBuilder::InBase VersionBuilder::FindInBase(uint64_t number) {
  if (base_ == nullptr) return {};
  if (!base_indexed_) {
    for (int level = 0; level < base_->num_non_empty_levels(); ++level) {
      for (const FileMetaData* f : base_->files(level))
        base_files_.emplace(f->number, InBase{level, f});
    }
    base_indexed_ = true;
  }
  const auto it = base_files_.find(number);
  return it == base_files_.end() ? InBase() : it->second;
}

Status VersionBuilder::Apply(const VersionEdit& edit) {
  for (const BlobFileAddition& f : edit.blob_additions()) {
    if (Status s = blob_files_.Add(f); !s.ok()) return s;
  }
  for (const BlobFileGarbage& garbage : edit.blob_garbage()) {
    if (Status s = blob_files_.AddGarbage(garbage); !s.ok()) return s;
  }
  for (const VersionEdit::DeletedFile& f : edit.deleted_files()) {
    if (const auto it = added_.find(f.number); it != added_.end()) {
      if (it->second.level != f.level) {
        return Status::Corruption("VersionEdit deletes " + FileAtLevel(f.number, f.level),
                                  "which is at level " + std::to_string(it->second.level));
      }
      blob_files_.Unlink(it->second.meta->oldest_blob_file_number, f.number);
      added_.erase(it);
      continue;
    }
    const InBase in_base = FindInBase(f.number);
    if (in_base.level != f.level || !deleted_.insert(f.number).second) {
      return Status::Corruption("VersionEdit deletes " + FileAtLevel(f.number, f.level),
                                "which is not there");
    }
    blob_files_.Unlink(in_base.meta->oldest_blob_file_number, f.number);
  }
  for (const VersionEdit::NewFile& f : edit.new_files()) {
    const uint64_t number = f.meta.number;
    const bool in_base = LevelInBase(number) >= 0 && deleted_.count(number) == 0;
    if (in_base || added_.count(number) != 0) {
      return Status::Corruption("VersionEdit adds " + FileAtLevel(number, f.level),
                                "which exists already");
    }
    auto meta = std::make_unique<FileMetaData>(f.meta);
    meta->being_compacted = false;
    meta->refs = 0;
    meta->compensated_file_size = 0;
    meta->stats_known = meta->stats_known || meta->num_entries > 0;
    blob_files_.Link(meta->oldest_blob_file_number, number);
    added_.emplace(number, Added{f.level, std::move(meta)});
  }
  return Status::OK();
}

void VersionBuilder::InferEpochs(std::vector<std::vector<FileMetaData*>>* levels) {
  // What lies deeper is older; within level 0 the sequence numbers tell.
  uint64_t next = kReservedEpochNumberForFileIngestedBehind + 1;
  for (size_t level = levels->size(); level-- > 1;) {
    if ((*levels)[level].empty()) continue;
    for (FileMetaData* f : (*levels)[level]) f->epoch_number = next;
    ++next;
  }
  std::vector<FileMetaData*>& level0 = (*levels)[0];
  std::sort(level0.begin(), level0.end(), NewestFirstBySequence);
  for (size_t i = level0.size(); i-- > 0;) level0[i]->epoch_number = next++;
}

Status VersionBuilder::CheckConsistency(
    const std::vector<std::vector<FileMetaData*>>& levels) const {
  for (size_t level = 0; level < levels.size(); ++level) {
    const FileMetaData* prev = nullptr;
    for (const FileMetaData* f : levels[level]) {
      const std::string where = FileAtLevel(f->number, static_cast<int>(level));
      // (A comparator of the user's is not asked about one entry, as in RocksDB.)
      if (f->smallest.Encode() != f->largest.Encode() &&
          icmp_->Compare(f->smallest.Encode(), f->largest.Encode()) > 0) {
        return Status::Corruption("VersionBuilder", where + " has its bounds reversed");
      }
      if (f->smallest_seqno > f->largest_seqno) {
        return Status::Corruption("VersionBuilder", where + " has its sequence range reversed");
      }
      if (prev != nullptr && level == 0) {
        // Ingested files may share the reserved epoch, and files without a common key any: those
        // that were moved here from one level. Otherwise the order must be strict.
        if (prev->epoch_number == f->epoch_number &&
            f->epoch_number != kReservedEpochNumberForFileIngestedBehind &&
            icmp_->CompareBare(f->largest.user_key(), prev->smallest.user_key()) >= 0 &&
            icmp_->CompareBare(prev->largest.user_key(), f->smallest.user_key()) >= 0) {
          return Status::Corruption("VersionBuilder", where + " has the epoch number of file #" +
                                                          std::to_string(prev->number));
        }
      } else if (prev != nullptr &&
                 icmp_->Compare(prev->largest.Encode(), f->smallest.Encode()) >= 0) {
        return Status::Corruption("VersionBuilder",
                                  where + " overlaps file #" + std::to_string(prev->number));
      }
      prev = f;
    }
  }
  return Status::OK();
}

Status VersionBuilder::Save(ColumnFamilyState* cf, VersionSet* set, uint64_t version_number,
                            const ColumnFamilyOptions& options, bool infer_epochs,
                            Version** result) {
  *result = nullptr;
  const int num_levels = std::max(options.num_levels, 1);
  std::vector<std::vector<FileMetaData*>> levels(num_levels);
  bool epoch_missing = false;
  for (auto& [number, added] : added_) {
    if (added.level >= num_levels) {
      return Status::InvalidArgument("the database has more levels than options.num_levels",
                                     FileAtLevel(number, added.level));
    }
    levels[added.level].push_back(added.meta.get());
    epoch_missing = epoch_missing || added.meta->epoch_number == kUnknownEpochNumber;
  }
  const auto by_smallest = [this](const FileMetaData* a, const FileMetaData* b) {
    const int c = icmp_->Compare(a->smallest.Encode(), b->smallest.Encode());
    return c != 0 ? c < 0 : a->number < b->number;
  };
  // The base's levels are in order already: only what was added is sorted, then merged in.
  for (int level = 0; level < num_levels; ++level) {
    std::vector<FileMetaData*> added = std::move(levels[level]);
    std::vector<FileMetaData*> kept;
    if (base_ != nullptr && level < base_->num_levels()) {
      for (FileMetaData* f : base_->files(level)) {
        if (deleted_.count(f->number) == 0) kept.push_back(f);
      }
    }
    std::vector<FileMetaData*>& files = levels[level];
    files.clear();
    files.reserve(kept.size() + added.size());
    const auto append = [&](auto less) {
      std::sort(added.begin(), added.end(), less);
      std::merge(kept.begin(), kept.end(), added.begin(), added.end(), std::back_inserter(files),
                 less);
    };
    if (level == 0) {
      append(NewestFirstByEpoch);
    } else {
      append(by_smallest);
    }
  }
  if (infer_epochs && epoch_missing) InferEpochs(&levels);
  if (Status s = CheckConsistency(levels); !s.ok()) return s;

  auto* version = new Version(cf, icmp_, set, num_levels, version_number);
  version->files_ = std::move(levels);
  for (const auto& level : version->files_) {
    for (FileMetaData* f : level) {
      if (f->refs++ == 0 && set != nullptr) set->HoldFile(*f);
    }
  }
  version->blob_files_ = blob_files_.Build();
  if (set != nullptr) {
    for (const auto& f : version->blob_files_) set->HoldBlobFile(f->number());
  }
  for (auto& [number, added] : added_) (void)added.meta.release();  // the Version's now
  added_.clear();
  version->Finish(options);
  *result = version;
  return Status::OK();
}

void VersionBuilder::Discard(Version* version) {
  assert(version->refs() == 0);
  delete version;
}

}  // namespace cairn
