#include "commit/prepared_sections.h"

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

Status PreparedSections::Apply(const Slice& record, uint64_t log, MemTableSink* sink,
                               SequenceNumber* next) {
  log_ = log;
  sink_ = sink;
  saw_marks_ = false;
  in_section_ = false;
  Status s = ApplyBatch(record, BatchReader(record).sequence(), sink, /*concurrent=*/false,
                        /*ignore_missing_families=*/true, next, this);
  if (s.ok() && in_section_) s = Status::Corruption("a prepared section has no end");
  return s;
}

Status PreparedSections::Note(const Slice& record, uint64_t log) {
  NoMemTables none;
  notes_only_ = true;
  Status s = Apply(record, log, &none, nullptr);
  notes_only_ = false;
  return s;
}

Status PreparedSections::Mark(const BatchRecord& mark, SequenceNumber* seq) {
  saw_marks_ = true;
  switch (mark.type) {
    case kTypeBeginPrepareXID:
    case kTypeBeginPersistedPrepareXID:
    case kTypeBeginUnprepareXID:
      return Begin(mark, *seq);
    case kTypeEndPrepareXID:
      return End(mark.key.ToString());
    case kTypeCommitXID:
      return Commit(mark.key.ToString(), seq);
    case kTypeRollbackXID:
      if (in_section_) return Status::Corruption("a rollback within a prepared section");
      sections_.erase(mark.key.ToString());
      return Status::OK();
    case kTypeCommitXIDAndTimestamp:
      if (!notes_only_) return RefuseRecord(mark);
      sections_.erase(mark.value.ToString());
      return Status::OK();
    default:
      return RefuseRecord(mark);
  }
}

Status PreparedSections::Keep(const BatchRecord& entry, bool* kept) {
  *kept = in_section_;
  return in_section_ ? WriteBatchInternal::AppendRecord(&section_.batch, entry) : Status::OK();
}

Status PreparedSections::Begin(const BatchRecord& mark, SequenceNumber seq) {
  const bool is_foreign = mark.type != kTypeBeginPrepareXID;
  if (is_foreign && !notes_only_) return RefuseRecord(mark);
  if (in_section_) return Status::Corruption("a prepared section within another one");
  in_section_ = true;
  section_ = PreparedSection();
  section_.log = log_;
  section_.sequence = seq;
  section_.is_foreign = is_foreign;
  return Status::OK();
}

Status PreparedSections::End(const std::string& name) {
  if (!in_section_) return Status::Corruption("a prepared section has no begin");
  in_section_ = false;
  sections_.insert_or_assign(name, std::move(section_));
  return Status::OK();
}

Status PreparedSections::Commit(const std::string& name, SequenceNumber* seq) {
  if (in_section_) return Status::Corruption("a commit within a prepared section");
  const auto found = sections_.find(name);
  if (found == sections_.end()) {
    return incomplete_ ? Status::Corruption("what was prepared is missing, and committed: " + name)
                       : Status::OK();
  }
  Status s;
  if (!found->second.is_foreign) {
    s = ApplyBatch(found->second.batch.Data(), *seq, sink_, /*concurrent=*/false,
                   /*ignore_missing_families=*/true, seq);
  }
  if (s.ok()) sections_.erase(found);
  return s;
}

}  // namespace cairn
