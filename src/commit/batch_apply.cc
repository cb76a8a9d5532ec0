#include "commit/batch_apply.h"

#include <string>

#include "commit/batch_reader.h"

namespace cairn {
namespace {

// Adds what a batch counted to its memtable when the batch, or its run of records for that table,
// is done.
class CounterScope {
 public:
  ~CounterScope() { MoveTo(nullptr); }
  void MoveTo(MemTable* table) {
    if (table_ != nullptr && counters_.entries != 0) table_->AddCounters(counters_);
    counters_ = MemTableCounters();
    table_ = table;
  }
  MemTableCounters* get() { return &counters_; }

 private:
  MemTable* table_ = nullptr;
  MemTableCounters counters_;
};

Status Refuse(const BatchRecord& record) {
  switch (record.type) {
    case kTypeMerge:
      return Status::NotSupported("Merge is not supported");
    case kTypeRangeDeletion:
      return Status::NotSupported("DeleteRange is not supported");
    case kTypeBlobIndex:
      return Status::NotSupported("Blob indexes are not supported");
    case kTypeWideColumnEntity:
      return Status::NotSupported("PutEntity is not supported");
    default:
      return Status::NotSupported("Two-phase commit is not supported, write batch tag",
                                  std::to_string(static_cast<int>(record.type)));
  }
}

}  // namespace

Status ApplyBatch(const Slice& rep, SequenceNumber first, MemTableSink* sink, bool concurrent,
                  bool ignore_missing_families, SequenceNumber* next_seq) {
  BatchReader reader(rep);
  SequenceNumber seq = first;
  uint32_t found = 0;
  MemTable* table = nullptr;
  uint32_t table_family = 0;
  bool sought = false;
  CounterScope counters;
  BatchRecord record;
  while (reader.Next(&record)) {
    if (!record.counted) {
      if (record.type == kTypeLogData || record.type == kTypeNoop) continue;
      return Refuse(record);
    }
    ++found;
    if (!sought || record.family != table_family) {
      sought = true;
      table_family = record.family;
      table = nullptr;
      Status s = sink->Seek(record.family, &table);
      if (!s.ok()) {
        if (!(ignore_missing_families && s.IsInvalidArgument())) return s;
        table = nullptr;
      }
      counters.MoveTo(table);
    }
    if (table != nullptr) {
      if (record.type != kTypeValue && record.type != kTypeDeletion &&
          record.type != kTypeSingleDeletion) {
        return Refuse(record);
      }
      Status s = table->Add(seq, record.type, record.key, record.value, concurrent, counters.get());
      if (!s.ok()) [[unlikely]]
        return s;
    }
    ++seq;  // a skipped record keeps its number
  }
  if (!reader.status().ok()) return reader.status();
  if (found != reader.count()) return Status::Corruption("WriteBatch has wrong count");
  if (next_seq != nullptr) *next_seq = seq;
  return Status::OK();
}

}  // namespace cairn
