#include "table/plain_table_format.h"

#include <algorithm>
#include <limits>

namespace cairn {

namespace {

constexpr unsigned char kZeroSequenceValue = 0xff;
// The kinds of a key, in the two highest bits.
constexpr unsigned kWholeKey = 0;
constexpr unsigned kPrefixOfLast = 1;
constexpr unsigned kSuffix = 2;
constexpr uint32_t kMaxInlineSize = 0x3f;

constexpr int kProbes = 6;
constexpr size_t kLineSize = 64;
constexpr uint32_t kLineBits = kLineSize * 8;

constexpr uint32_t kIsList = 1u << 31;
constexpr uint32_t kNoRow = kMaxPlainTableSize;

void AppendKindAndSize(unsigned kind, size_t size, std::string* row) {
  const auto high = static_cast<unsigned char>(kind << 6);
  if (size < kMaxInlineSize) {
    row->push_back(static_cast<char>(high | size));
    return;
  }
  row->push_back(static_cast<char>(high | kMaxInlineSize));
  PutVarint32(row, static_cast<uint32_t>(size - kMaxInlineSize));
}

constexpr uint32_t RotateRight(uint32_t v, unsigned by) { return v >> by | v << (32 - by); }

// The places of a hash's bits.
template <typename F>
bool ForEachBit(uint32_t hash, uint32_t blocks, size_t size, const F& f) {
  const uint32_t step = RotateRight(hash, 17);
  if (blocks == 0) {
    const uint32_t bits = static_cast<uint32_t>(size * 8);
    for (int i = 0; i < kProbes; ++i, hash += step) {
      if (!f(hash % bits)) return false;
    }
    return true;
  }
  const size_t line = RotateRight(hash, 11) % blocks;
  for (int i = 0; i < kProbes; ++i) {
    if (!f(line * kLineBits + hash % kLineBits)) return false;
    hash = RotateRight(hash, 9) + step;
  }
  return true;
}

}  // namespace

// ---- PlainRowReader

// With kPrefix: the kind of the key, and size_, which is of the user key or of its suffix.
const char* PlainRowReader::ReadSizes(const char** p) {
  const char* const limit = rows_.data() + rows_.size();
  for (bool after_prefix = false;; after_prefix = true) {
    if (*p >= limit) return "row cut off in its key";
    const auto head = static_cast<unsigned char>(*(*p)++);
    uint32_t size = head & kMaxInlineSize;
    if (size == kMaxInlineSize) {
      uint32_t more;
      *p = GetVarint32Ptr(*p, limit, &more);
      if (*p == nullptr || more > rows_.size()) return "bad size of a key";
      size += more;
    }
    switch (head >> 6) {
      case kWholeKey:
        if (after_prefix) return "whole key behind a prefix";
        whole_ = true;
        break;
      case kPrefixOfLast:
        if (after_prefix) return "prefix behind a prefix";
        if (!has_whole_ || size > last_whole_.size()) return "prefix of no key";
        prefix_size_ = size;
        has_prefix_ = true;
        continue;
      case kSuffix:
        if (!has_whole_ || !has_prefix_) return "suffix without a prefix";
        whole_ = false;
        break;
      default:
        return "unknown kind of a key";
    }
    size_ = size;
    return nullptr;
  }
}

const char* PlainRowReader::ReadKeyAt(const char** p) {
  const char* const limit = rows_.data() + rows_.size();
  if (encoding_ == kPrefix) {
    if (const char* error = ReadSizes(p)) return error;
  } else {
    whole_ = true;
    size_ = fixed_key_len_;
    if (fixed_key_len_ == kPlainTableVariableLength) {
      *p = GetVarint32Ptr(*p, limit, &size_);
      if (*p == nullptr) return "bad size of a key";
    }
  }
  if (size_ >= static_cast<size_t>(limit - *p)) return "row cut off in its key";
  const Slice part(*p, size_);
  *p += size_;
  footer_in_rows_ = static_cast<unsigned char>(**p) != kZeroSequenceValue;
  if (!footer_in_rows_) {
    ++*p;
    sequence_ = 0;
    type_ = kTypeValue;
  } else {
    if (static_cast<size_t>(limit - *p) < kInternalKeyFooterSize) return "row cut off in its key";
    UnpackSequenceAndType(DecodeFixed64(*p), &sequence_, &type_);
    if (!IsInternalKeyType(type_) || type_ == kTypeRangeDeletion) return "unknown type of an entry";
    *p += kInternalKeyFooterSize;
  }
  key_in_rows_ = whole_;
  if (whole_) {
    user_key_ = last_whole_ = part;
    has_whole_ = true;
    has_prefix_ = false;
    return nullptr;
  }
  joined_.assign(last_whole_.data(), prefix_size_);
  joined_.append(part.data(), part.size());
  user_key_ = joined_;
  footer_in_rows_ = false;
  return nullptr;
}

const char* PlainRowReader::ReadKey(uint32_t offset) {
  if (offset >= rows_.size()) return "row beyond the end of the data";
  const char* p = rows_.data() + offset;
  return ReadKeyAt(&p);
}

const char* PlainRowReader::Read(uint32_t offset) {
  if (offset >= rows_.size()) return "row beyond the end of the data";
  const char* const limit = rows_.data() + rows_.size();
  const char* p = rows_.data() + offset;
  if (const char* error = ReadKeyAt(&p)) return error;
  uint32_t size;
  p = GetVarint32Ptr(p, limit, &size);
  if (p == nullptr || size > static_cast<size_t>(limit - p)) return "row cut off in its value";
  value_ = Slice(p, size);
  next_ = static_cast<uint32_t>(p + size - rows_.data());
  return nullptr;
}

// ---- PlainKeyWriter

const char* PlainKeyWriter::Append(const Slice& internal_key, const ParsedInternalKey& parsed,
                                   std::string* row) {
  const Slice& user_key = parsed.user_key;
  Slice rest = user_key;
  if (encoding_ == kPlain) {
    if (fixed_key_len_ == kPlainTableVariableLength) {
      PutVarint32(row, static_cast<uint32_t>(user_key.size()));
    } else if (user_key.size() != fixed_key_len_) {
      return "key of another size than user_key_len";
    }
  } else {
    const Slice prefix = PlainPrefix(extractor_, user_key);
    if (of_prefix_ == 0 || prefix != prefix_ || of_prefix_ % index_sparseness_ == 0) {
      of_prefix_ = 1;
      prefix_.assign(prefix.data(), prefix.size());
      AppendKindAndSize(kWholeKey, user_key.size(), row);
    } else {
      if (!user_key.starts_with(prefix))
        return "prefix_extractor whose prefix does not begin a key";
      if (++of_prefix_ == 2) AppendKindAndSize(kPrefixOfLast, prefix.size(), row);
      rest.remove_prefix(prefix.size());
      AppendKindAndSize(kSuffix, rest.size(), row);
    }
  }
  row->append(rest.data(), rest.size());
  if (parsed.sequence == 0 && parsed.type == kTypeValue) {
    row->push_back(static_cast<char>(kZeroSequenceValue));
  } else {
    row->append(internal_key.data() + user_key.size(), kInternalKeyFooterSize);
  }
  return nullptr;
}

// ---- PlainBloom

std::string PlainBloom::Make(const std::vector<uint32_t>& hashes, uint64_t bits, uint32_t locality,
                             uint32_t* blocks) {
  bits = std::min<uint64_t>(bits, 1u << 31);  // (they are counted in 32 bits)
  size_t size = static_cast<size_t>((bits + 7) / 8);
  *blocks = 0;
  if (locality > 0) {
    // An odd number of lines, so that which one it is takes more of a hash's bits.
    *blocks = static_cast<uint32_t>((bits + kLineBits - 1) / kLineBits) | 1;
    size = *blocks * kLineSize;
  }
  std::string filter(size, '\0');
  for (const uint32_t hash : hashes) {
    ForEachBit(hash, *blocks, size, [&](size_t bit) {
      filter[bit / 8] = static_cast<char>(filter[bit / 8] | 1 << bit % 8);
      return true;
    });
  }
  return filter;
}

bool PlainBloom::Init(const Slice& bytes, uint32_t blocks) {
  if (bytes.size() > std::numeric_limits<uint32_t>::max() / 8) return false;
  if (blocks != 0 && uint64_t{blocks} * kLineSize > bytes.size()) return false;
  bytes_ = bytes;
  blocks_ = blocks;
  return true;
}

bool PlainBloom::MayContain(uint32_t hash) const {
  return bytes_.empty() || ForEachBit(hash, blocks_, bytes_.size(), [&](size_t bit) {
           return (bytes_[bit / 8] >> bit % 8 & 1) != 0;
         });
}

// ---- PlainIndexBuilder

void PlainIndexBuilder::Add(const Slice& prefix, uint32_t offset, bool has_whole_key) {
  if (prefixes_ == 0 || prefix != last_prefix_) {
    ++prefixes_;
    of_prefix_ = 0;
    last_prefix_.assign(prefix.data(), prefix.size());
    hashes_.push_back(PlainHash(prefix));
    due_ = true;
  }
  if (due_ && has_whole_key) {
    entries_.push_back({hashes_.back(), offset});
    due_ = false;
  }
  ++of_prefix_;
  if (sparseness_ == 0 || of_prefix_ % sparseness_ == 0) due_ = true;
}

std::string PlainIndexBuilder::Finish() const {
  uint32_t buckets = 1;
  if (has_prefixes_ && ratio_ > 0) {
    constexpr double kMost = 1u << 29;  // 2 GiB of buckets
    const double wanted = prefixes_ * (1.0 / ratio_);
    buckets = (wanted < kMost ? static_cast<uint32_t>(wanted) : 1u << 29) + 1;
  }
  std::vector<uint32_t> counts(buckets);
  for (const Entry& entry : entries_) ++counts[entry.hash % buckets];
  std::string index;
  PutVarint32(&index, buckets);
  PutVarint32(&index, prefixes_);
  const size_t table = index.size();
  const size_t lists = table + size_t{4} * buckets;
  index.resize(lists);
  // Where the next row of each bucket comes.
  std::vector<size_t> places(buckets);
  for (uint32_t i = 0; i < buckets; ++i) {
    uint32_t bucket = kNoRow;
    if (counts[i] == 1) places[i] = table + size_t{4} * i;
    if (counts[i] > 1) {
      bucket = static_cast<uint32_t>(index.size() - lists) | kIsList;
      PutVarint32(&index, counts[i]);
      places[i] = index.size();
      index.resize(index.size() + size_t{4} * counts[i]);
    }
    EncodeFixed32(index.data() + table + size_t{4} * i, bucket);
  }
  for (const Entry& entry : entries_) {
    size_t& place = places[entry.hash % buckets];
    EncodeFixed32(index.data() + place, entry.offset);
    place += 4;
  }
  return index;
}

// ---- PlainIndex

const char* PlainIndex::Init(const Slice& bytes) {
  Slice input = bytes;
  uint32_t buckets;
  if (!GetVarint32(&input, &buckets) || !GetVarint32(&input, &prefixes_)) return "index cut off";
  if (buckets == 0 || input.size() / 4 < buckets) return "index cut off";
  table_ = input.data();
  lists_ = Slice(table_ + size_t{4} * buckets, input.size() - size_t{4} * buckets);
  buckets_ = buckets;
  return nullptr;
}

const char* PlainIndex::Find(uint32_t hash, Rows* rows) const {
  const char* const at = table_ + size_t{4} * (hash % buckets_);
  const uint32_t bucket = DecodeFixed32(at);
  if ((bucket & kIsList) == 0) {
    *rows = {at, bucket >= kNoRow ? 0u : 1u};
    return nullptr;
  }
  const uint32_t offset = bucket ^ kIsList;
  if (offset >= lists_.size()) return "bucket of the index beyond its end";
  const char* const limit = lists_.data() + lists_.size();
  uint32_t count;
  const char* const first = GetVarint32Ptr(lists_.data() + offset, limit, &count);
  if (first == nullptr || static_cast<size_t>(limit - first) / 4 < count) {
    return "list of the index cut off";
  }
  *rows = {first, count};
  return nullptr;
}

}  // namespace cairn
