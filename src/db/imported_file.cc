#include "db/imported_file.h"

#include <algorithm>
#include <memory>

#include "base/range_tombstones.h"
#include "db/external_file.h"
#include "table/unique_id.h"

namespace cairn {
namespace {

// One table and what is said of it.
class ImportInspection {
 public:
  ImportInspection(const InternalKeyComparator& icmp, const LiveFileMetaData& told,
                   TableReader* table, ImportedFile* file)
      : icmp_(icmp), told_(told), table_(table), file_(file) {
    reads_.total_order_seek = true;
    reads_.fill_cache = false;
  }

  Status CheckProperties() const;
  // Bounds that are told: the first and the last entry lie within.
  Status CheckBounds();
  // None are told.
  Status FindBounds();

 private:
  Status Differs(const std::string& what) const {
    return Status::Corruption("imported file " + what, file_->external_path);
  }
  // Of an entry of the file.
  Status CheckEntry(const Slice& internal_key) const;
  // Tombstones of tables that RocksDB has cut apart reach beyond what the table serves, which the
  // user keys that are told end.
  void WidenByTombstones(const RangeTombstones& tombstones, bool empty);

  const InternalKeyComparator& icmp_;
  const LiveFileMetaData& told_;
  TableReader* const table_;
  ImportedFile* const file_;
  ReadOptions reads_;
};

Status ImportInspection::CheckProperties() const {
  const std::shared_ptr<const TableProperties> properties = table_->GetTableProperties();
  if (properties->num_entries == 0) {
    return Status::InvalidArgument("File contain no entries", file_->external_path);
  }
  const std::string& comparator = properties->comparator_name;
  if (!comparator.empty() && comparator != icmp_.user_comparator()->Name()) {
    return Status::InvalidArgument("Comparator name mismatch: " + comparator, file_->external_path);
  }
  return Status::OK();
}

Status ImportInspection::CheckEntry(const Slice& internal_key) const {
  ParsedInternalKey parsed;
  if (!ParseInternalKey(internal_key, &parsed).ok()) return Differs("has corrupted keys");
  if (parsed.sequence < told_.smallest_seqno || parsed.sequence > told_.largest_seqno) {
    return Differs("has sequence number " + std::to_string(parsed.sequence) +
                   ", which its metadata exclude");
  }
  if (parsed.type == kTypeBlobIndex) {
    return Status::NotSupported("import of a column family with values in blob files",
                                file_->external_path);
  }
  return Status::OK();
}

Status ImportInspection::CheckBounds() {
  for (const std::string* bound : {&told_.smallest, &told_.largest}) {
    ParsedInternalKey parsed;
    if (!ParseInternalKey(*bound, &parsed).ok()) {
      return Status::InvalidArgument("no internal key as bound of an imported file",
                                     file_->external_path);
    }
  }
  file_->meta.smallest.DecodeFrom(told_.smallest);
  file_->meta.largest.DecodeFrom(told_.largest);
  const std::unique_ptr<InternalIterator> entries(table_->NewIterator(reads_));
  return VisitEnds(entries.get(), [&](bool /*last*/) -> Status {
    if (Status s = CheckEntry(entries->key()); !s.ok()) return s;
    if (icmp_.Compare(entries->key(), told_.smallest) < 0 ||
        icmp_.Compare(entries->key(), told_.largest) > 0) {
      return Differs("has other keys than its metadata say");
    }
    return Status::OK();
  });
}

Status ImportInspection::FindBounds() {
  const std::unique_ptr<InternalIterator> entries(table_->NewIterator(reads_));
  bool empty = true;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (Status s = CheckEntry(entries->key()); !s.ok()) return s;
    if (empty) file_->meta.smallest.DecodeFrom(entries->key());
    file_->meta.largest.DecodeFrom(entries->key());
    empty = false;
  }
  if (!entries->status().ok()) return entries->status();
  const RangeTombstones* const tombstones = table_->range_tombstones();
  if (tombstones != nullptr && !tombstones->empty()) {
    WidenByTombstones(*tombstones, empty);
    return Status::OK();
  }
  if (empty) return Status::InvalidArgument("File contain no entries", file_->external_path);
  const bool told = !told_.smallestkey.empty() || !told_.largestkey.empty();
  if (told && (file_->meta.smallest.user_key() != told_.smallestkey ||
               file_->meta.largest.user_key() != told_.largestkey)) {
    return Differs("has other keys than its metadata say");
  }
  return Status::OK();
}

void ImportInspection::WidenByTombstones(const RangeTombstones& tombstones, bool empty) {
  const Comparator* const order = icmp_.user_comparator();
  const bool told = !told_.largestkey.empty();
  const auto& fragments = tombstones.fragments();
  // The first one that the table serves, and where it begins.
  size_t first = 0;
  Slice start = fragments.front().start;
  if (told && order->Compare(start, told_.smallestkey) < 0) {
    first = std::min(tombstones.FindFragment(told_.smallestkey), fragments.size() - 1);
    start = fragments[first].start;
    if (order->Compare(start, told_.smallestkey) < 0) start = told_.smallestkey;
  }
  const InternalKey from(start, fragments[first].sequences.front(), kTypeRangeDeletion);
  Slice end = fragments.back().end;
  if (told && order->Compare(end, told_.largestkey) > 0) end = told_.largestkey;
  const InternalKey to(end, kMaxSequenceNumber, kTypeRangeDeletion);
  FileMetaData& meta = file_->meta;
  if (empty || icmp_.Compare(from.Encode(), meta.smallest.Encode()) < 0) meta.smallest = from;
  if (empty || icmp_.Compare(to.Encode(), meta.largest.Encode()) > 0) meta.largest = to;
}

Status CheckTold(const Options& options, const LiveFileMetaData& told, const std::string& path) {
  if (told.level < 0 || told.level >= std::max(options.num_levels, 1)) {
    return Status::InvalidArgument("imported file of level " + std::to_string(told.level) +
                                       ", of num_levels " + std::to_string(options.num_levels),
                                   path);
  }
  if (told.oldest_blob_file_number != kNoBlobFile) {
    return Status::NotSupported("import of a column family with values in blob files", path);
  }
  if (told.smallest_seqno > told.largest_seqno || told.largest_seqno >= kMaxSequenceNumber) {
    return Status::InvalidArgument("no sequence numbers of an imported file", path);
  }
  return Status::OK();
}

}  // namespace

std::string PathOfImported(const LiveFileMetaData& told) {
  const std::string& directory = told.db_path.empty() ? told.directory : told.db_path;
  const std::string& name = told.name.empty() ? told.relative_filename : told.name;
  return directory + (name.starts_with('/') ? "" : "/") + name;
}

Status InspectImportedFile(const InternalKeyComparator& icmp, const Options& options,
                           FileSystem* fs, const LiveFileMetaData& told, ImportedFile* file) {
  file->external_path = PathOfImported(told);
  Status s = CheckTold(options, told, file->external_path);
  if (!s.ok()) return s;
  FileMetaData& meta = file->meta;
  IOStatus io = fs->GetFileSize(file->external_path, IOOptions(), &meta.file_size, nullptr);
  if (!io.ok()) return io;
  if (told.size != 0 && told.size != meta.file_size) {
    return Status::Corruption("imported file has " + std::to_string(meta.file_size) +
                                  " bytes, and its metadata say " + std::to_string(told.size),
                              file->external_path);
  }
  TableReaderOptions table_options(icmp);
  table_options.prefix_extractor = options.prefix_extractor.get();
  table_options.largest_seqno = told.largest_seqno;
  std::unique_ptr<TableReader> table;
  s = OpenExternalTable(fs, file->external_path, meta.file_size, options, *options.table_factory,
                        std::move(table_options), &table);
  if (!s.ok()) return s;
  if (table->has_bare_keys()) {
    return Status::NotSupported("imported file without timestamps", file->external_path);
  }
  ImportInspection inspection(icmp, told, table.get(), file);
  s = inspection.CheckProperties();
  if (s.ok()) s = told.smallest.empty() ? inspection.FindBounds() : inspection.CheckBounds();
  if (!s.ok()) return s;
  const TableProperties& properties = *table->GetTableProperties();
  file->level = told.level;
  meta.smallest_seqno = told.smallest_seqno;
  meta.largest_seqno = told.largest_seqno;
  meta.epoch_number = told.epoch_number;
  meta.temperature = told.temperature;
  meta.unique_id = UniqueIdOf(properties);
  meta.num_entries = properties.num_entries;
  meta.num_deletions = properties.num_deletions;
  meta.raw_key_size = properties.raw_key_size;
  meta.raw_value_size = properties.raw_value_size;
  meta.has_no_tombstones =
      table->range_tombstones() == nullptr || table->range_tombstones()->empty();
  return s;
}

Status OrderImportedFiles(const InternalKeyComparator& icmp, std::vector<ImportedFile>* files) {
  const bool epochs_known = std::none_of(files->begin(), files->end(), [](const ImportedFile& f) {
    return f.level == 0 && f.meta.epoch_number == kUnknownEpochNumber;
  });
  std::sort(files->begin(), files->end(), [&](const ImportedFile& a, const ImportedFile& b) {
    if (a.level != b.level) return a.level > b.level;
    if (a.level > 0) return icmp.Compare(a.meta.smallest.Encode(), b.meta.smallest.Encode()) < 0;
    return epochs_known ? NewestFirstByEpoch(&b.meta, &a.meta)
                        : NewestFirstBySequence(&b.meta, &a.meta);
  });
  for (size_t i = 1; i < files->size(); ++i) {
    const ImportedFile& a = (*files)[i - 1];
    const ImportedFile& b = (*files)[i];
    if (b.level > 0 && a.level == b.level &&
        icmp.Compare(a.meta.largest.Encode(), b.meta.smallest.Encode()) >= 0) {
      return Status::InvalidArgument("Files have overlapping ranges: " + a.external_path,
                                     b.external_path);
    }
  }
  return Status::OK();
}

}  // namespace cairn
