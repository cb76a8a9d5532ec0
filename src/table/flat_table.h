// What the table formats without blocks share (plain and cuckoo tables): a footer of the older
// kinds, metadata blocks without checksums, and a reader that has the whole file at hand.
//
//   [rows or buckets] [metadata blocks] [properties] [metaindex] [footer]
//
//   footer    of format_version 0, 48 bytes: metaindex handle and an empty one, zeros up to 40 |
//             magic (fixed64), which is another one than that of the later versions
//             of format_version 1, 53 bytes: checksum type (none) | the same 40 | format_version
//             (fixed32) | magic (fixed64)
//
// Nothing in these files has a checksum: what is not told from damage by its form goes unseen.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "fs/file_reader.h"
#include "fs/file_writer.h"
#include "fs/read_limits.h"
#include "rocksdb/io_status.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"
#include "rocksdb/table_properties.h"
#include "table/format.h"
#include "table/property_collectors.h"
#include "table/table_builder.h"
#include "table/table_options.h"
#include "table/table_reader.h"

namespace cairn {

inline constexpr uint64_t kPlainTableMagic = 0x8242229663bf9564ull;
inline constexpr uint64_t kPlainTableMagicOfVersion0 = 0x4f3418eb7a8f13b8ull;
inline constexpr uint64_t kCuckooTableMagic = 0x926789d0c5f17873ull;

// Which format a table is of: kBlockBasedTableMagic, kPlainTableMagic (of either version) or
// kCuckooTableMagic; else the last 8 bytes of the file. Corruption: it is too short. SUSPENDS.
[[nodiscard]] Status ReadTableMagic(const RandomAccessFileReader& file, uint64_t file_size,
                                    const ReadLimits& limits, uint64_t* magic);

// The end of such a table.
struct FlatTail {
  uint64_t end = 0;                           // where the footer begins
  std::map<std::string, BlockHandle> blocks;  // all lie before `end`
  TableProperties properties;
};

// Corruption, or NotSupported for a newer footer: they name the file. `magic`: what the table must
// be. SUSPENDS.
[[nodiscard]] Status ReadFlatTail(const RandomAccessFileReader& file, uint64_t file_size,
                                  uint64_t magic, const ReadLimits& limits, FlatTail* tail);

// The bytes of a file: mapped, where the file system maps it, else read into memory.
class WholeFile {
 public:
  // `mapped`: what a read gives of the file's own memory stays as long as the file is open.
  // MemoryLimit: there is no memory for it. SUSPENDS.
  [[nodiscard]] Status Load(const RandomAccessFileReader& file, uint64_t file_size, bool mapped,
                            const ReadLimits& limits);
  const Slice& bytes() const { return bytes_; }
  // Bytes of memory that it takes; 0 if it is mapped.
  size_t memory_usage() const { return memory_ == nullptr ? 0 : bytes_.size(); }

 private:
  struct Free {
    void operator()(char* memory) const;
  };
  std::unique_ptr<char, Free> memory_;
  Slice bytes_;
};

// The answers that do not depend on which of the two formats it is. Thread-safe.
class FlatTable : public TableReader {
 public:
  void AddMissingParts(const Slice& /*internal_key*/, std::vector<MetaPart>* /*parts*/) override {}
  Status LoadPart(const ReadOptions& /*options*/, const MetaPart& /*part*/,
                  Cleanable* /*pins*/) override {
    return Status::OK();
  }
  // There are no blocks to be located or pinned: callers look into the table itself.
  Status LocateBlock(const ReadOptions& /*options*/, const Slice& /*internal_key*/,
                     BlockHandle* /*handle*/) override {
    return Status::NotSupported("a table without blocks", file_->file_name());
  }
  bool CachesBlocks(const ReadOptions& /*options*/) const override { return false; }
  Status LocateRange(const ReadOptions& /*options*/, const Slice& /*first*/, const Slice& /*limit*/,
                     std::vector<BlockHandle>* /*handles*/) override {
    return Status::OK();
  }
  void PinBlocks(const ReadOptions& /*options*/, std::span<const BlockHandle> /*handles*/,
                 std::span<BlockRef> /*blocks*/) override {}
  bool has_bare_keys() const override { return false; }
  bool MayHoldOperands() const override { return properties_->num_merge_operands != 0; }
  const RangeTombstones* range_tombstones() const override { return nullptr; }
  bool FilterAndIndexArePinned() const override { return true; }
  std::shared_ptr<const TableProperties> GetTableProperties() const override { return properties_; }
  size_t ApproximateMemoryUsage() const override;
  // There are no checksums: all entries are decoded, and must be in order.
  Status VerifyChecksum(const ReadOptions& options) override;
  Status GetAnchors(size_t count, std::vector<TableAnchor>* anchors) override;

 protected:
  FlatTable(const TableReaderOptions& options, std::unique_ptr<RandomAccessFileReader>&& file);

  // Reads the tail and all the rest; `properties` is the tail's, which the caller may add to before
  // it becomes properties_. MemoryLimit, Corruption ... name the file. SUSPENDS.
  [[nodiscard]] Status Load(const TableReaderOptions& options, uint64_t file_size, uint64_t magic,
                            FlatTail* tail);
  Status Corrupt(const std::string& what) const {
    return Status::Corruption(what, file_->file_name());
  }
  // Bytes of memory beside the file's.
  virtual size_t IndexMemory() const = 0;
  void Tick(Tickers ticker) const {
    if (statistics_ != nullptr) statistics_->recordTick(ticker, 1);
  }

  const InternalKeyComparator icmp_;
  Statistics* const statistics_;
  const std::unique_ptr<RandomAccessFileReader> file_;
  WholeFile whole_;
  std::shared_ptr<const TableProperties> properties_;
  // Of all entries, if the file was ingested; else kDisableGlobalSequenceNumber.
  SequenceNumber global_seqno_ = kDisableGlobalSequenceNumber;
};

// The parts of the two builders that are alike.
class FlatTableBuilder : public TableBuilder {
 public:
  void AddTombstone(const Slice& internal_key, const Slice& end_user_key) override;
  Status status() const override { return status_; }
  IOStatus io_status() const override { return io_status_; }
  void Abandon() override { finished_ = true; }
  uint64_t NumEntries() const override { return properties_.num_entries; }
  Slice LastKey() const override { return last_key_; }
  uint64_t FileSize() const override { return offset_; }
  uint64_t TailSize() const override { return finished_ ? offset_ - properties_.data_size : 0; }
  bool NeedCompact() const override { return collectors_.NeedCompact(); }
  TableProperties GetTableProperties() const override { return properties_; }

 protected:
  FlatTableBuilder(const TableBuilderOptions& options, FileWriter* file);

  bool ok() const { return status_.ok(); }
  void Fail(const Status& s) {
    if (status_.ok()) status_ = s;
  }
  // Checks an entry's key and its place after the one before. False: status() says why not.
  [[nodiscard]] bool Begin(const Slice& key, ParsedInternalKey* parsed);
  void Count(const Slice& key, const Slice& value, ValueType type);
  void Append(const Slice& bytes);
  // As one block without a trailer, to be found by its name.
  void AppendBlock(const char* name, const Slice& bytes);
  // Properties, metaindex and footer.
  void FinishTail(uint64_t magic, uint32_t format_version);

  const InternalKeyComparator icmp_;
  FileWriter* const file_;
  PropertyCollectors collectors_;
  TableProperties properties_;
  std::string last_key_;
  uint64_t offset_ = 0;
  bool finished_ = false;

 private:
  std::map<std::string, BlockHandle> blocks_;
  Status status_;
  IOStatus io_status_;
};

}  // namespace cairn
