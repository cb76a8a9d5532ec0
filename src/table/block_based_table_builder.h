// Writes a block-based table (format.h) through a FileWriter.
//
// Data blocks end by size, or where a FlushBlockPolicy says so; they are compressed, and written at
// once (with parallel_threads: some blocks later, by a pipeline; with a dictionary: the first ones
// when that has been made of them); separators for the index and hashes for the filter are kept in
// memory until Finish(). Not thread-safe.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "fs/file_writer.h"
#include "rocksdb/table.h"
#include "table/block.h"
#include "table/block_builder.h"
#include "table/cache_warmer.h"
#include "table/compression.h"
#include "table/compression_pipeline.h"
#include "table/dictionary_buffer.h"
#include "table/filter_builder.h"
#include "table/flush_block_policy.h"
#include "table/format.h"
#include "table/index_builder.h"
#include "table/memory_charges.h"
#include "table/property_collectors.h"
#include "table/table_builder.h"
#include "table/user_index.h"

namespace cairn {

class BlockBasedTableBuilder final : public TableBuilder {
 public:
  // `charges`: never null. `file` is borrowed and empty.
  BlockBasedTableBuilder(const BlockBasedTableOptions& table_options,
                         const TableBuilderOptions& options, std::shared_ptr<MemoryCharges> charges,
                         FileWriter* file);
  ~BlockBasedTableBuilder() override;

  void Add(const Slice& internal_key, const Slice& value) override;
  void AddTombstone(const Slice& internal_key, const Slice& end_user_key) override;
  void SetSeqnoToTimeMapping(std::string bytes) override {
    properties_.seqno_to_time_mapping = std::move(bytes);
  }
  Status status() const override { return status_; }
  IOStatus io_status() const override { return io_status_; }
  Status Finish() override;
  void Abandon() override;
  uint64_t NumEntries() const override { return properties_.num_entries; }
  Slice LastKey() const override { return last_key_; }
  uint64_t FileSize() const override { return offset_; }
  // A fraction of the last block's worth behind: counted anew at each block.
  uint64_t EstimatedFileSize() const override {
    return finished_ ? offset_ : estimated_before_block_ + data_block_.CurrentSize();
  }
  uint64_t TailSize() const override { return finished_ ? offset_ - properties_.data_size : 0; }
  bool NeedCompact() const override { return collectors_.NeedCompact(); }
  TableProperties GetTableProperties() const override { return properties_; }

 private:
  bool ok() const { return status_.ok(); }
  // Whether `key`, which shares its first `common` bytes with the last one, sorts after it.
  bool SortsAfterLast(const Slice& key, size_t common) const;
  void NoteTimestamp(const Slice& internal_key);
  void NoteSequence(const Slice& internal_key) {
    const SequenceNumber sequence = ExtractInternalKeyFooter(internal_key) >> 8;
    smallest_sequence_ = std::min(smallest_sequence_, sequence);
    largest_sequence_ = std::max(largest_sequence_, sequence);
  }
  // To the data block: a key that shares its first `common` bytes with the last one.
  void AddToBlock(const Slice& key, const Slice& value, size_t common);
  void Fail(const Status& s);
  // Whether the entry begins a block.
  bool BlockEnds(const Slice& key, const Slice& value);
  void MakePolicy();
  // Of the options' manager.
  void MakeCompressors(const TableBuilderOptions& options);
  // That for a kind of blocks: a specialized one, or the one for all.
  BlockCompressor* CompressorFor(CacheEntryRole role, Compressor::DictConfigArgs&& dict,
                                 std::unique_ptr<Compressor>* special,
                                 std::unique_ptr<BlockCompressor>* made);
  void UseDataCompressor(Compressor::DictConfigArgs&& args);
  std::string CompressionName() const;
  // For CompressBlock(): kNoCompression also where a manager decides for each block.
  CompressionType BuiltinType() const {
    return manager_ == nullptr ? compression_ : kNoCompression;
  }
  const DecompressionDict* DataVerifier() const {
    return verify_dict_ != nullptr ? verify_dict_.get() : verify_managed_.get();
  }
  void MakeUserIndex();
  void FlushDataBlock();
  // `next_key`: the first key of the next block, null at the end.
  void AddIndexEntry(const Slice* next_key);
  // Compresses and writes it, or hands it to the pipeline.
  void StoreDataBlock(const Slice& raw);
  // The dictionary is made, and the blocks that waited for it are stored.
  void EndBuffering();
  void StartPipeline();
  void WriteOldestDataBlock();
  // And what lies between it and the next one.
  void WriteDataBlock(const Status& compressed, const StoredBlock& block);
  uint64_t EstimatedInPipeline() const;
  void WriteBlock(const Slice& contents, bool compress, BlockHandle* handle);
  void WriteStoredBlock(const Status& compressed, const StoredBlock& block, BlockHandle* handle);
  // REQUIRES: statistics_ is not null.
  void CountStoredBlock(const StoredBlock& block) const;
  void WriteRawBlock(const Slice& contents, CompressionType type, BlockHandle* handle);
  void WriteFilter(std::map<std::string, BlockHandle>* metaindex);
  void WriteIndex(BlockHandle* handle);
  void WriteUserIndex(std::map<std::string, BlockHandle>* metaindex);
  void WriteProperties(BlockHandle* handle);

  const BlockBasedTableOptions table_options_;
  const std::shared_ptr<MemoryCharges> charges_;
  const InternalKeyComparator icmp_;
  const bool bytewise_;
  const CompressionType compression_;  // what the options say
  FileWriter* const file_;
  Statistics* const statistics_;

  BlockBuilder data_block_;
  BlockBuilder tombstone_block_{1};
  CompressionOptions compression_opts_;
  BlockCompressor compressor_;  // without a dictionary
  // Of a manager: its own, one for data blocks, and one for the index; null: there is none, or the
  // first one does. What undoes it.
  const std::shared_ptr<CompressionManager> manager_;  // null: the built-in types
  std::unique_ptr<Compressor> managed_, managed_data_, managed_index_;
  std::unique_ptr<BlockCompressor> data_compressor_, index_compressor_;
  std::unique_ptr<DecompressionDict> verify_managed_;
  size_t sample_bytes_ = 0;
  std::string managed_dict_;
  bool compresses_ = false;
  std::bitset<256> types_;  // of blocks that were written, but for kNoCompression
  std::unique_ptr<DictionaryBuffer>
      buffer_;                             // the data blocks so far; null: they are stored at once
  std::unique_ptr<CompressionDict> dict_;  // of the data blocks; null: none
  std::unique_ptr<DecompressionDict> verify_dict_;  // likewise, with verify_compression
  std::unique_ptr<BlockCompressor> dict_compressor_;
  std::unique_ptr<CompressionPipeline> pipeline_;  // of the data blocks; null: one thread
  uint64_t raw_in_pipeline_ = 0;                   // bytes
  uint64_t raw_written_ = 0;                       // bytes, through the pipeline
  std::unique_ptr<FilterBuilder> filter_;          // null: none
  std::unique_ptr<CacheWarmer> warmer_;            // null: blocks do not go to the cache

  std::string min_timestamp_, max_timestamp_;                             // so far; empty: none
  SequenceNumber smallest_sequence_ = UINT64_MAX, largest_sequence_ = 0;  // of all so far
  const bool strip_timestamps_;
  std::string bare_key_, last_bare_key_;  // what the table gets of a key, and had of the one before

  KeyBuffer last_key_bytes_;
  Slice last_key_;
  // A block's separator is found when the next block begins, its place known when it is written.
  bool index_entry_pending_ = false;  // the last block's separator waits for the next key
  IndexBuilder index_;
  std::unique_ptr<UserIndexBuilder> user_index_;  // null: none
  BlockHandle last_block_;                        // that was stored

  PropertyCollectors collectors_;
  uint32_t base_context_checksum_ = 0;
  uint64_t offset_ = 0;
  uint64_t estimated_before_block_ = 0;  // of the file without the block being filled
  TableProperties properties_;
  Status status_;
  IOStatus io_status_;
  bool finished_ = false;
  const BlockSizeLimit block_limit_;
  const uint64_t alignment_;  // 0: blocks follow one another
  const ROCKSDB_NAMESPACE::BlockBuilder data_block_seen_{data_block_};
  std::unique_ptr<FlushBlockPolicy> policy_;  // null: by block_limit_
};

}  // namespace cairn
