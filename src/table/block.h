// Blocks in memory and the cursors over them. The layout is in block_builder.h.
//
// Block           the uncompressed bytes of one block, header and bytes in one allocation;
// immutable once read: thread-safe. DataBlockIter   a cursor over internal keys and values.
// IndexBlock      an index block with what speeds up its search; IndexBlockIter is its cursor.
// ForEachEntry    walks a metadata block (metaindex, properties).
//
// Called by the table reader and its iterator. Cursors are not thread-safe, and borrow the block.
// Every length and offset is checked before it is used: bad bytes end a cursor with corrupt() true,
// never outside of the block. What a checksum cannot catch (a broken writer, a skipped
// verification) costs a wrong order at most.
//
// A protected block (block_protection.h) says that its entries end before they begin: so what is
// below finds none of them, and asks there whether there are some. That costs the others nothing.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "cairn/compiler.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "table/block_protection.h"
#include "table/format.h"
#include "table/restart_marks.h"

namespace ROCKSDB_NAMESPACE {
class MemoryAllocator;
}

namespace cairn {

class Block {
 public:
  struct Free {
    void operator()(Block* block) const;
  };
  using Ptr = std::unique_ptr<Block, Free>;

  // Room for `size` bytes and `slack` more behind them (the trailer, while the block is being
  // read). `allocator`: whose memory it is, which outlives the block; null: block_memory.h's. Null:
  // there is none.
  static Ptr Allocate(size_t size, size_t slack, uint64_t file_offset,
                      MemoryAllocator* allocator = nullptr);

  char* mutable_data() { return reinterpret_cast<char*>(this + 1); }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
  size_t size() const { return size_; }
  Slice contents() const { return Slice(data(), size_); }
  // Makes it the first `size` bytes of what it was. REQUIRES: size <= size()
  void Shrink(size_t size) { size_ = size; }
  // Where in the file the block begins.
  uint64_t file_offset() const { return file_offset_; }
  void set_file_offset(uint64_t offset) { file_offset_ = offset; }
  size_t memory_usage() const { return sizeof(Block) + capacity_; }

  // Finds the restart array. Null, or what is wrong with it. Before any cursor.
  const char* ParseRestarts();
  // True when the error is a feature of a newer format rather than damage.
  bool HasUnknownFeature() const { return unknown_feature_; }
  // End of the entries; -1: it is protected, see protection()->end().
  int64_t restarts_offset() const { return restarts_offset_; }
  uint32_t num_restarts() const { return num_restarts_; }
  bool has_hash_index() const { return num_buckets_ != 0; }
  // The restart interval that has all entries of the user key, or kNone or kSeveral (block_hash).
  // REQUIRES: has_hash_index()
  uint8_t FindInHashIndex(const Slice& user_key) const;

  // Of a data block that is to be searched more than once, in the bytes' order of user keys: makes
  // its marks (restart_marks.h). Before any cursor, after Protect(): a protected block has none.
  void MarkRestarts();
  // Asks the processor for what a search that follows touches: first of it, then, by what that says
  // of the user key, of the entries.
  void PrefetchHeader() const {
    compiler::Prefetch(this);
    compiler::Prefetch(reinterpret_cast<const char*>(this) + 64);
  }
  // The latter returns where the interval begins, if that is known, for the search.
  uint32_t PrefetchInterval(const Slice& user_key) const;
  // In which restart intervals an internal key of this user key may begin.
  RestartMarks::Range NarrowRestarts(const Slice& user_key) const {
    return marks_.Narrow(data(), num_restarts_, user_key);
  }

  // Of a data block: from now on cursors compare each entry with a checksum of 1, 2, 4 or 8 bytes;
  // 0: they do not. It loses its hash index, which has none. Null, or what is wrong with the block.
  // Before any cursor, after ParseRestarts().
  const char* Protect(uint8_t bytes_per_key);
  const BlockProtection* protection() const { return protection_; }  // null: it is not protected
  // Of a protected data block: all of its entries are what they were.
  bool IsAsItWas() const;

 private:
  friend class IndexBlock;

  Block() = default;
  template <typename Cursor>
  const char* ProtectWith(uint8_t bytes_per_key, Cursor* it);
  template <typename Cursor>
  bool AllMatch(Cursor* it) const;
  static Ptr AllocateFrom(MemoryAllocator* allocator, size_t size, size_t slack,
                          uint64_t file_offset);

  size_t size_ = 0;
  size_t capacity_ = 0;  // bytes behind this, and those of protection_
  uint64_t file_offset_ = 0;
  int64_t restarts_offset_ = 0;
  const BlockProtection* protection_ = nullptr;  // its own
  uint32_t num_restarts_ = 0;
  uint16_t num_buckets_ = 0;  // of the hash index; 0: none
  bool unknown_feature_ = false;
  bool is_of_allocator_ = false;  // whose address stands behind the capacity
  RestartMarks marks_;
};

// A growing buffer for one key; small keys need no allocation.
class KeyBuffer {
 public:
  KeyBuffer() = default;
  KeyBuffer(const KeyBuffer&) = delete;
  KeyBuffer& operator=(const KeyBuffer&) = delete;
  ~KeyBuffer() {
    if (data_ != inline_) delete[] data_;
  }

  char* data() { return data_; }
  // Keeps the first `keep` bytes.
  void Reserve(size_t size, size_t keep) {
    if (size > capacity_) [[unlikely]]
      Grow(size, keep);
  }

 private:
  void Grow(size_t size, size_t keep);

  static constexpr size_t kInline = 104;
  char* data_ = inline_;
  size_t capacity_ = kInline;
  char inline_[kInline];
};

namespace block_internal {

// Decodes the three lengths of an entry. Returns where the key bytes begin, or null if the entry
// does not lie in [p, limit).
inline const char* DecodeEntry(const char* p, const char* limit, uint32_t* shared, uint32_t* other,
                               uint32_t* value_size) {
  if (limit - p < 3) return nullptr;
  const auto* u = reinterpret_cast<const unsigned char*>(p);
  *shared = u[0];
  *other = u[1];
  *value_size = u[2];
  if ((*shared | *other | *value_size) < 128) [[likely]] {
    p += 3;
  } else {
    if ((p = GetVarint32Ptr(p, limit, shared)) == nullptr) return nullptr;
    if ((p = GetVarint32Ptr(p, limit, other)) == nullptr) return nullptr;
    if ((p = GetVarint32Ptr(p, limit, value_size)) == nullptr) return nullptr;
  }
  if (static_cast<uint64_t>(limit - p) < static_cast<uint64_t>(*other) + *value_size)
    return nullptr;
  return p;
}

// Restart point `index` of the entries in [data, limit), behind which the restart points are
// listed; null: it is damaged.
inline const char* RestartPoint(const char* data, const char* limit, uint32_t index) {
  const uint32_t offset = DecodeFixed32(limit + index * 4);
  return data + offset < limit ? data + offset : nullptr;
}
// The last of them before `end`, which lies behind the first entry's start. Null: they are damaged.
const char* LastRestartBefore(const char* data, const char* limit, uint32_t num_restarts,
                              const char* end);

// Length of the common prefix of two byte strings that both have `n` bytes.
inline size_t MatchLength(const char* a, const char* b, size_t n) {
  size_t i = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; i + 8 <= n; i += 8) {
      uint64_t x, y;
      std::memcpy(&x, a + i, 8);
      std::memcpy(&y, b + i, 8);
      if (x != y) return i + static_cast<size_t>(std::countr_zero(x ^ y)) / 8;
    }
  }
  while (i < n && a[i] == b[i]) ++i;
  return i;
}

// Bytewise order of user keys.
inline int CompareBytes(const char* a, size_t a_size, const char* b, size_t b_size) {
  const size_t n = a_size < b_size ? a_size : b_size;
  const size_t i = MatchLength(a, b, n);
  if (i < n) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[i]) ? -1 : 1;
  return a_size < b_size ? -1 : (a_size > b_size ? 1 : 0);
}

// Order of internal keys over bytewise user keys. Both have at least 8 bytes.
inline int CompareInternal(const char* a, size_t a_size, const char* b, size_t b_size) {
  const int c = CompareBytes(a, a_size - 8, b, b_size - 8);
  if (c != 0) return c;
  const uint64_t x = DecodeFixed64(a + a_size - 8);
  const uint64_t y = DecodeFixed64(b + b_size - 8);
  return x > y ? -1 : (x < y ? 1 : 0);
}

}  // namespace block_internal

class DataBlockIter {
 public:
  DataBlockIter() = default;
  DataBlockIter(const DataBlockIter&) = delete;
  DataBlockIter& operator=(const DataBlockIter&) = delete;

  // `bytewise`: the comparator's user order is BytewiseComparator().
  void Init(const Block* block, const InternalKeyComparator* icmp, bool bytewise) {
    block_ = block;
    data_ = block->data();
    limit_ = data_ + block->restarts_offset();
    icmp_ = icmp;
    bytewise_ = bytewise;
    corrupt_ = false;
    current_ = next_ = limit_;
    if (prev_ != nullptr) prev_->entries.clear();
  }
  // No block: not valid.
  void Clear() {
    block_ = nullptr;
    data_ = limit_ = current_ = next_ = nullptr;
    corrupt_ = false;
  }
  const Block* block() const { return block_; }

  bool Valid() const { return current_ != limit_; }
  bool corrupt() const { return corrupt_; }
  // REQUIRES (these three): Valid()
  Slice key() const { return Slice(key_, key_size_); }
  Slice value() const { return Slice(value_, value_size_); }
  // The key's bytes are the block's own, not a buffer's.
  bool key_in_block() const { return key_ >= data_ && key_ < limit_; }

  void SeekToFirst();
  void SeekToLast();
  // To the first entry >= the internal key `target`.
  void Seek(const Slice& target);
  // The same; returns how many keys it compared, which the caller counts, and times. `interval`:
  // what the block's PrefetchInterval() said.
  uint32_t SeekUncounted(const Slice& target, uint32_t interval = RestartMarks::kUnknown) {
    compared_ = 0;
    if (bytewise_) {
      SeekBytewise(target, interval);
    } else {
      SeekGeneric(target);
    }
    return compared_;
  }
  // The same, by the block's hash index. False: the block has no entry of the target's user key;
  // the cursor stands anywhere. REQUIRES: block()->has_hash_index(); keys of different bytes differ
  bool SeekByHash(const Slice& target);
  // To the last entry <= target.
  void SeekForPrev(const Slice& target);
  // REQUIRES (both): Valid()
  void Next() { ParseAt(next_); }
  void Prev();

 private:
  friend class Block;

  struct PrevEntry {
    const char* start;
    const char* value;
    uint32_t value_size;
    uint32_t key_offset;
    uint32_t key_size;
  };
  // The entries of one restart interval, decoded once for stepping backwards.
  struct PrevCache {
    std::vector<PrevEntry> entries;
    std::string keys;
    size_t at = 0;  // the current entry
  };

  const char* RestartPoint(uint32_t index) const {
    return block_internal::RestartPoint(data_, limit_, index);
  }
  void Invalidate() { current_ = next_ = limit_; }
  void SetCorrupt() {
    corrupt_ = true;
    Invalidate();
  }
  // Makes the entry at `p` the current one; it must follow the current one, or be a restart point.
  void ParseAt(const char* p) {
    if (p >= limit_) {
      if (limit_ < data_) {
        ParseChecked(p);
      } else {
        Invalidate();
      }
      return;
    }
    Parse(p, limit_);
  }
  void Parse(const char* p, const char* limit) {
    uint32_t shared, other, value_size;
    const char* k = block_internal::DecodeEntry(p, limit, &shared, &other, &value_size);
    if (k == nullptr || shared > key_size_ || shared + other < 8) [[unlikely]] {
      SetCorrupt();
      return;
    }
    if (shared == 0) {
      key_ = k;
    } else {
      SetKey(shared, k, other);
    }
    key_size_ = shared + other;
    value_ = k + other;
    value_size_ = value_size;
    current_ = p;
    next_ = value_ + value_size;
  }
  void SetKey(uint32_t shared, const char* k, uint32_t other) {
    char* buffer = buffer_.data();
    if (key_ != buffer) {
      buffer_.Reserve(shared + other, 0);
      buffer = buffer_.data();
      std::memcpy(buffer, key_, shared);
    } else {
      buffer_.Reserve(shared + other, shared);
      buffer = buffer_.data();
    }
    std::memcpy(buffer + shared, k, other);
    key_ = buffer;
  }
  void ParseRestart(const char* p) {
    key_size_ = 0;  // a restart point shares nothing
    ParseAt(p);
  }
  // Of a protected block (block_protection.cc).
  uint64_t Checksum() const;
  void ParseChecked(const char* p);
  void SeekChecked(const Slice& target);
  void SeekToLastChecked();
  // The entry that ends at `next`.
  void ParseBefore(const char* next);
  // The last restart point in [left, right] whose key is < target, or `left`; null after setting
  // corrupt.
  template <typename Less>
  const char* FindRestart(uint32_t left, uint32_t right, Less less);
  void SeekBytewise(const Slice& target, uint32_t interval = RestartMarks::kUnknown);
  // From the restart point `start` on; all entries before it are < target.
  void ScanBytewise(const char* start, const Slice& target);
  void SeekGeneric(const Slice& target);
  void ScanGeneric(const char* from, const Slice& target);

  const Block* block_ = nullptr;
  const char* data_ = nullptr;
  const char* limit_ = nullptr;    // end of the entries, where the restart array begins
  const char* current_ = nullptr;  // the current entry; == limit_: not valid
  const char* next_ = nullptr;     // the entry after it
  const char* key_ = nullptr;      // in the block, in buffer_, or in prev_->keys
  const char* value_ = nullptr;
  uint32_t key_size_ = 0;
  uint32_t value_size_ = 0;
  const InternalKeyComparator* icmp_ = nullptr;
  bool bytewise_ = false;
  bool corrupt_ = false;
  uint32_t compared_ = 0;  // keys, by the present seek
  std::unique_ptr<PrevCache> prev_;
  KeyBuffer buffer_;
};

// What an index block's entries look like; from the table's properties.
struct IndexFormat {
  bool user_keys = false;      // separators lack the sequence number
  bool delta_values = false;   // values say their own length, see BlockBuilder
  bool has_first_key = false;  // each value is followed by the block's first key
};

// An index block, checked entry by entry when it is made. If the user order is bytewise, it keeps 8
// bytes of each restart point's key in an array of their own: the binary search then runs over that
// instead of hopping through the block and decoding an entry at each step.
class IndexBlock {
 public:
  IndexBlock(Block::Ptr block, const IndexFormat& format)
      : block_(std::move(block)), format_(format) {}

  // Null, or what is wrong with the block.
  const char* Init(bool bytewise);
  // As Block::Protect, after Init(): without the array.
  const char* Protect(uint8_t bytes_per_key);
  bool IsAsItWas() const;  // see Block

  const Block& block() const { return *block_; }
  const IndexFormat& format() const { return format_; }
  bool has_prefixes() const { return prefixes_ != nullptr; }
  size_t memory_usage() const {
    return sizeof(*this) + block_->memory_usage() +
           (prefixes_ != nullptr ? block_->num_restarts() * sizeof(uint64_t) : 0);
  }

  // The last restart point < target, or the first one, lies in [*low, *high] (indexes of restart
  // points). False: every key is < target.
  bool Narrow(const Slice& user_key, uint32_t* low, uint32_t* high) const;

 private:
  const Block::Ptr block_;
  const IndexFormat format_;
  Slice common_;  // what all keys begin with; the prefixes start behind it
  std::unique_ptr<uint64_t[]> prefixes_;
};

class IndexBlockIter {
 public:
  IndexBlockIter() = default;
  IndexBlockIter(const IndexBlockIter&) = delete;
  IndexBlockIter& operator=(const IndexBlockIter&) = delete;

  void Init(const IndexBlock* index, const InternalKeyComparator* icmp, bool bytewise);
  bool Valid() const { return current_ != limit_; }
  bool corrupt() const { return corrupt_; }
  // The separator: >= every key of its block, < every key of the next. A user key or an internal
  // key.
  Slice key() const { return Slice(key_, key_size_); }
  const BlockHandle& handle() const { return handle_; }
  // The first internal key of its block, borrowed from the index; empty: the index has none.
  const Slice& first_key() const { return first_key_; }

  void SeekToFirst();
  void SeekToLast();
  // To the first block that may hold a key >= the internal key `target`.
  void Seek(const Slice& target);
  // The same; returns how many keys it compared, which the caller counts, and times.
  uint32_t SeekUncounted(const Slice& target);
  // REQUIRES (both): Valid()
  void Next() { ParseAt(next_); }
  void Prev();

 private:
  friend class Block;
  friend class IndexBlock;

  const char* RestartPoint(uint32_t index) const {
    return block_internal::RestartPoint(data_, limit_, index);
  }
  void Invalidate() { current_ = next_ = limit_; }
  void SetCorrupt() {
    corrupt_ = true;
    Invalidate();
  }
  void ParseAt(const char* p);
  void Parse(const char* p, const char* limit);
  void ParseRestart(const char* p) {
    key_size_ = 0;
    ParseAt(p);
  }
  // Of a protected block (block_protection.cc).
  uint64_t Checksum() const;
  void ParseChecked(const char* p);
  uint32_t SeekChecked(const Slice& target);
  void SeekToLastChecked();
  void ParseBefore(const char* next);
  // The whole key of restart point `index`; false after setting corrupt.
  bool RestartKey(uint32_t index, Slice* key);
  int Compare(const Slice& separator, const Slice& target) const;
  const IndexBlock* index_ = nullptr;
  const char* data_ = nullptr;
  const char* limit_ = nullptr;
  const char* current_ = nullptr;
  const char* next_ = nullptr;
  const char* key_ = nullptr;
  uint32_t key_size_ = 0;
  uint32_t num_restarts_ = 0;
  IndexFormat format_;
  BlockHandle handle_;
  Slice first_key_;
  const InternalKeyComparator* icmp_ = nullptr;
  bool bytewise_ = false;
  bool corrupt_ = false;
  KeyBuffer buffer_;
};

// Calls fn(key, value) for every entry of a metadata block, in order, until it returns false.
// False: the block is corrupt. REQUIRES: ParseRestarts() went well.
template <typename Fn>
bool ForEachEntry(const Block& block, Fn fn) {
  std::string key;
  const char* p = block.data();
  const char* limit = p + block.restarts_offset();
  while (p < limit) {
    uint32_t shared, other, value_size;
    const char* k = block_internal::DecodeEntry(p, limit, &shared, &other, &value_size);
    if (k == nullptr || shared > key.size()) return false;
    key.resize(shared);
    key.append(k, other);
    if (!fn(Slice(key), Slice(k + other, value_size))) return true;
    p = k + other + value_size;
  }
  return true;
}

}  // namespace cairn
