#include "table/block.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/perf.h"
#include "rocksdb/memory_allocator.h"
#include "table/block_builder.h"
#include "table/block_memory.h"
#include "table/key_prefix.h"

namespace cairn {

using block_internal::CompareBytes;
using block_internal::CompareInternal;
using block_internal::DecodeEntry;
using block_internal::LastRestartBefore;
using block_internal::MatchLength;

// ---- Block

void Block::Free::operator()(Block* block) const {
  if (block->protection_ != nullptr) [[unlikely]] {
    block->capacity_ -= block->protection_->memory_usage();
    delete block->protection_;
  }
  if (block->is_of_allocator_) [[unlikely]] {
    MemoryAllocator* allocator = nullptr;
    std::memcpy(&allocator, block->data() + block->capacity_, sizeof(MemoryAllocator*));
    return allocator->Deallocate(block);
  }
  FreeBlockMemory(block, sizeof(Block) + block->capacity_);
}

Block::Ptr Block::AllocateFrom(MemoryAllocator* allocator, size_t size, size_t slack,
                               uint64_t file_offset) {
  const size_t extra = sizeof(Block) + sizeof(MemoryAllocator*);
  const size_t asked = size + slack + extra;
  void* memory = allocator->Allocate(asked);
  if (memory == nullptr) return nullptr;
  Block* block = new (memory) Block();
  block->size_ = size;
  block->capacity_ = std::max(asked, allocator->UsableSize(memory, asked)) - extra;
  block->file_offset_ = file_offset;
  block->is_of_allocator_ = true;
  std::memcpy(block->mutable_data() + block->capacity_, &allocator, sizeof(MemoryAllocator*));
  return Ptr(block);
}

Block::Ptr Block::Allocate(size_t size, size_t slack, uint64_t file_offset,
                           MemoryAllocator* allocator) {
  if (allocator != nullptr) [[unlikely]] {
    return AllocateFrom(allocator, size, slack, file_offset);
  }
  size_t room = sizeof(Block) + size + slack;
  void* memory = AllocateBlockMemory(&room);
  if (memory == nullptr) return nullptr;
  Block* block = new (memory) Block();
  block->size_ = size;
  block->capacity_ = room - sizeof(Block);
  block->file_offset_ = file_offset;
  return Ptr(block);
}

const char* Block::ParseRestarts() {
  if (size_ < 8 || size_ > UINT32_MAX) return "block of impossible size";
  const char* end = data() + size_;
  const uint32_t word = DecodeFixed32(end - 4);
  const uint32_t count = word & block_footer::kCountMask;
  size_t tail = 4;
  if ((word & (block_footer::kReserved | block_footer::kSeparateValues)) != 0) {
    unknown_feature_ = true;
    return "block uses a feature of a newer format";
  }
  if ((word & block_footer::kHashIndex) != 0) {
    num_buckets_ = static_cast<uint16_t>(static_cast<unsigned char>(end[-6]) |
                                         static_cast<unsigned char>(end[-5]) << 8);
    if (num_buckets_ == 0) return "hash index without buckets";
    tail = 4 + 2 + size_t{num_buckets_};
  }
  if (count == 0 || tail + uint64_t{count} * 4 > size_) return "bad restart count";
  num_restarts_ = count;
  restarts_offset_ = static_cast<int64_t>(size_ - tail - uint64_t{count} * 4);
  return nullptr;
}

void Block::MarkRestarts() {
  if (protection_ == nullptr) marks_.Make(data(), data() + restarts_offset_, num_restarts_);
}

uint32_t Block::PrefetchInterval(const Slice& user_key) const {
  const RestartMarks::Range range = NarrowRestarts(user_key);
  if (range.offset == RestartMarks::kUnknown) {
    compiler::Prefetch(data() + restarts_offset_);
    return range.offset;
  }
  constexpr size_t kLines = 8;
  for (size_t i = 0; i < kLines; ++i) compiler::Prefetch(data() + range.offset + 64 * i);
  return range.offset;
}

uint8_t Block::FindInHashIndex(const Slice& user_key) const {
  const char* const buckets = data() + restarts_offset_ + uint64_t{num_restarts_} * 4;
  return static_cast<uint8_t>(buckets[block_hash::HashOf(user_key) % num_buckets_]);
}

void KeyBuffer::Grow(size_t size, size_t keep) {
  const size_t capacity = std::max(size, capacity_ * 2);
  char* bigger = new char[capacity];
  std::memcpy(bigger, data_, keep);
  if (data_ != inline_) delete[] data_;
  data_ = bigger;
  capacity_ = capacity;
}

const char* block_internal::LastRestartBefore(const char* data, const char* limit,
                                              uint32_t num_restarts, const char* end) {
  uint32_t left = 0;
  uint32_t right = num_restarts - 1;
  while (left < right) {
    const uint32_t middle = (left + right + 1) / 2;
    const char* const p = RestartPoint(data, limit, middle);
    if (p == nullptr) return nullptr;
    if (p < end) {
      left = middle;
    } else {
      right = middle - 1;
    }
  }
  const char* const p = RestartPoint(data, limit, left);
  return p != nullptr && p < end ? p : nullptr;
}

// ---- DataBlockIter

void DataBlockIter::SeekToFirst() {
  if (block_ == nullptr) return;
  ParseRestart(data_);
}

void DataBlockIter::SeekToLast() {
  if (block_ == nullptr) return;
  if (data_ >= limit_) return SeekToLastChecked();
  const char* p = RestartPoint(block_->num_restarts() - 1);
  if (p == nullptr) return SetCorrupt();
  ParseRestart(p);
  while (Valid() && next_ < limit_) ParseAt(next_);
}

template <typename Less>
const char* DataBlockIter::FindRestart(uint32_t left, uint32_t right, Less less) {
  while (left < right) {
    const uint32_t middle = (left + right + 1) / 2;
    const char* p = RestartPoint(middle);
    uint32_t shared, other, value_size;
    const char* k = p == nullptr ? nullptr : DecodeEntry(p, limit_, &shared, &other, &value_size);
    if (k == nullptr || shared != 0 || other < 8) {
      SetCorrupt();
      return nullptr;
    }
    ++compared_;
    if (less(k, other)) {
      left = middle;
    } else {
      right = middle - 1;
    }
  }
  const char* p = RestartPoint(left);
  if (p == nullptr) SetCorrupt();
  return p;
}

void DataBlockIter::Seek(const Slice& target) {
  const Perf perf;
  const PerfTimer timer(perf, &PerfContext::block_seek_nanos);
  perf.Count(&PerfContext::user_key_comparison_count, SeekUncounted(target));
}

bool DataBlockIter::SeekByHash(const Slice& target) {
  const uint8_t interval = block_->FindInHashIndex(ExtractUserKey(target));
  if (interval == block_hash::kNone) return false;
  if (interval == block_hash::kSeveral) {
    Seek(target);
    return true;
  }
  const Perf perf;
  const PerfTimer timer(perf, &PerfContext::block_seek_nanos);
  compared_ = 0;
  const char* const start = interval < block_->num_restarts() ? RestartPoint(interval) : nullptr;
  if (start == nullptr) {
    SetCorrupt();
  } else if (bytewise_) {
    ScanBytewise(start, target);
  } else {
    ScanGeneric(start, target);
  }
  perf.Count(&PerfContext::user_key_comparison_count, compared_);
  return true;
}

void DataBlockIter::SeekBytewise(const Slice& target, uint32_t interval) {
  if (interval != RestartMarks::kUnknown) return ScanBytewise(data_ + interval, target);
  if (block_ == nullptr) return;
  if (data_ >= limit_) return SeekChecked(target);
  const RestartMarks::Range range = block_->NarrowRestarts(ExtractUserKey(target));
  if (range.offset != RestartMarks::kUnknown) return ScanBytewise(data_ + range.offset, target);
  const char* const start = FindRestart(range.low, range.high, [&](const char* k, uint32_t size) {
    return CompareInternal(k, size, target.data(), target.size()) < 0;
  });
  if (start != nullptr) ScanBytewise(start, target);
}

// The linear part compares without building keys. Let `match` be how many bytes the user key of the
// entry before (which is < target) has in common with the target's. An entry that shares more than
// `match` bytes with it has the same byte where it fell short, so it is < target, too, and is
// skipped unseen. Otherwise its own bytes begin at or before the first difference, so that
// comparing those decides, and its shared bytes are the target's.
void DataBlockIter::ScanBytewise(const char* start, const Slice& target) {
  const char* const t = target.data();
  const size_t t_size = target.size() - 8;  // of the user key
  const uint64_t t_trailer = DecodeFixed64(t + t_size);
  size_t match = 0;
  // The entry before has no byte of its user key at `match`: it is a prefix of the target, or equal
  // to it.
  bool ended = false;
  const char* p = start;
  while (p < limit_) {
    uint32_t shared, other, value_size;
    const char* k = DecodeEntry(p, limit_, &shared, &other, &value_size);
    if (k == nullptr || uint64_t{shared} + other < 8) [[unlikely]]
      return SetCorrupt();
    const size_t size = size_t{shared} + other - 8;  // of the user key
    if (shared > match) {
      if (ended || size <= match) return ScanGeneric(start, target);
      p = k + other + value_size;
      continue;
    }
    if (size < shared) return ScanGeneric(start, target);
    ++compared_;
    const size_t rest = size - shared;
    const size_t t_rest = t_size - shared;
    const size_t n = std::min(rest, t_rest);
    const size_t same = MatchLength(k, t + shared, n);
    bool smaller;
    if (same < n) {
      smaller = static_cast<unsigned char>(k[same]) < static_cast<unsigned char>(t[shared + same]);
      ended = false;
    } else if (rest != t_rest) {
      smaller = rest < t_rest;
      ended = true;
    } else {
      smaller = DecodeFixed64(k + rest) > t_trailer;
      ended = true;
    }
    if (!smaller) {
      if (shared == 0) {
        key_ = k;
      } else {
        buffer_.Reserve(shared + other, 0);
        char* buffer = buffer_.data();
        std::memcpy(buffer, t, shared);
        std::memcpy(buffer + shared, k, other);
        key_ = buffer;
      }
      key_size_ = shared + other;
      value_ = k + other;
      value_size_ = value_size;
      current_ = p;
      next_ = value_ + value_size;
      return;
    }
    match = shared + same;
    p = k + other + value_size;
  }
  Invalidate();
}

void DataBlockIter::SeekGeneric(const Slice& target) {
  if (block_ == nullptr) return;
  if (data_ >= limit_) return SeekChecked(target);
  const char* start = FindRestart(0, block_->num_restarts() - 1, [&](const char* k, uint32_t size) {
    return icmp_->Compare(Slice(k, size), target) < 0;
  });
  if (start != nullptr) ScanGeneric(start, target);
}

void DataBlockIter::ScanGeneric(const char* from, const Slice& target) {
  ParseRestart(from);
  while (Valid()) {
    ++compared_;
    if (icmp_->Compare(key(), target) >= 0) break;
    ParseAt(next_);
  }
}

void DataBlockIter::SeekForPrev(const Slice& target) {
  Seek(target);
  if (corrupt_) return;
  if (!Valid()) return SeekToLast();
  if (icmp_->Compare(key(), target) > 0) Prev();
}

void DataBlockIter::Prev() {
  if (prev_ == nullptr) prev_ = std::make_unique<PrevCache>();
  PrevCache& cache = *prev_;
  const bool cached = !cache.entries.empty() && cache.at < cache.entries.size() &&
                      cache.entries[cache.at].start == current_;
  if (!cached || cache.at == 0) {
    // Decode the restart interval that ends before the current entry.
    const char* const end = current_;
    if (end == data_) return Invalidate();
    if (limit_ < data_) return ParseBefore(end);
    const char* p = LastRestartBefore(data_, limit_, block_->num_restarts(), end);
    if (p == nullptr) return SetCorrupt();
    cache.entries.clear();
    std::string keys;
    uint32_t last_offset = 0;
    uint32_t last_size = 0;
    while (p < end) {
      uint32_t shared, other, value_size;
      const char* k = DecodeEntry(p, limit_, &shared, &other, &value_size);
      if (k == nullptr || shared > last_size || uint64_t{shared} + other < 8) return SetCorrupt();
      const auto offset = static_cast<uint32_t>(keys.size());
      keys.resize(offset + shared + other);
      std::memcpy(keys.data() + offset, keys.data() + last_offset, shared);
      std::memcpy(keys.data() + offset + shared, k, other);
      last_offset = offset;
      last_size = shared + other;
      cache.entries.push_back({p, k + other, value_size, last_offset, last_size});
      p = k + other + value_size;
    }
    if (p != end) return SetCorrupt();
    cache.keys = std::move(keys);
    cache.at = cache.entries.size();
  }
  const PrevEntry& e = cache.entries[--cache.at];
  current_ = e.start;
  key_ = cache.keys.data() + e.key_offset;
  key_size_ = e.key_size;
  value_ = e.value;
  value_size_ = e.value_size;
  next_ = value_ + value_size_;
}

// ---- IndexBlock

namespace {

Slice UserPart(const Slice& separator, bool user_keys) {
  return user_keys ? separator : Slice(separator.data(), separator.size() - 8);
}

// How many of the sorted numbers are < `value`.
uint32_t LowerBound(const uint64_t* numbers, uint32_t n, uint64_t value) {
  const uint64_t* base = numbers;
  while (n > 1) {
    const uint32_t half = n / 2;
    base = base[half - 1] < value ? base + half : base;  // compiles to a conditional move
    n -= half;
  }
  return static_cast<uint32_t>(base - numbers) + (n == 1 && *base < value ? 1 : 0);
}

}  // namespace

const char* IndexBlock::Init(bool bytewise) {
  if (const char* error = block_->ParseRestarts()) return error;
  IndexBlockIter it;
  it.Init(this, nullptr, bytewise);
  const uint32_t restarts = block_->num_restarts();
  bool sorted = true;
  std::string last;
  uint32_t at_restart = 0;
  Slice first_restart, last_restart;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    const Slice user = UserPart(it.key(), format_.user_keys);
    if (bytewise && CompareBytes(last.data(), last.size(), user.data(), user.size()) > 0)
      sorted = false;
    last.assign(user.data(), user.size());
    if (at_restart < restarts && it.current_ == it.RestartPoint(at_restart)) ++at_restart;
  }
  if (it.corrupt()) return "bad index entry";
  if (block_->restarts_offset() == 0) return nullptr;  // no entries
  if (!sorted) return "index keys out of order";
  if (at_restart != restarts) return "bad restart point";
  if (!bytewise) return nullptr;

  Slice first, end;
  if (!it.RestartKey(0, &first) || !it.RestartKey(restarts - 1, &end)) return "bad restart point";
  first = UserPart(first, format_.user_keys);
  end = UserPart(end, format_.user_keys);
  common_ = Slice(first.data(),
                  MatchLength(first.data(), end.data(), std::min(first.size(), end.size())));
  auto prefixes = std::make_unique<uint64_t[]>(restarts);
  for (uint32_t i = 0; i < restarts; ++i) {
    Slice key;
    if (!it.RestartKey(i, &key)) return "bad restart point";
    prefixes[i] = PrefixNumber<uint64_t>(UserPart(key, format_.user_keys), common_.size());
  }
  prefixes_ = std::move(prefixes);
  return nullptr;
}

bool IndexBlock::Narrow(const Slice& user_key, uint32_t* low, uint32_t* high) const {
  const uint32_t n = block_->num_restarts();
  // How the target compares with what all restart keys begin with.
  const size_t head = std::min(common_.size(), user_key.size());
  const size_t same = MatchLength(common_.data(), user_key.data(), head);
  if (same < common_.size()) {
    const bool before = same == user_key.size() || static_cast<unsigned char>(user_key[same]) <
                                                       static_cast<unsigned char>(common_[same]);
    *low = *high = before ? 0 : n - 1;
    return true;
  }
  const uint64_t number = PrefixNumber<uint64_t>(user_key, common_.size());
  const uint32_t first_not_less = LowerBound(prefixes_.get(), n, number);
  uint32_t equal_end = first_not_less;
  while (equal_end < n && prefixes_[equal_end] == number) {
    if (++equal_end - first_not_less > 8) {
      equal_end = number == UINT64_MAX ? n : LowerBound(prefixes_.get(), n, number + 1);
      break;
    }
  }
  *low = first_not_less == 0 ? 0 : first_not_less - 1;
  *high = equal_end == 0 ? 0 : equal_end - 1;
  return true;
}

// ---- IndexBlockIter

void IndexBlockIter::Init(const IndexBlock* index, const InternalKeyComparator* icmp,
                          bool bytewise) {
  index_ = index;
  data_ = index->block().data();
  limit_ = data_ + index->block().restarts_offset();
  num_restarts_ = index->block().num_restarts();
  format_ = index->format();
  icmp_ = icmp;
  bytewise_ = bytewise;
  corrupt_ = false;
  Invalidate();
}

void IndexBlockIter::ParseAt(const char* p) {
  if (p >= limit_) return limit_ < data_ ? ParseChecked(p) : Invalidate();
  Parse(p, limit_);
}

void IndexBlockIter::Parse(const char* p, const char* limit) {
  const char* const start = p;
  uint32_t shared, other;
  uint32_t value_size = 0;
  if ((p = GetVarint32Ptr(p, limit, &shared)) == nullptr) return SetCorrupt();
  if ((p = GetVarint32Ptr(p, limit, &other)) == nullptr) return SetCorrupt();
  if (!format_.delta_values && (p = GetVarint32Ptr(p, limit, &value_size)) == nullptr) {
    return SetCorrupt();
  }
  const uint64_t left = static_cast<uint64_t>(limit - p);
  if (shared > key_size_ || uint64_t{other} + value_size > left ||
      (!format_.user_keys && uint64_t{shared} + other < 8)) {
    return SetCorrupt();
  }
  Slice value(p + other, format_.delta_values ? left - other : value_size);
  if (format_.delta_values && shared != 0) {
    int64_t delta;
    if (!GetVarsignedint64(&value, &delta)) return SetCorrupt();
    handle_.offset += handle_.size + kBlockTrailerSize;
    handle_.size += static_cast<uint64_t>(delta);
  } else if (!handle_.DecodeFrom(&value).ok()) {
    return SetCorrupt();
  }
  if (format_.has_first_key) {
    if (!GetLengthPrefixedSlice(&value, &first_key_) ||
        first_key_.size() < kInternalKeyFooterSize) {
      return SetCorrupt();
    }
  }
  if (shared == 0) {
    key_ = p;
  } else {
    const bool in_buffer = key_ == buffer_.data();
    buffer_.Reserve(shared + other, in_buffer ? shared : 0);
    if (!in_buffer) std::memcpy(buffer_.data(), key_, shared);
    std::memcpy(buffer_.data() + shared, p, other);
    key_ = buffer_.data();
  }
  key_size_ = shared + other;
  current_ = start;
  next_ = format_.delta_values ? value.data() : p + other + value_size;
}

bool IndexBlockIter::RestartKey(uint32_t index, Slice* key) {
  const char* p = RestartPoint(index);
  uint32_t shared, other;
  uint32_t value_size = 0;
  if (p == nullptr || (p = GetVarint32Ptr(p, limit_, &shared)) == nullptr ||
      (p = GetVarint32Ptr(p, limit_, &other)) == nullptr ||
      (!format_.delta_values && (p = GetVarint32Ptr(p, limit_, &value_size)) == nullptr) ||
      shared != 0 || other > static_cast<uint64_t>(limit_ - p) ||
      (!format_.user_keys && other < 8)) {
    SetCorrupt();
    return false;
  }
  *key = Slice(p, other);
  return true;
}

int IndexBlockIter::Compare(const Slice& separator, const Slice& target) const {
  if (format_.user_keys) {
    if (bytewise_) {
      return CompareBytes(separator.data(), separator.size(), target.data(), target.size() - 8);
    }
    return icmp_->user_comparator()->Compare(separator, ExtractUserKey(target));
  }
  if (bytewise_) {
    return CompareInternal(separator.data(), separator.size(), target.data(), target.size());
  }
  return icmp_->Compare(separator, target);
}

void IndexBlockIter::SeekToFirst() { ParseRestart(data_); }

void IndexBlockIter::SeekToLast() {
  if (data_ >= limit_) return SeekToLastChecked();
  const char* p = RestartPoint(num_restarts_ - 1);
  if (p == nullptr) return SetCorrupt();
  ParseRestart(p);
  while (Valid() && next_ < limit_) ParseAt(next_);
}

uint32_t IndexBlockIter::SeekUncounted(const Slice& target) {
  if (data_ >= limit_) return SeekChecked(target);
  uint32_t compared = 0;
  uint32_t left = 0;
  uint32_t right = num_restarts_ - 1;
  if (index_->has_prefixes()) {
    index_->Narrow(Slice(target.data(), target.size() - 8), &left, &right);
  }
  while (left < right) {
    const uint32_t middle = (left + right + 1) / 2;
    Slice separator;
    if (!RestartKey(middle, &separator)) return compared;
    ++compared;
    if (Compare(separator, target) < 0) {
      left = middle;
    } else {
      right = middle - 1;
    }
  }
  const char* p = RestartPoint(left);
  if (p == nullptr) {
    SetCorrupt();
    return compared;
  }
  ParseRestart(p);
  while (Valid()) {
    ++compared;
    if (Compare(key(), target) >= 0) break;
    ParseAt(next_);
  }
  return compared;
}

void IndexBlockIter::Seek(const Slice& target) {
  const Perf perf;
  const PerfTimer timer(perf, &PerfContext::block_seek_nanos);
  perf.Count(&PerfContext::user_key_comparison_count, SeekUncounted(target));
}

void IndexBlockIter::Prev() {
  const char* const end = current_;
  if (end == data_) return Invalidate();
  if (limit_ < data_) return ParseBefore(end);
  const char* p = LastRestartBefore(data_, limit_, num_restarts_, end);
  if (p == nullptr) return SetCorrupt();
  ParseRestart(p);
  while (Valid() && next_ < end) ParseAt(next_);
}

}  // namespace cairn
