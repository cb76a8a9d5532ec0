#include "table/table_salvage.h"

#define XXH_STATIC_LINKING_ONLY  // for states that are members
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/coding.h"
#include "base/crc32c.h"
#include "table/compression.h"
#include "table/properties.h"
#include "table/separated_block.h"

namespace cairn {
namespace {

// Most blocks are smaller, and only a single huge value makes one as large as the second.
constexpr uint64_t kUsualBlock = 256 << 10;
constexpr uint64_t kLargestBlock = 32 << 20;
constexpr uint64_t kSmallestBlock = 9;
// How far behind a damaged block the next one is looked for.
constexpr uint64_t kLookAhead = 1 << 20;
// A table takes seconds at the most, however it is damaged.
constexpr int64_t kMaxSums = 64 << 20;
constexpr uint64_t kPage = 4096;
constexpr uint64_t kWindow = 1 << 20;

bool IsCompressionByte(char byte) {
  return byte == kNoCompression || IsCompressionSupported(static_cast<CompressionType>(byte));
}

Block::Ptr Copy(const Block& block) {
  Block::Ptr copy = Block::Allocate(block.size(), 0, block.file_offset());
  if (copy != nullptr) std::memcpy(copy->mutable_data(), block.data(), block.size());
  return copy;
}

bool IsBytewise(const InternalKeyComparator& icmp) {
  return icmp.user_comparator() == BytewiseComparator();
}

}  // namespace

// The checksums of one block's beginnings, each computed from the one before: a search for the end
// of a block costs as much as a look at its bytes.
class TableSalvage::Sums {
 public:
  Sums(const Footer& footer, uint64_t offset, const char* data)
      : type_(footer.checksum_type),
        modifier_(ChecksumContextModifier(footer.base_context_checksum, offset)),
        data_(data) {
    XXH32_reset(&xxh32_, 0);
    XXH64_reset(&xxh64_, 0);
    if (type_ == kXXH3) XXH3_64bits_reset(&xxh3_);
  }

  // Of the first `n` bytes and `last_byte`. REQUIRES: n does not descend
  uint32_t At(size_t n, char last_byte) {
    const char* const more = data_ + done_;
    const size_t size = n - done_;
    done_ = n;
    switch (type_) {
      case kCRC32c:
        crc_ = crc32c::Extend(crc_, more, size);
        return crc32c::Mask(crc32c::Extend(crc_, &last_byte, 1)) + modifier_;
      case kxxHash: {
        XXH32_update(&xxh32_, more, size);
        XXH32_state_t end = xxh32_;
        XXH32_update(&end, &last_byte, 1);
        return XXH32_digest(&end) + modifier_;
      }
      case kxxHash64: {
        XXH64_update(&xxh64_, more, size);
        XXH64_state_t end = xxh64_;
        XXH64_update(&end, &last_byte, 1);
        return static_cast<uint32_t>(XXH64_digest(&end)) + modifier_;
      }
      default:
        XXH3_64bits_update(&xxh3_, more, size);
        // (The last byte is mixed in afterwards: whatever comes before, by the same bits.)
        return (static_cast<uint32_t>(XXH3_64bits_digest(&xxh3_)) ^
                ComputeChecksum(type_, data_, 0, last_byte) ^
                ComputeChecksum(type_, data_, 0, '\0')) +
               modifier_;
    }
  }

 private:
  const ChecksumType type_;
  const uint32_t modifier_;
  const char* const data_;
  size_t done_ = 0;
  uint32_t crc_ = 0;
  XXH32_state_t xxh32_;
  XXH64_state_t xxh64_;
  XXH3_state_t xxh3_;
};

TableSalvage::TableSalvage(std::unique_ptr<RandomAccessFileReader> file, uint64_t file_size)
    : sums_left_(kMaxSums) {
  source_.file = std::move(file);
  source_.file_size = file_size;
}

// ---- What is about the data

Status TableSalvage::Open() {
  Status s = ReadFooter();
  // (A version that is not known may be damage. Whose blocks make sense is read.)
  if (s.ok()) {
    ReadMetaindex();
  } else {
    s = GuessFooter();
  }
  const uint64_t end = source_.file_size - (footer_known_ ? kFooterSize : 0);
  end_of_data_ = end;
  if (properties_ != nullptr && properties_->data_size > 0 && properties_->data_size <= end) {
    end_of_data_ = properties_->data_size;
  }
  return s;
}

Status TableSalvage::ReadFooter() {
  if (source_.file_size < kFooterSize) return Status::Corruption("too short to have a footer");
  const uint64_t at = source_.file_size - kFooterSize;
  Slice footer;
  char scratch[kFooterSize];
  const IOStatus io = source_.file->Read(IOOptions(), at, kFooterSize, &footer, scratch);
  if (!io.ok()) return Status::Corruption("unreadable footer");
  const Status s = source_.footer.DecodeFrom(footer, at);
  footer_known_ = s.ok();
  if (!s.ok()) source_.footer = Footer();
  return s;
}

// A file that is cut short, or whose end is damaged: the first block tells which checksums it has.
// (Those of newer formats depend on a number in the footer.)
Status TableSalvage::GuessFooter() {
  source_.footer.format_version = kMinFormatVersion;
  for (const ChecksumType type : {kXXH3, kCRC32c, kxxHash64, kxxHash}) {
    source_.footer.checksum_type = type;
    uint64_t size;
    if (FindEnd(0, source_.file_size, kUsualBlock, /*data_only=*/false, &size)) {
      return Status::OK();
    }
  }
  return Status::Corruption("neither footer nor a block: " + source_.file->file_name());
}

void TableSalvage::ReadMetaindex() {
  const auto note = [&](const BlockHandle& handle) {
    if (!handle.IsNull()) not_data_[handle.offset] = handle.size;
  };
  note(source_.footer.metaindex_handle);
  note(source_.footer.index_handle);
  Block::Ptr block;
  if (!Read(source_.footer.metaindex_handle, &block).ok()) return;
  if (block->ParseRestarts() != nullptr) return;
  metaindex_known_ = ForEachEntry(*block, [&](const Slice& key, const Slice& value) {
    Slice input = value;
    BlockHandle handle;
    if (handle.DecodeFrom(&input).ok()) {
      metas_[key.ToString()] = handle;
      note(handle);
    }
    return true;
  });
  const auto fetch = [&](const char* name, Block::Ptr* found) {
    const auto at = metas_.find(name);
    return at != metas_.end() && Read(at->second, found).ok();
  };
  if (fetch(kCompressionDictBlockName, &block) && block->size() > 0) {
    source_.dict = std::make_unique<DecompressionDict>(block->contents().ToString(), true);
  }
  if ((fetch(kPropertiesBlockName, &block) || fetch(kOldPropertiesBlockName, &block)) &&
      block->ParseRestarts() == nullptr) {
    auto properties = std::make_shared<TableProperties>();
    if (DecodeProperties(*block, properties.get()).ok()) properties_ = std::move(properties);
  }
}

bool TableSalvage::DecodeIndex(const Block& block, const IndexFormat& format,
                               std::map<uint64_t, uint64_t>* places) const {
  Block::Ptr copy = Copy(block);
  if (copy == nullptr) return false;
  IndexBlock index(std::move(copy), format);
  if (index.Init(IsBytewise(*icmp_)) != nullptr) return false;
  IndexBlockIter it;
  it.Init(&index, icmp_, IsBytewise(*icmp_));
  uint64_t end = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    const BlockHandle& handle = it.handle();
    if (handle.offset < end || handle.offset > source_.file_size ||
        handle.size + kBlockTrailerSize > source_.file_size - handle.offset) {
      return false;
    }
    end = handle.offset + handle.size + kBlockTrailerSize;
    (*places)[handle.offset] = handle.size;
  }
  return !it.corrupt() && !places->empty();
}

void TableSalvage::FindPlaces() {
  BlockHandle handle = source_.footer.index_handle;
  if (const auto at = metas_.find(kIndexBlockName); at != metas_.end()) handle = at->second;
  Block::Ptr block;
  if (handle.IsNull() || !Read(handle, &block).ok()) return;
  for (int bits = 0; bits < 8; ++bits) {
    // The usual ones first.
    IndexFormat format;
    format.user_keys = (bits & 1) == 0;
    format.delta_values = (bits & 2) == 0;
    format.has_first_key = (bits & 4) != 0;
    std::map<uint64_t, uint64_t> places;
    if (!DecodeIndex(*block, format, &places)) continue;
    if (places.begin()->first == 0) {
      places_ = std::move(places);
      all_places_known_ = true;
      break;
    }
    // An index of an index.
    bool all = true;
    for (const auto& [offset, size] : places) {
      Block::Ptr part;
      std::map<uint64_t, uint64_t> of_part;
      if (Read({offset, size}, &part).ok() && DecodeIndex(*part, format, &of_part)) {
        places_.merge(of_part);
      } else {
        all = false;
      }
    }
    if (places_.empty()) continue;
    not_data_.merge(places);
    all_places_known_ = all;
    break;
  }
  if (!all_places_known_) return;
  const auto& [offset, size] = *places_.rbegin();
  end_of_data_ = offset + size + kBlockTrailerSize;
}

// ---- Blocks

Status TableSalvage::Read(const BlockHandle& handle, Block::Ptr* block) const {
  Status s = ReadBlock(source_, handle, BlockKind::kMetadata, /*verify_checksum=*/true,
                       source_.dict.get(), nullptr, block);
  if (!s.ok() || !HasSeparateValues(**block)) return s;
  Block::Ptr joined = Block::Allocate((*block)->size(), 0, handle.offset);
  if (joined == nullptr) return Status::MemoryLimit("no memory for a block");
  // (A block that only looks as if it had: Classify() says so.)
  if (JoinValues(**block, joined.get()) == nullptr) *block = std::move(joined);
  return s;
}

TableSalvage::Contents TableSalvage::Classify(const Block& block) const {
  // The cursor only reads.
  if (const_cast<Block&>(block).ParseRestarts() != nullptr) return Contents::kOther;
  DataBlockIter it;
  it.Init(&block, icmp_, icmp_ != nullptr && IsBytewise(*icmp_));
  std::string last = last_;
  bool any = false, tombstones = false;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ParsedInternalKey parsed;
    if (!ParseInternalKey(it.key(), &parsed).ok() || parsed.sequence >= kMaxSequenceNumber) {
      return Contents::kOther;
    }
    const bool is_tombstone = parsed.type == kTypeRangeDeletion;
    if (any && is_tombstone != tombstones) return Contents::kOther;
    tombstones = is_tombstone;
    if (icmp_ != nullptr && !is_tombstone) {
      if (!last.empty() && icmp_->Compare(last, it.key()) >= 0) return Contents::kOther;
      last.assign(it.key().data(), it.key().size());
    }
    any = true;
  }
  if (it.corrupt() || !any) return Contents::kOther;
  return tombstones ? Contents::kTombstones : Contents::kEntries;
}

Slice TableSalvage::Bytes(uint64_t offset, uint64_t n) {
  n = std::min(n, source_.file_size - offset);
  if (offset < window_begin_ || offset + n > window_begin_ + window_.size()) {
    const uint64_t size = std::min(std::max(n, kWindow), source_.file_size - offset);
    window_.resize(size);
    window_begin_ = offset;
    const auto fetch = [&](uint64_t from, uint64_t bytes) {
      Slice result;
      const IOStatus io =
          source_.file->Read(IOOptions(), offset + from, bytes, &result, window_.data() + from);
      if (!io.ok() || result.size() != bytes) return false;
      if (result.data() != window_.data() + from) {
        std::memcpy(window_.data() + from, result.data(), bytes);
      }
      return true;
    };
    if (!fetch(0, size)) {
      for (uint64_t page = 0; page < size; page += kPage) {
        const uint64_t bytes = std::min(kPage, size - page);
        if (!fetch(page, bytes)) std::memset(window_.data() + page, 0, bytes);
      }
    }
  }
  return Slice(window_.data() + (offset - window_begin_), n);
}

bool TableSalvage::FindEnd(uint64_t at, uint64_t end, uint64_t most, bool data_only,
                           uint64_t* size) {
  if (source_.footer.checksum_type == kNoChecksum) return false;
  most = std::min(most + kBlockTrailerSize, end - at);
  if (most < kSmallestBlock + kBlockTrailerSize) return false;
  const Slice bytes = Bytes(at, most);
  Sums sums(source_.footer, at, bytes.data());
  bool found = false;
  for (size_t n = kSmallestBlock; n + kBlockTrailerSize <= bytes.size(); ++n) {
    if (!IsCompressionByte(bytes[n])) continue;
    if (--sums_left_ < 0) break;
    if (sums.At(n, bytes[n]) != DecodeFixed32(bytes.data() + n + 1)) continue;
    Block::Ptr block;
    const bool is_data = Read({at, n}, &block).ok() && Classify(*block) != Contents::kOther;
    if (data_only && !is_data) continue;
    // A checksum may be right by chance: data is better.
    if (!found || is_data) *size = n;
    found = true;
    if (is_data) break;
  }
  return found;
}

uint64_t TableSalvage::FindNext(uint64_t at, uint64_t end) {
  const uint64_t most = std::clamp<uint64_t>(2 * largest_, 16 << 10, kUsualBlock);
  const uint64_t last = std::min(end, at + kLookAhead);
  uint64_t size;
  for (uint64_t next = at + 1; next < last && sums_left_ > 0; ++next) {
    if (FindEnd(next, end, most, /*data_only=*/true, &size)) return next;
  }
  return end;
}

uint64_t TableSalvage::EndOfZeros(uint64_t at, uint64_t end) {
  const Slice bytes = Bytes(at, end - at);
  const size_t first = std::string_view(bytes.data(), bytes.size()).find_first_not_of('\0');
  return at + (first == std::string_view::npos ? bytes.size() : first);
}

// block_align: zeros up to where the next block may begin. (That block may begin with zeros, too,
// but has others before the boundary behind it.)
uint64_t TableSalvage::EndOfPadding(uint64_t at, uint64_t end) {
  constexpr uint64_t kLeastAlignment = 64;
  const auto boundary = [at](uint64_t unit) { return (at + unit - 1) / unit * unit; };
  const uint64_t zeros_end = EndOfZeros(at, std::min(boundary(kLargestAlignment), end));
  for (uint64_t unit = kLargestAlignment; unit >= kLeastAlignment; unit /= 2) {
    if (boundary(unit) <= zeros_end) return boundary(unit);
  }
  return at;
}

// ---- The walk

Status TableSalvage::Run(const InternalKeyComparator& icmp, const Take& take) {
  icmp_ = &icmp;
  FindPlaces();
  if (const auto at = metas_.find(kRangeDelBlockName); at != metas_.end()) {
    Block::Ptr block;
    tombstones_known_ = Read(at->second, &block).ok() && AddTombstones(*block);
  } else {
    tombstones_known_ = metaindex_known_;
  }
  const uint64_t end = source_.file_size - (footer_known_ ? kFooterSize : 0);
  uint64_t at = 0;
  while (at < end && (at < end_of_data_ || !metaindex_known_)) {
    if (const auto known = not_data_.find(at); known != not_data_.end()) {
      at += known->second + kBlockTrailerSize;
      continue;
    }
    // As far as nothing is known of what is there.
    uint64_t gap = end;
    for (const auto* known : {&places_, &not_data_}) {
      const auto next = known->upper_bound(at);
      if (next != known->end()) gap = std::min(gap, next->first);
    }
    if (at < end_of_data_) gap = std::min(gap, end_of_data_);
    BlockHandle handle{at, 0};
    const auto place = places_.find(at);
    if (place == places_.end() && gap < end && gap - at < kLargestAlignment &&
        EndOfZeros(at, gap) == gap) {
      at = gap;
      continue;
    }
    if (place != places_.end()) {
      handle.size = place->second;
    } else if (!FindEnd(at, gap, kUsualBlock, /*data_only=*/false, &handle.size) &&
               !(gap - at > kUsualBlock &&
                 FindEnd(at, gap, kLargestBlock, /*data_only=*/false, &handle.size))) {
      if (const uint64_t padded = EndOfPadding(at, gap); padded > at) {
        at = padded;
        continue;
      }
      const uint64_t next = FindNext(at, gap);
      if (at < end_of_data_) {
        Lose(at, next, Status::Corruption("no block's checksum is right"));
      } else {
        all_was_read_ = false;
      }
      at = next;
      continue;
    }
    bool read = false;
    const Status s = TakeBlock(handle, take, &read);
    if (read && !s.ok()) return s;
    const uint64_t next = at + handle.size + kBlockTrailerSize;
    if (!read && at < end_of_data_) Lose(at, next, s);
    if (!read) all_was_read_ = false;
    at = next;
  }
  // Without a metaindex they were looked for among all blocks.
  if (!metaindex_known_) tombstones_known_ = footer_known_ && all_was_read_ && lost_.empty();
  return Status::OK();
}

Status TableSalvage::TakeBlock(const BlockHandle& handle, const Take& take, bool* read) {
  Block::Ptr block;
  Status s = Read(handle, &block);
  if (!s.ok()) return s;
  switch (Classify(*block)) {
    case Contents::kOther:
      if (places_.contains(handle.offset)) {
        return BlockCorruption(source_, handle.offset, "entries that make no sense");
      }
      passed_over_.push_back(handle);
      *read = true;
      return s;
    case Contents::kTombstones:
      // (Those that the metaindex names are known.)
      if (!metaindex_known_) AddTombstones(*block);
      *read = true;
      return s;
    case Contents::kEntries:
      break;
  }
  // Of blocks among the data one does not know what they held.
  for (const BlockHandle& other : passed_over_) {
    Lose(other.offset, other.offset + other.size + kBlockTrailerSize,
         BlockCorruption(source_, other.offset, "entries that make no sense"));
  }
  passed_over_.clear();
  *read = true;
  ++blocks_;
  largest_ = std::max(largest_, handle.size);
  return TakeEntries(*block, take);
}

Status TableSalvage::TakeEntries(const Block& block, const Take& take) {
  DataBlockIter it;
  it.Init(&block, icmp_, IsBytewise(*icmp_));
  Status s;
  for (it.SeekToFirst(); s.ok() && it.Valid(); it.Next()) {
    ParsedInternalKey parsed;
    s = ParseInternalKey(it.key(), &parsed);
    if (s.ok()) s = take(parsed, it.value());
    last_.assign(it.key().data(), it.key().size());
  }
  return s;
}

bool TableSalvage::AddTombstones(const Block& block) {
  if (Classify(block) != Contents::kTombstones) return false;
  DataBlockIter it;
  it.Init(&block, icmp_, IsBytewise(*icmp_));
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    ParsedInternalKey parsed;
    if (!ParseInternalKey(it.key(), &parsed).ok()) return false;
    tombstones_.push_back(MakeRangeTombstone(*icmp_, parsed.user_key, it.value(), parsed.sequence));
  }
  return true;
}

void TableSalvage::Lose(uint64_t begin, uint64_t end, const Status& why) {
  lost_.push_back({begin, end, why});
}

}  // namespace cairn
