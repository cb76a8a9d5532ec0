#include "commit/prepared_sections.h"

#include <algorithm>
#include <utility>

#include "batch/write_batch_internal.h"

namespace cairn {
namespace {

// Everything is in tables.
class NoMemTables final : public MemTableSink {
 public:
  Status Seek(uint32_t /*family*/, MemTable** table) override {
    *table = nullptr;
    return Status::OK();
  }
};

}  // namespace

Status PreparedSection::EncodeCopy(const std::string& name, SequenceNumber next,
                                   WriteBatch* record) const {
  record->Clear();
  Status s = WriteBatchInternal::AppendMark(record, kTypeRollbackXID, name);
  if (s.ok()) s = WriteBatchInternal::AppendMark(record, kTypeBeginPrepareXID);
  if (s.ok()) s = WriteBatchInternal::Append(record, &batch);
  if (s.ok()) s = WriteBatchInternal::AppendMark(record, kTypeEndPrepareXID, name);
  WriteBatchInternal::SetSequence(record, next);
  return s;
}

Status EncodeSharedCopy(const std::string& name, const WriteBatch& before,
                        const WriteBatch* entries, WriteBatch* record) {
  record->Clear();
  Status s = WriteBatchInternal::Append(record, &before);
  if (s.ok()) s = WriteBatchInternal::AppendMark(record, kTypeRollbackXID, name);
  if (!s.ok() || entries == nullptr) return s;
  s = WriteBatchInternal::AppendMark(record, kTypeBeginPersistedPrepareXID);
  if (s.ok()) s = WriteBatchInternal::Append(record, entries);
  if (s.ok()) s = WriteBatchInternal::AppendMark(record, kTypeEndPrepareXID, name);
  return s;
}

uint32_t SharedNumbersOf(const WriteBatch& entries) {
  uint32_t numbers = 1;
  SubBatches run;
  BatchReader reader(entries.Data());
  BatchRecord record;
  while (reader.Next(&record)) {
    if (record.counted) numbers += run.Add(record);
  }
  return numbers;
}

namespace {

// RocksDB ends so each batch whose entries share a number, where no mark does. (Under
// WRITE_COMMITTED a record may, too, by an empty transaction; entries that share numbers keep their
// order all the same.)
bool EndsInNoop(const Slice& record) {
  if (record.size() <= kBatchHeaderSize || record[record.size() - 1] != kTypeNoop) return false;
  BatchReader reader(record);
  BatchRecord last;
  while (reader.Next(&last)) {
  }
  return reader.status().ok() && last.type == kTypeNoop && reader.count() > 0;
}

}  // namespace

Status PreparedSections::Apply(const Slice& record, uint64_t log, MemTableSink* sink,
                               SequenceNumber* next) {
  log_ = log;
  sink_ = sink;
  saw_marks_ = false;
  in_section_ = false;
  shares_ = policy_shares_ || EndsInNoop(record);
  any_ = false;
  run_.Begin();
  SequenceNumber after = 0;
  Status s = ApplyBatch(record, BatchReader(record).sequence(), sink, /*concurrent=*/false,
                        /*ignore_missing_families=*/true, &after, this);
  if (s.ok() && in_section_) s = Status::Corruption("a prepared section has no end");
  if (s.ok() && shares_ && !run_.empty()) ++after;
  if (s.ok() && next != nullptr) *next = after;
  return s;
}

Status PreparedSections::Note(const Slice& record, uint64_t log) {
  NoMemTables none;
  notes_only_ = true;
  Status s = Apply(record, log, &none, nullptr);
  notes_only_ = false;
  return s;
}

std::vector<SequenceNumber> PreparedSections::MomentsBefore() const {
  std::vector<SequenceNumber> moments;
  for (const auto& [name, section] : sections_) {
    for (const PreparedSection::Numbers& numbers : section.numbers) {
      if (numbers.first > 0) moments.push_back(numbers.first - 1);
    }
  }
  std::sort(moments.begin(), moments.end());
  moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
  return moments;
}

void PreparedSections::EndRun(SequenceNumber* seq) {
  if (!shares_) return;
  ++*seq;
  run_.Begin();
}

Status PreparedSections::Mark(const BatchRecord& mark, SequenceNumber* seq) {
  if (mark.type == kTypeNoop) {
    if (any_) EndRun(seq);
    return Status::OK();
  }
  any_ = true;
  saw_marks_ = true;
  switch (mark.type) {
    case kTypeBeginPrepareXID:
    case kTypeBeginPersistedPrepareXID:
    case kTypeBeginUnprepareXID:
      return Begin(mark, *seq);
    case kTypeEndPrepareXID:
      return End(mark.key.ToString(), seq);
    case kTypeCommitXID:
      return Commit(mark.key.ToString(), /*timestamp=*/nullptr, seq);
    case kTypeRollbackXID:
      if (in_section_) return Status::Corruption("a rollback within a prepared section");
      sections_.erase(mark.key.ToString());
      EndRun(seq);
      return Status::OK();
    case kTypeCommitXIDAndTimestamp:
      // (Of WRITE_COMMITTED alone.)
      if (policy_shares_ && !notes_only_) return RefuseRecord(mark);
      return Commit(mark.value.ToString(), &mark.key, seq);
    default:
      return RefuseRecord(mark);
  }
}

Status PreparedSections::Keep(const BatchRecord& entry, SequenceNumber* seq, bool* kept) {
  any_ = true;
  *kept = in_section_ && !policy_shares_;
  if (shares_ && !*kept && run_.Add(entry)) ++*seq;
  return in_section_ ? WriteBatchInternal::AppendRecord(&section_.batch, entry) : Status::OK();
}

Status PreparedSections::Begin(const BatchRecord& mark, SequenceNumber seq) {
  const bool is_foreign = (mark.type == kTypeBeginPrepareXID) == policy_shares_;
  if (is_foreign && !notes_only_) return RefuseRecord(mark);
  if (in_section_) return Status::Corruption("a prepared section within another one");
  in_section_ = true;
  section_ = PreparedSection();
  section_.log = log_;
  section_.sequence = seq;
  section_.is_foreign = is_foreign;
  section_.is_unprepared = mark.type == kTypeBeginUnprepareXID;
  return Status::OK();
}

Status PreparedSections::End(const std::string& name, SequenceNumber* seq) {
  if (!in_section_) return Status::Corruption("a prepared section has no begin");
  in_section_ = false;
  Status s;
  if (policy_shares_) section_.numbers.push_back({section_.sequence, *seq + 1});
  const auto found = sections_.find(name);
  if (found == sections_.end() || !found->second.is_unprepared) {
    sections_.insert_or_assign(name, std::move(section_));
  } else {
    PreparedSection& whole = found->second;
    s = WriteBatchInternal::Append(&whole.batch, &section_.batch);
    whole.numbers.insert(whole.numbers.end(), section_.numbers.begin(), section_.numbers.end());
    whole.is_unprepared = section_.is_unprepared;
  }
  if (policy_shares_) EndRun(seq);
  return s;
}

// (Families that are passed over need none; and without a memtable nobody knows its size.)
Status PreparedSections::Stamp(const Slice& timestamp, WriteBatch* entries) {
  Status s = entries->UpdateTimestamps(timestamp, [this](uint32_t family) -> size_t {
    MemTable* table = nullptr;
    if (!sink_->Seek(family, &table).ok() || table == nullptr) return 0;
    return table->comparator().timestamp_size();
  });
  return s.IsInvalidArgument()
             ? Status::Corruption("a transaction was committed with a timestamp of another size",
                                  timestamp.ToString(/*hex=*/true))
             : s;
}

Status PreparedSections::Commit(const std::string& name, const Slice* timestamp,
                                SequenceNumber* seq) {
  if (in_section_) return Status::Corruption("a commit within a prepared section");
  if (policy_shares_) {
    sections_.erase(name);
    EndRun(seq);
    return Status::OK();
  }
  const auto found = sections_.find(name);
  if (found == sections_.end()) {
    return incomplete_ ? Status::Corruption("what was prepared is missing, and committed: " + name)
                       : Status::OK();
  }
  if (!run_.empty()) EndRun(seq);
  Status s;
  if (timestamp != nullptr) s = Stamp(*timestamp, &found->second.batch);
  if (s.ok() && !found->second.is_foreign) {
    s = ApplyBatch(found->second.batch.Data(), *seq, sink_, /*concurrent=*/false,
                   /*ignore_missing_families=*/true, seq);
  }
  if (s.ok()) sections_.erase(found);
  return s;
}

}  // namespace cairn
