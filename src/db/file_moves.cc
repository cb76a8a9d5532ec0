// Files that go, or change their level, as they are: DeleteFilesInRanges, PromoteL0,
// SuggestCompactRange, and the last step of CompactRange with change_level. No table is read.
#include <algorithm>
#include <list>
#include <utility>

#include "base/logging.h"
#include "db/background_work.h"
#include "db/compactions.h"
#include "db/database.h"
#include "db/error_handler.h"
#include "db/families.h"
#include "db/file_moves.h"
#include "db/file_purger.h"
#include "db/flushes.h"
#include "db/write_path.h"
#include "fs/file_names.h"

namespace cairn {
namespace {

// Marks files as taken while the manifest is written without the mutex: no compaction picks them.
class Taken {
 public:
  explicit Taken(std::vector<FileMetaData*> files) : files_(std::move(files)) { Mark(true); }
  ~Taken() { Mark(false); }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;

 private:
  void Mark(bool taken) {
    for (FileMetaData* file : files_) file->being_compacted = taken;
  }
  const std::vector<FileMetaData*> files_;
};

// Of a level above 0 the files that lie in the range as a whole, but for those that share a user
// key with a file that stays: its older entries would come to light.
std::vector<FileMetaData*> FilesWithin(const Version& version, int level, const Slice* begin,
                                       const Slice* end, bool include_end) {
  const InternalKeyComparator& icmp = version.icmp();
  const std::vector<FileMetaData*>& files = version.files(level);
  const auto within = [&](const FileMetaData* file) {
    if (file->being_compacted) return false;
    if (begin != nullptr && icmp.CompareToBound(file->smallest.user_key(), *begin) < 0) {
      return false;
    }
    const int order = end == nullptr ? -1 : icmp.CompareToBound(file->largest.user_key(), *end);
    return order < 0 || (order == 0 && (include_end || EndsWithTombstone(file->largest.Encode())));
  };
  const auto touch = [&](size_t left, size_t right) {
    return icmp.EqualBare(files[left]->largest.user_key(), files[right]->smallest.user_key());
  };
  std::vector<FileMetaData*> found;
  for (size_t from = 0; from < files.size();) {
    size_t to = from;
    while (to < files.size() && within(files[to])) ++to;
    const size_t next = std::max(to, from + 1);
    while (from < to && from > 0 && touch(from - 1, from)) ++from;
    while (from < to && to < files.size() && touch(to - 1, to)) --to;
    for (; from < to; ++from) found.push_back(files[from]);
    from = next;
  }
  return found;
}

// Whether files of one level may lie beside one another on level 0. There their order is that of
// their sequence numbers: it matters to nobody where they share no key, and is that of the file
// numbers, by which what is merged of them shares no key with the others either, where all of their
// entries are as old as can be.
bool MayLieOnLevel0(const InternalKeyComparator& icmp, const std::vector<FileMetaData*>& files) {
  if (files.size() == 1) return true;
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i]->largest_seqno != 0) return false;
    if (i == 0) continue;
    if (files[i - 1]->number > files[i]->number ||
        icmp.CompareBare(files[i - 1]->largest.user_key(), files[i]->smallest.user_key()) >= 0) {
      return false;
    }
  }
  return true;
}

}  // namespace

Status FileMoves::ApplyMove(ColumnFamily* family, VersionEdit* edit,
                            const std::vector<FileMetaData*>& files) {
  Status s;
  {
    const Taken taken(files);
    s = db_.versions->LogAndApply(family->state, edit, db_.mutex(), db_.directory.get());
  }
  if (s.ok()) {
    db_.work->InstallSuperVersion(family);
  } else if (db_.versions->manifest_write_failed()) {
    db_.errors->SetBackgroundError(s, BackgroundErrorReason::kManifestWrite, "move of files");
  }
  db_.families->books().MayCompact(family);
  db_.work->JobsChanged();
  return s;
}

Status FileMoves::DeleteFilesInRanges(ColumnFamilyHandle* handle, const RangePtr* ranges, size_t n,
                                      bool include_end) {
  ColumnFamily* family = nullptr;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  {
    DBMutexLock lock(db_.mutex());
    if (db_.errors->failed()) return db_.errors->error();
    const Version& version = *family->current();
    VersionEdit edit;
    std::vector<FileMetaData*> all;
    for (int level = 1; level < version.num_levels(); ++level) {
      for (size_t i = 0; i < n; ++i) {
        for (FileMetaData* file :
             FilesWithin(version, level, ranges[i].start, ranges[i].limit, include_end)) {
          if (std::find(all.begin(), all.end(), file) != all.end()) continue;
          all.push_back(file);
          edit.DeleteFile(level, file->number);
        }
      }
    }
    if (all.empty()) return s;
    s = ApplyMove(family, &edit, all);
    if (s.ok()) {
      LogInfo(db_.options.info_log.get(), "[%s] DeleteFilesInRanges: %zu files are gone",
              family->name().c_str(), all.size());
    }
  }
  db_.files->Purge();
  return s;
}

Status FileMoves::ClipColumnFamily(ColumnFamilyHandle* handle, const Slice& begin,
                                   const Slice& end) {
  ColumnFamily* family = nullptr;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  const Comparator& comparator = *family->icmp.user_comparator();
  if (family->icmp.timestamp_size() != 0) {
    return Status::InvalidArgument("ClipColumnFamily of a family whose keys have timestamps",
                                   family->name());
  }
  if (comparator.Compare(begin, end) > 0) {
    return Status::InvalidArgument("ClipColumnFamily: end key comes before begin key");
  }
  FlushOptions flush;
  flush.allow_write_stall = true;
  s = db_.flushes->Flush(flush, handle);
  const RangePtr outside[] = {RangePtr(nullptr, &begin), RangePtr(&end, nullptr)};
  if (s.ok()) s = DeleteFilesInRanges(handle, outside, 2, /*include_end=*/false);
  if (!s.ok()) return s;
  std::string first, last;
  bool is_empty = true;
  {
    DBMutexLock lock(db_.mutex());
    const Version& version = *family->current();
    for (int level = 0; level < version.num_levels(); ++level) {
      for (const FileMetaData* file : version.files(level)) {
        const Slice smallest = file->smallest.user_key(), largest = file->largest.user_key();
        if (is_empty || comparator.Compare(smallest, first) < 0) first = smallest.ToString();
        if (is_empty || comparator.Compare(largest, last) > 0) last = largest.ToString();
        is_empty = false;
      }
    }
  }
  if (is_empty) return s;
  // What shares a file with keys that stay.
  const bool before = comparator.Compare(first, begin) < 0;
  const bool behind = comparator.Compare(last, end) >= 0;
  const WriteOptions write;
  if (before) s = db_.writes->DeleteRange(write, handle, first, begin);
  if (s.ok() && behind) s = db_.writes->DeleteRange(write, handle, end, last);
  if (s.ok() && behind) s = db_.writes->Delete(write, handle, last);
  CompactRangeOptions compact;
  compact.bottommost_level_compaction = BottommostLevelCompaction::kForceOptimized;
  if (s.ok() && before) s = db_.compactions->CompactRange(compact, handle, nullptr, &begin);
  if (s.ok() && behind) s = db_.compactions->CompactRange(compact, handle, &end, nullptr);
  return s;
}

Status FileMoves::DeleteFile(const std::string& name) {
  if (Status s = db_.RefuseIfReadOnly(); !s.ok()) return s;
  const std::string relative = name.starts_with('/') ? name.substr(1) : name;
  const std::string archive = ArchiveDirName("").substr(1) + "/";
  const bool archived = relative.starts_with(archive);
  uint64_t number = 0;
  FileType type;
  if (!ParseFileName(archived ? relative.substr(archive.size()) : relative, &number, &type) ||
      (type != FileType::kWalFile && (archived || type != FileType::kTableFile))) {
    return Status::InvalidArgument("Invalid file name", name);
  }
  if (type == FileType::kTableFile) return DeleteTable(number);
  if (!archived) return Status::NotSupported("Delete only supported for archived logs", name);
  return db_.fs->DeleteFile(LogFileName(ArchiveDirName(db_.wal_dir), number), IOOptions(), nullptr);
}

Status FileMoves::DeleteTable(uint64_t number) {
  Status s;
  {
    DBMutexLock lock(db_.mutex());
    if (db_.errors->failed()) return db_.errors->error();
    ColumnFamily* family = nullptr;
    FileMetaData* file = nullptr;
    int level = 0;
    for (ColumnFamily* one : db_.families->AllFamilies()) {
      const Version& version = *one->current();
      for (int i = 0; i < version.num_levels(); ++i) {
        for (FileMetaData* of_level : version.files(i)) {
          if (of_level->number != number) continue;
          family = one;
          file = of_level;
          level = i;
        }
      }
    }
    if (file == nullptr) return Status::InvalidArgument("File not found");
    if (file->being_compacted) return s;  // it goes anyway
    const Version& version = *family->current();
    // What it deletes, or is newer than, may lie below.
    if (level + 1 < version.num_non_empty_levels()) {
      return Status::InvalidArgument("File not in last level");
    }
    if (level == 0 && version.files(0).back() != file) {
      return Status::InvalidArgument("File in level 0, but not oldest");
    }
    VersionEdit edit;
    edit.DeleteFile(level, number);
    s = ApplyMove(family, &edit, {file});
  }
  db_.files->Purge();
  return s;
}

Status FileMoves::SuggestCompactRange(ColumnFamilyHandle* handle, const Slice* begin,
                                      const Slice* end) {
  ColumnFamily* family = nullptr;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  // With timestamps: all versions of the keys.
  const size_t ts_size = family->icmp.timestamp_size();
  const std::string first = begin == nullptr ? "" : WithMaxTimestamp(*begin, ts_size);
  const std::string last = end == nullptr ? "" : WithMinTimestamp(*end, ts_size);
  const Slice first_key(first), last_key(last);
  if (begin != nullptr) begin = &first_key;
  if (end != nullptr) end = &last_key;
  DBMutexLock lock(db_.mutex());
  Version* const version = family->current();
  // What lies on the last level has nowhere to go.
  for (int level = 0; level + 1 < version->num_non_empty_levels(); ++level) {
    std::vector<FileMetaData*> files;
    version->GetOverlappingInputs(level, begin, end, &files);
    for (FileMetaData* file : files) file->marked_for_compaction = true;
  }
  version->ComputeCompactionScore(*family->options);
  db_.families->books().MayCompact(family);
  db_.work->MaybeScheduleWork();
  return s;
}

Status FileMoves::PromoteL0(ColumnFamilyHandle* handle, int target_level) {
  ColumnFamily* family = nullptr;
  Status s = db_.RefuseIfReadOnly();
  if (s.ok()) s = db_.families->FamilyOf(handle, &family);
  if (!s.ok()) return s;
  if (target_level < 1) return Status::InvalidArgument("Invalid target level");
  if (target_level >= family->num_levels) {
    return Status::InvalidArgument("Target level does not exist");
  }
  DBMutexLock lock(db_.mutex());
  if (db_.errors->failed()) return db_.errors->error();
  const Version& version = *family->current();
  std::vector<FileMetaData*> files = version.files(0);
  if (files.empty()) return s;
  const InternalKeyComparator& icmp = family->icmp;
  std::sort(files.begin(), files.end(), [&](const FileMetaData* a, const FileMetaData* b) {
    return icmp.Compare(a->smallest.Encode(), b->smallest.Encode()) < 0;
  });
  for (size_t i = 0; i < files.size(); ++i) {
    if (files[i]->being_compacted) {
      return Status::InvalidArgument("PromoteL0 called during L0 compaction");
    }
    if (i > 0 &&
        icmp.CompareBare(files[i - 1]->largest.user_key(), files[i]->smallest.user_key()) >= 0) {
      return Status::InvalidArgument("L0 has overlapping files");
    }
  }
  for (int level = 1; level <= target_level; ++level) {
    if (version.NumLevelFiles(level) > 0) {
      return Status::InvalidArgument("Level " + std::to_string(level) + " up to target_level " +
                                     std::to_string(target_level) + " is not empty");
    }
    if (family->picker->RangeOverlapsRunning(files.front()->smallest.user_key(),
                                             files.back()->largest.user_key(), level)) {
      return Status::InvalidArgument("PromoteL0 called during a compaction to level " +
                                     std::to_string(level));
    }
  }
  return MoveLevel(family, files, 0, target_level);
}

Status FileMoves::MoveLevel(ColumnFamily* family, const std::vector<FileMetaData*>& files, int from,
                            int to) {
  VersionEdit edit;
  Slice smallest, largest;
  for (const FileMetaData* file : files) {
    edit.DeleteFile(from, file->number);
    edit.AddFile(to, *file);
    if (file == files[0] || family->icmp.CompareBare(file->smallest.user_key(), smallest) < 0) {
      smallest = file->smallest.user_key();
    }
    if (file == files[0] || family->icmp.CompareBare(file->largest.user_key(), largest) > 0) {
      largest = file->largest.user_key();
    }
  }
  // Nothing may be written between meanwhile: it would end up on the wrong side.
  std::list<CompactionPicker::Reservation> reservations;
  for (int level = std::max(std::min(from, to), 1); level <= std::max(from, to); ++level) {
    reservations.emplace_back(family->picker.get(), level, smallest, largest);
  }
  Status s = ApplyMove(family, &edit, files);
  if (s.ok()) {
    LogInfo(db_.options.info_log.get(), "[%s] %zu files moved from level %d to level %d. %s",
            family->name().c_str(), files.size(), from, to,
            family->current()->LevelSummary().c_str());
  }
  return s;
}

Status FileMoves::ChangeLevel(ColumnFamily* family, int target) {
  while (family->picker->HasRunning() && !db_.shutting_down.load() && !db_.errors->failed()) {
    db_.jobs.changed.wait(db_.mutex());
  }
  if (db_.shutting_down.load()) return Status::ShutdownInProgress();
  if (db_.errors->failed()) return db_.errors->error();
  if (family->dropped.load()) return Status::ColumnFamilyDropped();
  const Version& version = *family->current();
  const int from = version.num_non_empty_levels() - 1;
  if (from < 0) return Status::OK();
  int to = target;
  if (target < 0) {
    // The highest one that may hold so much, and has nothing above it down to here.
    to = from;
    while (to > 1 && version.NumLevelFiles(to - 1) == 0 &&
           version.MaxBytesForLevel(to - 1) >= version.NumLevelBytes(from)) {
      --to;
    }
  }
  if (to == from) return Status::OK();
  if (from == 0) return Status::NotSupported("Cannot change from level 0 to other levels.");
  for (int level = std::min(from, to); level <= std::max(from, to); ++level) {
    if (level != from && version.NumLevelFiles(level) > 0) {
      return Status::NotSupported("Levels between source and target are not empty for a move.");
    }
  }
  if (to == 0 && !MayLieOnLevel0(version.icmp(), version.files(from))) {
    return Status::Aborted("Moving these files to level 0 is not possible");
  }
  if (to == 0 && !family->InformedPicker()->MayMoveToLevel0(*version.files(from).front())) {
    return Status::Aborted(
        "Moving a file to level 0 that has newer entries than a memtable, by sequence number, is "
        "not possible: flush first");
  }
  return MoveLevel(family, version.files(from), from, to);
}

}  // namespace cairn
