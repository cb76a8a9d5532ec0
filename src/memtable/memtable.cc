#include "memtable/memtable.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/coding.h"
#include "base/entry_checksum.h"
#include "base/perf.h"
#include "memtable/checked_search.h"
#include "memtable/memtable_filter.h"
#include "memtable/memtable_special.h"
#include "memtable/user_memtable.h"
#include "rocksdb/comparator.h"

namespace cairn {
namespace {

constexpr size_t kMinBlock = 4096;
constexpr size_t kMaxBlock = size_t{1} << 20;

// A smaller memtable is in the caches anyway.
constexpr size_t kPrefetchFrom = size_t{1} << 20;

size_t RoundUp(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

size_t BlockSize(const MemTableOptions& options) {
  const size_t size =
      options.arena_block_size != 0
          ? options.arena_block_size
          : RoundUp(std::clamp(options.write_buffer_size / 8, kMinBlock, kMaxBlock), kMinBlock);
  return options.huge_page_size == 0 ? size : RoundUp(size, options.huge_page_size);
}

ArenaOptions MakeArenaOptions(const MemTableOptions& options, size_t block_size,
                              AllocationTracker* tracker) {
  return {.block_size = block_size,
          .huge_page_size = options.huge_page_size,
          .reserved_huge_pages = options.reserved_huge_pages,
          .huge_page_pool = options.huge_page_pool,
          .tracker = tracker,
          .info_log = options.info_log};
}

Status Unsupported(ValueType type) {
  return Status::NotSupported("Value type is not supported",
                              std::to_string(static_cast<int>(type)));
}

}  // namespace

MemTable::MemTable(const InternalKeyComparator& comparator, const MemTableOptions& options,
                   SequenceNumber earliest_seq)
    : comparator_(comparator),
      write_buffer_size_(options.write_buffer_size),
      arena_block_size_(BlockSize(options)),
      max_range_tombstones_(options.max_range_tombstones),
      earliest_seq_(earliest_seq),
      charge_(options.client),
      arena_(MakeArenaOptions(options, arena_block_size_, &charge_)),
      list_(&comparator_, &arena_,
            options.kind == MemTableKind::kSkipList ? SkipList::kMaxHeight : 1),
      updates_in_place_(options.inplace_locks != 0 && options.kind != MemTableKind::kUser) {
  auto special = std::make_unique<Special>();
  special->prefix_extractor = options.prefix_extractor;
  special->filter_whole_keys = options.filter_whole_keys;
  special->protection_bytes = options.protection_bytes;
  // Where keys of different bytes may be equal, their hashes say nothing.
  const bool hashable = !comparator_.user_comparator()->CanKeysWithDifferentByteContentsBeEqual();
  if (options.filter_bytes > 0 && hashable &&
      (options.filter_whole_keys || options.prefix_extractor != nullptr)) {
    special->filter = std::make_unique<MemTableFilter>(&arena_, options.filter_bytes);
  }
  if (options.kind == MemTableKind::kVector) {
    special->index = NewVectorIndex(&comparator_, &arena_, options.vector_reserve);
  } else if (options.kind == MemTableKind::kHashSkipList) {
    assert(options.prefix_extractor != nullptr);
    special->index =
        NewHashSkipListIndex(&comparator_, &arena_, options.prefix_extractor, options.hash);
  } else if (options.kind == MemTableKind::kHashLinkList) {
    assert(options.prefix_extractor != nullptr);
    HashLinkListOptions links = options.links;
    links.info_log = options.info_log;
    special->index = NewHashLinkListIndex(&comparator_, &arena_, options.prefix_extractor, links);
  }
  if (options.kind == MemTableKind::kUser) {
    special->user = std::make_unique<UserMemTable>(options.user_factory, &comparator_, &arena_,
                                                   options.prefix_extractor, options.info_log,
                                                   options.column_family);
  }
  if (special->index == nullptr && special->user == nullptr) {
    special->check_order = options.check_order;
    special->check_on_seek = options.check_on_seek && options.protection_bytes != 0;
  }
  if (updates_in_place_) {
    special->value_locks = std::make_unique<fiber::Mutex[]>(options.inplace_locks);
    special->value_lock_count = options.inplace_locks;
    special->inplace_callback = options.inplace_callback;
    special->statistics = options.statistics;
    special->check_on_seek = false;  // (what a search passes by may change under it)
  }
  if (updates_in_place_ || special->index != nullptr || special->user != nullptr ||
      special->filter != nullptr || special->protection_bytes != 0 || special->checks_searches()) {
    special_ = std::move(special);
  }
}

MemTable::~MemTable() = default;

void MemTable::Unref() {
  // acq_rel: the last one must see what all others did before.
  if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

Status MemTable::Add(SequenceNumber seq, ValueType type, const Slice& key, const Slice& value,
                     bool allow_concurrent, MemTableCounters* counters, const uint64_t* checksum) {
  if (type > kTypeMerge && type != kTypeSingleDeletion && type != kTypeWideColumnEntity &&
      type != kTypeDeletionWithTimestamp) [[unlikely]] {
    return type == kTypeRangeDeletion ? AddTombstone(seq, key, value, checksum) : Unsupported(type);
  }
  const size_t key_size = key.size() + kInternalKeyFooterSize;
  if (key_size > std::numeric_limits<uint32_t>::max() ||
      value.size() > std::numeric_limits<uint32_t>::max()) [[unlikely]] {
    return Status::InvalidArgument("Key or value exceeds 4 GiB");
  }
  if (special_ != nullptr && special_->user != nullptr) [[unlikely]] {
    return AddToUser(seq, type, key, value, allow_concurrent, counters, checksum);
  }
  SkipList::Node* node = special_ == nullptr ? list_.AllocateNode(key_size, value.size())
                                             : AllocateSpecial(key, key_size, value.size());
  if (node == nullptr) [[unlikely]]
    return Status::MemoryLimit("no memory for an entry of the memtable");
  char* p = node->key_data();
  std::memcpy(p, key.data(), key.size());
  EncodeFixed64(p + key.size(), PackSequenceAndType(seq, type));
  std::memcpy(p + key_size, value.data(), value.size());
  if (checksum != nullptr && EntryChecksum(type, Slice(p, key.size()), node->value()) != *checksum)
      [[unlikely]] {
    return EntryChanged(node->key());
  }
  if (const size_t bytes = protection_bytes(); bytes != 0) {
    const uint64_t own = checksum != nullptr ? *checksum : EntryChecksum(type, key, value);
    EncodeChecksum(XorSequence(own, seq), bytes, p + key_size + value.size());
  }

  const bool inserted = special_ != nullptr && special_->index != nullptr
                            ? special_->index->Insert(node)
                        : allow_concurrent ? list_.InsertConcurrently(node)
                                           : list_.Insert(node, &hint_);
  if (!inserted) [[unlikely]] {
    return Status::TryAgain("Entry with this key and sequence number exists");
  }

  NoteEntry(seq, type, key, key_size + value.size(), allow_concurrent, counters);
  return Status::OK();
}

inline void MemTable::NoteEntry(SequenceNumber seq, ValueType type, const Slice& key, size_t bytes,
                                bool allow_concurrent, MemTableCounters* counters) {
  const bool is_delete = IsDeletionType(type);
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

  NoteSequence(seq);
  if (comparator_.timestamp_size() == kUnpersistedTimestampSize) [[unlikely]]
    NoteTimestamp(key);
}

Status MemTable::AddToUser(SequenceNumber seq, ValueType type, const Slice& key, const Slice& value,
                           bool allow_concurrent, MemTableCounters* counters,
                           const uint64_t* checksum) {
  AddToFilter(key);
  const size_t key_size = key.size() + kInternalKeyFooterSize;
  const size_t protection = special_->protection_bytes;
  UserMemTable::Entry entry;
  Status s = special_->user->Allocate(key_size, value.size(), protection, &entry);
  if (!s.ok()) return s;
  std::memcpy(entry.key, key.data(), key.size());
  EncodeFixed64(entry.key + key.size(), PackSequenceAndType(seq, type));
  std::memcpy(entry.value, value.data(), value.size());
  const Slice stored_key(entry.key, key.size());
  if (checksum != nullptr &&
      EntryChecksum(type, stored_key, Slice(entry.value, value.size())) != *checksum) {
    return EntryChanged(Slice(entry.key, key_size));
  }
  if (protection != 0) {
    const uint64_t own = checksum != nullptr ? *checksum : EntryChecksum(type, key, value);
    EncodeChecksum(XorSequence(own, seq), protection, entry.value + value.size());
  }
  s = special_->user->Insert(entry, allow_concurrent);
  if (s.ok()) NoteEntry(seq, type, key, key_size + value.size(), allow_concurrent, counters);
  return s;
}

Status MemTable::creation_status() const {
  return special_ == nullptr || special_->user == nullptr ? Status::OK() : special_->user->status();
}

bool MemTable::SupportsMerge() const {
  return special_ == nullptr || special_->user == nullptr || special_->user->supports_merge();
}

bool MemTable::SupportsSnapshots() const {
  if (updates_in_place_) return false;
  return special_ == nullptr || special_->user == nullptr || special_->user->supports_snapshots();
}

void MemTable::FinishConcurrentBatch() {
  if (special_ != nullptr && special_->user != nullptr) special_->user->FinishConcurrentBatch();
}

void MemTable::MarkImmutable() {
  charge_.StopWriting();
  if (special_ != nullptr && special_->user != nullptr) special_->user->MarkReadOnly();
}

void MemTable::MarkFlushed() {
  if (special_ != nullptr && special_->user != nullptr) special_->user->MarkFlushed();
}

size_t MemTable::UserMemory() const {
  return special_ == nullptr || special_->user == nullptr
             ? 0
             : special_->user->ApproximateMemoryUsage();
}

void MemTable::NoteTimestamp(const Slice& user_key) {
  const Slice timestamp = comparator_.TimestampIn(user_key);
  if (timestamp.size() != kUnpersistedTimestampSize) return;  // (a damaged log's)
  const uint64_t number = DecodeFixed64(timestamp.data());
  if (number > newest_timestamp_.load(std::memory_order_relaxed)) {
    newest_timestamp_.store(number, std::memory_order_relaxed);
  }
  has_timestamp_.store(true, std::memory_order_release);
}

std::string MemTable::newest_timestamp() const {
  std::string timestamp;
  if (has_timestamp_.load(std::memory_order_acquire)) {
    PutFixed64(&timestamp, newest_timestamp_.load(std::memory_order_relaxed));
  }
  return timestamp;
}

void MemTable::NoteSequence(SequenceNumber seq) {
  SequenceNumber first = first_seq_.load(std::memory_order_relaxed);
  while ((first == 0 || seq < first) &&
         !first_seq_.compare_exchange_weak(first, seq, std::memory_order_relaxed)) {
  }
}

bool MemTable::WantsPrefetch(bool allow_concurrent) const {
  if (arena_.MemoryAllocatedBytes() < kPrefetchFrom) return false;
  if (special_ != nullptr && (special_->index != nullptr || special_->user != nullptr))
    return false;
  return allow_concurrent || !hint_.was_useful;
}

// Before the entry is visible to anybody.
void MemTable::AddToFilter(const Slice& key) {
  MemTableFilter* const filter = special_->filter.get();
  if (filter == nullptr) return;
  const SliceTransform* const extractor = special_->prefix_extractor;
  const Slice bare = comparator_.BareKey(key);
  if (extractor != nullptr && extractor->InDomain(bare)) filter->Add(extractor->Transform(bare));
  if (special_->filter_whole_keys) filter->Add(bare);
}

SkipList::Node* MemTable::AllocateSpecial(const Slice& key, size_t key_size, size_t value_size) {
  AddToFilter(key);
  const size_t behind_key = value_size + special_->protection_bytes;
  SkipList::Node* const node = special_->index != nullptr
                                   ? special_->index->AllocateNode(key_size, behind_key)
                                   : list_.AllocateNode(key_size, behind_key);
  if (node != nullptr) node->value_size = static_cast<uint32_t>(value_size);
  return node;
}

bool MemTable::IsIntact(const Slice& internal_key, const Slice& value) const {
  const uint64_t checksum = XorSequence(
      EntryChecksum(ExtractValueType(internal_key), ExtractUserKey(internal_key), value),
      ExtractSequence(internal_key));
  char expected[sizeof(uint64_t)];
  EncodeChecksum(checksum, special_->protection_bytes, expected);
  return std::memcmp(value.data() + value.size(), expected, special_->protection_bytes) == 0;
}

bool MemTable::FilterMayContain(const Slice& key) const {
  const MemTableFilter* const filter = special_->filter.get();
  if (filter == nullptr) return true;
  if (special_->filter_whole_keys) return AskFilter(*filter, key);
  const SliceTransform* const extractor = special_->prefix_extractor;
  return !extractor->InDomain(key) || AskFilter(*filter, extractor->Transform(key));
}

Status MemTable::FindSpecial(const LookupKey& key, const SkipList::Node** node) const {
  *node = nullptr;
  if (!FilterMayContain(key.user_key())) return Status::OK();
  if (special_->checks_searches()) {
    return FindChecked(list_, comparator_, SearchCheck(this), key.internal_key(), node, nullptr);
  }
  *node = special_->index != nullptr ? special_->index->Find(key.internal_key())
                                     : list_.FindGreaterOrEqual(key.internal_key());
  return Status::OK();
}

void MemTable::AddCounters(const MemTableCounters& counters) {
  entries_.fetch_add(counters.entries, std::memory_order_relaxed);
  data_size_.fetch_add(counters.data_size, std::memory_order_relaxed);
  if (counters.deletes != 0) deletes_.fetch_add(counters.deletes, std::memory_order_relaxed);
}

bool MemTable::Get(const LookupKey& key, Slice* value, Status* s, SequenceNumber* seq,
                   MergeOperands* operands, bool ignore_tombstones, bool* is_entity,
                   std::string* timestamp) const {
  if (comparator_.timestamp_size() != 0) [[unlikely]] {
    return GetVersion(key, value, s, seq, operands, ignore_tombstones, is_entity, timestamp);
  }
  if (num_range_tombstones() != 0 && !ignore_tombstones) [[unlikely]] {
    const SequenceNumber covering = range_tombstones()->Covering(key.user_key(), key.sequence());
    if (covering != 0) {
      Perf().Count(&PerfContext::get_from_memtable_count);
      return GetSlowly(key, value, s, seq, operands, {covering, nullptr, Slice()}, is_entity,
                       nullptr);
    }
  }
  const SkipList::Node* node;
  if (special_ == nullptr) {
    node = list_.FindGreaterOrEqual(key.internal_key());
  } else if (special_->user != nullptr || updates_in_place_) {
    if (num_entries() != 0) Perf().Count(&PerfContext::get_from_memtable_count);
    return FilterMayContain(key.user_key()) &&
           GetSlowly(key, value, s, seq, operands, {}, is_entity, nullptr);
  } else if (Status found = FindSpecial(key, &node); !found.ok()) [[unlikely]] {
    *s = std::move(found);
    return true;
  }
  if (node == nullptr) {
    if (num_entries() != 0) Perf().Count(&PerfContext::get_from_memtable_count);
    return false;
  }
  if (PerfContext* const counters = Perf().counters()) {
    counters->get_from_memtable_count += 1;
    counters->user_key_comparison_count += 1;
  }
  const Slice entry = node->key();
  const Slice user_key(entry.data(), entry.size() - kInternalKeyFooterSize);
  if (comparator_.CompareUserKey(user_key, key.user_key()) != 0) return false;

  if (protection_bytes() != 0 && !IsIntact(entry, node->value())) [[unlikely]] {
    *s = EntryChanged(entry);
    return true;
  }
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
    case kTypeMerge:
      return GetSlowly(key, value, s, nullptr, operands, {}, is_entity, nullptr);
    case kTypeWideColumnEntity:
      if (is_entity != nullptr) {
        *is_entity = true;
        if (value != nullptr) *value = node->value();
        *s = Status::OK();
        return true;
      }
      [[fallthrough]];
    default:
      *s = Unsupported(type);
      return true;
  }
}

bool MemTable::GetSlowly(const LookupKey& key, Slice* value, Status* s, SequenceNumber* seq,
                         MergeOperands* operands, const Cover& cover, bool* is_entity,
                         std::string* timestamp) const {
  // Gives a value out. One that may be overwritten is only the iterator's copy.
  const auto give = [&](const Slice& stored) {
    *s = Status::OK();
    if (value == nullptr) return;
    *value = updates_in_place_ && operands != nullptr ? operands->Keep(stored) : stored;
    if (value->data() == nullptr) *s = Status::MemoryLimit("no memory for the value");
  };
  // What an entry says: true, to go on to the next. Sets *s where it decides.
  bool decided = false;
  const auto step = [&](const Slice& entry, const Slice& stored) {
    if (!comparator_.EqualBare(ExtractUserKey(entry), key.user_key())) return false;
    // (An older timestamp may have been written later.)
    if (ExtractSequence(entry) > key.sequence()) return true;
    if (ExtractSequence(entry) < cover.sequence) return false;
    if (seq != nullptr) *seq = ExtractSequence(entry);
    seq = nullptr;  // the newest one's
    if (timestamp != nullptr && timestamp->empty()) {
      *timestamp = comparator_.TimestampIn(ExtractUserKey(entry)).ToString();
    }
    decided = true;
    switch (const ValueType type = ExtractValueType(entry)) {
      case kTypeMerge:
        if (operands == nullptr) {
          *s = Status::MergeInProgress();
          return false;
        }
        if (operands->PushOlder(stored, /*pinned=*/!updates_in_place_)) {
          decided = false;
          return true;
        }
        *s = Status::NotFound();
        return false;
      case kTypeValue:
        give(stored);
        return false;
      case kTypeDeletion:
      case kTypeSingleDeletion:
      case kTypeDeletionWithTimestamp:
        *s = Status::NotFound();
        return false;
      case kTypeWideColumnEntity:
        if (is_entity != nullptr) {
          *is_entity = true;
          give(stored);
          return false;
        }
        [[fallthrough]];
      default:
        *s = Unsupported(type);
        return false;
    }
  };
  Status read;
  if (special_ != nullptr && special_->user != nullptr) {
    Status changed;
    read = special_->user->Get(key, [&](const Slice& entry, const Slice& stored) {
      if (special_->protection_bytes != 0 && !IsIntact(entry, stored)) {
        changed = EntryChanged(entry);
        return false;
      }
      return step(entry, stored);
    });
    if (read.ok()) read = std::move(changed);
  } else {
    const std::unique_ptr<InternalIterator> iter(NewIterator(/*one_prefix=*/true));
    iter->Seek(key.internal_key());
    while (iter->Valid() && step(iter->key(), iter->value())) iter->Next();
    if (!decided) read = iter->status();
  }
  if (!read.ok()) {
    *s = std::move(read);
    return true;
  }
  if (decided) return true;
  if (cover.sequence == 0) return false;
  if (seq != nullptr) *seq = cover.sequence;
  if (timestamp != nullptr && timestamp->empty()) *timestamp = cover.timestamp.ToString();
  *s = Status::NotFound();
  return true;
}

bool MemTable::GetVersion(const LookupKey& key, Slice* value, Status* s, SequenceNumber* seq,
                          MergeOperands* operands, bool ignore_tombstones, bool* is_entity,
                          std::string* timestamp) const {
  Cover cover;
  if (num_range_tombstones() != 0 && !ignore_tombstones) {
    cover.all = range_tombstones();
    cover.sequence = cover.all->Covering(key.user_key(), key.sequence(), &cover.timestamp);
  }
  if (num_entries() != 0 || cover.sequence != 0)
    Perf().Count(&PerfContext::get_from_memtable_count);
  if (cover.sequence == 0 && special_ != nullptr &&
      !FilterMayContain(comparator_.BareKey(key.user_key()))) {
    return false;
  }
  return GetSlowly(key, value, s, seq, operands, cover, is_entity, timestamp);
}

size_t MemTable::CountSuccessiveMerges(const LookupKey& key, size_t limit) const {
  const std::unique_ptr<InternalIterator> iter(NewIterator(/*one_prefix=*/true));
  size_t count = 0;
  for (iter->Seek(key.internal_key()); count < limit && iter->Valid(); iter->Next()) {
    if (ExtractValueType(iter->key()) != kTypeMerge ||
        !comparator_.EqualBare(ExtractUserKey(iter->key()), key.user_key())) {
      break;
    }
    ++count;
  }
  return count;
}

bool MemTable::IsEmpty() const {
  if (num_range_tombstones() != 0) return false;
  if (special_ != nullptr && special_->user != nullptr) return special_->user->IsEmpty();
  return special_ == nullptr || special_->index == nullptr ? list_.First() == nullptr
                                                           : special_->index->IsEmpty();
}

void MemTable::Sample(size_t at_least,
                      const std::function<void(const Slice& key, const Slice& value)>& take) const {
  if (special_ == nullptr || (special_->index == nullptr && special_->user == nullptr)) {
    // Which nodes are on a level is chance.
    int level = list_.height() - 1;
    for (; level > 0; --level) {
      size_t nodes = 0;
      const SkipList::Node* node = list_.head()->Next(level);
      for (; node != nullptr && nodes < at_least; node = node->Next(level)) ++nodes;
      if (nodes >= at_least) break;
    }
    const SkipList::Node* node = list_.head()->Next(level);
    for (; node != nullptr; node = node->Next(level)) take(node->key(), node->value());
    return;
  }
  const uint64_t step = std::max<uint64_t>(num_entries() / std::max<size_t>(at_least, 1), 1);
  const std::unique_ptr<InternalIterator> iter(NewIterator());
  uint64_t i = 0;
  for (iter->SeekToFirst(); iter->Valid(); iter->Next(), ++i) {
    if (i % step == 0) take(iter->key(), iter->value());
  }
}

void MemTable::LogDistribution() const {
  if (special_ != nullptr && special_->index != nullptr) special_->index->LogDistribution();
}

bool MemTable::ShouldFlush() const {
  // Full means that the blocks taken come to the limit, and little of the last one is left. (The
  // first check is cheap and settles nearly all calls.)
  const size_t beside = UserMemory();
  const size_t allocated = arena_.MemoryAllocatedBytes() + beside;
  const size_t limit = write_buffer_size();
  if (allocated + arena_block_size_ <= limit) {
    return max_range_tombstones_ != 0 && num_range_tombstones() >= max_range_tombstones_;
  }
  if (allocated > limit + arena_block_size_) return true;
  // (Blocks of huge pages may be larger than the limit.)
  const size_t rest = std::min(arena_block_size_, limit) / 8;
  return arena_.ApproximateMemoryUsage() + beside + rest >= limit;
}

void MemTable::ApproximateRange(const Slice& begin, const Slice& end, uint64_t* count,
                                uint64_t* bytes) const {
  const uint64_t entries = num_entries();
  const auto count_before = [this](const Slice& key) {
    return special_ != nullptr && special_->index != nullptr
               ? special_->index->EstimateCountBefore(key)
               : list_.EstimateCountBefore(key);
  };
  if (special_ != nullptr && special_->user != nullptr) {
    *count = std::min(special_->user->CountBetween(begin, end), entries);
  } else {
    const uint64_t low = count_before(begin);
    const uint64_t high = count_before(end);
    *count = std::min(high > low ? high - low : 0, entries);
  }
  *bytes =
      entries == 0 ? 0 : static_cast<uint64_t>(static_cast<double>(data_size()) / entries * *count);
}

}  // namespace cairn
