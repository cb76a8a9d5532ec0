#include "table/filter_builder.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"

namespace cairn {

FilterBuilder::FilterBuilder(const BlockBasedTableOptions& options, const FilterRecipe& recipe,
                             bool whole_keys, const SliceTransform* prefixes,
                             CacheReservation* memory)
    : options_(options),
      recipe_(recipe),
      whole_keys_(whole_keys),
      prefixes_(prefixes),
      // So many that the filter of them has about metadata_block_size bytes.
      hashes_per_partition_(
          options.partition_filters ? KeysInFilter(recipe, options.metadata_block_size) : SIZE_MAX),
      charge_(memory) {}

void FilterBuilder::AddHash(const Slice& bytes, uint64_t* last, bool* has_last) {
  const uint64_t hash = BloomHash(bytes);
  if (*has_last && *last == hash) return;
  *last = hash;
  *has_last = true;
  const bool grows = hashes_.size() == hashes_.capacity();
  hashes_.push_back(hash);
  hash_sum_ ^= hash;
  if (grows) Charge();
}

void FilterBuilder::AddPrefix(const Slice& user_key) {
  if (prefixes_->InDomain(user_key)) {
    AddHash(prefixes_->Transform(user_key), &last_prefix_, &has_last_prefix_);
  }
}

void FilterBuilder::Add(const Slice& user_key) {
  if (whole_keys_) AddHash(user_key, &last_key_, &has_last_key_);
  if (prefixes_ == nullptr) return;
  AddPrefix(user_key);
  if (hashes_per_partition_ != SIZE_MAX) last_user_key_.assign(user_key.data(), user_key.size());
}

std::string FilterBuilder::MakeBits() {
  std::string bits = BuildFilter(recipe_, hashes_);
  Charge(bits.size());
  if (options_.detect_filter_construct_corruption) Verify(bits);
  entries_ += hashes_.size();
  hashes_.clear();
  hash_sum_ = 0;
  has_last_key_ = has_last_prefix_ = false;
  return bits;
}

void FilterBuilder::Verify(const std::string& bits) {
  uint64_t sum = 0;
  for (const uint64_t hash : hashes_) sum ^= hash;
  const FilterReader reader{Slice(bits)};
  // (Without any key it matches nothing.)
  const bool has_all = std::all_of(hashes_.begin(), hashes_.end(),
                                   [&](uint64_t hash) { return reader.MayMatchHash(hash); });
  if (!status_.ok()) return;
  if (sum != hash_sum_) {
    status_ = Status::Corruption("Filter's hash entries checksum mismatched");
  } else if (!has_all) {
    status_ = Status::Corruption("Corrupted filter content");
  }
}

uint64_t FilterBuilder::ChecksumOf(const std::string& bits) const {
  return options_.detect_filter_construct_corruption ? HashSlice64(bits) : 0;
}

void FilterBuilder::EndPartition(size_t separator, const Slice& next_key) {
  if (prefixes_ != nullptr) AddPrefix(next_key);
  std::string bits = MakeBits();
  const uint64_t checksum = ChecksumOf(bits);
  partitions_.push_back({separator, std::move(bits), checksum});
  bytes_ += partitions_.back().bytes.size();
  if (prefixes_ != nullptr) AddPrefix(last_user_key_);
}

size_t FilterBuilder::EstimatedSize() const { return bytes_ + FilterSize(recipe_, hashes_.size()); }

uint64_t FilterBuilder::Finish(const IndexBuilder& index, const IndexBuilder::WriteFn& write,
                               BlockHandle* handle) {
  uint64_t size = 0;
  const auto put = [&](const Slice& contents, BlockHandle* place) {
    size += contents.size();
    write(contents, place);
  };
  std::string last = MakeBits();
  if (hashes_per_partition_ == SIZE_MAX) {
    put(last, handle);
    return size;
  }
  const uint64_t of_last = ChecksumOf(last);
  partitions_.push_back({index.num_separators() - 1, std::move(last), of_last});
  IndexBlockWriter top(options_);
  for (const Partition& partition : partitions_) {
    if (status_.ok() && ChecksumOf(partition.bytes) != partition.checksum) {
      status_ = Status::Corruption("Corrupted filter content");
    }
    BlockHandle place;
    put(partition.bytes, &place);
    top.Add(index.Key(partition.separator), place);
  }
  put(top.Finish(), handle);
  return size;
}

}  // namespace cairn
