#include "toolkit/table_file.h"

#include <utility>

#include "base/timestamps.h"
#include "fs/file_reader.h"
#include "rocksdb/comparator.h"
#include "rocksdb/table.h"
#include "table/flat_table.h"
#include "table/read_properties.h"
#include "toolkit/blob_dump.h"
#include "toolkit/console.h"
#include "toolkit/manifest_dump.h"

namespace cairn {
namespace {

[[nodiscard]] Status OpenReader(FileSystem* fs, const std::string& path,
                                std::unique_ptr<RandomAccessFileReader>* reader, uint64_t* size) {
  Status s = fs->GetFileSize(path, IOOptions(), size, nullptr);
  if (s.ok() && *size == 0) return Status::Aborted(path, "Empty file");
  return s.ok() ? RandomAccessFileReader::Open(fs, path, FileOptions(), reader) : s;
}

// The one that the table names, if anybody knows it.
[[nodiscard]] Status FindComparator(const std::string& name, const Comparator* given,
                                    const Comparator** found) {
  *found = given;
  if (name.empty()) return Status::OK();
  for (const Comparator* known :
       {given, BytewiseComparator(), ReverseBytewiseComparator(), BytewiseComparatorWithU64Ts(),
        ReverseBytewiseComparatorWithU64Ts()}) {
    if (name != known->Name()) continue;
    *found = known;
    return Status::OK();
  }
  return Status::NotSupported("the table's comparator is not known here", name);
}

// Any table, by its own settings and past the caches.
std::unique_ptr<TableFactory> AnyTable() {
  BlockBasedTableOptions block_based;
  block_based.no_block_cache = true;
  PlainTableOptions plain;
  plain.full_scan_mode = true;  // whatever the prefix extractor was
  return std::unique_ptr<TableFactory>(NewAdaptiveTableFactory(
      nullptr, std::shared_ptr<TableFactory>(NewBlockBasedTableFactory(block_based)),
      std::shared_ptr<TableFactory>(NewPlainTableFactory(plain))));
}

const char* FormatText(uint64_t magic) {
  return magic == kPlainTableMagic    ? "plain table"
         : magic == kCuckooTableMagic ? "cuckoo table"
                                      : "block-based";
}

}  // namespace

Status TableFile::Open(const Options& options, const std::string& path, bool quiet,
                       std::unique_ptr<TableFile>* file) {
  if (!quiet) Write("Process " + path + "\n");
  FileSystem* const fs = options.env->GetFileSystem().get();
  std::unique_ptr<RandomAccessFileReader> reader;
  uint64_t size = 0;
  Status s = OpenReader(fs, path, &reader, &size);
  uint64_t magic = 0;
  if (s.ok()) s = ReadTableMagic(*reader, size, ReadLimits(), &magic);
  if (!s.ok()) return s;
  TableProperties properties;
  s = ReadTableProperties(std::move(reader), size, &properties);
  if (!s.ok()) return s;
  if (!quiet) Print("Sst file format: %s\n", FormatText(magic));
  const Comparator* comparator = nullptr;
  s = FindComparator(properties.comparator_name, options.comparator, &comparator);
  if (s.ok()) s = OpenReader(fs, path, &reader, &size);
  if (!s.ok()) return s;
  std::unique_ptr<TableFile> opened(new TableFile(path, comparator));
  const TableReaderOptions reader_options(opened->icmp_);
  s = AnyTable()->NewTableReader(reader_options, std::move(reader), size, &opened->reader_);
  if (!s.ok()) return s;
  opened->properties_ = opened->reader_->GetTableProperties();
  *file = std::move(opened);
  return s;
}

Status TableFile::Scan(const ScanOptions& options, uint64_t* entries) const {
  ReadOptions read;
  read.verify_checksums = options.verify_checksums;
  read.fill_cache = false;
  const std::unique_ptr<InternalIterator> it(
      reader_->NewIterator(read, /*skip_filters=*/true, /*compaction_readahead=*/2 << 20,
                           /*for_compaction=*/true));  // (a seek that any format has)
  const std::optional<std::string>& from = options.prefix ? options.prefix : options.from;
  if (from) {
    const std::string first = WithMaxTimestamp(*from, icmp_.timestamp_size());
    it->Seek(InternalKey(first, kMaxSequenceNumber, kValueTypeForSeek).Encode());
  } else {
    it->SeekToFirst();
  }
  uint64_t count = 0;
  for (; it->Valid(); it->Next()) {
    if (++count > options.most) break;
    ParsedInternalKey key;
    const Status parsed = ParseInternalKey(it->key(), &key);
    if (!parsed.ok()) {
      PrintError("%s\n", parsed.ToString().c_str());
      continue;
    }
    if (options.prefix && !key.user_key.starts_with(*options.prefix)) break;
    // (What they are given as lacks a timestamp.)
    if (options.to && icmp_.user_comparator()->CompareWithoutTimestamp(key.user_key, true,
                                                                       *options.to, false) >= 0) {
      break;
    }
    if (!options.print) continue;
    Write(InternalKeyText(it->key(), options.hex, icmp_.user_comparator()) +
          EntryValueText(key.type, it->value(), options.decode_blob_index, options.hex) + "\n");
  }
  if (entries != nullptr) *entries = count;
  return it->status();
}

Status TableFile::VerifyChecksum() const {
  ReadOptions read;
  read.fill_cache = false;
  return reader_->VerifyChecksum(read);
}

void PrintTable(const Options& options, const std::string& path, const TableDumpOptions& dump) {
  std::unique_ptr<TableFile> table;
  Status s = TableFile::Open(options, path, /*quiet=*/false, &table);
  if (s.ok()) {
    TableFile::ScanOptions scan;
    if (!dump.from.empty()) scan.from = dump.from;
    if (!dump.to.empty()) scan.to = dump.to;
    scan.print = true;
    scan.hex = dump.hex;
    scan.decode_blob_index = dump.decode_blob_index;
    s = table->Scan(scan, nullptr);
  }
  if (!s.ok()) {
    PrintError("Error in reading SST file %s: %s\n", path.c_str(), s.ToString().c_str());
  } else if (dump.properties) {
    Write("\nTable Properties:\n" + table->properties().ToString("\n") + "\n");
  }
}

}  // namespace cairn
