// Recovery: replays the write-ahead logs that the MANIFEST says are still needed into a memtable,
// and writes that to level 0. Runs once, before anything else of the database does.
//
// What a damaged log means is the recovery mode's to say:
//   kTolerateCorruptedTailRecords  a torn tail is dropped; any other damage fails the open
//   kAbsoluteConsistency           any damage fails the open, a torn tail too
//   kPointInTimeRecovery           the history ends before the first damaged record; later logs are
//                                  replayed only if they continue exactly where the replay ended.
//                                  (The MANIFEST's last sequence number says nothing of that: a
//                                  flush records it while newer writes are only in a log.)
//   kSkipAnyCorruptedRecords       damaged records are skipped, and what is missing is not missed
//
// What is missing without a trace in the log itself is told by two others. The next log's WalLink
// says where this one ended: what is missing there is a torn tail, or if the whole file is gone,
// damage of the other kind. And where one family has more in its tables than the logs have of the
// others, the end of the history would be in the middle of batches: Corruption in all modes but the
// last (CheckFamiliesAgree). A crash alone cannot bring that about.
//
// Transactions that are prepared and not decided lie in these logs, and in older ones that the
// MANIFEST keeps for them alone. Where the options have allow_2pc they are copied into the new log
// before the older ones are given up, and wait for a TransactionDB (recovery_prepared.cc); else the
// database is refused.
#include <algorithm>

#include "base/logging.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"
#include "commit/prepared_sections.h"
#include "compaction/flush_job.h"
#include "db/background_work.h"
#include "db/database.h"
#include "db/families.h"
#include "db/live_files.h"
#include "db/recovery.h"
#include "db/recovery_lookup.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "wal/log_reader.h"

namespace cairn {
uint64_t Recovery::FirstLogToReplay() const {
  // A family that was dropped since may have kept older logs than those that are there need: what
  // is missing at the end of such a log is missed by nobody.
  return std::max(db_.versions->MinLogNumberToKeep(),
                  db_.versions->MinLogNumberWithUnflushedData());
}

Status Recovery::FindLogs(uint64_t min_log, FoundLogs* found) const {
  std::vector<std::string> names;
  IOStatus io = db_.fs->GetChildren(db_.wal_dir, IOOptions(), &names, nullptr);
  if (!io.ok()) return io;
  for (const std::string& name : names) {
    uint64_t number;
    FileType type;
    if (!ParseFileName(name, &number, &type) || type != FileType::kWalFile) continue;
    db_.versions->MarkFileNumberUsed(number);
    found->all.push_back(number);
    if (number >= min_log || number == db_.versions->prev_log_number()) {
      found->needed.push_back(number);
    } else if (number >= db_.versions->SaidMinLogNumberToKeep()) {
      found->kept.push_back(number);
    }
  }
  std::sort(found->needed.begin(), found->needed.end());
  std::sort(found->kept.begin(), found->kept.end());
  return Status::OK();
}

Status Recovery::RecoverWals(const std::vector<ColumnFamily*>& families) {
  Replay replay;
  replay.families = families;
  const RecoveryLookup lookup(&families, &db_.sink);
  for (const ColumnFamily* family : families) {
    replay.comparator_changed |= family->state->comparator_changed();
  }
  replay.prepared.SetSharesNumbers(db_.shares_numbers);
  const uint64_t min_log = replay.min_log = FirstLogToReplay();
  FoundLogs found;
  Status s = FindLogs(min_log, &found);
  if (s.ok()) s = CheckLogsAreOurs(found.needed, min_log);
  if (s.ok() && db_.mode == OpenMode::kReadWrite) {
    uint64_t foreign = 0;
    s = db_.outside.Claim(db_.versions->db_id(), min_log, &foreign);
    db_.versions->MarkFileNumberUsed(foreign);
  }
  if (s.ok() && db_.BestEfforts()) s = LeaveLogsOut(&found);
  if (!s.ok()) return s;
  const uint64_t foreign_below = db_.outside.foreign_logs_below(db_.wal_dir);
  for (const uint64_t number : found.all) {
    if (number < foreign_below) {
      LogWarn(db_.options.info_log.get(), "Log #%llu is left alone: %s had no owner when it came",
              static_cast<unsigned long long>(number), db_.wal_dir.c_str());
      continue;  // who is in the set may be deleted
    }
    replay.logs.insert(number);
    uint64_t bytes = 0;
    db_.fs->GetFileSize(LogFileName(db_.wal_dir, number), IOOptions(), &bytes, nullptr)
        .PermitUncheckedError();
    db_.wals->AddExisting(number, bytes);
  }
  if (db_.options.track_and_verify_wals_in_manifest && !db_.BestEfforts()) {
    s = db_.versions->tracked_wals().Check(db_.fs, db_.wal_dir, replay.logs);
    if (!s.ok()) return s;
  }
  if (db_.mode == OpenMode::kReadOnlyFailIfWal && !found.needed.empty()) {
    return Status::Corruption("the database has write-ahead logs: it was not closed cleanly",
                              db_.name);
  }
  s = ReplayFound(found, &replay);
  if (!s.ok()) return s;
  // No database gets there by writing; writes that went on would not fit their keys.
  if (db_.mode == OpenMode::kReadWrite && db_.versions->LastSequence() > kLastWritableSequence) {
    return Status::Corruption("the last sequence number, " +
                                  std::to_string(db_.versions->LastSequence()) +
                                  ", leaves none for writes: the MANIFEST or a log is damaged",
                              db_.name);
  }
  return db_.mode == OpenMode::kReadWrite ? FinishReplay(&replay) : Status::OK();
}

Status Recovery::ReplayFound(const FoundLogs& found, Replay* replay) {
  if (db_.BestEfforts()) return Status::OK();
  TellFilter(replay->families);
  Status s;
  for (const uint64_t number : found.kept) {
    if (replay->logs.contains(number)) s = ReadKeptWal(number, replay);
    if (!s.ok()) return s;
  }
  for (const uint64_t number : found.needed) {
    s = ReplayWal(number, replay);
    if (!s.ok()) return s;
    if (replay->stopped_by_filter) break;
  }
  s = CheckFamiliesAgree(*replay);
  if (s.ok()) s = RefusePrepared(*replay);
  if (!s.ok()) return s;
  if (replay->next > 0 && db_.versions->LastSequence() < replay->next - 1) {
    db_.versions->SetLastSequence(replay->next - 1);
  }
  return s;
}

Status Recovery::LeaveLogsOut(FoundLogs* found) const {
  std::set<uint64_t> left_out;
  const uint64_t foreign_below = db_.outside.foreign_logs_below(db_.wal_dir);
  const std::string lost = db_.wal_dir + "/lost";
  for (const uint64_t number : found->needed) {
    if (db_.mode != OpenMode::kReadWrite || number < foreign_below) continue;
    const std::string path = LogFileName(db_.wal_dir, number);
    uint64_t bytes = 0;
    IOStatus io = db_.fs->GetFileSize(path, IOOptions(), &bytes, nullptr);
    if (io.ok() && bytes == 0) continue;
    if (io.ok() && left_out.empty()) io = CreateDirDurably(db_.fs, lost);
    const std::string target = LogFileName(lost, number);
    if (io.ok()) io = db_.fs->RenameFile(path, target, IOOptions(), nullptr);
    if (!io.ok()) return io;
    left_out.insert(number);
    LogWarn(db_.options.info_log.get(),
            "best_efforts_recovery: log #%llu, %llu bytes, is not replayed; it is %s now",
            static_cast<unsigned long long>(number), static_cast<unsigned long long>(bytes),
            target.c_str());
  }
  std::erase_if(found->all, [&](uint64_t number) { return left_out.contains(number); });
  found->needed.clear();
  return Status::OK();
}

// What is damaged says nothing, but is not forgotten: nothing of it may be missed later.
Status Recovery::ReadKeptWal(uint64_t number, Replay* replay) {
  const std::string path = LogFileName(db_.wal_dir, number);
  std::unique_ptr<SequentialFileReader> file;
  IOStatus io =
      SequentialFileReader::Open(db_.fs, path, FileOptionsForLogRead(*db_.fs, db_.options), &file);
  if (!io.ok()) return io;
  WalReporter reporter;
  reporter.info_log = db_.options.info_log.get();
  LogReader reader(db_.options.info_log, std::move(file), &reporter, /*checksum=*/true, number);
  SequenceNumber& last = replay->kept[number];
  std::string scratch;
  Slice record;
  while (reader.ReadRecord(&record, &scratch)) {
    WalLink link;
    if (record.size() < kBatchHeaderSize || WalLink::Decode(record, &link)) continue;
    Status s = replay->prepared.Note(record, number);
    if (s.IsCorruption()) reporter.Corruption(record.size(), s);
    if (!s.ok() && !s.IsCorruption()) return AtOffset(s, path, reader.LastRecordEnd());
    last = LastSequenceOf(record, *replay);
  }
  if (!reporter.first.ok()) replay->prepared.SetIncomplete();
  // (What is undecided is in tables, and must be known to be hidden there.)
  if (!reporter.first.ok() && db_.shares_numbers &&
      db_.options.wal_recovery_mode != WALRecoveryMode::kSkipAnyCorruptedRecords) {
    return reporter.first;
  }
  return reader.status().IsCorruption() ? Status::OK() : reader.status();
}

SequenceNumber Recovery::LastSequenceOf(const Slice& record, const Replay& replay) {
  return replay.prepared.saw_marks() ? WalLink::LastUnpreparedSequenceOf(record)
                                     : WalLink::LastSequenceOf(record);
}

Status Recovery::CheckLogsAreOurs(const std::vector<uint64_t>& needed, uint64_t min_log) {
  if (db_.outside.LogsAreUnowned()) {
    // The log that the MANIFEST names is there, or what is there follows it in sequence. (Writes
    // that skip the log leave gaps, but not before the log that the MANIFEST names.)
    for (const uint64_t number : needed) {
      if (number <= min_log) break;
      SequenceNumber first = 0;
      const std::string path = LogFileName(db_.wal_dir, number);
      Status s = db_.live_files->FirstSequenceOf(path, number, &first);
      if (!s.ok()) return s;
      if (first == 0) continue;
      if (first <= db_.versions->LastSequence() + 1) break;
      return Status::InvalidArgument(
          path + " does not continue the history of " + db_.name +
              ": it begins with sequence number " + std::to_string(first) +
              ", and the MANIFEST ends with " + std::to_string(db_.versions->LastSequence()),
          "the logs seem to be another database's; if they are this one's, make an empty file " +
              OwnerFileName(db_.wal_dir));
    }
  }
  if (db_.outside.empty() || db_.wal_dir == db_.name) return Status::OK();
  // Logs in the database's own directory, of a time before it had another one for them, or of the
  // database that this is a checkpoint of.
  std::vector<std::string> names;
  IOStatus io = db_.fs->GetChildren(db_.name, IOOptions(), &names, nullptr);
  if (!io.ok()) return io;
  for (const std::string& name : names) {
    uint64_t number;
    FileType type;
    if (!ParseFileName(name, &number, &type) || type != FileType::kWalFile || number < min_log) {
      continue;
    }
    SequenceNumber first = 0;
    const std::string path = LogFileName(db_.name, number);
    Status s = db_.live_files->FirstSequenceOf(path, number, &first);
    if (!s.ok()) return s;
    if (first == 0) continue;
    return Status::InvalidArgument(
        path + " has writes that are in no table yet, and wal_dir is " + db_.wal_dir,
        "open the database without wal_dir, or move its logs there");
  }
  return Status::OK();
}

// A batch is in all of its families or in none: where the history ends before what some family has
// in its tables, or lacks a part from before that, others would lack their part.
Status Recovery::CheckFamiliesAgree(const Replay& replay) const {
  if (replay.families.size() < 2 ||
      db_.options.wal_recovery_mode == WALRecoveryMode::kSkipAnyCorruptedRecords) {
    return Status::OK();
  }
  if (replay.stopped_by_filter) return Status::OK();  // the user's own wish
  // What the logs had when the tables came was on the disk then.
  const LogEnd& synced = db_.versions->synced_log();
  const LogEnd reached{replay.last.predecessor, replay.last.last_sequence};
  if (synced.log >= replay.min_log && synced > reached) {
    return Status::Corruption("Column family inconsistency: table files are ahead of the logs",
                              "log #" + std::to_string(synced.log) +
                                  (replay.logs.contains(synced.log) ? "" : ", missing,") +
                                  " had entries up to sequence number " +
                                  std::to_string(synced.last_sequence));
  }
  if (replay.damaged_log == 0) return Status::OK();
  for (const ColumnFamily* family : replay.families) {
    if (family->state->log_number() <= replay.damaged_log) continue;
    if (family->state->current()->num_non_empty_levels() == 0) continue;
    return Status::Corruption("Column family inconsistency: table files are ahead of the logs",
                              family->name() + ", log #" + std::to_string(replay.damaged_log));
  }
  return Status::OK();
}

Status Recovery::FinishReplay(Replay* replay) {
  for (ColumnFamily* family : replay->families) {
    if (family->mem->IsEmpty()) continue;
    if (family->disallows_writes) {
      return Status::InvalidArgument(
          "The logs have writes to a column family with disallow_memtable_writes=true",
          family->state->name() + "; open it without, once");
    }
    Status s = FlushRecovered(family, replay);
    if (!s.ok()) return s;
  }
  const uint64_t next_wal = db_.versions->NewFileNumber();
  std::unique_ptr<LogWriter> wal;
  IOStatus io = db_.wals->Create(next_wal, &wal);
  if (io.ok()) io = db_.wals->Install(std::move(wal));
  if (!io.ok()) return io;
  db_.wals->ContinueAfter(replay->last);
  uint64_t keep = 0;
  Status s;
  if (db_.shares_numbers) {
    s = KeepUndecided(replay, &keep);
  } else {
    s = CopyPrepared(next_wal, replay);
  }
  if (!s.ok()) return s;
  // One write for all files, with the log number that makes the replayed logs obsolete: a crash
  // before it replays again.
  std::vector<VersionEdit> edits(replay->families.size());
  std::vector<VersionEdit*> pointers;
  std::vector<FamilyEdits> changes;
  for (VersionEdit& edit : edits) pointers.push_back(&edit);
  for (size_t i = 0; i < edits.size(); ++i) {
    ColumnFamily* const family = replay->families[i];
    Replay::Files& flushed = replay->flushed[family];
    for (FileMetaData& file : flushed.tables) edits[i].AddFile(0, std::move(file));
    for (BlobFileAddition& file : flushed.blob_files) edits[i].AddBlobFile(std::move(file));
    edits[i].SetLogNumber(next_wal);
    if (!flushed.history_low.empty()) edits[i].SetFullHistoryTsLow(flushed.history_low);
    changes.push_back({family->state, std::span(&pointers[i], 1)});
  }
  if (keep != 0) edits.back().SetMinLogNumberToKeep(keep);
  DBMutexLock lock(db_.mutex());
  return db_.versions->LogAndApply(changes, db_.mutex(), db_.directory.get(),
                                   /*new_descriptor=*/true);
}

// OK, with replay->stopped set where nothing of this log may follow.
Status Recovery::CheckLink(const WalLink& link, uint64_t number, const std::string& path,
                           WALRecoveryMode mode, Replay* replay) {
  if (mode == WALRecoveryMode::kSkipAnyCorruptedRecords) return Status::OK();
  const std::string before = "log #" + std::to_string(link.predecessor);
  // A log under the name of another one: what it has would be taken for newer, or older.
  if (link.predecessor >= number || link.predecessor < replay->last.predecessor) {
    return Status::Corruption("it is another log than its name says: it follows " + before, path);
  }
  // An older log's writes are in tables; what it may lack are prepared sections.
  if (link.predecessor < replay->min_log) {
    const auto kept = replay->kept.find(link.predecessor);
    if (kept != replay->kept.end() && kept->second < link.last_sequence) {
      replay->prepared.SetIncomplete();
    }
    return Status::OK();
  }
  // A crash takes the end of a log; a whole log only before its name is on the disk.
  if (!replay->logs.contains(link.predecessor) &&
      (link.named || mode == WALRecoveryMode::kAbsoluteConsistency)) {
    return Status::Corruption(before + " is missing, as the next log says", path);
  }
  const bool whole = replay->last.predecessor == link.predecessor &&
                     replay->last.last_sequence == link.last_sequence &&
                     (link.end == 0 || link.end == replay->last.end);
  if (mode == WALRecoveryMode::kAbsoluteConsistency && !whole) {
    return Status::Corruption(before + " lacks its end, up to sequence number " +
                                  std::to_string(link.last_sequence) + ", as the next log says",
                              path);
  }
  if (mode == WALRecoveryMode::kPointInTimeRecovery) {
    replay->stopped = !whole;
    if (whole) replay->damaged_log = 0;  // that was behind its last record
  }
  if (!whole && replay->damaged_log == 0) replay->damaged_log = link.predecessor;
  return Status::OK();
}

void Recovery::ChooseSink(ColumnFamily* family, uint64_t log) {
  db_.sink.Set(family->id(), log >= family->state->log_number() ? family->mem : nullptr);
}

Status Recovery::ReplayWal(uint64_t number, Replay* replay) {
  ReplayedLog log{number, db_.options.wal_recovery_mode, LogFileName(db_.wal_dir, number)};
  uint64_t file_size = 0;
  IOStatus io = db_.fs->GetFileSize(log.path, IOOptions(), &file_size, nullptr);
  std::unique_ptr<SequentialFileReader> file;
  if (io.ok()) {
    io = SequentialFileReader::Open(db_.fs, log.path, FileOptionsForLogRead(*db_.fs, db_.options),
                                    &file);
  }
  if (!io.ok()) return io;
  LogInfo(db_.options.info_log.get(), "Recovering log #%llu mode %d",
          static_cast<unsigned long long>(number), static_cast<int>(log.mode));
  log.reporter.info_log = db_.options.info_log.get();
  log.reporter.ignore = log.mode == WALRecoveryMode::kSkipAnyCorruptedRecords;
  log.reader = std::make_unique<LogReader>(db_.options.info_log, std::move(file), &log.reporter,
                                           /*checksum=*/true, number);
  for (ColumnFamily* family : replay->families) ChooseSink(family, number);

  std::string scratch;
  Slice record;
  WriteBatch converted;
  bool goes_on = true;
  while (goes_on && log.reporter.first.ok()) {
    const bool found = log.reader->ReadRecord(&record, &scratch, log.mode, &log.record_offset);
    Status s = CheckPredecessor(found ? record : Slice(), &log, replay);
    if (!s.ok()) return s;
    if (!found || !log.reporter.first.ok()) break;
    s = TakeTimestamps(*log.reader, *replay, &converted, &record);
    if (!s.ok()) s = AtOffset(s, log.path, log.record_offset);
    if (s.ok()) s = ReplayRecord(record, &log, replay, &goes_on);
    if (!s.ok()) return s;
  }
  if (!log.reader->status().ok()) return log.reader->status();
  replay->read = {number, file_size, log.last_record};
  replay->read_end = log.reader->LastRecordEnd();

  const bool to_point_in_time = log.mode == WALRecoveryMode::kPointInTimeRecovery;
  if (!log.reporter.first.ok()) {
    if (!to_point_in_time) return log.reporter.first;
    LogWarn(db_.options.info_log.get(), "Point in time recovered to log #%llu seq #%llu",
            static_cast<unsigned long long>(number), static_cast<unsigned long long>(replay->next));
    replay->stopped = true;
    // (Behind the end of a recycled log is an older one's remains, which look like damage.)
    if (log.damaged != 0) {
      replay->damaged_log = log.damaged;
    } else if (!log.reader->InRecyclableFormat()) {
      replay->damaged_log = number;
    }
  } else if (to_point_in_time && log.end_of_good < file_size) {
    // The tail was torn (or preallocated). If records were lost there, a later log does not
    // continue the history.
    replay->stopped = true;
  }
  return Status::OK();
}

Status Recovery::ReplayRecord(const Slice& record, ReplayedLog* log, Replay* replay,
                              bool* goes_on) {
  if (record.size() < kBatchHeaderSize) {
    log->reporter.Corruption(record.size(), AtOffset(Status::Corruption("log record too small"),
                                                     log->path, log->record_offset));
    return Status::OK();
  }
  BatchReader header(record);
  const SequenceNumber sequence = header.sequence();
  log->last_record = sequence;
  WalLink link;
  if (WalLink::Decode(record, &link)) {
    Status s = CheckLink(link, log->number, log->path, log->mode, replay);
    *goes_on = !replay->stopped;
    if (s.ok() && *goes_on) log->end_of_good = log->reader->LastRecordEnd();
    return s;
  }
  if (replay->stopped) {
    // After a damaged record only a log that goes on without a gap is part of the history.
    *goes_on = sequence == replay->next;
    if (!*goes_on) return Status::OK();
    replay->stopped = false;
    replay->damaged_log = 0;
  }
  Filtered filtered;
  filtered.record = record;
  SequenceNumber next = sequence;
  Status s;
  if (db_.options.wal_filter != nullptr) {
    s = AskFilter(record, log->number, log->path, replay, &filtered);
    *goes_on = !replay->stopped_by_filter;
  }
  if (s.ok() && !filtered.dropped) {
    s = replay->prepared.Apply(filtered.record, log->number, &db_.sink, &next);
  }
  if (!s.ok()) {
    s = AtOffset(s, log->path, log->record_offset);
    if (!s.IsCorruption()) return s;
    log->reporter.Corruption(record.size(), s);
    return Status::OK();
  }
  log->end_of_good = log->reader->LastRecordEnd();
  SequenceNumber last = filtered.last_sequence;
  if (db_.options.wal_filter == nullptr) last = LastSequenceOf(record, *replay);
  replay->next = std::max({replay->next, next, filtered.last_sequence + 1});
  replay->last = {log->number, last, true, log->end_of_good};
  return db_.mode == OpenMode::kReadWrite ? FlushFullRecovered(*log, replay) : Status::OK();
}

Status Recovery::FlushFullRecovered(const ReplayedLog& log, Replay* replay) {
  // (The sink sees a full one with the record after.)
  if (!db_.sink.TakeFull() && !db_.families->default_family()->mem->ShouldFlush()) {
    return Status::OK();
  }
  for (ColumnFamily* family : replay->families) {
    if (!family->mem->ShouldFlush() || family->mem->IsEmpty()) continue;
    if (RecoveryLookup::IsNeededFor(*family)) continue;
    const Status s = FlushRecovered(family, replay);
    if (!s.ok()) return s;
    ChooseSink(family, log.number);
  }
  return Status::OK();
}

Status Recovery::FlushRecovered(ColumnFamily* family, Replay* replay) {
  JobEnv env;
  uint64_t epoch;
  {
    DBMutexLock lock(db_.mutex());
    env = db_.work->MakeJobEnv(*family, db_.jobs.next_id.fetch_add(1), Env::IO_HIGH);
    epoch = family->state->NewEpochNumber();
  }
  env.snapshots = replay->prepared.MomentsBefore();
  const std::shared_ptr<const Options> options = db_.families->LiveOptions(family);
  FlushJob job(env, *options, {family->mem}, epoch, "Recovery", TableFileCreationReason::kRecovery);
  FileMetaData meta;
  Status s = job.Run(db_.versions->NewFileNumber(), &meta);
  if (!s.ok()) return s;
  Replay::Files& collapsed = replay->flushed[family];
  const std::string& low = job.history_low();
  if (!low.empty() &&
      (collapsed.history_low.empty() ||
       family->icmp.user_comparator()->CompareTimestamp(collapsed.history_low, low) < 0)) {
    collapsed.history_low = low;
  }
  if (meta.file_size > 0) {
    DBMutexLock lock(db_.mutex());
    family->level_stats.Add(0, job.stats(), JobKind::kFlush);
    Replay::Files& flushed = replay->flushed[family];
    flushed.tables.push_back(std::move(meta));
    flushed.blob_files.insert(flushed.blob_files.end(), job.blob_files().begin(),
                              job.blob_files().end());
  }
  family->mem->Unref();
  family->mem = db_.families->NewMemTable(*family, db_.versions->LastSequence());
  return family->mem->creation_status();
}

}  // namespace cairn
