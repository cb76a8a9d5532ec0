// The logs of a database that is repaired, as tables. All that can be read is taken: what is
// damaged is passed over, and later logs are taken all the same. Not taken is what a MANIFEST says
// to be in tables already; where one of these is lost, what it cannot have had. (A compaction makes
// sequence numbers 0: what the log has of such a key would pass for newer.)
#include <algorithm>

#include "base/coding.h"
#include "base/logging.h"
#include "base/timestamps.h"
#include "batch/batch_reader.h"
#include "commit/batch_apply.h"
#include "compaction/flush_job.h"
#include "fs/file_names.h"
#include "fs/file_options.h"
#include "fs/file_reader.h"
#include "options/options_check.h"
#include "repair/repair.h"
#include "wal/log_reader.h"
#include "wal/wal_reporter.h"

namespace cairn {

class Repairer::Memtables final : public MemTableSink {
 public:
  Memtables(const Repairer* repairer, uint64_t log) : repairer_(repairer) { set_log(log); }
  ~Memtables() override { Clear(); }

  Status Seek(uint32_t id, MemTable** memtable) override {
    *memtable = nullptr;
    const auto found = repairer_->families_.find(id);
    if (found == repairer_->families_.end()) return Status::OK();  // dropped, or not wanted
    const Family& family = *found->second;
    if (repairer_->IsFlushed(family, log_) && family.lost.empty()) return Status::OK();
    MemTable*& slot = memtables_[id];
    if (slot == nullptr) {
      slot = new MemTable(family.icmp, MakeMemTableOptions(*family.options, *family.options), 0);
    }
    *memtable = slot;
    return Status::OK();
  }

  // An operand must not count twice. (That a value or a tombstone is there twice does not matter.)
  bool FoldsOperands() const override { return true; }
  OperandFate Fold(uint32_t id, const Slice& key, SequenceNumber sequence, const Slice& /*operand*/,
                   std::string* /*value*/, ValueType* /*type*/) override {
    const Family& family = *repairer_->families_.at(id);
    // Some table has this operand, or something newer of the key.
    const bool there = repairer_->HasVersion(family, key, sequence, kMaxSequenceNumber);
    return there ? OperandFate::kDropped : OperandFate::kKept;
  }

  // What follows belongs to another log than the file's name says.
  void set_log(uint64_t log) {
    log_ = log;
    any_chooses_ = std::any_of(repairer_->families_.begin(), repairer_->families_.end(),
                               [this](const auto& one) { return Chooses(*one.second); });
  }
  // Of the family only what MayBeLost() is taken.
  bool Chooses(const Family& family) const {
    return !family.lost.empty() && repairer_->IsFlushed(family, log_);
  }
  bool any_chooses() const { return any_chooses_; }
  uint64_t log() const { return log_; }

  const std::map<uint32_t, MemTable*>& all() const { return memtables_; }
  bool AnyIsFull() const {
    return std::any_of(memtables_.begin(), memtables_.end(),
                       [](const auto& one) { return one.second->ShouldFlush(); });
  }
  void Clear() {
    for (const auto& [id, memtable] : memtables_) memtable->Unref();
    memtables_.clear();
  }

 private:
  const Repairer* const repairer_;
  uint64_t log_ = 0;
  bool any_chooses_ = false;
  std::map<uint32_t, MemTable*> memtables_;  // each with one reference
};

bool Repairer::IsFlushed(const Family& family, uint64_t log) const {
  const auto said = remains_.families.find(family.id);
  return said != remains_.families.end() && log < said->second.log_number;
}

bool Repairer::MayBeLost(const Family& family, const BatchRecord& record,
                         SequenceNumber sequence) const {
  const InternalKeyComparator& icmp = family.icmp;
  const bool is_range = record.type == kTypeRangeDeletion;
  for (const FileMetaData& lost : family.lost) {
    // (0: of all of its entries.)
    if (lost.largest_seqno != 0 && sequence > lost.largest_seqno) continue;
    if (sequence < lost.smallest_seqno) continue;
    const Slice& end = is_range ? record.value : record.key;
    if (EndsBefore(icmp, lost.largest.Encode(), record.key) ||
        icmp.CompareBare(end, lost.smallest.user_key()) < 0) {
      continue;
    }
    // What a compaction made 0 of the key is there.
    // (Its timestamp is 0, too, where there are timestamps.)
    const size_t ts_size = icmp.timestamp_size();
    const Slice bare = icmp.BareKey(record.key);
    const std::string zeroed = ts_size == 0 ? bare.ToString() : WithMinTimestamp(bare, ts_size);
    if (lost.smallest_seqno == 0 && !is_range && HasVersion(family, zeroed, 0, 0)) continue;
    return true;
  }
  return false;
}

Status Repairer::ApplyChosen(const Slice& batch, Memtables* memtables, SequenceNumber* next) {
  BatchReader reader(batch);
  SequenceNumber sequence = reader.sequence();
  if (!memtables->any_chooses()) {
    return prepared_.Apply(batch, memtables->log(), memtables, next);
  }
  BatchRecord record;
  std::string single;  // a batch of one record
  for (size_t begin = reader.offset(); reader.Next(&record); begin = reader.offset()) {
    if (!record.counted) {
      if (record.type == kTypeLogData || record.type == kTypeNoop) continue;
      return RefuseRecord(record);
    }
    const auto family = families_.find(record.family);
    if (family != families_.end() &&
        (!memtables->Chooses(*family->second) || MayBeLost(*family->second, record, sequence))) {
      single.assign(kBatchHeaderSize - sizeof(uint32_t), '\0');
      PutFixed32(&single, 1);
      single.append(batch.data() + begin, reader.offset() - begin);
      Status s = ApplyBatch(single, sequence, memtables, /*concurrent=*/false,
                            /*ignore_missing_families=*/true);
      if (!s.ok()) return s;
    }
    *next = ++sequence;
  }
  return reader.status();
}

bool Repairer::HasVersion(const Family& family, const Slice& user_key, SequenceNumber low,
                          SequenceNumber high) const {
  const InternalKeyComparator& icmp = family.icmp;
  for (const auto& table : tables_) {
    const FileMetaData& meta = table->meta;
    if (table->family != &family || meta.largest_seqno < low || meta.smallest_seqno > high ||
        icmp.CompareBare(user_key, meta.smallest.user_key()) < 0 ||
        EndsBefore(icmp, meta.largest.Encode(), user_key)) {
      continue;
    }
    TableCache::Ref reader;
    if (!family.tables->FindTable(UnpinnedId(meta), &reader).ok()) continue;
    const RangeTombstones* const tombstones = reader->range_tombstones();
    if (tombstones != nullptr &&
        tombstones->Covering(user_key, high) >= std::max<uint64_t>(low, 1)) {
      return true;
    }
    ReadOptions options;
    options.total_order_seek = true;
    const std::unique_ptr<InternalIterator> entries(reader->NewIterator(options));
    entries->Seek(InternalKey(user_key, high, kValueTypeForSeek).Encode());
    ParsedInternalKey newest;
    if (entries->Valid() && ParseInternalKey(entries->key(), &newest).ok() &&
        icmp.CompareUserKey(newest.user_key, user_key) == 0 && newest.sequence >= low) {
      return true;
    }
  }
  return false;
}

uint64_t Repairer::TrueNumber(uint64_t number, const WalLink& link) const {
  if (link.predecessor < number && link.predecessor >= last_log_) return number;
  const auto after = log_numbers_.upper_bound(link.predecessor);
  const uint64_t is = after != log_numbers_.end() ? *after : link.predecessor + 1;
  LogWarn(info_log_, "Log #%llu follows #%llu, so it is taken for #%llu",
          static_cast<unsigned long long>(number),
          static_cast<unsigned long long>(link.predecessor), static_cast<unsigned long long>(is));
  return is;
}

Status Repairer::ConvertLogs() {
  for (const uint64_t number : log_numbers_) {
    Status s = ConvertLog(number);
    if (!s.ok()) return s;
  }
  if (prepared_.sections().empty()) return Status::OK();
  const auto& [name, section] = *prepared_.sections().begin();
  return Status::NotSupported(
      "WAL contains prepared transactions, which a repair would lose: " + name,
      LogFileName(wal_dir_, section.log));
}

Status Repairer::ConvertLog(uint64_t number) {
  const auto log = static_cast<unsigned long long>(number);
  const std::string path = LogFileName(wal_dir_, number);
  std::unique_ptr<SequentialFileReader> file;
  IOStatus io = SequentialFileReader::Open(fs_, path, FileOptionsForLogRead(*fs_, options_), &file);
  if (!io.ok()) {
    LogWarn(info_log_, "Log #%llu: ignoring %s", log, io.ToString().c_str());
    return Status::OK();
  }
  WalReporter reporter;
  reporter.info_log = info_log_;
  reporter.ignore = true;
  LogReader reader(options_.info_log, std::move(file), &reporter, /*checksum=*/true, number);
  Memtables memtables(this, number);
  std::string scratch;
  Slice record;
  uint64_t offset = 0;
  uint64_t records = 0;
  while (reader.ReadRecord(&record, &scratch, WALRecoveryMode::kTolerateCorruptedTailRecords,
                           &offset)) {
    if (WalLink link; WalLink::Decode(record, &link)) {
      memtables.set_log(TrueNumber(number, link));
      if (link.last_sequence <= kLastWritableSequence) {
        last_sequence_ = std::max(last_sequence_, link.last_sequence);
      }
      continue;
    }
    SequenceNumber next = 0;
    Status s = Status::Corruption("log record too small");
    if (record.size() >= kBatchHeaderSize) {
      const SequenceNumber sequence = BatchReader(record).sequence();
      s = sequence > kLastWritableSequence ? Status::Corruption("sequence number out of range")
                                           : ApplyChosen(record, &memtables, &next);
    }
    if (s.IsNotSupported()) return AtOffset(s, path, offset);  // it is whole, and would be lost
    if (!s.ok()) {
      LogWarn(info_log_, "Log #%llu: ignoring %s", log,
              AtOffset(s, path, offset).ToString().c_str());
      continue;
    }
    ++records;
    last_log_ = std::max(last_log_, number);
    if (next > 0) last_sequence_ = std::max(last_sequence_, next - 1);
    if (!memtables.AnyIsFull()) continue;
    s = SaveMemtables(number, &memtables);
    if (!s.ok()) return s;
  }
  if (!reader.status().ok()) {
    LogWarn(info_log_, "Log #%llu: ends with %s", log, reader.status().ToString().c_str());
  }
  LogInfo(info_log_, "Log #%llu: %llu records", log, static_cast<unsigned long long>(records));
  return SaveMemtables(number, &memtables);
}

Status Repairer::SaveMemtables(uint64_t log, Memtables* memtables) {
  for (const auto& [id, memtable] : memtables->all()) {
    if (memtable->IsEmpty()) continue;
    Family* const family = families_.at(id).get();
    const JobEnv env = MakeJobEnv(*family);
    auto table = std::make_unique<Table>();
    table->family = family;
    const uint64_t number = NewFileNumber();
    FlushJob job(env, *family->options, {memtable}, kUnknownEpochNumber, "Repair",
                 TableFileCreationReason::kRecovery);
    Status s = job.Run(number, &table->meta);
    LogInfo(info_log_, "Log #%llu: %llu entries of [%s] saved to table #%llu, %s",
            static_cast<unsigned long long>(log),
            static_cast<unsigned long long>(memtable->num_entries()), family->name.c_str(),
            static_cast<unsigned long long>(number), s.ToString().c_str());
    if (!s.ok()) return s;
    if (table->meta.file_size == 0) continue;
    made_.push_back(number);
    last_sequence_ = std::max(last_sequence_, table->meta.largest_seqno);
    tables_.push_back(std::move(table));
  }
  memtables->Clear();
  return Status::OK();
}

}  // namespace cairn
