#include "commit/batch_apply.h"

#include <algorithm>
#include <string>

#include "batch/batch_reader.h"
#include "fiber/interleave.h"

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

// Fetches for the next records that `reader` will give, as far as they are for `family`, whose
// memtable is `table` (null: it has none). Returns after how many records to look again.
size_t PrefetchRecords(BatchReader reader, uint32_t family, const MemTable* table,
                       bool concurrent) {
  if (table == nullptr || !table->WantsPrefetch(concurrent)) return SkipList::kPrefetchKeys;
  Slice keys[SkipList::kPrefetchKeys];
  size_t count = 0;
  BatchRecord record;
  while (count < SkipList::kPrefetchKeys && reader.Next(&record)) {
    if (!record.counted || record.family != family) break;
    keys[count++] = record.key;
  }
  table->Prefetch(keys, count);
  return std::max<size_t>(count, 1);
}

}  // namespace

Status RefuseRecord(const BatchRecord& record) {
  switch (record.type) {
    case kTypeBlobIndex:
      return Status::NotSupported("Blob indexes are not supported");
    default:
      return Status::NotSupported(
          "WAL contains prepared transactions, or what is left of them: two-phase commit is not "
          "supported. Commit or roll back all with the program that made them, or open and close "
          "the database with RocksDB's TransactionDB. Write batch tag",
          std::to_string(static_cast<int>(record.type)));
  }
}

void PrefetchBatches(const Slice* reps, size_t count, MemTableSink* sink) {
  MemTable* table = nullptr;
  Slice keys[kPrefetchBatches];
  size_t found = 0;
  for (size_t i = 0; i < std::min(count, kPrefetchBatches); ++i) {
    BatchRecord record;
    if (!BatchReader(reps[i]).Next(&record) || !record.counted || record.family != 0) continue;
    if (table == nullptr) {
      if (!sink->Seek(0, &table).ok() || table == nullptr ||
          !table->WantsPrefetch(/*allow_concurrent=*/false)) {
        return;
      }
    }
    keys[found++] = record.key;
  }
  if (table != nullptr) table->Prefetch(keys, found);
}

Status ApplyBatch(const Slice& rep, SequenceNumber first, MemTableSink* sink, bool concurrent,
                  bool ignore_missing_families, SequenceNumber* next_seq) {
  BatchReader reader(rep);
  SequenceNumber seq = first;
  if (first > kMaxSequenceNumber || reader.count() > kMaxSequenceNumber - first) {
    return Status::Corruption("WriteBatch has a sequence number out of range");
  }
  uint32_t found = 0;
  MemTable* table = nullptr;
  uint32_t table_family = 0;
  bool sought = false;
  CounterScope counters;
  BatchRecord record;
  std::string folded;  // what record.value may point into
  size_t look_at = 1;  // the first record tells which memtable it is
  for (size_t n = 0;; ++n) {
    if (n == look_at && n < reader.count()) {
      look_at += PrefetchRecords(reader, table_family, table, concurrent);
    }
    if (!reader.Next(&record)) break;
    if (!record.counted) {
      if (record.type == kTypeLogData || record.type == kTypeNoop) continue;
      return RefuseRecord(record);
    }
    if (found == reader.count()) return Status::Corruption("WriteBatch has wrong count");
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
    fiber::interleave();
    if (table != nullptr) {
      if (record.type > kTypeMerge && record.type != kTypeSingleDeletion &&
          record.type != kTypeRangeDeletion && record.type != kTypeWideColumnEntity) {
        return RefuseRecord(record);
      }
      if (record.type == kTypeMerge && !concurrent && sink->FoldsOperands()) {
        const OperandFate fate =
            sink->Fold(record.family, record.key, seq, record.value, &folded, &record.type);
        if (fate == OperandFate::kFolded) {
          record.value = folded;
        } else if (fate == OperandFate::kDropped) {
          ++seq;
          continue;
        }
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
