// Reads a plain table (plain_table_format.h), whose bytes are all at hand: mapped, or in memory.
//
// Opened by the factory, kept by the TableCache. After Open everything is constant: thread-safe.
// With a prefix extractor a seek finds what has the prefix of its target, and no more; without one
// the order is total. There is no way back: rows do not say where the one before begins.
#pragma once

#include <memory>
#include <string>

#include "base/namespace.h"
#include "rocksdb/table.h"
#include "table/flat_table.h"
#include "table/plain_table_format.h"

namespace cairn {

class PlainTable final : public FlatTable {
 public:
  [[nodiscard]] static Status Open(const PlainTableOptions& table_options,
                                   const TableReaderOptions& options,
                                   std::unique_ptr<RandomAccessFileReader>&& file,
                                   uint64_t file_size, std::unique_ptr<TableReader>* table);

  InternalIterator* NewIterator(const ReadOptions& options, bool skip_filters,
                                size_t compaction_readahead, bool for_compaction) override;
  Status Get(const ReadOptions& options, const Slice& internal_key, GetContext* context,
             bool skip_filters) override;
  bool HasFilter() const override { return !bloom_.empty(); }
  // 0, unless the order is total.
  uint64_t ApproximateOffsetOf(const ReadOptions& options, const Slice& internal_key) override;

 private:
  friend class PlainTableIterator;

  using FlatTable::FlatTable;

  Status CheckExtractor() const;
  Status TakeEncoding();
  Status FindIndex(const FlatTail& tail, TableProperties* properties);
  Status MakeIndex(TableProperties* properties);
  bool IsTotalOrder() const { return extractor_ == nullptr; }
  Slice PrefixOf(const Slice& user_key) const { return PlainPrefix(extractor_, user_key); }
  bool BloomMayContain(uint32_t hash) const;
  PlainRowReader NewRowReader() const { return {rows_, encoding_, fixed_key_len_}; }
  // As a row is to be taken.
  ParsedInternalKey KeyOf(const PlainRowReader& row) const {
    return {row.user_key(),
            global_seqno_ != kDisableGlobalSequenceNumber ? global_seqno_ : row.sequence(),
            row.type()};
  }
  // Goes to the first row at or behind `target` among those of its prefix; `row` has been read
  // there. NotFound: there is none, or only rows of other prefixes follow.
  Status Seek(const ParsedInternalKey& target, PlainRowReader* row, uint32_t* offset) const;
  Status FindStart(const ParsedInternalKey& target, const Slice& prefix, uint32_t hash,
                   PlainRowReader* row, uint32_t* start, bool* has_prefix) const;
  // The same from the first row on, whatever the prefix.
  Status SeekByScan(const ParsedInternalKey& target, PlainRowReader* row, uint32_t* offset) const;
  Status BadRow(const char* error, uint32_t offset) const;
  size_t IndexMemory() const override { return made_bloom_.size() + made_index_.size(); }

  PlainTableOptions table_options_;
  const SliceTransform* extractor_ = nullptr;
  EncodingType encoding_ = kPlain;
  uint32_t fixed_key_len_ = 0;
  Slice rows_;
  std::string made_bloom_, made_index_;  // empty: those of the file, or none
  PlainBloom bloom_;
  PlainIndex index_;  // empty with full_scan_mode
};

}  // namespace cairn
