#include "table/index_builder.h"

#include "base/coding.h"

namespace cairn {

void IndexBlockWriter::Add(const Slice& key, const BlockHandle& handle, const Slice* first_key) {
  value_.clear();
  delta_.clear();
  handle.EncodeTo(&value_);
  // Of the first entry it is not stored: that one is a restart point.
  PutVarsignedint64(&delta_, static_cast<int64_t>(handle.size) - static_cast<int64_t>(last_size_));
  last_size_ = handle.size;
  if (first_key != nullptr) {
    PutLengthPrefixedSlice(&value_, *first_key);
    PutLengthPrefixedSlice(&delta_, *first_key);
  }
  const Slice delta(delta_);
  block_.Add(key, value_, &delta);
}

void IndexBuilder::AddFirstKey(const Slice& internal_key) {
  if (strip_timestamps_) {
    first_keys_ += InternalKeyWithoutTimestamp(internal_key, icmp_.timestamp_size());
  } else {
    first_keys_.append(internal_key.data(), internal_key.size());
  }
  first_key_ends_.push_back(first_keys_.size());
}

void IndexBuilder::AddSeparator(const Slice& last_key, const Slice* next_key) {
  using Mode = BlockBasedTableOptions::IndexShorteningMode;
  std::string separator = last_key.ToString();
  if (next_key != nullptr) {
    if (icmp_.CompareUserKey(ExtractUserKey(separator), ExtractUserKey(*next_key)) == 0) {
      // The two blocks hold versions of one key: only the sequence number tells them apart.
      separators_need_sequence_ = true;
    } else if (options_.index_shortening != Mode::kNoShortening) {
      icmp_.FindShortestSeparator(&separator, *next_key);
    }
  } else if (options_.index_shortening == Mode::kShortenSeparatorsAndSuccessor) {
    icmp_.FindShortSuccessor(&separator);
  }
  if (strip_timestamps_) separator = InternalKeyWithoutTimestamp(separator, icmp_.timestamp_size());
  separators_.append(separator);
  separator_ends_.push_back(separators_.size());
}

IndexBuilder::Sizes IndexBuilder::Finish(const WriteFn& write, BlockHandle* handle) const {
  Sizes sizes;
  const auto put = [&](const Slice& contents, BlockHandle* place) {
    sizes.all += contents.size() + kBlockTrailerSize;
    write(contents, place);
  };
  IndexBlockWriter block(options_);
  if (options_.index_type != BlockBasedTableOptions::kTwoLevelIndexSearch) {
    for (size_t i = 0; i < num_separators(); ++i) {
      const Slice first_key = stores_first_keys() ? FirstKey(i) : Slice();
      block.Add(Key(i), handles_[i], stores_first_keys() ? &first_key : nullptr);
    }
    put(block.Finish(), handle);
    return sizes;
  }
  IndexBlockWriter top(options_);
  for (size_t i = 0; i < num_separators(); ++i) {
    block.Add(Key(i), handles_[i]);
    if (block.CurrentSize() < options_.metadata_block_size && i + 1 < num_separators()) continue;
    BlockHandle partition;
    put(block.Finish(), &partition);
    block.Reset();
    top.Add(Key(i), partition);
    ++sizes.partitions;
  }
  const Slice contents = top.Finish();
  sizes.top_level = contents.size() + kBlockTrailerSize;
  put(contents, handle);
  return sizes;
}

}  // namespace cairn
