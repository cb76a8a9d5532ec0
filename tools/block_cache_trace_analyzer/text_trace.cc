#include "block_cache_trace_analyzer/text_trace.h"

#include <charconv>
#include <limits>
#include <vector>

#include "text_output/strings.h"

namespace block_cache_trace_analyzer {
namespace {

constexpr size_t kColumns = 21;
constexpr size_t kFooter = 8;  // of a key as it is stored: the sequence number and the type
constexpr uint64_t kLongestKey = 1 << 20;  // that a line is believed to have

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    number = number << 8 | static_cast<unsigned char>(bytes[i - 1]);
  }
  return number;
}

std::string Bytes(uint64_t number, size_t size) {
  std::string bytes;
  for (; bytes.size() < size; number >>= 8) bytes += static_cast<char>(number & 0xff);
  return bytes;
}

// The first four bytes of the key are a table's number in databases that lay out their keys so.
uint64_t TableId(const BlockCacheTraceRecord& access) {
  if (!IsPointLookup(access.caller) || access.referenced_key.size() < 4) return 0;
  return LittleEndian(std::string_view(access.referenced_key).substr(0, 4)) + 1;
}

uint64_t SequenceNumber(const BlockCacheTraceRecord& access) {
  if (!IsPointLookup(access.caller) || !access.get_from_user_specified_snapshot ||
      access.referenced_key.size() < kFooter) {
    return 0;
  }
  const std::string_view key = access.referenced_key;
  return (LittleEndian(key.substr(key.size() - kFooter)) >> 8) + 1;
}

// The last varint of the key.
uint64_t BlockOffset(std::string_view key) {
  uint64_t offset = 0, number = 0;
  int shift = 0;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (shift > 63) return offset;  // no varint
    number |= uint64_t{byte & 127u} << shift;
    shift += 7;
    if (byte < 128) {
      offset = number;
      number = 0;
      shift = 0;
    }
  }
  return offset;
}

}  // namespace

std::string TextOfAccess(const BlockCacheTraceRecord& access, uint64_t block_id, uint64_t key_id) {
  std::string line;
  const auto add = [&](uint64_t number) { line += std::to_string(number) + ","; };
  add(access.access_timestamp);
  add(block_id);
  add(access.block_type);
  add(access.block_size);
  add(access.cf_id);
  line += access.cf_name + ",";
  add(access.level);
  add(access.sst_fd_number);
  add(static_cast<uint64_t>(access.caller));
  add(access.no_insert);
  add(access.get_id);
  add(key_id);
  add(access.referenced_data_size);
  add(access.is_cache_hit);
  add(access.referenced_key_exist_in_block);
  add(access.num_keys_in_block);
  add(TableId(access));
  add(SequenceNumber(access));
  add(access.block_key.size());
  add(access.referenced_key.size());
  return line + std::to_string(BlockOffset(access.block_key)) + "\n";
}

bool ParseAccess(std::string_view line, BlockCacheTraceRecord* access) {
  const std::vector<std::string_view> columns = text_output::Split(line, ',');
  if (columns.size() != kColumns) return false;
  constexpr size_t kFamily = 5;
  uint64_t numbers[kColumns] = {};
  for (size_t i = 0; i < kColumns; ++i) {
    if (i == kFamily) continue;
    const char* const end = columns[i].data() + columns[i].size();
    const auto [stopped, error] = std::from_chars(columns[i].data(), end, numbers[i]);
    if (error != std::errc() || stopped != end) return false;
  }
  if (numbers[2] >= rocksdb::kTraceMax || numbers[6] > std::numeric_limits<uint32_t>::max() ||
      numbers[8] > static_cast<uint64_t>(rocksdb::kMaxBlockCacheLookupCaller) ||
      numbers[18] > kLongestKey || numbers[19] > kLongestKey) {
    return false;
  }
  *access = BlockCacheTraceRecord();
  access->access_timestamp = numbers[0];
  access->block_type = static_cast<TraceType>(numbers[2]);
  access->block_size = numbers[3];
  access->cf_id = numbers[4];
  access->cf_name = columns[kFamily];
  access->level = static_cast<uint32_t>(numbers[6]);
  access->sst_fd_number = numbers[7];
  access->caller = static_cast<TableReaderCaller>(numbers[8]);
  access->no_insert = numbers[9] != 0;
  access->get_id = numbers[10];
  access->referenced_data_size = numbers[12];
  access->is_cache_hit = numbers[13] != 0;
  access->referenced_key_exist_in_block = numbers[14] != 0;
  access->num_keys_in_block = numbers[15];
  access->get_from_user_specified_snapshot = numbers[17] != 0;
  access->block_key = Bytes(numbers[1], kFooter);
  if (numbers[18] > access->block_key.size()) access->block_key.resize(numbers[18], '1');
  if (numbers[11] != 0) {
    const uint64_t table = numbers[16] == 0 ? 0 : numbers[16] - 1;
    const uint64_t sequence = numbers[17] == 0 ? 0 : numbers[17] - 1;
    std::string key = Bytes(table, 4) + Bytes(numbers[11], 8);
    if (numbers[19] > key.size() + kFooter) key.resize(numbers[19] - kFooter, '1');
    access->referenced_key = key + Bytes(sequence << 8, kFooter);
  }
  return true;
}

}  // namespace block_cache_trace_analyzer
