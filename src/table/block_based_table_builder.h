// Writes a block-based table (format.h) through a FileWriter.
//
// Data blocks are cut by size, compressed, and written at once (with parallel_threads: some blocks
// later, by a pipeline); separators for the index and hashes for the filter are kept in memory
// until Finish(). Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "fs/file_writer.h"
#include "rocksdb/table.h"
#include "table/block.h"
#include "table/block_builder.h"
#include "table/bloom.h"
#include "table/compression.h"
#include "table/compression_pipeline.h"
#include "table/format.h"
#include "table/table_builder.h"

namespace cairn {

class BlockBasedTableBuilder final : public TableBuilder {
 public:
  // `file` is borrowed and empty.
  BlockBasedTableBuilder(const BlockBasedTableOptions& table_options,
                         const TableBuilderOptions& options, FileWriter* file);
  ~BlockBasedTableBuilder() override;

  void Add(const Slice& internal_key, const Slice& value) override;
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
  bool NeedCompact() const override { return false; }
  TableProperties GetTableProperties() const override { return properties_; }

 private:
  bool ok() const { return status_.ok(); }
  // Whether `key`, which shares its first `common` bytes with the last one, sorts after it.
  bool SortsAfterLast(const Slice& key, size_t common) const;
  void Fail(const Status& s);
  bool BlockIsFull(const Slice& key, const Slice& value) const;
  void FlushDataBlock();
  // `next_key`: the first key of the next block, null at the end.
  void AddIndexEntry(const Slice* next_key);
  void WriteOldestDataBlock();
  uint64_t EstimatedInPipeline() const;
  void WriteBlock(const Slice& contents, bool compress, BlockHandle* handle);
  void WriteStoredBlock(const Status& compressed, const StoredBlock& block, BlockHandle* handle);
  void WriteRawBlock(const Slice& contents, CompressionType type, BlockHandle* handle);
  void WriteIndex(BlockHandle* handle);
  void WriteProperties(BlockHandle* handle);

  const BlockBasedTableOptions table_options_;
  const InternalKeyComparator icmp_;
  const bool bytewise_;
  const CompressionType compression_;
  FileWriter* const file_;
  Statistics* const statistics_;

  BlockBuilder data_block_;
  BlockCompressor compressor_;
  std::unique_ptr<CompressionPipeline> pipeline_;  // of the data blocks; null: one thread
  uint64_t raw_in_pipeline_ = 0;                   // bytes
  uint64_t raw_written_ = 0;                       // bytes, through the pipeline
  std::unique_ptr<BloomBuilder> filter_;           // null: none

  KeyBuffer last_key_bytes_;
  Slice last_key_;
  // The index: a separator between the last key of a block and the first of the next, found when
  // the next block begins; and the block's place, known when it is written.
  bool index_entry_pending_ = false;  // the last block's separator waits for the next key
  std::string separators_;            // internal keys, one after another
  std::vector<size_t> separator_ends_;
  std::vector<BlockHandle> data_handles_;
  bool separators_need_sequence_ = false;

  uint32_t base_context_checksum_ = 0;
  uint64_t offset_ = 0;
  uint64_t estimated_before_block_ = 0;  // of the file without the block being filled
  TableProperties properties_;
  Status status_;
  IOStatus io_status_;
  bool finished_ = false;
  const size_t
      block_size_limit_;  // a block of this many bytes ends when the next entry would not fit
};

}  // namespace cairn
