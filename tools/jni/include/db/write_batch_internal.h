// What RocksJava's sources take from RocksDB's private header of this name: a batch's sequence
// number, and a batch's entries in a memtable (rocksjava/memtable.h). All through the public API: a
// batch is its representation, whose first eight bytes are the number, little-endian.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "rocksdb/write_batch.h"
#include "rocksjava/memtable.h"

namespace ROCKSDB_NAMESPACE {

class ColumnFamilyMemTablesDefault {
 public:
  explicit ColumnFamilyMemTablesDefault(MemTable* memtable) : memtable_(memtable) {}
  MemTable* GetMemTable() const { return memtable_; }

 private:
  MemTable* const memtable_;
};

class WriteBatchInternal {
 public:
  static uint32_t Count(const WriteBatch* batch) { return batch->Count(); }

  static SequenceNumber Sequence(const WriteBatch* batch) {
    uint64_t sequence = 0;
    for (size_t i = 0; i < 8; ++i) {
      sequence |= uint64_t{static_cast<uint8_t>(batch->Data()[i])} << (8 * i);
    }
    return sequence;
  }

  static void SetSequence(WriteBatch* batch, SequenceNumber sequence) {
    std::string data = batch->Data();
    for (size_t i = 0; i < 8; ++i) data[i] = static_cast<char>(sequence >> (8 * i));
    *batch = WriteBatch(std::move(data));
  }

  // What `source` has comes after what `batch` has.
  static Status Append(WriteBatch* batch, const WriteBatch* source) {
    Appender appender(batch);
    return source->Iterate(&appender);
  }

  // (The last two are of others' use.)
  static Status InsertInto(const WriteBatch* batch, ColumnFamilyMemTablesDefault* memtables,
                           void* /*flush_scheduler*/, void* /*trim_history_scheduler*/) {
    Inserter inserter(Sequence(batch), memtables->GetMemTable());
    return batch->Iterate(&inserter);
  }

 private:
  class Appender final : public WriteBatch::Handler {
   public:
    explicit Appender(WriteBatch* batch) : batch_(batch) {}
    void Put(const Slice& key, const Slice& value) override { Keep(batch_->Put(key, value)); }
    void Merge(const Slice& key, const Slice& value) override { Keep(batch_->Merge(key, value)); }
    void Delete(const Slice& key) override { Keep(batch_->Delete(key)); }
    void SingleDelete(const Slice& key) override { Keep(batch_->SingleDelete(key)); }
    void LogData(const Slice& blob) override { Keep(batch_->PutLogData(blob)); }
    Status DeleteRangeCF(uint32_t family, const Slice& begin, const Slice& end) override {
      if (family != 0) return Status::NotSupported("other column families than the default");
      return batch_->DeleteRange(begin, end);
    }
    bool Continue() override { return status_.ok(); }

   private:
    void Keep(const Status& s) {
      if (status_.ok()) status_ = s;
    }

    WriteBatch* const batch_;
    Status status_;
  };

  class Inserter final : public WriteBatch::Handler {
   public:
    Inserter(SequenceNumber sequence, MemTable* memtable)
        : sequence_(sequence), memtable_(memtable) {}
    void Put(const Slice& key, const Slice& value) override { Add(kTypeValue, key, value); }
    void Merge(const Slice& key, const Slice& value) override { Add(kTypeMerge, key, value); }
    void Delete(const Slice& key) override { Add(kTypeDeletion, key, Slice()); }
    void SingleDelete(const Slice& key) override { Add(kTypeSingleDeletion, key, Slice()); }
    void LogData(const Slice& /*blob*/) override {}
    Status DeleteRangeCF(uint32_t family, const Slice& begin, const Slice& end) override {
      if (family != 0) return Status::NotSupported("other column families than the default");
      Add(kTypeRangeDeletion, begin, end);
      return Status::OK();
    }

   private:
    void Add(ValueType type, const Slice& key, const Slice& value) {
      memtable_->Add(sequence_++, type, key, value);
    }

    SequenceNumber sequence_;
    MemTable* const memtable_;
  };
};

}  // namespace ROCKSDB_NAMESPACE
