// Recovery: replays the write-ahead logs that the MANIFEST says are still needed into a memtable,
// and writes that to level 0. Runs once, before anything else of the database does.
//
// What a damaged log means is the recovery mode's to say:
//   kTolerateCorruptedTailRecords  a torn tail is dropped; any other damage fails the open
//   kAbsoluteConsistency           any damage fails the open, a torn tail too
//   kPointInTimeRecovery           the history ends before the first damaged record; later logs are
//                                  replayed only if they continue exactly where the replay ended.
//                                  (The MANIFEST's last sequence number says nothing of that: a
//                                  flush records it while newer writes are only in a log.) A log
//                                  that says by its WalLink that the end of the one before is
//                                  missing is damage, too.
//   kSkipAnyCorruptedRecords       damaged records are skipped
#include <algorithm>

#include "base/logging.h"
#include "commit/batch_apply.h"
#include "commit/batch_reader.h"
#include "compaction/flush_job.h"
#include "db/db_impl.h"
#include "fs/file_names.h"
#include "fs/file_reader.h"
#include "wal/log_reader.h"

namespace cairn {
namespace {

// The same kind of error, saying where.
Status AtOffset(const Status& s, const std::string& path, uint64_t offset) {
  const std::string where = path + " at offset " + std::to_string(offset);
  const std::string what = s.getState() == nullptr ? "" : s.getState();
  if (s.IsCorruption()) return Status::Corruption(what, where);
  if (s.IsNotSupported()) return Status::NotSupported(what, where);
  if (s.IsInvalidArgument()) return Status::InvalidArgument(what, where);
  return s;
}

// Keeps the first corruption where the mode cares, and tells the operator of all.
struct WalReporter final : LogReader::Reporter {
  Logger* log = nullptr;
  bool ignore = false;
  Status first;

  void Corruption(size_t bytes, const Status& reason) override {
    LogWarn(log, "%s: dropping %zu bytes; %s", ignore ? "(ignoring error)" : "WAL damaged", bytes,
            reason.ToString().c_str());
    if (!ignore && first.ok()) first = reason;
  }
};

}  // namespace

Status DBImpl::RecoverWals() {
  std::vector<std::string> names;
  IOStatus io = fs_->GetChildren(db_options_.wal_dir, IOOptions(), &names, nullptr);
  if (!io.ok()) return io;
  const uint64_t min_log = versions_->MinLogNumberToKeep();
  std::vector<uint64_t> numbers;
  for (const std::string& name : names) {
    uint64_t number;
    FileType type;
    if (!ParseFileName(name, &number, &type) || type != FileType::kWalFile) continue;
    versions_->MarkFileNumberUsed(number);
    if (number >= min_log || number == versions_->prev_log_number()) numbers.push_back(number);
    uint64_t bytes = 0;
    fs_->GetFileSize(LogFileName(db_options_.wal_dir, number), IOOptions(), &bytes, nullptr)
        .PermitUncheckedError();
    wals_->AddExisting(number, bytes);
  }
  std::sort(numbers.begin(), numbers.end());
  if (mode_ == OpenMode::kReadOnlyFailIfWal && !numbers.empty()) {
    return Status::Corruption("the database has write-ahead logs: it was not closed cleanly",
                              dbname_);
  }

  Replay replay;
  replay.min_log = min_log;
  for (uint64_t number : numbers) {
    Status s = ReplayWal(number, &replay);
    if (!s.ok()) return s;
  }
  if (replay.next > 0 && versions_->LastSequence() < replay.next - 1) {
    versions_->SetLastSequence(replay.next - 1);
    versions_->SetLastAllocatedSequence(replay.next - 1);
  }
  if (mode_ != OpenMode::kReadWrite) return Status::OK();

  if (!mem_->IsEmpty()) {
    Status s = FlushRecovered(&replay.flushed);
    if (!s.ok()) return s;
  }
  // One edit for all files, with the log number that makes the replayed WALs obsolete: a crash
  // before it replays again.
  VersionEdit edit;
  for (FileMetaData& file : replay.flushed) edit.AddFile(0, std::move(file));
  const uint64_t next_wal = versions_->NewFileNumber();
  edit.SetLogNumber(next_wal);
  edit.SetMinLogNumberToKeep(next_wal);
  std::unique_ptr<LogWriter> wal;
  io = wals_->Create(next_wal, &wal);
  if (!io.ok()) return io;
  io = wals_->Install(std::move(wal));
  if (!io.ok()) return io;
  fiber::MutexLock lock(&mutex_);
  return versions_->LogAndApply(versions_->default_family(), &edit, &mutex_, directory_.get(),
                                /*new_descriptor=*/true);
}

// OK, with replay->stopped set where nothing of this log may follow.
Status DBImpl::CheckLink(const WalLink& link, const std::string& path, WALRecoveryMode mode,
                         Replay* replay) {
  // An older log's writes are in tables.
  if (link.predecessor < replay->min_log) return Status::OK();
  const bool whole = replay->last.predecessor == link.predecessor &&
                     replay->last.last_sequence == link.last_sequence;
  switch (mode) {
    case WALRecoveryMode::kTolerateCorruptedTailRecords:
    case WALRecoveryMode::kSkipAnyCorruptedRecords:
      return Status::OK();
    case WALRecoveryMode::kAbsoluteConsistency:
      if (whole) return Status::OK();
      return Status::Corruption("log #" + std::to_string(link.predecessor) +
                                    " lacks its end, up to sequence number " +
                                    std::to_string(link.last_sequence) + ", as the next log says",
                                path);
    case WALRecoveryMode::kPointInTimeRecovery:
      replay->stopped = !whole;
      return Status::OK();
  }
  return Status::OK();
}

Status DBImpl::ReplayWal(uint64_t number, Replay* replay) {
  const WALRecoveryMode mode = db_options_.wal_recovery_mode;
  const std::string path = LogFileName(db_options_.wal_dir, number);
  uint64_t file_size = 0;
  IOStatus io = fs_->GetFileSize(path, IOOptions(), &file_size, nullptr);
  std::unique_ptr<SequentialFileReader> file;
  if (io.ok()) io = SequentialFileReader::Open(fs_, path, file_options_, &file);
  if (!io.ok()) return io;
  LogInfo(db_options_.info_log.get(), "Recovering log #%llu mode %d",
          static_cast<unsigned long long>(number), static_cast<int>(mode));

  WalReporter reporter;
  reporter.log = db_options_.info_log.get();
  reporter.ignore = mode == WALRecoveryMode::kSkipAnyCorruptedRecords;
  LogReader reader(db_options_.info_log, std::move(file), &reporter, /*checksum=*/true, number);

  // A write is replayed only if the family's log number says that no table has it yet.
  const bool needed = number >= versions_->default_family()->log_number();
  std::string scratch;
  Slice record;
  Status damage;
  uint64_t end_of_good = 0;
  uint64_t record_offset = 0;
  while (reporter.first.ok() && reader.ReadRecord(&record, &scratch, mode, &record_offset) &&
         reporter.first.ok()) {
    if (record.size() < kBatchHeaderSize) {
      reporter.Corruption(
          record.size(), AtOffset(Status::Corruption("log record too small"), path, record_offset));
      continue;
    }
    BatchReader header(record);
    const SequenceNumber sequence = header.sequence();
    WalLink link;
    if (WalLink::Decode(record, &link)) {
      Status s = CheckLink(link, path, mode, replay);
      if (!s.ok()) return s;
      if (replay->stopped) break;
      end_of_good = reader.LastRecordEnd();
      continue;
    }
    if (replay->stopped) {
      // After a damaged record only a log that goes on without a gap is part of the history.
      if (sequence != replay->next) break;
      replay->stopped = false;
    }
    SequenceNumber next = sequence;
    sink_.set_table(needed ? mem_ : nullptr);
    Status s = ApplyBatch(record, sequence, &sink_, /*concurrent=*/false,
                          /*ignore_missing_families=*/true, &next);
    if (!s.ok()) {
      s = AtOffset(s, path, record_offset);
      if (!s.IsCorruption()) return s;
      reporter.Corruption(record.size(), s);
      continue;
    }
    end_of_good = reader.LastRecordEnd();
    replay->next = std::max(replay->next, next);
    replay->last = {number, WalLink::LastSequenceOf(record)};
    if (mode_ == OpenMode::kReadWrite && mem_->ShouldFlush()) {
      s = FlushRecovered(&replay->flushed);
      if (!s.ok()) return s;
    }
  }
  if (!reader.status().ok()) return reader.status();

  if (!reporter.first.ok()) {
    if (mode != WALRecoveryMode::kPointInTimeRecovery) return reporter.first;
    LogWarn(db_options_.info_log.get(), "Point in time recovered to log #%llu seq #%llu",
            static_cast<unsigned long long>(number), static_cast<unsigned long long>(replay->next));
    replay->stopped = true;
  } else if (mode == WALRecoveryMode::kPointInTimeRecovery && end_of_good < file_size) {
    // The tail was torn (or preallocated). If records were lost there, a later log does not
    // continue the history.
    replay->stopped = true;
  }
  return Status::OK();
}

Status DBImpl::FlushRecovered(std::vector<FileMetaData>* flushed) {
  JobEnv env;
  uint64_t epoch;
  {
    fiber::MutexLock lock(&mutex_);
    env = MakeJobEnv(next_job_id_.fetch_add(1));
    epoch = versions_->default_family()->NewEpochNumber();
  }
  const std::shared_ptr<const Options> options = LiveOptions();
  FlushJob job(env, *options, {mem_}, epoch, "Recovery");
  FileMetaData meta;
  Status s = job.Run(versions_->NewFileNumber(), &meta);
  if (!s.ok()) return s;
  if (meta.file_size > 0) {
    fiber::MutexLock lock(&mutex_);
    level_stats_.Add(0, job.stats());
    flushed->push_back(std::move(meta));
  }
  mem_->Unref();
  mem_ = NewMemTable(versions_->LastSequence());
  return s;
}

}  // namespace cairn
