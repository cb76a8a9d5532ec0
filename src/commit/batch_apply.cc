#include "commit/batch_apply.h"

#include <algorithm>
#include <string>

#include "base/entry_checksum.h"
#include "batch/batch_reader.h"
#include "fiber/interleave.h"

namespace cairn {
namespace {

// Adds what a batch counted to its memtable when the batch, or its run of records for that table,
// is done.
class CounterScope {
 public:
  explicit CounterScope(bool concurrent) : concurrent_(concurrent) {}
  ~CounterScope() { MoveTo(nullptr); }
  void MoveTo(MemTable* table) {
    if (table_ != nullptr && counters_.entries != 0) {
      if (concurrent_) table_->FinishConcurrentBatch();
      table_->AddCounters(counters_);
    }
    counters_ = MemTableCounters();
    table_ = table;
  }
  MemTableCounters* get() { return &counters_; }

 private:
  const bool concurrent_;
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
          "WAL contains prepared transactions, or what is left of them, of another "
          "TransactionDBOptions::write_policy than the database is opened with, or it is opened "
          "without TransactionDB::Open(). Write batch tag",
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

namespace {

// An entry is added as something else than its record: what of its checksum is left to compare is
// the new one's.
Status ReplaceChecksum(const BatchRecord& record, ValueType type, const Slice& value,
                       uint64_t* checksum) {
  if (EntryChecksum(record.type, record.key, record.value) != *checksum) {
    return ChecksumMismatch("an entry of a WriteBatch changed");
  }
  *checksum = EntryChecksum(type, record.key, value);
  return Status::OK();
}

// A Put where the memtable updates in place.
Status PutInPlace(const BatchRecord& record, SequenceNumber seq, MemTable* table,
                  MemTableSink* sink, MemTableCounters* counters, uint64_t* checksum) {
  std::string made;
  MemTable::PutFate fate;
  Status s =
      table->UpdateInPlace(seq, record.type, record.key, record.value, checksum, &made, &fate);
  if (s.ok() && fate == MemTable::PutFate::kUnknown) {
    std::string existing;
    s = sink->Existing(record.family, record.key, seq, &existing);
    if (s.ok() || s.IsNotFound()) {
      s = table->AskCallback(s.ok() ? &existing : nullptr, record.value, &made, &fate);
    }
  }
  if (!s.ok() || fate == MemTable::PutFate::kDone) return s;
  if (fate == MemTable::PutFate::kAdd) {
    return table->Add(seq, record.type, record.key, record.value, false, counters, checksum);
  }
  if (checksum != nullptr) s = ReplaceChecksum(record, record.type, made, checksum);
  return s.ok() ? table->Add(seq, record.type, record.key, made, false, counters, checksum) : s;
}

// (`folded` is memory for what takes a merge operand's place. `checksum`: of the record without its
// family; null: it has none.)
[[gnu::always_inline]] inline Status AddEntry(const BatchRecord& record, SequenceNumber seq,
                                              MemTable* table, MemTableSink* sink, bool concurrent,
                                              MemTableCounters* counters, std::string* folded,
                                              uint64_t* checksum) {
  ValueType type = record.type;
  Slice value = record.value;
  if (const size_t ts_size = table->comparator().timestamp_size(); ts_size != 0) [[unlikely]] {
    if (record.key.size() < ts_size ||
        (type == kTypeRangeDeletion && record.value.size() < ts_size)) {
      return Status::Corruption("a key of a WriteBatch is shorter than its timestamp",
                                record.key.ToString(/*hex=*/true));
    }
    if (type == kTypeDeletion) {
      type = kTypeDeletionWithTimestamp;
      if (checksum != nullptr) {
        if (Status s = ReplaceChecksum(record, type, value, checksum); !s.ok()) return s;
      }
      return table->Add(seq, type, record.key, value, concurrent, counters, checksum);
    }
  }
  if (type > kTypeMerge && type != kTypeSingleDeletion && type != kTypeRangeDeletion &&
      type != kTypeWideColumnEntity) {
    return RefuseRecord(record);
  }
  if (table->updates_in_place() && (type == kTypeValue || type == kTypeWideColumnEntity))
      [[unlikely]] {
    return PutInPlace(record, seq, table, sink, counters, checksum);
  }
  if (type == kTypeMerge && !concurrent && sink->FoldsOperands()) {
    const OperandFate fate =
        sink->Fold(record.family, record.key, seq, record.value, folded, &type);
    if (fate == OperandFate::kFolded) value = *folded;
    if (fate == OperandFate::kDropped) return Status::OK();
    if (fate == OperandFate::kFolded && checksum != nullptr) {
      if (Status s = ReplaceChecksum(record, type, value, checksum); !s.ok()) return s;
    }
  }
  return table->Add(seq, type, record.key, value, concurrent, counters, checksum);
}

// `kMarked`: `marks` is not null, and looks at each record.
template <bool kMarked>
Status Apply(const Slice& rep, SequenceNumber first, MemTableSink* sink, bool concurrent,
             bool ignore_missing_families, SequenceNumber* next_seq, BatchMarks* marks,
             const BatchProtection* protection) {
  BatchReader reader(rep);
  SequenceNumber seq = first;
  if (first > kMaxSequenceNumber || reader.count() > kMaxSequenceNumber - first) {
    return Status::Corruption("WriteBatch has a sequence number out of range");
  }
  uint32_t found = 0;
  MemTable* table = nullptr;
  uint32_t table_family = 0;
  bool sought = false;
  CounterScope counters(concurrent);
  BatchRecord record;
  std::string folded;
  size_t look_at = 1;  // the first record tells which memtable it is
  for (size_t n = 0;; ++n) {
    if (n == look_at && n < reader.count()) {
      look_at += PrefetchRecords(reader, table_family, table, concurrent);
    }
    if (!reader.Next(&record)) break;
    if (!record.counted) {
      if (record.type == kTypeLogData || (!kMarked && record.type == kTypeNoop)) continue;
      if constexpr (!kMarked) return RefuseRecord(record);
      if (Status s = marks->Mark(record, &seq); !s.ok()) return s;
      continue;
    }
    if (found == reader.count()) return Status::Corruption("WriteBatch has wrong count");
    ++found;
    if constexpr (kMarked) {
      bool kept = false;
      if (Status s = marks->Keep(record, &seq, &kept); !s.ok()) return s;
      if (kept) continue;
    }
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
      if constexpr (kMarked) {
        if (table != nullptr) marks->WritesTo(table);
      }
    }
    fiber::interleave();
    if (table != nullptr) {
      uint64_t checksum = 0;
      if (protection != nullptr) [[unlikely]] {
        checksum = XorFamily(protection->entry(found - 1), record.family);
      }
      Status s = AddEntry(record, seq, table, sink, concurrent, counters.get(), &folded,
                          protection != nullptr ? &checksum : nullptr);
      if (!s.ok()) [[unlikely]]
        return s;
    }
    // (A skipped record keeps its number.)
    if constexpr (kMarked) {
      seq += marks->Step();
    } else {
      ++seq;
    }
  }
  if (!reader.status().ok()) return reader.status();
  if (found != reader.count()) return Status::Corruption("WriteBatch has wrong count");
  if (next_seq != nullptr) *next_seq = seq;
  return Status::OK();
}

}  // namespace

Status ApplyBatch(const Slice& rep, SequenceNumber first, MemTableSink* sink, bool concurrent,
                  bool ignore_missing_families, SequenceNumber* next_seq, BatchMarks* marks,
                  const BatchProtection* protection) {
  return marks == nullptr ? Apply<false>(rep, first, sink, concurrent, ignore_missing_families,
                                         next_seq, nullptr, protection)
                          : Apply<true>(rep, first, sink, concurrent, ignore_missing_families,
                                        next_seq, marks, protection);
}

}  // namespace cairn
