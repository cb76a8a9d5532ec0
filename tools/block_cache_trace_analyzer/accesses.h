// What is known of the blocks of a trace: filled record by record, then asked by the reports.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rocksdb/block_cache_trace_writer.h"

namespace block_cache_trace_analyzer {

using rocksdb::BlockCacheTraceRecord;
using rocksdb::TableReaderCaller;
using rocksdb::TraceType;

inline constexpr uint64_t kMicrosInSecond = 1000000;

// As in what is written. "InvalidType", "InvalidCaller": there is no such one.
const char* TypeName(TraceType type);
const char* CallerName(TableReaderCaller caller);
// kMaxBlockCacheLookupCaller: no name of one.
TableReaderCaller CallerOfName(std::string_view name);
bool IsUser(TableReaderCaller caller);
bool IsPointLookup(TableReaderCaller caller);

// -1 of nothing.
double Percent(uint64_t part, uint64_t whole);

// Hits and misses, all in all and by the second.
class MissCounts {
 public:
  void Count(uint64_t micros, bool is_miss);
  // All in all; the seconds stay as they are.
  void Restart() { accesses_ = misses_ = 0; }
  double MissRatio() const { return Percent(misses_, accesses_); }
  uint64_t accesses() const { return accesses_; }

  struct Second {
    uint64_t accesses = 0, misses = 0;
  };
  // By units of so many seconds.
  std::map<uint64_t, Second> Timeline(uint64_t unit) const;

 private:
  uint64_t accesses_ = 0, misses_ = 0;
  std::map<uint64_t, Second> seconds_;
};

// The bytes of the different blocks that were read since some access: a sum over the last access of
// each, in time that grows with the logarithm of how many there were (a Fenwick tree).
class RecentBytes {
 public:
  // The next access: of a block whose last one was at `previous` (kNever: there was none). Returns
  // the place of this one.
  static constexpr uint64_t kNever = UINT64_MAX;
  uint64_t Add(uint64_t previous, uint64_t bytes);
  // Since the access at `place`, it included.
  uint64_t Since(uint64_t place) const;

 private:
  void Change(uint64_t place, uint64_t difference);
  std::vector<uint64_t> bytes_;  // by places; 0: there was a later access
  std::vector<uint64_t> sums_;   // the tree
  uint64_t total_ = 0;
};

using CallerCounts = std::map<TableReaderCaller, uint64_t>;

struct BlockInfo {
  uint64_t id = 0;  // 1 and up, in the order of their first accesses
  uint64_t size = 0;
  uint64_t accesses = 0;
  uint64_t first_access = 0, last_access = 0;  // microseconds since 1970
  CallerCounts callers;
  std::map<TableReaderCaller, std::map<uint64_t, uint64_t>> by_second;  // accesses

  // Of data blocks in Get and MultiGet.
  uint64_t keys = 0;              // that the block has, about
  uint64_t found = 0;             // accesses to keys that it has
  uint64_t referenced_bytes = 0;  // of the keys that were found, each once
  std::map<std::string, CallerCounts> found_keys, absent_keys;

  uint64_t place = RecentBytes::kNever;          // of its last access
  std::map<uint64_t, uint64_t> reuse_distances;  // bytes -> how often
};

struct FileInfo {
  uint32_t level = 0;
  std::map<TraceType, std::map<std::string, BlockInfo>> blocks;  // by their keys in the cache
};

// Where a block is.
struct BlockPlace {
  const std::string& family;
  uint64_t file;
  uint32_t level;
  TraceType type;
};

class Accesses {
 public:
  explicit Accesses(bool with_reuse_distances) : with_reuse_distances_(with_reuse_distances) {}

  // Returns the block; *key_id: a number of the key that a Get looked for, 0: it is none of a Get.
  const BlockInfo& Add(const BlockCacheTraceRecord& access, uint64_t* key_id);

  // By family, file, type, key.
  void ForEachBlock(
      const std::function<void(const BlockPlace& place, const BlockInfo& block)>& visit) const;
  // family -> number -> file.
  const std::map<std::string, std::map<uint64_t, FileInfo>>& families() const { return families_; }

 private:
  const bool with_reuse_distances_;
  std::map<std::string, std::map<uint64_t, FileInfo>> families_;
  std::unordered_map<std::string, uint64_t> key_ids_;
  uint64_t blocks_ = 0;
  RecentBytes recent_;
};

}  // namespace block_cache_trace_analyzer
