// DBWithTTL: what goes into the database gets a time, and what comes out loses it
// (ttl_values.h). Its state is in the wrappers that the families' options hold.
#include "rocksdb/utilities/db_ttl.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "batch/write_batch_internal.h"
#include "read/multi_family_iterator.h"
#include "rocksdb/comparator.h"
#include "rocksdb/iterator.h"
#include "rocksdb/wide_columns.h"
#include "utilities/no_timestamps.h"
#include "utilities/ttl_values.h"

namespace cairn {
namespace {

Status NoEntities() { return Status::NotSupported("entities are not supported by DBWithTTL"); }

std::vector<std::unique_ptr<Iterator>> NoIterators() {
  std::vector<std::unique_ptr<Iterator>> failed;
  failed.emplace_back(NewErrorIterator(NoEntities()));
  return failed;
}

// Takes the time off what a read gave; a value without one is the read's error.
void Strip(PinnableSlice* value, Status* s) {
  if (!s->ok()) return;
  *s = CheckTtlTime(*value);
  if (s->ok()) value->remove_suffix(kTtlTimeBytes);
}
void Strip(std::string* value, Status* s) {
  if (!s->ok()) return;
  *s = CheckTtlTime(*value);
  if (s->ok()) value->resize(value->size() - kTtlTimeBytes);
}

// Makes a batch with times.
class Stamper final : public WriteBatch::Handler {
 public:
  explicit Stamper(WriteBatch* out) : out_(out) { AppendTtlTime(TtlNow(), &time_); }

  Status PutCF(uint32_t family, const Slice& key, const Slice& value) override {
    return Stamped(kTypeValue, family, key, value);
  }
  Status MergeCF(uint32_t family, const Slice& key, const Slice& value) override {
    return Stamped(kTypeMerge, family, key, value);
  }
  Status DeleteCF(uint32_t family, const Slice& key) override {
    return WriteBatchInternal::AppendRecord(out_, kTypeDeletion, family, SliceParts(&key, 1),
                                            nullptr);
  }
  Status SingleDeleteCF(uint32_t family, const Slice& key) override {
    return WriteBatchInternal::AppendRecord(out_, kTypeSingleDeletion, family, SliceParts(&key, 1),
                                            nullptr);
  }
  Status DeleteRangeCF(uint32_t family, const Slice& begin, const Slice& end) override {
    const SliceParts last(&end, 1);
    return WriteBatchInternal::AppendRecord(out_, kTypeRangeDeletion, family, SliceParts(&begin, 1),
                                            &last);
  }
  Status PutEntityCF(uint32_t /*family*/, const Slice& /*key*/, const Slice& /*entity*/) override {
    return NoEntities();
  }
  void LogData(const Slice& blob) override {
    if (log_data_.ok()) log_data_ = out_->PutLogData(blob);
  }

  const Status& log_data() const { return log_data_; }

 private:
  Status Stamped(ValueType type, uint32_t family, const Slice& key, const Slice& value) {
    const Slice parts[] = {value, time_};
    const SliceParts whole(parts, 2);
    return WriteBatchInternal::AppendRecord(out_, type, family, SliceParts(&key, 1), &whole);
  }

  WriteBatch* const out_;
  std::string time_;
  Status log_data_;
};

// Strips the results of an asynchronous read before the caller hears of them.
class StrippingCallback final : public DB::AsyncCallback {
 public:
  StrippingCallback(std::function<void()> strip, DB::AsyncCallback* next)
      : strip_(std::move(strip)), next_(next) {}
  bool EnableStats() const override { return next_->EnableStats(); }
  void OnComplete(const PerfContext* perf, const IOStatsContext* io) override {
    const std::unique_ptr<StrippingCallback> self(this);
    strip_();
    next_->OnComplete(perf, io);
  }

 private:
  const std::function<void()> strip_;
  DB::AsyncCallback* const next_;
};

// Shows values without times. It stops, with an error, at one that has none.
class TtlIterator final : public Iterator {
 public:
  explicit TtlIterator(Iterator* base) : base_(base) {}

  bool Valid() const override { return error_.ok() && base_->Valid(); }
  Status status() const override { return error_.ok() ? base_->status() : error_; }
  void SeekToFirst() override { base_->SeekToFirst(), Look(); }
  void SeekToLast() override { base_->SeekToLast(), Look(); }
  void Seek(const Slice& target) override { base_->Seek(target), Look(); }
  void SeekForPrev(const Slice& target) override { base_->SeekForPrev(target), Look(); }
  void Next() override { base_->Next(), Look(); }
  void Prev() override { base_->Prev(), Look(); }
  Slice key() const override { return base_->key(); }
  Slice value() const override { return WithoutTtlTime(base_->value()); }
  const WideColumns& columns() const override { return columns_; }
  Status Refresh(const Snapshot* snapshot) override {
    error_ = Status::OK();
    return base_->Refresh(snapshot);
  }
  Status GetProperty(std::string name, std::string* value) override {
    return base_->GetProperty(std::move(name), value);
  }
  void Prepare(const MultiScanArgs& args) override {
    base_->Prepare(args);
    error_ = Status::OK();
  }

 private:
  void Look() {
    error_ = Status::OK();
    columns_.clear();
    if (!base_->Valid()) return;
    error_ = CheckTtlTime(base_->value());
    if (error_.ok()) columns_.emplace_back(kDefaultWideColumnName, value());
  }

  const std::unique_ptr<Iterator> base_;
  Status error_;
  WideColumns columns_;
};

class TtlDb final : public DBWithTTL {
 public:
  explicit TtlDb(DB* db) : DBWithTTL(db) {}

  Status CreateColumnFamilyWithTtl(const ColumnFamilyOptions& options, const std::string& name,
                                   ColumnFamilyHandle** handle, int ttl) override {
    ColumnFamilyOptions wrapped = options;
    AddTtl(&wrapped, ttl);
    return db_->CreateColumnFamily(wrapped, name, handle);
  }
  Status CreateColumnFamily(const ColumnFamilyOptions& options, const std::string& name,
                            ColumnFamilyHandle** handle) override {
    return CreateColumnFamilyWithTtl(options, name, handle, 0);
  }
  Status CreateColumnFamilies(const ColumnFamilyOptions& options,
                              const std::vector<std::string>& names,
                              std::vector<ColumnFamilyHandle*>* handles) override;
  Status CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>& families,
                              std::vector<ColumnFamilyHandle*>* handles) override;
  // Of files that a DBWithTTL has written: each value ends in its time.
  using StackableDB::CreateColumnFamilyWithImport;
  Status CreateColumnFamilyWithImport(
      const ColumnFamilyOptions& options, const std::string& name,
      const ImportColumnFamilyOptions& import,
      const std::vector<const ExportImportFilesMetaData*>& metadatas,
      ColumnFamilyHandle** handle) override {
    ColumnFamilyOptions wrapped = options;
    AddTtl(&wrapped, 0);
    return db_->CreateColumnFamilyWithImport(wrapped, name, import, metadatas, handle);
  }
  void SetTtl(int32_t ttl) override { SetTtl(DefaultColumnFamily(), ttl); }
  void SetTtl(ColumnFamilyHandle* family, int32_t ttl) override {
    ChangeTtl(GetOptions(family), ttl);
  }

  using StackableDB::Put;
  Status Put(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
             const Slice& value) override {
    return db_->Put(options, family, key, WithTtlTime(value));
  }
  using StackableDB::Merge;
  Status Merge(const WriteOptions& options, ColumnFamilyHandle* family, const Slice& key,
               const Slice& value) override {
    return db_->Merge(options, family, key, WithTtlTime(value));
  }
  using StackableDB::PutEntity;
  Status PutEntity(const WriteOptions& /*options*/, ColumnFamilyHandle* /*family*/,
                   const Slice& /*key*/, const WideColumns& /*columns*/) override {
    return NoEntities();
  }
  Status PutEntity(const WriteOptions& /*options*/, const Slice& /*key*/,
                   const AttributeGroups& /*groups*/) override {
    return NoEntities();
  }
  Status Write(const WriteOptions& options, WriteBatch* updates) override;

  using StackableDB::Get;
  Status Get(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
             PinnableSlice* value) override {
    Status s = db_->Get(options, family, key, value);
    Strip(value, &s);
    return s;
  }
  Status Get(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
             std::string* value) override {
    Status s = db_->Get(options, family, key, value);
    Strip(value, &s);
    return s;
  }
  using StackableDB::GetEntity;
  Status GetEntity(const ReadOptions& /*options*/, ColumnFamilyHandle* /*family*/,
                   const Slice& /*key*/, PinnableWideColumns* /*columns*/) override {
    return NoEntities();
  }
  Status GetEntity(const ReadOptions& /*options*/, const Slice& /*key*/,
                   PinnableAttributeGroups* /*result*/) override {
    return NoEntities();
  }
  Status GetMergeOperands(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                          PinnableSlice* operands, GetMergeOperandsOptions* how,
                          int* count) override;
  using StackableDB::MultiGet;
  std::vector<Status> MultiGet(const ReadOptions& options,
                               const std::vector<ColumnFamilyHandle*>& families,
                               const std::vector<Slice>& keys,
                               std::vector<std::string>* values) override;
  void MultiGet(const ReadOptions& options, ColumnFamilyHandle* family, size_t count,
                const Slice* keys, PinnableSlice* values, Status* statuses, bool sorted) override {
    db_->MultiGet(options, family, count, keys, values, statuses, sorted);
    for (size_t i = 0; i < count; ++i) Strip(&values[i], &statuses[i]);
  }
  void MultiGet(const ReadOptions& options, size_t count, ColumnFamilyHandle** families,
                const Slice* keys, PinnableSlice* values, Status* statuses, bool sorted) override {
    db_->MultiGet(options, count, families, keys, values, statuses, sorted);
    for (size_t i = 0; i < count; ++i) Strip(&values[i], &statuses[i]);
  }
  using StackableDB::MultiGetEntity;
  void MultiGetEntity(const ReadOptions& /*options*/, ColumnFamilyHandle* /*family*/, size_t count,
                      const Slice* /*keys*/, PinnableWideColumns* /*results*/, Status* statuses,
                      bool /*sorted*/) override {
    std::fill_n(statuses, count, NoEntities());
  }
  void MultiGetEntity(const ReadOptions& /*options*/, size_t count,
                      ColumnFamilyHandle** /*families*/, const Slice* /*keys*/,
                      PinnableWideColumns* /*results*/, Status* statuses,
                      bool /*sorted*/) override {
    std::fill_n(statuses, count, NoEntities());
  }
  void MultiGetEntity(const ReadOptions& /*options*/, size_t count, const Slice* /*keys*/,
                      PinnableAttributeGroups* results) override {
    for (size_t i = 0; i < count; ++i) {
      for (PinnableAttributeGroup& group : results[i]) group.SetStatus(NoEntities());
    }
  }
  using StackableDB::GetAsync;
  void GetAsync(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                PinnableSlice* value, std::string* timestamp, Status& status,
                AsyncCallback& callback) override {
    auto* const stripping =
        new StrippingCallback([value, &status] { Strip(value, &status); }, &callback);
    db_->GetAsync(options, family, key, value, timestamp, status, *stripping);
  }
  void GetAsync(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                std::string* value, std::string* timestamp, Status& status,
                AsyncCallback& callback) override {
    auto* const stripping =
        new StrippingCallback([value, &status] { Strip(value, &status); }, &callback);
    db_->GetAsync(options, family, key, value, timestamp, status, *stripping);
  }
  using StackableDB::MultiGetAsync;
  void MultiGetAsync(const ReadOptions& options, size_t count, ColumnFamilyHandle** families,
                     const Slice* keys, PinnableSlice* values, std::string* timestamps,
                     Status* statuses, bool sorted, AsyncCallback& callback) override {
    auto* const stripping = new StrippingCallback(
        [count, values, statuses] {
          for (size_t i = 0; i < count; ++i) Strip(&values[i], &statuses[i]);
        },
        &callback);
    db_->MultiGetAsync(options, count, families, keys, values, timestamps, statuses, sorted,
                       *stripping);
  }
  using StackableDB::KeyMayExist;
  bool KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                   std::string* value, bool* value_found) override;
  using StackableDB::NewIterator;
  Iterator* NewIterator(const ReadOptions& options, ColumnFamilyHandle* family) override {
    ReadOptions prepared = options;
    prepared.allow_unprepared_value = false;  // the value tells whether the entry has expired
    return new TtlIterator(db_->NewIterator(prepared, family));
  }
  Status NewIterators(const ReadOptions& options, const std::vector<ColumnFamilyHandle*>& families,
                      std::vector<Iterator*>* iterators) override {
    const Status s = db_->NewIterators(options, families, iterators);
    if (s.ok()) {
      for (Iterator*& iterator : *iterators) iterator = new TtlIterator(iterator);
    }
    return s;
  }
  std::unique_ptr<Iterator> NewCoalescingIterator(
      const ReadOptions& /*options*/,
      const std::vector<ColumnFamilyHandle*>& /*families*/) override {
    return MakeCoalescingIterator(BytewiseComparator(), NoIterators());
  }
  std::unique_ptr<AttributeGroupIterator> NewAttributeGroupIterator(
      const ReadOptions& /*options*/,
      const std::vector<ColumnFamilyHandle*>& /*families*/) override {
    return MakeAttributeGroupIterator(BytewiseComparator(), NoIterators(), {nullptr});
  }
};

Status TtlDb::CreateColumnFamilies(const ColumnFamilyOptions& options,
                                   const std::vector<std::string>& names,
                                   std::vector<ColumnFamilyHandle*>* handles) {
  std::vector<ColumnFamilyDescriptor> families;
  for (const std::string& name : names) families.emplace_back(name, options);
  return CreateColumnFamilies(families, handles);
}

Status TtlDb::CreateColumnFamilies(const std::vector<ColumnFamilyDescriptor>& families,
                                   std::vector<ColumnFamilyHandle*>* handles) {
  std::vector<ColumnFamilyDescriptor> wrapped = families;
  for (ColumnFamilyDescriptor& family : wrapped) AddTtl(&family.options, 0);
  return db_->CreateColumnFamilies(wrapped, handles);
}

Status TtlDb::Write(const WriteOptions& options, WriteBatch* updates) {
  if (updates == nullptr) return db_->Write(options, updates);
  // What is refused of a batch (it wants checksums of its entries, say) is not in its copy.
  Status s = WriteBatchInternal::CheckWritable(updates);
  if (!s.ok()) return s;
  WriteBatch stamped;
  Stamper stamper(&stamped);
  s = updates->Iterate(&stamper);
  if (s.ok()) s = stamper.log_data();
  return s.ok() ? db_->Write(options, &stamped) : s;
}

Status TtlDb::GetMergeOperands(const ReadOptions& options, ColumnFamilyHandle* family,
                               const Slice& key, PinnableSlice* operands,
                               GetMergeOperandsOptions* how, int* count) {
  GetMergeOperandsOptions with_times = *how;
  if (how->continue_cb) {
    with_times.continue_cb = [how](Slice operand) {
      operand.remove_suffix(std::min(operand.size(), kTtlTimeBytes));
      return how->continue_cb(operand);
    };
  }
  Status s = db_->GetMergeOperands(options, family, key, operands, &with_times, count);
  if (!s.ok()) return s;
  for (int i = 0; i < *count; ++i) Strip(&operands[i], &s);
  return s;
}

std::vector<Status> TtlDb::MultiGet(const ReadOptions& options,
                                    const std::vector<ColumnFamilyHandle*>& families,
                                    const std::vector<Slice>& keys,
                                    std::vector<std::string>* values) {
  std::vector<Status> statuses = db_->MultiGet(options, families, keys, values);
  for (size_t i = 0; i < statuses.size(); ++i) Strip(&(*values)[i], &statuses[i]);
  return statuses;
}

bool TtlDb::KeyMayExist(const ReadOptions& options, ColumnFamilyHandle* family, const Slice& key,
                        std::string* value, bool* value_found) {
  bool found = false;
  const bool may = db_->KeyMayExist(options, family, key, value, &found);
  if (value_found != nullptr) *value_found = found;
  if (!may || !found || value == nullptr) return may;
  Status s;
  Strip(value, &s);
  return s.ok();
}

}  // namespace
}  // namespace cairn

namespace ROCKSDB_NAMESPACE {

Status DBWithTTL::Open(const Options& options, const std::string& dbname, DBWithTTL** dbptr,
                       int32_t ttl, bool read_only) {
  std::vector<ColumnFamilyHandle*> handles;
  Status s = Open(DBOptions(options), dbname,
                  {ColumnFamilyDescriptor(kDefaultColumnFamilyName, ColumnFamilyOptions(options))},
                  &handles, dbptr, {ttl}, read_only);
  // (The database has one of its own.)
  if (s.ok()) delete handles[0];
  return s;
}

Status DBWithTTL::Open(const DBOptions& db_options, const std::string& dbname,
                       const std::vector<ColumnFamilyDescriptor>& column_families,
                       std::vector<ColumnFamilyHandle*>* handles, DBWithTTL** dbptr,
                       const std::vector<int32_t>& ttls, bool read_only) {
  *dbptr = nullptr;
  if (ttls.size() != column_families.size()) {
    return Status::InvalidArgument("DBWithTTL: each column family needs one ttl");
  }
  if (Status s = cairn::RefuseTimestamps(column_families); !s.ok()) return s;
  std::vector<ColumnFamilyDescriptor> wrapped = column_families;
  for (size_t i = 0; i < wrapped.size(); ++i) cairn::AddTtl(&wrapped[i].options, ttls[i]);
  DB* db = nullptr;
  const Status s = read_only ? DB::OpenForReadOnly(db_options, dbname, wrapped, handles, &db)
                             : DB::Open(db_options, dbname, wrapped, handles, &db);
  if (s.ok()) *dbptr = new cairn::TtlDb(db);
  return s;
}

}  // namespace ROCKSDB_NAMESPACE
