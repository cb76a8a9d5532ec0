// The public WriteBatch: wire format as batch_reader.h shows it, save points, and the walk over a
// batch.
#include "rocksdb/write_batch.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "base/allocation.h"
#include "base/coding.h"
#include "base/internal_key.h"
#include "base/wide_column_serialization.h"
#include "batch/batch_reader.h"
#include "batch/write_batch_internal.h"
#include "rocksdb/db.h"

namespace ROCKSDB_NAMESPACE {

using cairn::BatchReader;
using cairn::BatchRecord;
using cairn::WriteBatchInternal;

struct SavePoints {
  std::vector<SavePoint> stack;
};

namespace {

// Where a record goes.
struct Address {
  uint32_t family = 0;
  size_t ts_size = 0;  // bytes of its keys' timestamps
};

// InvalidArgument: the batch was made for a default family with other timestamps.
// `default_ts_size`: of the batch.
Status FindAddress(ColumnFamilyHandle* family, size_t default_ts_size, Address* address) {
  if (family == nullptr) {
    address->ts_size = default_ts_size;
    return Status::OK();
  }
  address->family = family->GetID();
  const Comparator* const comparator = family->GetComparator();
  if (comparator == nullptr) return Status::OK();
  address->ts_size = comparator->timestamp_size();
  if (address->family == 0 && address->ts_size != default_ts_size) [[unlikely]] {
    return Status::InvalidArgument("Default cf timestamp size mismatch");
  }
  return Status::OK();
}

// Of a record with a timestamp.
Status CheckTimestamp(ColumnFamilyHandle* family, const Slice& timestamp) {
  if (family == nullptr) return Status::InvalidArgument("column family handle cannot be null");
  const Comparator* const comparator = family->GetComparator();
  const size_t size = comparator == nullptr ? 0 : comparator->timestamp_size();
  if (size == 0) return Status::InvalidArgument("timestamp disabled");
  if (size != timestamp.size()) return Status::InvalidArgument("timestamp size mismatch");
  return Status::OK();
}

// Puts a timestamp in the place of those, or of the zeros, that a batch's keys end in.
class TimestampWriter {
 public:
  TimestampWriter(std::string* rep, const Slice& timestamp,
                  const std::function<size_t(uint32_t)>& size_of_family,
                  cairn::BatchProtection* protection)
      : rep_(rep),
        timestamp_(timestamp),
        size_of_family_(size_of_family),
        protection_(protection) {}

  Status Update() {
    BatchReader reader(*rep_);
    BatchRecord record;
    size_t index = 0;
    while (reader.Next(&record)) {
      if (!record.counted) continue;
      if (protection_ != nullptr && RecordChecksum(record) != protection_->entry(index)) {
        return cairn::EntryChanged(index);
      }
      Status s = UpdateKey(record.family, record.key);
      if (s.ok() && record.type == cairn::kTypeRangeDeletion) {
        s = UpdateKey(record.family, record.value);
      }
      if (!s.ok()) return s;
      if (protection_ != nullptr) protection_->Set(index, RecordChecksum(record));
      ++index;
    }
    return reader.status();
  }

 private:
  Status UpdateKey(uint32_t family, const Slice& key) {
    const size_t size = size_of_family_(family);
    if (size == 0) return Status::OK();
    if (size == std::numeric_limits<size_t>::max()) {
      return Status::NotFound("no timestamp size of column family", std::to_string(family));
    }
    if (size != timestamp_.size()) return Status::InvalidArgument("timestamp size mismatch");
    if (key.size() < size) return Status::Corruption("a key is shorter than its timestamp");
    const size_t at = static_cast<size_t>(key.data() - rep_->data()) + key.size() - size;
    rep_->replace(at, size, timestamp_.data(), size);
    return Status::OK();
  }

  std::string* const rep_;
  const Slice timestamp_;
  const std::function<size_t(uint32_t)>& size_of_family_;
  cairn::BatchProtection* const protection_;  // null: none
};

}  // namespace

Status WriteBatch::AddRecord(uint8_t type, ColumnFamilyHandle* family, const SliceParts& key,
                             const SliceParts* value) {
  const auto record_type = static_cast<cairn::ValueType>(type);
  Address address;
  Status s = FindAddress(family, default_cf_ts_sz_, &address);
  if (!s.ok()) return s;
  if (address.ts_size != 0) [[unlikely]] {
    return WriteBatchInternal::AppendStamped(this, record_type, address.family, key, value, Slice(),
                                             address.ts_size);
  }
  return WriteBatchInternal::AppendRecord(this, record_type, address.family, key, value);
}

Status WriteBatch::AddStamped(uint8_t type, ColumnFamilyHandle* family, const Slice& key,
                              const Slice& timestamp, const Slice* value) {
  Status s = CheckTimestamp(family, timestamp);
  if (!s.ok()) return s;
  const SliceParts parts(value, 1);
  return WriteBatchInternal::AppendStamped(
      this, static_cast<cairn::ValueType>(type), family->GetID(), SliceParts(&key, 1),
      value == nullptr ? nullptr : &parts, timestamp, timestamp.size());
}

Status WriteBatch::UpdateTimestamps(const Slice& ts, std::function<size_t(uint32_t)> ts_sz_func) {
  Status s = TimestampWriter(&rep_, ts, ts_sz_func, protection_.get()).Update();
  if (s.ok()) {
    content_flags_.store(content_flags_.load(std::memory_order_relaxed) & ~cairn::kLacksTimestamps,
                         std::memory_order_relaxed);
  }
  return s;
}

Status WriteBatch::Put(ColumnFamilyHandle* family, const Slice& key, const Slice& ts,
                       const Slice& value) {
  return AddStamped(cairn::kTypeValue, family, key, ts, &value);
}
Status WriteBatch::Delete(ColumnFamilyHandle* family, const Slice& key, const Slice& ts) {
  return AddStamped(cairn::kTypeDeletion, family, key, ts, nullptr);
}
Status WriteBatch::SingleDelete(ColumnFamilyHandle* family, const Slice& key, const Slice& ts) {
  return AddStamped(cairn::kTypeSingleDeletion, family, key, ts, nullptr);
}
Status WriteBatch::DeleteRange(ColumnFamilyHandle* family, const Slice& begin, const Slice& end,
                               const Slice& ts) {
  return AddStamped(cairn::kTypeRangeDeletion, family, begin, ts, &end);
}
Status WriteBatch::Merge(ColumnFamilyHandle* family, const Slice& key, const Slice& ts,
                         const Slice& value) {
  return AddStamped(cairn::kTypeMerge, family, key, ts, &value);
}

WriteBatch::WriteBatch(size_t reserved_bytes, size_t max_bytes)
    : content_flags_(0), max_bytes_(max_bytes) {
  // A wish: what does not fit is refused when it comes.
  if (reserved_bytes > WriteBatchInternal::kHeader) {
    (void)cairn::ReserveIfPossible(&rep_, reserved_bytes);
  }
  rep_.resize(WriteBatchInternal::kHeader);
}

WriteBatch::WriteBatch(size_t reserved_bytes, size_t max_bytes, size_t protection_bytes_per_key,
                       size_t default_cf_ts_sz)
    : WriteBatch(reserved_bytes, max_bytes) {
  default_cf_ts_sz_ = default_cf_ts_sz;
  if (protection_bytes_per_key == 0) return;
  // (Whatever the number is, as in RocksDB; grocksdb's own test asks for 10.)
  protection_ = std::make_unique<cairn::BatchProtection>();
  content_flags_.store(cairn::kIsProtected, std::memory_order_relaxed);
}

WriteBatch::WriteBatch(const std::string& rep)
    : content_flags_(cairn::kContentUnknown), max_bytes_(0), rep_(rep) {}

WriteBatch::WriteBatch(std::string&& rep)
    : content_flags_(cairn::kContentUnknown), max_bytes_(0), rep_(std::move(rep)) {}

WriteBatch::WriteBatch(const WriteBatch& src)
    : save_points_(src.save_points_ ? std::make_unique<SavePoints>(*src.save_points_) : nullptr),
      wal_term_point_(src.wal_term_point_),
      content_flags_(src.content_flags_.load(std::memory_order_relaxed)),
      max_bytes_(src.max_bytes_),
      default_cf_ts_sz_(src.default_cf_ts_sz_),
      protection_(src.protection_ ? std::make_unique<cairn::BatchProtection>(*src.protection_)
                                  : nullptr),
      rep_(src.rep_) {}

WriteBatch::WriteBatch(WriteBatch&& src) noexcept
    : save_points_(std::move(src.save_points_)),
      wal_term_point_(src.wal_term_point_),
      content_flags_(src.content_flags_.load(std::memory_order_relaxed)),
      max_bytes_(src.max_bytes_),
      default_cf_ts_sz_(src.default_cf_ts_sz_),
      protection_(std::move(src.protection_)),
      rep_(std::move(src.rep_)) {
  src.Clear();  // a moved-from batch is an empty one
}

WriteBatch& WriteBatch::operator=(const WriteBatch& src) {
  if (this != &src) {
    WriteBatch copy(src);
    *this = std::move(copy);
  }
  return *this;
}

WriteBatch& WriteBatch::operator=(WriteBatch&& src) {
  if (this != &src) {
    save_points_ = std::move(src.save_points_);
    wal_term_point_ = src.wal_term_point_;
    content_flags_.store(src.content_flags_.load(std::memory_order_relaxed),
                         std::memory_order_relaxed);
    max_bytes_ = src.max_bytes_;
    default_cf_ts_sz_ = src.default_cf_ts_sz_;
    protection_ = std::move(src.protection_);
    rep_ = std::move(src.rep_);
    src.Clear();
  }
  return *this;
}

WriteBatch::~WriteBatch() = default;

Status WriteBatch::Put(ColumnFamilyHandle* family, const Slice& key, const Slice& value) {
  return AddRecord(cairn::kTypeValue, family, key, value);
}
Status WriteBatch::Put(ColumnFamilyHandle* family, const SliceParts& key, const SliceParts& value) {
  return AddRecord(cairn::kTypeValue, family, key, &value);
}
Status WriteBatch::PutEntity(ColumnFamilyHandle* family, const Slice& key,
                             const WideColumns& columns) {
  if (family == nullptr) {
    return Status::InvalidArgument("Cannot call this method without a column family handle");
  }
  std::string entity;
  Status s = cairn::EncodeWideColumns(columns, &entity);
  return s.ok() ? AddRecord(cairn::kTypeWideColumnEntity, family, key, Slice(entity)) : s;
}
Status WriteBatch::PutEntity(const Slice& key, const AttributeGroups& attribute_groups) {
  if (attribute_groups.empty()) {
    return Status::InvalidArgument("Cannot call this method with empty attribute groups");
  }
  for (const AttributeGroup& group : attribute_groups) {
    Status s = PutEntity(group.column_family(), key, group.columns());
    if (!s.ok()) return s;
  }
  return Status::OK();
}
Status WriteBatch::Delete(ColumnFamilyHandle* family, const Slice& key) {
  return AddRecord(cairn::kTypeDeletion, family, SliceParts(&key, 1), nullptr);
}
Status WriteBatch::Delete(ColumnFamilyHandle* family, const SliceParts& key) {
  return AddRecord(cairn::kTypeDeletion, family, key, nullptr);
}
Status WriteBatch::SingleDelete(ColumnFamilyHandle* family, const Slice& key) {
  return AddRecord(cairn::kTypeSingleDeletion, family, SliceParts(&key, 1), nullptr);
}
Status WriteBatch::SingleDelete(ColumnFamilyHandle* family, const SliceParts& key) {
  return AddRecord(cairn::kTypeSingleDeletion, family, key, nullptr);
}
Status WriteBatch::DeleteRange(ColumnFamilyHandle* family, const Slice& begin, const Slice& end) {
  return AddRecord(cairn::kTypeRangeDeletion, family, begin, end);
}
Status WriteBatch::DeleteRange(ColumnFamilyHandle* family, const SliceParts& begin,
                               const SliceParts& end) {
  return AddRecord(cairn::kTypeRangeDeletion, family, begin, &end);
}
Status WriteBatch::Merge(ColumnFamilyHandle* family, const Slice& key, const Slice& value) {
  return AddRecord(cairn::kTypeMerge, family, key, value);
}
Status WriteBatch::Merge(ColumnFamilyHandle* family, const SliceParts& key,
                         const SliceParts& value) {
  return AddRecord(cairn::kTypeMerge, family, key, &value);
}
Status WriteBatch::PutLogData(const Slice& blob) {
  return WriteBatchInternal::AppendRecord(this, cairn::kTypeLogData, 0, SliceParts(&blob, 1),
                                          nullptr);
}

std::string WriteBatch::Release() {
  std::string released = std::move(rep_);
  Clear();
  return released;
}

void WriteBatch::Clear() {
  rep_.assign(WriteBatchInternal::kHeader, '\0');
  if (protection_ != nullptr) protection_->Truncate(0);
  content_flags_.store(protection_ != nullptr ? cairn::kIsProtected : 0u,
                       std::memory_order_relaxed);
  save_points_.reset();
  wal_term_point_.clear();
}

void WriteBatch::SetSavePoint() {
  if (save_points_ == nullptr) save_points_ = std::make_unique<SavePoints>();
  save_points_->stack.emplace_back(GetDataSize(), static_cast<int>(Count()),
                                   content_flags_.load(std::memory_order_relaxed));
}

Status WriteBatch::RollbackToSavePoint() {
  if (save_points_ == nullptr || save_points_->stack.empty()) return Status::NotFound();
  const SavePoint point = save_points_->stack.back();
  save_points_->stack.pop_back();
  rep_.resize(point.size);
  WriteBatchInternal::SetCount(this, static_cast<uint32_t>(point.count));
  // (Checksums may have come to the batch since.)
  uint32_t flags = point.content_flags & ~uint32_t{cairn::kIsProtected};
  if (protection_ != nullptr) {
    protection_->Truncate(static_cast<size_t>(point.count));
    flags |= cairn::kIsProtected;
  }
  content_flags_.store(flags, std::memory_order_relaxed);
  return Status::OK();
}

Status WriteBatch::PopSavePoint() {
  if (save_points_ == nullptr || save_points_->stack.empty()) return Status::NotFound();
  save_points_->stack.pop_back();
  return Status::OK();
}

void WriteBatch::MarkWalTerminationPoint() {
  wal_term_point_ = SavePoint(GetDataSize(), static_cast<int>(Count()),
                              content_flags_.load(std::memory_order_relaxed));
}

size_t WriteBatch::GetProtectionBytesPerKey() const {
  return protection_ == nullptr ? 0 : cairn::BatchProtection::kBytesPerKey;
}

Status WriteBatch::VerifyChecksum() const {
  return protection_ == nullptr ? Status::OK() : protection_->Verify(rep_);
}

uint32_t WriteBatch::Count() const { return WriteBatchInternal::Count(this); }

bool WriteBatch::HasPut() const { return (ComputeContentFlags() & cairn::kHasPut) != 0; }
bool WriteBatch::HasPutEntity() const {
  return (ComputeContentFlags() & cairn::kHasPutEntity) != 0;
}
bool WriteBatch::HasDelete() const { return (ComputeContentFlags() & cairn::kHasDelete) != 0; }
bool WriteBatch::HasSingleDelete() const {
  return (ComputeContentFlags() & cairn::kHasSingleDelete) != 0;
}
bool WriteBatch::HasDeleteRange() const {
  return (ComputeContentFlags() & cairn::kHasDeleteRange) != 0;
}
bool WriteBatch::HasMerge() const { return (ComputeContentFlags() & cairn::kHasMerge) != 0; }
bool WriteBatch::HasBeginPrepare() const {
  return (ComputeContentFlags() & cairn::kHasBeginPrepare) != 0;
}
bool WriteBatch::HasEndPrepare() const {
  return (ComputeContentFlags() & cairn::kHasEndPrepare) != 0;
}
bool WriteBatch::HasCommit() const { return (ComputeContentFlags() & cairn::kHasCommit) != 0; }
bool WriteBatch::HasRollback() const { return (ComputeContentFlags() & cairn::kHasRollback) != 0; }

uint32_t WriteBatch::ComputeContentFlags() const { return WriteBatchInternal::ContentFlags(this); }

WriteBatch::Handler::~Handler() = default;
void WriteBatch::Handler::LogData(const Slice& /*blob*/) {}
bool WriteBatch::Handler::Continue() { return true; }

Status WriteBatch::Iterate(Handler* handler) const {
  BatchReader reader(rep_);
  BatchRecord r;
  uint32_t found = 0;
  bool empty_since_mark = true;
  while (true) {
    if (!handler->Continue()) return Status::OK();
    if (!reader.Next(&r)) break;
    Status s;
    switch (r.type) {
      case cairn::kTypeValue:
        s = handler->PutCF(r.family, r.key, r.value);
        break;
      case cairn::kTypeDeletion:
        s = handler->DeleteCF(r.family, r.key);
        break;
      case cairn::kTypeSingleDeletion:
        s = handler->SingleDeleteCF(r.family, r.key);
        break;
      case cairn::kTypeRangeDeletion:
        s = handler->DeleteRangeCF(r.family, r.key, r.value);
        break;
      case cairn::kTypeMerge:
        s = handler->MergeCF(r.family, r.key, r.value);
        break;
      case cairn::kTypeBlobIndex:
        s = handler->PutBlobIndexCF(r.family, r.key, r.value);
        break;
      case cairn::kTypeWideColumnEntity:
        s = handler->PutEntityCF(r.family, r.key, r.value);
        break;
      case cairn::kTypeLogData:
        handler->LogData(r.key);
        break;
      case cairn::kTypeNoop:
        s = handler->MarkNoop(empty_since_mark);
        empty_since_mark = true;
        break;
      case cairn::kTypeBeginPrepareXID:
      case cairn::kTypeBeginPersistedPrepareXID:
        s = handler->MarkBeginPrepare(false);
        break;
      case cairn::kTypeBeginUnprepareXID:
        s = handler->MarkBeginPrepare(true);
        break;
      case cairn::kTypeEndPrepareXID:
        s = handler->MarkEndPrepare(r.key);
        empty_since_mark = true;
        break;
      case cairn::kTypeCommitXID:
        s = handler->MarkCommit(r.key);
        empty_since_mark = true;
        break;
      case cairn::kTypeCommitXIDAndTimestamp:
        s = handler->MarkCommitWithTimestamp(r.value, r.key);
        empty_since_mark = true;
        break;
      case cairn::kTypeRollbackXID:
        s = handler->MarkRollback(r.key);
        empty_since_mark = true;
        break;
      default:
        return Status::Corruption("unknown WriteBatch tag",
                                  std::to_string(static_cast<int>(r.type)));
    }
    if (!s.ok()) return s;
    if (r.counted) {
      ++found;
      empty_since_mark = false;
    }
  }
  if (!reader.status().ok()) return reader.status();
  if (found != reader.count()) return Status::Corruption("WriteBatch has wrong count");
  return Status::OK();
}

}  // namespace ROCKSDB_NAMESPACE
