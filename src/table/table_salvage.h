// What can still be read of a damaged table, for RepairDB: its data blocks, whatever became of its
// properties, index, filter, metaindex or footer.
//
// Data blocks lie one behind the other from the beginning of the file. Where the index can be read
// (in whichever of its forms it makes sense: the properties that would say so may be lost, or
// wrong), it says where each is. Elsewhere they are found by their checksums: a block ends where
// the bytes that follow are the checksum of those before. What a checksum proves is data if every
// entry of it makes sense behind those that were read already. So nothing is made up; a block whose
// checksum is wrong is lost, and so are tables without checksums whose index is damaged.
//
// Thread safety: one caller. SUSPENDS.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "base/range_tombstones.h"
#include "fs/file_reader.h"
#include "rocksdb/table_properties.h"
#include "table/block.h"
#include "table/block_fetcher.h"

namespace cairn {

class TableSalvage {
 public:
  // A part of the file that may have held entries: [begin, end).
  struct Lost {
    uint64_t begin = 0, end = 0;
    Status why;
  };
  // Takes an entry. In the order of the table; an error ends Run().
  using Take = std::function<Status(const ParsedInternalKey& parsed, const Slice& value)>;

  TableSalvage(std::unique_ptr<RandomAccessFileReader> file, uint64_t file_size);
  TableSalvage(const TableSalvage&) = delete;
  TableSalvage& operator=(const TableSalvage&) = delete;

  // Reads what is about the data. Corruption: there is nothing to begin with.
  [[nodiscard]] Status Open();
  // After Open(). Null: they cannot be read. What they say may be wrong.
  std::shared_ptr<const TableProperties> properties() const { return properties_; }

  // Hands over all that can be read. Once. Only errors of `take` end it.
  [[nodiscard]] Status Run(const InternalKeyComparator& icmp, const Take& take);
  // After Run().
  uint64_t blocks() const { return blocks_; }
  const std::vector<RangeTombstone>& tombstones() const { return tombstones_; }
  bool tombstones_are_lost() const { return !tombstones_known_; }
  const std::vector<Lost>& lost() const { return lost_; }
  bool is_complete() const { return lost_.empty() && tombstones_known_; }

 private:
  enum class Contents { kEntries, kTombstones, kOther };
  class Sums;

  Status ReadFooter();
  Status GuessFooter();
  void ReadMetaindex();
  // `format`: how its entries may look. True: it is an index, and *places is where its blocks are.
  bool DecodeIndex(const Block& block, const IndexFormat& format,
                   std::map<uint64_t, uint64_t>* places) const;
  void FindPlaces();

  // Reads, checks and decompresses, in the usual layout. The error of a block that cannot be read.
  Status Read(const BlockHandle& handle, Block::Ptr* block) const;
  Contents Classify(const Block& block) const;
  // A block at `at` that ends before `end` and is not larger than `most`. `data_only`: nothing but
  // entries and tombstones.
  bool FindEnd(uint64_t at, uint64_t end, uint64_t most, bool data_only, uint64_t* size);
  // Where behind `at` the next block of data begins; `end`: none is found.
  uint64_t FindNext(uint64_t at, uint64_t end);
  uint64_t EndOfZeros(uint64_t at, uint64_t end);
  // `at` if no padding is there.
  uint64_t EndOfPadding(uint64_t at, uint64_t end);
  // Up to `n` bytes of the file. What cannot be read is zero. Good until the next call.
  Slice Bytes(uint64_t offset, uint64_t n);

  Status TakeBlock(const BlockHandle& handle, const Take& take, bool* read);
  Status TakeEntries(const Block& block, const Take& take);
  bool AddTombstones(const Block& block);
  void Lose(uint64_t begin, uint64_t end, const Status& why);

  BlockSource source_;
  const InternalKeyComparator* icmp_ = nullptr;
  bool footer_known_ = false, metaindex_known_ = false, tombstones_known_ = false;
  std::shared_ptr<const TableProperties> properties_;
  std::map<std::string, BlockHandle> metas_;
  std::map<uint64_t, uint64_t> not_data_;  // blocks that are known to be none: offset, size
  std::map<uint64_t, uint64_t> places_;    // of data blocks, by the index: offset, size
  bool all_places_known_ = false;
  bool all_was_read_ = true;
  uint64_t end_of_data_ = 0;

  std::string window_;  // bytes of the file
  uint64_t window_begin_ = 0;
  uint64_t largest_ = 0;   // bytes of the largest block that was read
  int64_t sums_left_ = 0;  // how many more checksums may be computed

  std::string last_;  // the last entry's internal key; empty: there was none
  uint64_t blocks_ = 0;
  std::vector<RangeTombstone> tombstones_;
  std::vector<BlockHandle> passed_over_;  // sound, and no data
  std::vector<Lost> lost_;
};

}  // namespace cairn
