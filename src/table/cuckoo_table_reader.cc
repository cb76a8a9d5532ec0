#include "table/cuckoo_table_reader.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/allocation.h"
#include "base/coding.h"

namespace cairn {

Status CuckooTable::Open(const TableReaderOptions& options,
                         std::unique_ptr<RandomAccessFileReader>&& file, uint64_t file_size,
                         std::unique_ptr<TableReader>* table) {
  table->reset();
  std::unique_ptr<CuckooTable> t(new CuckooTable(options, std::move(file)));
  FlatTail tail;
  Status s = t->Load(options, file_size, kCuckooTableMagic, &tail);
  if (!s.ok()) return s;
  t->properties_ = std::make_shared<TableProperties>(std::move(tail.properties));
  s = t->TakeProperties();
  if (s.ok()) *table = std::move(t);
  return s;
}

// Lookups rely on what is checked here.
Status CuckooTable::TakeProperties() {
  using N = CuckooTablePropertyNames;
  const auto& extra = properties_->user_collected_properties;
  std::string missing;
  const auto bytes = [&](const std::string& name, size_t size) -> const char* {
    const auto found = extra.find(name);
    if (found != extra.end() && found->second.size() >= size) return found->second.data();
    missing = name;
    return nullptr;
  };
  const char* const hashes = bytes(N::kNumHashFunc, 4);
  const char* const user_key_size = bytes(N::kUserKeyLength, 4);
  const char* const value_size = bytes(N::kValueLength, 4);
  const char* const table_size = bytes(N::kHashTableSize, 8);
  const char* const last_level = bytes(N::kIsLastLevel, 1);
  const char* const identity = bytes(N::kIdentityAsFirstHash, 1);
  const char* const modulo = bytes(N::kUseModuleHash, 1);
  const char* const block_size = bytes(N::kCuckooBlockSize, 4);
  const char* const unused = bytes(N::kEmptyKey, 0);
  if (!missing.empty() || unused == nullptr) {
    return Corrupt("no table property " + (missing.empty() ? N::kEmptyKey : missing));
  }
  if (properties_->num_entries == 0) return Status::OK();
  num_hashes_ = DecodeFixed32(hashes);
  block_size_ = DecodeFixed32(block_size);
  user_key_size_ = DecodeFixed32(user_key_size);
  key_size_ = user_key_size_ + (*last_level != 0 ? 0 : kInternalKeyFooterSize);
  bucket_size_ = key_size_ + DecodeFixed32(value_size);
  hash_.by_modulo = *modulo != 0;
  hash_.identity_first = *identity != 0;
  hash_.size = DecodeFixed64(table_size);
  unused_key_ = extra.at(N::kEmptyKey);
  const auto bad = [this](const std::string& name) {
    return Corrupt("bad table property " + name);
  };
  if (num_hashes_ == 0 || num_hashes_ > kMaxCuckooHashes) return bad(N::kNumHashFunc);
  if (key_size_ != properties_->fixed_key_len || bucket_size_ == 0) return bad(N::kUserKeyLength);
  if (hash_.identity_first && user_key_size_ < kIdentitySize) return bad(N::kIdentityAsFirstHash);
  if (unused_key_.size() != key_size_) return bad(N::kEmptyKey);
  if (hash_.size == 0 || hash_.size > kMaxCuckooBuckets ||
      (!hash_.by_modulo && !std::has_single_bit(hash_.size))) {
    return bad(N::kHashTableSize);
  }
  if (block_size_ == 0) return bad(N::kCuckooBlockSize);
  num_buckets_ = hash_.size + block_size_ - 1;
  if (num_buckets_ > kMaxCuckooBuckets || num_buckets_ > properties_->data_size / bucket_size_) {
    return Corrupt("fewer buckets than the table properties say");
  }
  buckets_ = whole_.bytes().data();
  return Status::OK();
}

size_t CuckooTable::IndexMemory() const {
  fiber::MutexLock lock(&order_mutex_);
  return order_ == nullptr ? 0 : order_->size() * sizeof(uint32_t);
}

ParsedInternalKey CuckooTable::KeyOf(const char* bucket) const {
  ParsedInternalKey key(Slice(bucket, user_key_size_), 0, kTypeValue);
  if (key_size_ > user_key_size_) {
    UnpackSequenceAndType(DecodeFixed64(bucket + user_key_size_), &key.sequence, &key.type);
  }
  if (global_seqno_ != kDisableGlobalSequenceNumber) key.sequence = global_seqno_;
  return key;
}

Status CuckooTable::Get(const ReadOptions& /*options*/, const Slice& internal_key,
                        GetContext* context, bool /*skip_filters*/) {
  const Slice user_key = ExtractUserKey(internal_key);
  if (num_buckets_ == 0 || user_key.size() != user_key_size_) return Status::OK();
  for (uint32_t function = 0; function < num_hashes_; ++function) {
    const char* bucket = BucketAt(hash_.Bucket(user_key, function));
    for (uint32_t i = 0; i < block_size_; ++i, bucket += bucket_size_) {
      if (IsEmpty(bucket)) return Status::OK();
      if (!icmp_.EqualUserKey(Slice(bucket, user_key_size_), user_key)) continue;
      const ParsedInternalKey key = KeyOf(bucket);
      // Written after the snapshot: there is no other version here.
      if (key.sequence > ExtractSequence(internal_key)) return Status::OK();
      if (key.type != kTypeValue && key.type != kTypeDeletion) {
        context->MarkCorrupt();
        return Corrupt("entry of type " + std::to_string(key.type) + " in a cuckoo table");
      }
      context->SaveMatch(key.sequence, key.type, ValueOf(bucket), nullptr);
      return Status::OK();
    }
  }
  return Status::OK();
}

Status CuckooTable::GetOrder(std::shared_ptr<const Order>* order) {
  fiber::MutexLock lock(&order_mutex_);
  if (order_ == nullptr) {
    auto made = std::make_shared<Order>();
    const bool room = WithMemory(static_cast<size_t>(num_buckets_) * sizeof(uint32_t), [&] {
      for (uint64_t i = 0; i < num_buckets_; ++i) {
        if (!IsEmpty(BucketAt(i))) made->push_back(static_cast<uint32_t>(i));
      }
    });
    if (!room) return Status::MemoryLimit("no memory for the order of", file_->file_name());
    for (const uint32_t number : *made) {
      const ValueType type = KeyOf(BucketAt(number)).type;
      if (type != kTypeValue && type != kTypeDeletion) {
        return Corrupt("entry of type " + std::to_string(type) + " in a cuckoo table");
      }
    }
    std::sort(made->begin(), made->end(), [this](uint32_t a, uint32_t b) {
      return icmp_.Compare(KeyOf(BucketAt(a)), KeyOf(BucketAt(b))) < 0;
    });
    order_ = std::move(made);
  }
  *order = order_;
  return Status::OK();
}

class CuckooTableIterator final : public InternalIterator {
 public:
  CuckooTableIterator(CuckooTable* table, bool pin_data) : table_(table), pin_data_(pin_data) {}

  bool Valid() const override { return order_ != nullptr && at_ < order_->size(); }
  void SeekToFirst() override { Enter(HasOrder() ? 0 : kNowhere); }
  // (Before the first one is as nowhere as behind the last.)
  void SeekToLast() override { Enter(HasOrder() ? order_->size() - 1 : kNowhere); }
  void Seek(const Slice& internal_key) override { Enter(Find(internal_key)); }
  void SeekForPrev(const Slice& internal_key) override {
    const size_t at = Find(internal_key);
    if (at == kNowhere) return Enter(at);
    const bool same = at < order_->size() && Compare((*order_)[at], internal_key) == 0;
    Enter(same ? at : at - 1);
  }
  void Next() override { Enter(at_ + 1); }
  void Prev() override { Enter(at_ - 1); }
  Slice key() const override { return key_; }
  Slice value() const override { return table_->ValueOf(table_->BucketAt((*order_)[at_])); }
  Status status() const override { return status_; }
  bool IsValuePinned() const override { return pin_data_; }

 private:
  static constexpr size_t kNowhere = SIZE_MAX;

  // False: status_ says why.
  bool HasOrder() {
    if (order_ == nullptr) status_ = table_->GetOrder(&order_);
    return order_ != nullptr;
  }
  int Compare(uint32_t bucket, const Slice& internal_key) const {
    ParsedInternalKey target;
    target.user_key = ExtractUserKey(internal_key);
    UnpackSequenceAndType(ExtractInternalKeyFooter(internal_key), &target.sequence, &target.type);
    return table_->icmp_.Compare(table_->KeyOf(table_->BucketAt(bucket)), target);
  }
  size_t Find(const Slice& internal_key) {
    if (!HasOrder()) return kNowhere;
    const auto at = std::lower_bound(
        order_->begin(), order_->end(), internal_key,
        [this](uint32_t bucket, const Slice& target) { return Compare(bucket, target) < 0; });
    return static_cast<size_t>(at - order_->begin());
  }
  void Enter(size_t at) {
    at_ = at;
    if (!Valid()) return;
    const ParsedInternalKey key = table_->KeyOf(table_->BucketAt((*order_)[at]));
    key_.assign(key.user_key.data(), key.user_key.size());
    AppendInternalKeyFooter(&key_, key.sequence, key.type);
  }

  CuckooTable* const table_;
  const bool pin_data_;
  std::shared_ptr<const CuckooTable::Order> order_;
  size_t at_ = kNowhere;
  std::string key_;
  Status status_;
};

InternalIterator* CuckooTable::NewIterator(const ReadOptions& options, bool /*skip_filters*/,
                                           size_t /*compaction_readahead*/,
                                           bool /*for_compaction*/) {
  return new CuckooTableIterator(this, options.pin_data);
}

}  // namespace cairn
