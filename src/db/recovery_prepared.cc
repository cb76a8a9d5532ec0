// What recovery does with the transactions that the logs leave prepared, once they have been read:
// they go on in the new log, and the older ones may go.
//
// Under WRITE_COMMITTED nothing else has their entries. Under the other policies tables may have
// them, where RocksDB has flushed them or this recovery did, with sequence numbers that RocksDB
// knows to hide. Nobody knows it here. So before anybody can read, or compact, what their keys have
// without them is written over them, and the transaction is prepared anew: one record, so that
// there is no moment between. Until then the MANIFEST keeps the older logs.
#include <algorithm>

#include "base/logging.h"
#include "batch/write_batch_internal.h"
#include "commit/prepared_sections.h"
#include "db/database.h"
#include "db/families.h"
#include "db/recovery.h"
#include "db/values_before.h"
#include "fs/file_names.h"
#include "fs/file_util.h"

namespace cairn {
namespace {

// The names, in the order in which the sections were logged.
std::vector<std::string> InOrder(const PreparedSections::Sections& sections) {
  std::vector<std::pair<SequenceNumber, std::string>> order;
  for (const auto& [name, section] : sections) order.emplace_back(section.sequence, name);
  std::sort(order.begin(), order.end());
  std::vector<std::string> names;
  for (auto& [sequence, name] : order) names.push_back(std::move(name));
  return names;
}

// All entries get one sequence number.
class OneNumber final : public BatchMarks {
 public:
  Status Mark(const BatchRecord& mark, SequenceNumber* /*seq*/) override {
    return RefuseRecord(mark);
  }
  Status Keep(const BatchRecord& /*entry*/, SequenceNumber* /*seq*/, bool* /*kept*/) override {
    return Status::OK();
  }
  SequenceNumber Step() const override { return 0; }
};

}  // namespace

Status Recovery::RefusePrepared(const Replay& replay) const {
  for (const auto& [name, section] : replay.prepared.sections()) {
    if (db_.options.allow_2pc && !section.is_foreign) continue;
    return Status::NotSupported(
        "WAL contains prepared transactions. Open with TransactionDB::Open(), of the write policy "
        "that they were made with, and commit them or roll them back: " +
            name,
        LogFileName(db_.wal_dir, section.log));
  }
  return Status::OK();
}

Status Recovery::CopyPrepared(uint64_t wal, Replay* replay) {
  PreparedSections::Sections sections = replay->prepared.Take();
  if (sections.empty()) return Status::OK();
  db_.prepared.SetUsed();
  // (Families are published later. RocksDB takes keys of a log that does not say it to lack
  // timestamps.)
  for (const ColumnFamily* family : replay->families) {
    const size_t size = family->icmp.timestamp_size();
    if (size != 0) db_.wals->SetTimestampSize(family->id(), size);
  }
  for (const std::string& name : InOrder(sections)) {
    PreparedSection& section = sections.at(name);
    WriteBatch record;
    Status s = section.EncodeCopy(name, db_.versions->LastSequence() + 1, &record);
    if (s.ok()) s = db_.wals->Append(record.Data(), /*has_marks=*/true);
    if (!s.ok()) return s;
    LogInfo(db_.options.info_log.get(), "Transaction %s is prepared, in log #%llu, copied to #%llu",
            name.c_str(), static_cast<unsigned long long>(section.log),
            static_cast<unsigned long long>(wal));
    section.log = wal;
  }
  // The older logs, where they may be durable, go with the MANIFEST's next record.
  Status s = db_.wals->Sync();
  db_.prepared.Note(wal, sections.size());
  db_.prepared.SetRecovered(std::move(sections));
  return s;
}

// (A power cut must not take the mark from a log that is kept, and leave the section: its commit is
// in tables.)
Status Recovery::KeepUndecided(Replay* replay, uint64_t* oldest) {
  undecided_ = replay->prepared.Take();
  *oldest = 0;
  for (const auto& [name, section] : undecided_) {
    *oldest = *oldest == 0 ? section.log : std::min(*oldest, section.log);
  }
  if (*oldest == 0) return Status::OK();
  for (auto log = replay->logs.lower_bound(*oldest); log != replay->logs.end(); ++log) {
    const std::string path = LogFileName(db_.wal_dir, *log);
    uint64_t bytes = 0;
    std::unique_ptr<FSWritableFile> file;
    IOStatus io = db_.fs->GetFileSize(path, IOOptions(), &bytes, nullptr);
    if (io.ok() && bytes == 0) continue;  // of an opening that failed
    if (io.ok()) io = db_.fs->ReopenWritableFile(path, FileOptions(), &file, nullptr);
    if (io.ok()) io = file->Sync(IOOptions(), nullptr);
    if (io.ok()) io = file->Close(IOOptions(), nullptr);
    if (!io.ok()) return io;
  }
  return SyncDirectoryAt(db_.fs, db_.wal_dir);
}

Status Recovery::RestorePrepared() {
  if (undecided_.empty()) return Status::OK();
  db_.prepared.SetUsed();
  std::vector<PreparedSection::Numbers> hidden;
  for (const auto& [name, section] : undecided_) {
    hidden.insert(hidden.end(), section.numbers.begin(), section.numbers.end());
  }
  // (Not one number is used twice: else what is written here would be taken for hidden.)
  SequenceNumber last = db_.versions->LastSequence();
  for (const PreparedSection::Numbers& numbers : hidden) last = std::max(last, numbers.end - 1);
  db_.versions->SetLastSequence(last);
  for (const std::string& name : InOrder(undecided_)) {
    Status s = Restore(name, &undecided_.at(name), hidden);
    if (!s.ok()) return s;
  }
  std::erase_if(undecided_, [](const auto& one) { return one.second.is_unprepared; });
  Status s = db_.wals->Sync();
  db_.prepared.SetRecovered(std::move(undecided_));
  undecided_.clear();
  if (!s.ok()) return s;
  // The older logs may go.
  VersionEdit edit;
  edit.SetMinLogNumberToKeep(db_.wals->current_number());
  DBMutexLock lock(db_.mutex());
  return db_.versions->LogAndApply(db_.families->default_family()->state, &edit, db_.mutex(),
                                   db_.directory.get());
}

Status Recovery::Restore(const std::string& name, PreparedSection* section,
                         const std::vector<PreparedSection::Numbers>& hidden) {
  WriteBatch before, record;
  Status s = FindValuesBefore(&db_, section->batch, KeysOf::kAll, hidden, &before);
  const WriteBatch* const entries = section->is_unprepared ? nullptr : &section->batch;
  if (s.ok()) s = EncodeSharedCopy(name, before, entries, &record);
  if (!s.ok()) return s;
  const SequenceNumber first = db_.versions->LastSequence() + 1;
  const uint32_t numbers = entries != nullptr ? 1 + SharedNumbersOf(*entries)
                                              : std::max(1U, WriteBatchInternal::Count(&before));
  WriteBatchInternal::SetSequence(&record, first);
  s = db_.wals->Append(record.Data(), /*has_marks=*/true);
  OneNumber marks;
  if (s.ok()) {
    s = ApplyBatch(before.Data(), first, &db_.sink, /*concurrent=*/false,
                   /*ignore_missing_families=*/true, /*next_seq=*/nullptr, &marks);
  }
  if (!s.ok()) return s;
  db_.versions->SetLastSequence(first + numbers - 1);
  const uint64_t wal = db_.wals->current_number();
  LogInfo(db_.options.info_log.get(), "Transaction %s is %s, in log #%llu", name.c_str(),
          entries == nullptr ? "rolled back: it was not prepared" : "prepared, and copied",
          static_cast<unsigned long long>(wal));
  section->log = wal;
  if (entries != nullptr) db_.prepared.Keep(name, {record.Data(), numbers, wal});
  return s;
}

}  // namespace cairn
