#include "block_cache_trace_analyzer/accesses.h"

#include <array>
#include <utility>

namespace block_cache_trace_analyzer {
namespace {

constexpr std::array<std::pair<TableReaderCaller, const char*>, 14> kCallers = {{
    {rocksdb::kUserGet, "Get"},
    {rocksdb::kUserMultiGet, "MultiGet"},
    {rocksdb::kUserIterator, "Iterator"},
    {rocksdb::kUserApproximateSize, "ApproximateSize"},
    {rocksdb::kUserVerifyChecksum, "VerifyChecksum"},
    {rocksdb::kSSTDumpTool, "SSTDumpTool"},
    {rocksdb::kExternalSSTIngestion, "ExternalSSTIngestion"},
    {rocksdb::kRepair, "Repair"},
    {rocksdb::kPrefetch, "Prefetch"},
    {rocksdb::kCompaction, "Compaction"},
    {rocksdb::kCompactionRefill, "CompactionRefill"},
    {rocksdb::kFlush, "Flush"},
    {rocksdb::kSSTFileReader, "SSTFileReader"},
    {rocksdb::kUncategorized, "Uncategorized"},
}};

}  // namespace

const char* TypeName(TraceType type) {
  switch (type) {
    case rocksdb::kBlockTraceFilterBlock:
      return "Filter";
    case rocksdb::kBlockTraceDataBlock:
      return "Data";
    case rocksdb::kBlockTraceIndexBlock:
      return "Index";
    case rocksdb::kBlockTraceRangeDeletionBlock:
      return "RangeDeletion";
    case rocksdb::kBlockTraceUncompressionDictBlock:
      return "UncompressionDict";
    default:
      return "InvalidType";
  }
}

const char* CallerName(TableReaderCaller caller) {
  for (const auto& [known, name] : kCallers) {
    if (known == caller) return name;
  }
  return "InvalidCaller";
}

TableReaderCaller CallerOfName(std::string_view name) {
  for (const auto& [caller, known] : kCallers) {
    if (name == known) return caller;
  }
  return rocksdb::kMaxBlockCacheLookupCaller;
}

bool IsUser(TableReaderCaller caller) {
  return caller >= rocksdb::kUserGet && caller <= rocksdb::kUserVerifyChecksum;
}

bool IsPointLookup(TableReaderCaller caller) {
  return caller == rocksdb::kUserGet || caller == rocksdb::kUserMultiGet;
}

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? -1 : static_cast<double>(part) * 100 / static_cast<double>(whole);
}

void MissCounts::Count(uint64_t micros, bool is_miss) {
  ++accesses_;
  if (is_miss) ++misses_;
  Second& second = seconds_[micros / kMicrosInSecond];
  ++second.accesses;
  if (is_miss) ++second.misses;
}

std::map<uint64_t, MissCounts::Second> MissCounts::Timeline(uint64_t unit) const {
  std::map<uint64_t, Second> units;
  for (const auto& [when, second] : seconds_) {
    Second& sum = units[when / unit];
    sum.accesses += second.accesses;
    sum.misses += second.misses;
  }
  return units;
}

// Node i (from 1) has the sum of the `i & -i` places that end with place i - 1.
void RecentBytes::Change(uint64_t place, uint64_t difference) {
  for (uint64_t i = place + 1; i <= sums_.size(); i += i & -i) sums_[i - 1] += difference;
}

uint64_t RecentBytes::Add(uint64_t previous, uint64_t bytes) {
  const uint64_t place = bytes_.size();
  bytes_.push_back(0);
  if (bytes_.size() > sums_.size()) {
    // Twice as many places, made from what they have.
    sums_.assign(bytes_.size() * 2, 0);
    for (uint64_t i = 0; i < place; ++i) Change(i, bytes_[i]);
  }
  if (previous != kNever) {
    Change(previous, 0 - bytes_[previous]);
    total_ -= bytes_[previous];
    bytes_[previous] = 0;
  }
  bytes_[place] = bytes;
  total_ += bytes;
  Change(place, bytes);
  return place;
}

uint64_t RecentBytes::Since(uint64_t place) const {
  uint64_t before = 0;
  for (uint64_t i = place; i > 0; i -= i & -i) before += sums_[i - 1];
  return total_ - before;
}

const BlockInfo& Accesses::Add(const BlockCacheTraceRecord& access, uint64_t* key_id) {
  FileInfo& file = families_[access.cf_name][access.sst_fd_number];
  file.level = access.level;
  BlockInfo& block = file.blocks[access.block_type][access.block_key];
  if (block.id == 0) {
    block.id = ++blocks_;
    block.first_access = access.access_timestamp;
  }
  if (with_reuse_distances_) {
    if (block.place != RecentBytes::kNever) ++block.reuse_distances[recent_.Since(block.place)];
    block.place = recent_.Add(block.place, access.block_size);
  }
  block.size = access.block_size;
  ++block.accesses;
  block.last_access = access.access_timestamp;
  ++block.callers[access.caller];
  ++block.by_second[access.caller][access.access_timestamp / kMicrosInSecond];
  if (access.block_type == rocksdb::kBlockTraceDataBlock && IsPointLookup(access.caller)) {
    block.keys = access.num_keys_in_block;
    if (access.referenced_key_exist_in_block) {
      CallerCounts& of_key = block.found_keys[access.referenced_key];
      if (of_key.empty()) block.referenced_bytes += access.referenced_data_size;
      ++of_key[access.caller];
      ++block.found;
    } else {
      ++block.absent_keys[access.referenced_key][access.caller];
    }
  }
  *key_id = 0;
  constexpr size_t kFooter = 8;  // sequence number and type
  if (access.caller == rocksdb::kUserGet && access.get_id != 0 &&
      access.referenced_key.size() >= kFooter) {
    uint64_t& id =
        key_ids_[access.referenced_key.substr(0, access.referenced_key.size() - kFooter)];
    if (id == 0) id = key_ids_.size();
    *key_id = id;
  }
  return block;
}

void Accesses::ForEachBlock(
    const std::function<void(const BlockPlace&, const BlockInfo&)>& visit) const {
  for (const auto& [family, files] : families_) {
    for (const auto& [number, file] : files) {
      for (const auto& [type, blocks] : file.blocks) {
        for (const auto& [key, block] : blocks) {
          visit(BlockPlace{family, number, file.level, type}, block);
        }
      }
    }
  }
}

}  // namespace block_cache_trace_analyzer
