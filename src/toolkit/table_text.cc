// DumpTable(): a table as text, in the layout of RocksDB's sst_dump --command=raw.
#include <algorithm>
#include <cinttypes>
#include <memory>
#include <string>

#include "base/string_util.h"
#include "fs/file_writer.h"
#include "table/block_based_table_reader.h"
#include "table/index_cursor.h"
#include "toolkit/table_file.h"

namespace cairn {
namespace {

constexpr char kTextRule[] = "--------------------------------------\n";

std::string HandleText(const BlockHandle& handle) {
  std::string bytes;
  handle.EncodeTo(&bytes);
  return Slice(bytes).ToString(true);
}

// "k 1 ", with zeros made visible if asked.
std::string Spaced(const Slice& bytes, bool show_zeros) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\0' && show_zeros) {
      text += "\\0";
    } else {
      text += bytes[i];
    }
    text += ' ';
  }
  return text;
}

class TableText {
 public:
  TableText(const TableFile& table, FileWriter* out)
      : table_(table), reader_(*dynamic_cast<BlockBasedTable*>(table.reader())), out_(out) {}

  [[nodiscard]] Status WriteAll() {
    Footer();
    Status s = Metaindex();
    if (!s.ok()) return s;
    Append("Table Properties:\n", kTextRule,
           "  " + table_.properties().ToString("\n  ", ": ") + "\n");
    if (reader_.HasFilter()) Append("Filter Details:\n", kTextRule, "  \n");
    s = Index();
    if (s.ok()) s = Dictionary();
    if (!s.ok()) return s;
    Tombstones();
    DataBlocks();
    return status_;
  }

 private:
  template <typename... Text>
  void Append(const Text&... text) {
    const std::string parts[] = {text...};
    for (const std::string& part : parts) {
      if (status_.ok()) status_ = out_->Append(part);
    }
  }

  void Footer() {
    const cairn::Footer& footer = reader_.source().footer;
    const BlockHandle none;
    const BlockHandle& index = footer.index_handle.IsNull() ? none : footer.index_handle;
    Append("Footer Details:\n", kTextRule,
           "  metaindex handle: " + HandleText(footer.metaindex_handle) +
               "\n  index handle: " + HandleText(index) +
               "\n  table_magic_number: " + NumberToString(kBlockBasedTableMagic) +
               "\n  format version: " + NumberToString(footer.format_version) + "\n  \n");
  }

  [[nodiscard]] Status Metaindex() {
    const BlockSource& source = reader_.source();
    const BlockHandle& handle = source.footer.metaindex_handle;
    Block::Ptr block;
    Status s = ReadBlock(source, handle, BlockKind::kMetadata, /*verify_checksum=*/true, nullptr,
                         nullptr, &block);
    if (!s.ok()) return s;
    if (const char* wrong = block->ParseRestarts()) {
      return BlockCorruption(source, handle.offset, wrong);
    }
    Append("Metaindex Details:\n", kTextRule);
    const bool sound = ForEachEntry(*block, [&](const Slice& key, Slice value) {
      const std::string name = key.ToString();
      const char* what = nullptr;
      if (name == kPropertiesBlockName) what = "Properties";
      if (name == kRangeDelBlockName) what = "Range deletion";
      if (name.find("filter.rocksdb.") != std::string::npos) what = "Filter";
      if (name == kCompressionDictBlockName) {
        what = "Compression dictionary";
        const Status decoded = dictionary_.DecodeFrom(&value);
        if (!decoded.ok()) return false;
        value = Slice();
      }
      if (what == nullptr) return true;
      Append(std::string("  ") + what + " block handle: " +
             (value.empty() ? HandleText(dictionary_) : value.ToString(true)) + "\n");
      return true;
    });
    Append("\n");
    return sound ? status_ : BlockCorruption(source, handle.offset, "malformed metaindex");
  }

  Slice UserKey(const IndexCursor& index) const {
    return table_.properties().index_key_is_user_key != 0 ? index.key()
                                                          : ExtractUserKey(index.key());
  }

  [[nodiscard]] Status Index() {
    Append("Index Details:\n", kTextRule, "  Block key hex dump: Data block handle\n",
           "  Block key ascii\n\n");
    IndexCursor index(&reader_, &options_);
    for (index.SeekToFirst(); index.Valid(); index.Next()) {
      const Slice key = UserKey(index);
      Append("  HEX    " + key.ToString(true) + ": " + HandleText(index.handle()) + "\n  ASCII  " +
             Spaced(key, false) + "\n  ------\n");
    }
    Append("\n");
    return index.status();
  }

  [[nodiscard]] Status Dictionary() {
    if (dictionary_.IsNull()) return Status::OK();
    Block::Ptr block;
    Status s = ReadBlock(reader_.source(), dictionary_, BlockKind::kDictionary,
                         /*verify_checksum=*/true, nullptr, nullptr, &block);
    if (!s.ok()) return s;
    Append("Compression Dictionary:\n", kTextRule,
           "  size (bytes): " + NumberToString(block->size()) + "\n\n",
           "  HEX    " + block->contents().ToString(true) + "\n\n");
    return s;
  }

  void Tombstones() {
    const RangeTombstones* const tombstones = table_.reader()->range_tombstones();
    if (tombstones == nullptr || tombstones->empty()) return;
    Append("Range deletions:\n", kTextRule);
    for (const RangeTombstones::Fragment& fragment : tombstones->fragments()) {
      for (size_t i = 0; i < fragment.sequences.size(); ++i) Entry(fragment.start, fragment.end);
    }
    Append("\n");
  }

  void DataBlocks() {
    uint64_t smallest = UINT64_MAX, largest = 0, sum = 0, count = 0;
    IndexCursor index(&reader_, &options_);
    for (index.SeekToFirst(); index.Valid() && status_.ok(); index.Next()) {
      const BlockHandle& handle = index.handle();
      ++count;
      smallest = std::min(smallest, handle.size);
      largest = std::max(largest, handle.size);
      sum += handle.size;
      Append("Data Block # " + NumberToString(count) + " @ " + HandleText(handle) + "\n",
             kTextRule);
      DataBlock(handle);
    }
    if (!index.status().ok() && status_.ok()) status_ = index.status();
    if (count == 0) return;
    Append("Data Block Summary:\n", kTextRule, "  # data blocks: " + NumberToString(count) + "\n",
           "  min data block size: " + NumberToString(smallest) + "\n",
           "  max data block size: " + NumberToString(largest) + "\n",
           StringPrintf("  avg data block size: %f\n",
                        static_cast<double>(sum) / static_cast<double>(count)));
  }

  // One that cannot be read is passed over.
  void DataBlock(const BlockHandle& handle) {
    BlockRef block;
    const Status s =
        reader_.GetDataBlock(options_, handle, /*for_compaction=*/true, nullptr, &block);
    if (!s.ok()) {
      Append("Error reading the block - Skipped \n\n");
      return;
    }
    DataBlockIter it;
    it.Init(block.get(), &reader_.icmp(), reader_.bytewise());
    for (it.SeekToFirst(); it.Valid(); it.Next()) Entry(ExtractUserKey(it.key()), it.value());
    if (it.corrupt()) Append("Error reading the block - Skipped \n");
    Append("\n");
  }

  void Entry(const Slice& user_key, const Slice& value) {
    Append("  HEX    " + user_key.ToString(true) + ": " + value.ToString(true) + "\n  ASCII  " +
           Spaced(user_key, true) + ": " + Spaced(value, true) + "\n  ------\n");
  }

  const TableFile& table_;
  const BlockBasedTable& reader_;
  FileWriter* const out_;
  const ReadOptions options_;
  BlockHandle dictionary_;
  Status status_;
};

}  // namespace

Status DumpTable(const TableFile& table, FileSystem* fs, const std::string& out_path) {
  if (dynamic_cast<BlockBasedTable*>(table.reader()) == nullptr) {
    return Status::NotSupported("only block-based tables have a raw dump");
  }
  std::unique_ptr<FileWriter> out;
  Status s = FileWriter::Open(fs, out_path, FileOptions(), &out);
  if (!s.ok()) return s;
  s = TableText(table, out.get()).WriteAll();
  const Status closed = out->Close();
  return s.ok() ? closed : s;
}

}  // namespace cairn
