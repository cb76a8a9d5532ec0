// Plain tables: rows one after the other, for files in memory or mapped.
//
//   file      [row]* [bloom filter] [index] [properties] [metaindex] [footer]   (flat_table.h)
//   row       key | value size (varint32) | value
//   key       kPlain:  [user key size (varint32)] user key and its end; the size is left out where
//                      all keys have the same (the property fixed_key_len)
//             kPrefix: [kind and size]... and the key, or what it has behind the prefix
//   end       0xff for a value of sequence number 0; else the 8 bytes of an internal key
//   kind      2 bits, and 6 bits of a size; if these are all ones, a varint32 follows with what the
//             size is more than 63. Whole key: its size. Prefix: how much of the last whole key the
//             following ones share; a suffix follows at once. Suffix: the size of the rest.
//   index     buckets (varint32) | prefixes (varint32) | [bucket (fixed32)]* [list]*
//   bucket    of the prefixes with this hash: where their first row is; 0x7fffffff or more: there
//   is
//             none; with the highest bit: where their list is, counted from the end of the buckets
//   list      count (varint32) | [where a row is (fixed32)]*, in the order of the keys
//
// Filter and index are there only with store_index_in_file; else they are made at opening. Without
// a prefix extractor all keys have the empty prefix, whose bucket is the only one, and the filter
// is of whole user keys. Rows that the index names have whole keys. Everything here is stateless,
// or of one caller at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/coding.h"
#include "base/hash.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "rocksdb/slice.h"
#include "rocksdb/slice_transform.h"
#include "rocksdb/table.h"

namespace cairn {

inline constexpr char kPlainBloomBlockName[] = "kBloomBlock";
inline constexpr char kPlainIndexBlockName[] = "PlainTableIndexBlock";
// Where rows are has 31 bits.
inline constexpr uint64_t kMaxPlainTableSize = (uint64_t{1} << 31) - 1;

inline uint32_t PlainHash(const Slice& key_or_prefix) {
  return Hash(key_or_prefix.data(), key_or_prefix.size(), /*seed=*/397);
}

// Null: the empty prefix. A key that the extractor does not take is its own prefix.
inline Slice PlainPrefix(const SliceTransform* extractor, const Slice& user_key) {
  if (extractor == nullptr) return Slice();
  return extractor->InDomain(user_key) ? extractor->Transform(user_key) : user_key;
}

// Reads rows. What it is given is not trusted.
class PlainRowReader {
 public:
  // `rows` stay; they are the table's first bytes.
  PlainRowReader(const Slice& rows, EncodingType encoding, uint32_t fixed_key_len)
      : rows_(rows), encoding_(encoding), fixed_key_len_(fixed_key_len) {}

  // Forgets the last whole key: the next row is to have one.
  void Jump() { has_whole_ = false; }
  // The row at `offset`: the next one after the row before, or one with a whole key (Jump()).
  // Null, or what is wrong. REQUIRES: offset < end()
  const char* Read(uint32_t offset);
  // Only its key: where the next row is stays unknown.
  const char* ReadKey(uint32_t offset);

  uint32_t end() const { return static_cast<uint32_t>(rows_.size()); }
  // Of the row that was read. The bytes are those of the table, unless the key was put together
  // from two parts (!key_in_rows()): then they live until the next call.
  const Slice& user_key() const { return user_key_; }
  bool key_in_rows() const { return key_in_rows_; }
  // user_key() is followed by the rest of the internal key.
  bool footer_in_rows() const { return footer_in_rows_; }
  SequenceNumber sequence() const { return sequence_; }
  ValueType type() const { return type_; }
  const Slice& value() const { return value_; }
  uint32_t next() const { return next_; }
  bool has_whole_key() const { return whole_; }

 private:
  const char* ReadSizes(const char** p);
  const char* ReadKeyAt(const char** p);

  const Slice rows_;
  const EncodingType encoding_;
  const uint32_t fixed_key_len_;
  Slice last_whole_;  // user key
  bool has_whole_ = false;
  uint32_t prefix_size_ = 0;  // of last_whole_
  bool has_prefix_ = false;

  Slice user_key_;
  std::string joined_;
  bool key_in_rows_ = false;
  bool footer_in_rows_ = false;
  bool whole_ = false;
  uint32_t size_ = 0;  // of what of the user key is in the row
  SequenceNumber sequence_ = 0;
  ValueType type_ = kTypeValue;
  Slice value_;
  uint32_t next_ = 0;
};

// Writes keys.
class PlainKeyWriter {
 public:
  PlainKeyWriter(EncodingType encoding, uint32_t fixed_key_len, size_t index_sparseness,
                 const SliceTransform* extractor)
      : encoding_(encoding),
        fixed_key_len_(fixed_key_len),
        index_sparseness_(index_sparseness),
        extractor_(extractor) {}

  // Appends the key of the next row. Null, or why it cannot be written.
  const char* Append(const Slice& internal_key, const ParsedInternalKey& parsed, std::string* row);

 private:
  const EncodingType encoding_;
  const uint32_t fixed_key_len_;
  const size_t index_sparseness_;
  const SliceTransform* const extractor_;
  std::string prefix_;
  uint64_t of_prefix_ = 0;  // rows since the last whole key, with it; 0: there was none
};

// The filter. `blocks`: lines of 64 bytes, each key having its bits in one; 0: anywhere.
class PlainBloom {
 public:
  // Of about so many bits.
  static std::string Make(const std::vector<uint32_t>& hashes, uint64_t bits, uint32_t locality,
                          uint32_t* blocks);
  PlainBloom() = default;  // everything may be in it
  // False: it cannot be one. `bytes` stay.
  bool Init(const Slice& bytes, uint32_t blocks);
  bool empty() const { return bytes_.empty(); }
  bool MayContain(uint32_t hash) const;

 private:
  Slice bytes_;
  uint32_t blocks_ = 0;
};

class PlainIndexBuilder {
 public:
  // `hash_table_ratio`: prefixes for each bucket; 0: one bucket. `sparseness`: so many rows of a
  // prefix for one in the index; 0: it has them all.
  PlainIndexBuilder(bool has_prefixes, double hash_table_ratio, size_t sparseness)
      : has_prefixes_(has_prefixes), ratio_(hash_table_ratio), sparseness_(sparseness) {}

  // The next row. One without a whole key is left out; the next one that has one comes in instead.
  void Add(const Slice& prefix, uint32_t offset, bool has_whole_key);
  uint32_t num_prefixes() const { return prefixes_; }
  // Of each prefix.
  const std::vector<uint32_t>& prefix_hashes() const { return hashes_; }
  std::string Finish() const;

 private:
  struct Entry {
    uint32_t hash;
    uint32_t offset;
  };
  const bool has_prefixes_;
  const double ratio_;
  const size_t sparseness_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> hashes_;
  std::string last_prefix_;
  uint32_t prefixes_ = 0;
  uint64_t of_prefix_ = 0;
  bool due_ = false;
};

class PlainIndex {
 public:
  // Null, or what is wrong. `bytes` stay.
  const char* Init(const Slice& bytes);
  bool empty() const { return buckets_ == 0; }
  uint32_t num_buckets() const { return buckets_; }
  uint32_t num_prefixes() const { return prefixes_; }
  size_t lists_size() const { return lists_.size(); }

  // The rows to begin a search of a prefix with: `count` of them, from the address on; 0: none.
  struct Rows {
    const char* first = nullptr;
    uint32_t count = 0;
    uint32_t operator[](uint32_t i) const { return DecodeFixed32(first + size_t{4} * i); }
  };
  // Null, or what is wrong.
  const char* Find(uint32_t hash, Rows* rows) const;

 private:
  uint32_t buckets_ = 0;
  uint32_t prefixes_ = 0;
  const char* table_ = nullptr;
  Slice lists_;
};

}  // namespace cairn
