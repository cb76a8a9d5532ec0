// A secondary: reads a database that another process, the primary, has open, and catches up with it
// when it is told to (TryCatchUpWithPrimary). It takes no lock, and writes nothing but its LOG.
//
// A catch-up makes a candidate of the state after the installed one, out of
//
//   the MANIFEST's new edits       which tables there are, and from which log on each family has
//                                  writes that are in none (its log number)
//   the new records of the logs    from there on, inserted into memtables
//
// and installs it for all families at once. The primary goes on meanwhile, and removes tables and
// logs that its newest state does not need. So one round is
//
//   1. read the MANIFEST                               -> the candidate
//   2. replay what the logs have, from FirstLogKept of the candidate on
//   3. open the candidate's new tables, and its blob files
//   4. read the MANIFEST again                         -> the next candidate
//   5. if 2 and 3 found all, and the next candidate needs the same logs: install the candidate.
//      Else go round again with the next one.
//
// Invariants
// 1. What is installed is a prefix of the primary's history. The primary removes (or recycles) a
//    log only after the MANIFEST says that it is not needed: where 4 still needs the logs of 1,
//    they were all there, whole, in 2. It seals a memtable, and its log, before it flushes it: the
//    logs that are read after the MANIFEST have all that its tables have of other families.
// 2. Nothing of a log is replayed before all of the logs before it: logs are read up to the newest
//    one that had a record beforehand, and the primary writes no record into a log before the one
//    before has its last. The end of a log, and of the MANIFEST, may be half a record: the rest
//    comes later. Positions are those behind whole records. A WalLink is checked.
// 3. Readers see one state or the next: a super version carries the last sequence number of its
//    state (SuperVersion::limit), and what is replayed into its memtable until the next one
//    is installed is above that. (A primary that buffers its log may write records below a number
//    that the MANIFEST had already: they go into a memtable that no reader has.)
// 4. A memtable has writes of one log. It goes when the family's log number is above that.
// 5. A table, or blob file, that is part of an installed state was open, and stays so
//    (max_open_files = -1): that the primary deletes the file does not matter. With a limit, one
//    that was closed and is gone is an error of the read that wants it, which the next catch-up
//    mends.
// 6. A failed catch-up changes nothing for readers. What it replayed stays where no reader sees it,
//    and the next one goes on behind it.
//
// What the primary's transactions have prepared waits here, too, until their commit is read.
//
// A snapshot cannot be read: the primary does not know of it, and drops what it would see.
//
// Thread safety: catch_up_mutex_ admits one catch-up at a time. Readers never wait for it, but
// NewIterators over several families does.
#include <algorithm>

#include "base/logging.h"
#include "batch/batch_reader.h"
#include "commit/batch_apply.h"
#include "db/background_work.h"
#include "db/database.h"
#include "db/families.h"
#include "db/live_files.h"
#include "db/primary_follower.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_reader.h"
#include "manifest/manifest_update.h"
#include "wal/wal_reporter.h"

namespace cairn {
namespace {

// A flush takes longer than a round, so that two or three are the rule.
constexpr int kMaxRounds = 100;

bool SamePosition(const ManifestUpdate& a, const ManifestUpdate& b) {
  return a.manifest == b.manifest && a.position == b.position;
}

}  // namespace

Status PrimaryFollower::TryCatchUpWithPrimary() {
  if (db_.Forked()) return db_.ForkedStatus();
  fiber::MutexLock one_at_a_time(&catch_up_mutex_);
  std::unique_ptr<ManifestUpdate> update;
  Status s = db_.versions->ReadUpdate(&update);
  if (s.ok()) s = VersionSet::RefuseChangedComparator(*update);
  for (int round = 1; s.ok(); ++round) {
    Status complete = FollowWals(*update);
    if (complete.ok()) complete = OpenNewTables(update.get());
    std::unique_ptr<ManifestUpdate> later;
    s = db_.versions->ReadUpdate(&later);
    if (s.ok()) s = VersionSet::RefuseChangedComparator(*later);
    if (s.ok() && complete.ok() && later->FirstLogNeeded() <= update->FirstLogNeeded() &&
        later->FirstLogKept() <= update->FirstLogKept()) {
      InstallCatchUp(update.get());
      return s;
    }
    {
      DBMutexLock lock(db_.mutex());
      db_.versions->DropVersions(update.get());
    }
    if (!s.ok()) break;
    if (SamePosition(*update, *later)) {
      s = complete;  // the primary did not do it
    } else if (round == kMaxRounds) {
      s = Status::TryAgain("the primary removes tables and logs faster than they are read",
                           complete.ok() ? db_.name : complete.ToString());
    }
    update = std::move(later);
  }
  LogWarn(db_.options.info_log.get(), "Catching up with the primary failed: %s",
          s.ToString().c_str());
  return s;
}

// --- Logs

Status PrimaryFollower::FollowWals(const ManifestUpdate& update) {
  if (!follow_error_.ok()) return follow_error_;
  const uint64_t first = update.FirstLogKept();
  wal_positions_.erase(wal_positions_.begin(), wal_positions_.lower_bound(first));
  std::vector<std::string> names;
  IOStatus io = db_.fs->GetChildren(db_.wal_dir, IOOptions(), &names, nullptr);
  if (!io.ok()) return io;
  std::vector<uint64_t> numbers;
  for (const std::string& name : names) {
    uint64_t number;
    FileType type;
    if (!ParseFileName(name, &number, &type) || type != FileType::kWalFile) continue;
    if (number >= first) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  // Up to the newest one that has a record: the others are complete.
  while (!numbers.empty() && wal_positions_[numbers.back()].offset == 0) {
    SequenceNumber begun = 0;
    Status s = db_.live_files->FirstSequenceOf(LogFileName(db_.wal_dir, numbers.back()),
                                               numbers.back(), &begun);
    if (!s.ok()) return s;
    if (begun != 0) break;
    numbers.pop_back();
  }
  for (const uint64_t number : numbers) {
    Status s = FollowWal(number, update);
    if (!s.ok()) return s;
  }
  return Status::OK();
}

Status PrimaryFollower::FollowWal(uint64_t number, const ManifestUpdate& update) {
  const std::string path = LogFileName(db_.wal_dir, number);
  std::unique_ptr<SequentialFileReader> file;
  IOStatus io =
      SequentialFileReader::Open(db_.fs, path, FileOptionsForLogRead(*db_.fs, db_.options), &file);
  if (!io.ok()) return io;
  WalReporter reporter;
  reporter.info_log = db_.options.info_log.get();
  reporter.ignore = db_.options.wal_recovery_mode == WALRecoveryMode::kSkipAnyCorruptedRecords;
  LogReader reader(db_.options.info_log, std::move(file), &reporter, /*checksum=*/true, number);
  WalPosition& position = wal_positions_[number];
  if (position.offset > 0) {
    Status s = reader.SkipTo(position.offset, position.recyclable);
    if (!s.ok()) return s;
  }
  for (ColumnFamily* family : db_.families->all()) {
    const auto found = update.families.find(family->id());
    // What it had before is in its tables; or it was dropped.
    const bool wanted = found != update.families.end() && number >= found->second.log_number;
    if (wanted && family->mem->GetFirstLogNumber() != number) BeginMemTable(family, number);
    db_.sink.Set(family->id(), wanted ? family->mem : nullptr);
  }
  std::string scratch;
  Slice record;
  uint64_t offset = 0;
  while (reader.ReadRecord(&record, &scratch, WALRecoveryMode::kTolerateCorruptedTailRecords,
                           &offset) &&
         reporter.first.ok()) {
    if (record.size() < kBatchHeaderSize) {
      return AtOffset(Status::Corruption("log record too small"), path, offset);
    }
    WalLink link;
    if (WalLink::Decode(record, &link)) {
      Status s = CheckFollowed(link, path);
      if (!s.ok()) return s;
    } else {
      const SequenceNumber sequence = BatchReader(record).sequence();
      if (sequence <= db_.versions->LastSequence()) LeavePublishedMemTables(number);
      SequenceNumber next = sequence;
      Status s = prepared_.Apply(record, number, &db_.sink, &next);
      if (!s.ok()) {
        // A part of it is in memtables, so that it cannot be applied another time.
        follow_error_ = AtOffset(s, path, offset);
        return follow_error_;
      }
      replayed_sequence_ = std::max(replayed_sequence_, next - 1);
      replayed_ = true;
    }
    position = {reader.LastRecordEnd(), reader.InRecyclableFormat()};
  }
  return reporter.first.ok() ? reader.status() : reporter.first;
}

// In a recycled log damage cannot be told from an older log's remains behind the end.
Status PrimaryFollower::CheckFollowed(const WalLink& link, const std::string& path) const {
  if (!wal_positions_.contains(link.predecessor) || link.last_sequence <= replayed_sequence_) {
    return Status::OK();
  }
  return Status::Corruption("log #" + std::to_string(link.predecessor) +
                                " lacks its end, up to sequence number " +
                                std::to_string(link.last_sequence) + ", as the next log says",
                            path);
}

void PrimaryFollower::BeginMemTable(ColumnFamily* family, uint64_t wal) {
  MemTable* const next = family->mem->IsEmpty()
                             ? nullptr
                             : db_.families->NewMemTable(*family, db_.versions->LastSequence());
  DBMutexLock lock(db_.mutex());
  if (next != nullptr) {
    family->imm.Add(family->mem);
    family->mem = next;
  }
  family->mem->SetFirstLogNumber(wal);
}

void PrimaryFollower::LeavePublishedMemTables(uint64_t wal) {
  if (!follows_) return;
  for (ColumnFamily* family : db_.families->all()) {
    if (family->mem->IsEmpty() || family->super_versions->current()->mem != family->mem) continue;
    MemTable* sought = nullptr;
    if (!db_.sink.Seek(family->id(), &sought).ok() || sought == nullptr) continue;
    BeginMemTable(family, wal);
    db_.sink.Set(family->id(), family->mem);
  }
}

// --- Tables

Status PrimaryFollower::OpenNewTables(ManifestUpdate* update) {
  struct Table {
    const ColumnFamily* family;
    const FileMetaData* file;
    int level;
  };
  std::vector<Table> tables;
  std::vector<std::pair<const ColumnFamily*, uint64_t>> blob_files;
  {
    DBMutexLock lock(db_.mutex());
    Status s = db_.versions->BuildVersions(update);
    if (!s.ok()) return s;
    for (const ColumnFamily* family : db_.families->all()) {
      const auto found = update->families.find(family->id());
      if (found == update->families.end()) continue;
      const Version* version = found->second.version;
      if (version == nullptr && !follows_) version = family->current();
      for (int level = 0; version != nullptr && level < version->num_levels(); ++level) {
        for (const FileMetaData* file : version->files(level)) {
          // Those of the version before are open.
          if (file->refs == 1 || !follows_) tables.push_back({family, file, level});
        }
      }
      if (version == nullptr) continue;
      for (const auto& file : version->blob_files()) {
        blob_files.emplace_back(family, file->number());
      }
    }
  }
  for (const Table& table : tables) {
    // What another round opened may be evicted at any time: it is a new entry that must hold it.
    Status s = table.family->tables->KeepOpen(table.file->TableId(table.level));
    // A damaged table is found by those who read it.
    if (!s.ok() && !s.IsCorruption()) return s;
  }
  for (const auto& [family, number] : blob_files) {
    Status s = family->blobs->CheckFile(number);  // stays open
    if (!s.ok() && !s.IsCorruption()) return s;
  }
  return Status::OK();
}

// --- The new state

void PrimaryFollower::InstallCatchUp(ManifestUpdate* update) {
  if (follows_ && !replayed_ && update->manifest == db_.versions->manifest_file_number() &&
      update->position == db_.versions->manifest_file_size()) {
    return;  // nothing new
  }
  // For those whose memtable is in tables.
  std::map<ColumnFamily*, MemTable*> next;
  for (ColumnFamily* family : db_.families->all()) {
    const auto found = update->families.find(family->id());
    if (found == update->families.end() || family->mem->IsEmpty() ||
        family->mem->GetFirstLogNumber() >= found->second.log_number) {
      continue;
    }
    next[family] = db_.families->NewMemTable(*family, db_.versions->LastSequence());
  }
  std::vector<ColumnFamily*> dropped;
  {
    DBMutexLock lock(db_.mutex());
    db_.versions->InstallUpdate(update);
    // Before the super versions: one that is new is never read at an older number.
    const SequenceNumber last =
        std::max({db_.versions->LastSequence(), update->last_sequence, replayed_sequence_});
    db_.versions->SetLastSequence(last);
    for (ColumnFamily* family : db_.families->all()) {
      if (family->state->dropped()) dropped.push_back(family);
    }
    for (ColumnFamily* family : dropped) db_.families->RemoveFamily(family);
    for (ColumnFamily* family : db_.families->all()) {
      ForgetFlushed(family);
      if (const auto it = next.find(family); it != next.end()) {
        std::exchange(family->mem, it->second)->Unref();
      }
      db_.work->InstallSuperVersion(family);
    }
    follows_ = true;
    replayed_ = false;
  }
  for (ColumnFamily* family : dropped) db_.families->UnrefFamily(family, /*purge=*/false);
}

void PrimaryFollower::ForgetFlushed(ColumnFamily* family) {
  uint64_t newest_id = 0;
  for (const MemTable* sealed : family->imm.current()->memtables()) {
    if (sealed->GetFirstLogNumber() < family->state->log_number()) {
      newest_id = std::max(newest_id, sealed->GetID());
    }
  }
  if (newest_id == 0) return;
  std::vector<MemTable*> flushed;
  family->imm.PickMemtablesToFlush(newest_id, &flushed);
  family->imm.Remove(flushed);
}

}  // namespace cairn
