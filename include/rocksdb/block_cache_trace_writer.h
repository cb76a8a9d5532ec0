// A trace of the block cache (DB::StartBlockCacheTrace): a record of each block that is looked up.
// The bytes are those of RocksDB, whose tools read them; ours is block_cache_trace_analyzer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/options.h"
#include "rocksdb/system_clock.h"
#include "rocksdb/table_reader_caller.h"
#include "rocksdb/trace_reader_writer.h"
#include "rocksdb/trace_record.h"

namespace ROCKSDB_NAMESPACE {

// One lookup of a block.
struct BlockCacheTraceRecord {
  static const uint64_t kReservedGetId;  // 0: no Get and no MultiGet

  uint64_t access_timestamp = 0;  // microseconds since 1970
  std::string block_key;          // the block's in the cache
  TraceType block_type = TraceType::kTraceMax;
  uint64_t block_size = 0;  // bytes in memory; 0: it could not be read
  // Of the table that has the block.
  uint64_t cf_id = 0;
  std::string cf_name;
  uint32_t level = 0;  // UINT32_MAX: not known
  uint64_t sst_fd_number = 0;
  // For whom.
  TableReaderCaller caller = TableReaderCaller::kMaxBlockCacheLookupCaller;
  bool is_cache_hit = false;
  bool no_insert = false;  // after a miss the block does not enter the cache

  // Of Get and MultiGet.
  uint64_t get_id = kReservedGetId;  // the same for all blocks of a call
  bool get_from_user_specified_snapshot = false;
  std::string referenced_key;  // as it is stored: with sequence number and type

  // Of data blocks in Get and MultiGet.
  uint64_t referenced_data_size = 0;  // bytes of the key's entries in the block
  uint64_t num_keys_in_block = 0;     // about
  bool referenced_key_exist_in_block = false;

  BlockCacheTraceRecord() = default;
  BlockCacheTraceRecord(uint64_t _access_timestamp, std::string _block_key, TraceType _block_type,
                        uint64_t _block_size, uint64_t _cf_id, std::string _cf_name,
                        uint32_t _level, uint64_t _sst_fd_number, TableReaderCaller _caller,
                        bool _is_cache_hit, bool _no_insert, uint64_t _get_id,
                        bool _get_from_user_specified_snapshot = false,
                        std::string _referenced_key = "", uint64_t _referenced_data_size = 0,
                        uint64_t _num_keys_in_block = 0,
                        bool _referenced_key_exist_in_block = false)
      : access_timestamp(_access_timestamp),
        block_key(std::move(_block_key)),
        block_type(_block_type),
        block_size(_block_size),
        cf_id(_cf_id),
        cf_name(std::move(_cf_name)),
        level(_level),
        sst_fd_number(_sst_fd_number),
        caller(_caller),
        is_cache_hit(_is_cache_hit),
        no_insert(_no_insert),
        get_id(_get_id),
        get_from_user_specified_snapshot(_get_from_user_specified_snapshot),
        referenced_key(std::move(_referenced_key)),
        referenced_data_size(_referenced_data_size),
        num_keys_in_block(_num_keys_in_block),
        referenced_key_exist_in_block(_referenced_key_exist_in_block) {}
};

struct BlockCacheTraceOptions {
  // One of so many blocks is traced, with all of its lookups. 0 and 1: each.
  uint64_t sampling_frequency = 1;
};

struct BlockCacheTraceWriterOptions {
  // Bytes; once the trace has more, nothing is added.
  uint64_t max_trace_file_size = uint64_t{64} * 1024 * 1024 * 1024;
};

// Where the records go. One caller at a time: a database sees to that. It must not call the
// database. A read does not fail with it: what it returns is dropped, but for WriteHeader()'s.
class BlockCacheTraceWriter {
 public:
  virtual ~BlockCacheTraceWriter() = default;

  // The three strings are those of the record, which has them not.
  virtual Status WriteBlockAccess(const BlockCacheTraceRecord& record, const Slice& block_key,
                                  const Slice& cf_name, const Slice& referenced_key) = 0;
  // The first call.
  virtual Status WriteHeader() = 0;
};

// One that writes RocksDB's bytes to `trace_writer`, which is closed with it. `clock`, borrowed:
// when the trace begins.
std::unique_ptr<BlockCacheTraceWriter> NewBlockCacheTraceWriter(
    SystemClock* clock, const BlockCacheTraceWriterOptions& trace_options,
    std::unique_ptr<TraceWriter>&& trace_writer);

}  // namespace ROCKSDB_NAMESPACE
