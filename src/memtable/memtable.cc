#include "memtable/memtable.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <string>

#include "base/coding.h"

namespace cairn {
namespace {

constexpr size_t kFooterSize = kInternalKeyFooterSize;
constexpr size_t kMinBlock = 4096;
constexpr size_t kMaxBlock = size_t{1} << 20;

size_t BlockSize(const MemTableOptions& options) {
  if (options.arena_block_size != 0) return options.arena_block_size;
  const size_t size = std::clamp(options.write_buffer_size / 8, kMinBlock, kMaxBlock);
  return (size + kMinBlock - 1) / kMinBlock * kMinBlock;
}

class MemTableIterator final : public InternalIterator {
 public:
  explicit MemTableIterator(const SkipList* list) : list_(list) {}

  bool Valid() const override { return node_ != nullptr; }
  void SeekToFirst() override { node_ = list_->First(); }
  void SeekToLast() override { node_ = list_->Last(); }
  void Seek(const Slice& target) override { node_ = list_->FindGreaterOrEqual(target); }
  void SeekForPrev(const Slice& target) override {
    node_ = list_->FindGreaterOrEqual(target);
    if (node_ == nullptr) {
      node_ = list_->Last();
    } else if (node_->key() != target) {  // internal keys are equal only byte by byte
      node_ = list_->FindLessThan(target);
    }
  }
  void Next() override {
    assert(Valid());
    node_ = node_->Next(0);
    if (node_ != nullptr) __builtin_prefetch(node_->Next(0));
  }
  void Prev() override {
    assert(Valid());
    node_ = list_->FindLessThan(node_->key());
  }
  bool NextEntry(Slice* key, Slice* value) override {
    Next();
    if (node_ == nullptr) return false;
    *key = node_->key();
    *value = node_->value();
    return true;
  }
  Slice key() const override { return node_->key(); }
  Slice value() const override { return node_->value(); }
  Status status() const override { return Status::OK(); }
  bool IsKeyPinned() const override { return true; }
  bool IsValuePinned() const override { return true; }

 private:
  const SkipList* const list_;
  const SkipList::Node* node_ = nullptr;
};

Status Unsupported(ValueType type) {
  switch (type) {
    case kTypeMerge:
      return Status::NotSupported("Merge is not supported");
    case kTypeRangeDeletion:
      return Status::NotSupported("DeleteRange is not supported");
    default:
      return Status::NotSupported("Value type is not supported",
                                  std::to_string(static_cast<int>(type)));
  }
}

}  // namespace

MemTable::MemTable(const InternalKeyComparator& comparator, const MemTableOptions& options,
                   SequenceNumber earliest_seq)
    : comparator_(comparator),
      write_buffer_size_(options.write_buffer_size),
      arena_block_size_(BlockSize(options)),
      earliest_seq_(earliest_seq),
      arena_(arena_block_size_),
      list_(&comparator_, &arena_) {}

void MemTable::Unref() {
  // acq_rel: the last one must see what all others did before.
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

Status MemTable::Add(SequenceNumber seq, ValueType type, const Slice& key, const Slice& value,
                     bool allow_concurrent, MemTableCounters* counters) {
  if (type != kTypeValue && type != kTypeDeletion && type != kTypeSingleDeletion) [[unlikely]] {
    return Unsupported(type);
  }
  const size_t key_size = key.size() + kFooterSize;
  if (key_size > std::numeric_limits<uint32_t>::max() ||
      value.size() > std::numeric_limits<uint32_t>::max()) [[unlikely]] {
    return Status::InvalidArgument("Key or value exceeds 4 GiB");
  }
  SkipList::Node* node = list_.AllocateNode(key_size, value.size());
  char* p = node->key_data();
  std::memcpy(p, key.data(), key.size());
  EncodeFixed64(p + key.size(), PackSequenceAndType(seq, type));
  std::memcpy(p + key_size, value.data(), value.size());

  if (!(allow_concurrent ? list_.InsertConcurrently(node) : list_.Insert(node))) [[unlikely]] {
    return Status::TryAgain("Entry with this key and sequence number exists");
  }

  const size_t bytes = key_size + value.size();
  const bool is_delete = type != kTypeValue;
  if (counters != nullptr) {
    counters->entries += 1;
    counters->deletes += is_delete;
    counters->data_size += bytes;
  } else if (!allow_concurrent) {
    // The only writer: no read-modify-write needed.
    entries_.store(num_entries() + 1, std::memory_order_relaxed);
    data_size_.store(data_size() + bytes, std::memory_order_relaxed);
    if (is_delete) deletes_.store(num_deletes() + 1, std::memory_order_relaxed);
  } else {
    AddCounters({.entries = 1, .deletes = is_delete ? 1u : 0u, .data_size = bytes});
  }

  SequenceNumber first = first_seq_.load(std::memory_order_relaxed);
  while ((first == 0 || seq < first) &&
         !first_seq_.compare_exchange_weak(first, seq, std::memory_order_relaxed)) {
  }
  return Status::OK();
}

void MemTable::AddCounters(const MemTableCounters& counters) {
  entries_.fetch_add(counters.entries, std::memory_order_relaxed);
  data_size_.fetch_add(counters.data_size, std::memory_order_relaxed);
  if (counters.deletes != 0) deletes_.fetch_add(counters.deletes, std::memory_order_relaxed);
}

bool MemTable::Get(const LookupKey& key, Slice* value, Status* s, SequenceNumber* seq) const {
  const SkipList::Node* node = list_.FindGreaterOrEqual(key.internal_key());
  if (node == nullptr) return false;
  const Slice entry = node->key();
  const Slice user_key(entry.data(), entry.size() - kFooterSize);
  if (comparator_.CompareUserKey(user_key, key.user_key()) != 0) return false;

  const uint64_t footer = DecodeFixed64(entry.data() + user_key.size());
  if (seq != nullptr) *seq = footer >> 8;
  const auto type = static_cast<ValueType>(footer & 0xff);
  switch (type) {
    case kTypeValue:
      if (value != nullptr) *value = node->value();
      *s = Status::OK();
      return true;
    case kTypeDeletion:
    case kTypeSingleDeletion:
      *s = Status::NotFound();
      return true;
    default:
      *s = Unsupported(type);  // Add lets none in: a guard for what may come later
      return true;
  }
}

InternalIterator* MemTable::NewIterator() const { return new MemTableIterator(&list_); }

bool MemTable::ShouldFlush() const {
  // Full means that the blocks taken come to the limit, and little of the last one is left. (The
  // first check is cheap and settles nearly all calls.)
  const size_t allocated = arena_.MemoryAllocatedBytes();
  if (allocated + arena_block_size_ <= write_buffer_size_) return false;
  if (allocated > write_buffer_size_ + arena_block_size_) return true;
  return arena_.ApproximateMemoryUsage() + arena_block_size_ / 8 >= write_buffer_size_;
}

void MemTable::ApproximateRange(const Slice& begin, const Slice& end, uint64_t* count,
                                uint64_t* bytes) const {
  const uint64_t entries = num_entries();
  const uint64_t low = list_.EstimateCountBefore(begin);
  const uint64_t high = list_.EstimateCountBefore(end);
  *count = std::min(high > low ? high - low : 0, entries);
  *bytes =
      entries == 0 ? 0 : static_cast<uint64_t>(static_cast<double>(data_size()) / entries * *count);
}

}  // namespace cairn
