#include "table/bare_keys.h"

#include <cstring>
#include <string>

#include "base/coding.h"
#include "base/internal_key.h"
#include "base/timestamps.h"
#include "table/block_builder.h"

namespace cairn {

namespace {

constexpr int kRestartInterval = 16;
constexpr const char* kBadEntry = "bad entry in a block without timestamps";

void Take(const Slice& contents, uint64_t file_offset, MemoryAllocator* allocator,
          Block::Ptr* block) {
  *block = Block::Allocate(contents.size(), 0, file_offset, allocator);
  if (*block != nullptr) {
    std::memcpy((*block)->mutable_data(), contents.data(), contents.size());
  }
}

}  // namespace

IndexFormat FormatWithTimestamps(const IndexFormat& stored) {
  IndexFormat format;
  format.user_keys = stored.user_keys;
  format.has_first_key = stored.has_first_key;
  return format;
}

const char* AddTimestamps(const Block& bare, size_t ts_size, MemoryAllocator* allocator,
                          Block::Ptr* with_timestamps) {
  BlockBuilder builder(kRestartInterval);
  bool good = true;
  const bool sound = ForEachEntry(bare, [&](const Slice& key, const Slice& value) {
    good = key.size() >= kInternalKeyFooterSize;
    if (good) builder.Add(InternalKeyWithMinTimestamp(key, ts_size), value);
    return good;
  });
  if (!sound || !good) return kBadEntry;
  Take(builder.Finish(), bare.file_offset(), allocator, with_timestamps);
  return *with_timestamps == nullptr ? nullptr : (*with_timestamps)->ParseRestarts();
}

const char* AddTimestampsToIndex(const IndexBlock& bare, size_t ts_size, MemoryAllocator* allocator,
                                 Block::Ptr* with_timestamps) {
  BlockBuilder builder(/*restart_interval=*/1);
  IndexBlockIter it;
  it.Init(&bare, /*icmp=*/nullptr, /*bytewise=*/false);
  std::string value;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    value.clear();
    it.handle().EncodeTo(&value);
    if (bare.format().has_first_key) {
      PutLengthPrefixedSlice(&value, InternalKeyWithMinTimestamp(it.first_key(), ts_size));
    }
    builder.Add(bare.format().user_keys ? WithMinTimestamp(it.key(), ts_size)
                                        : InternalKeyWithMinTimestamp(it.key(), ts_size),
                value);
  }
  if (it.corrupt()) return kBadEntry;
  Take(builder.Finish(), bare.block().file_offset(), allocator, with_timestamps);
  return nullptr;
}

}  // namespace cairn
