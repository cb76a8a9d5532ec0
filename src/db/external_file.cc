#include "db/external_file.h"

#include <algorithm>

#include "base/coding.h"
#include "base/logging.h"
#include "base/range_tombstones.h"
#include "base/timestamps.h"
#include "fs/file_checksum.h"
#include "fs/file_reader.h"
#include "fs/file_util.h"
#include "table/properties.h"

namespace cairn {
namespace {

// `empty`: there are no entries beside them; then it is not empty any more.
void WidenByTombstones(const InternalKeyComparator& icmp, const RangeTombstones& tombstones,
                       ExternalFile* file, bool* empty) {
  const auto& fragments = tombstones.fragments();
  const InternalKey first(fragments.front().start, fragments.front().sequences.front(),
                          kTypeRangeDeletion);
  const InternalKey end(fragments.back().end, kMaxSequenceNumber, kTypeRangeDeletion);
  if (*empty || icmp.Compare(first.Encode(), file->smallest.Encode()) < 0) file->smallest = first;
  if (*empty || icmp.Compare(end.Encode(), file->largest.Encode()) > 0) file->largest = end;
  file->has_tombstones = true;
  *empty = false;
}

// The bounds of what a table holds; *empty: nothing.
Status FindBounds(TableReader* table, const InternalKeyComparator& icmp, const ReadOptions& options,
                  ExternalFile* file, bool* empty) {
  const std::unique_ptr<InternalIterator> entries(table->NewIterator(options));
  ParsedInternalKey parsed;
  *empty = true;
  Status s = VisitEnds(entries.get(), [&](bool last) -> Status {
    *empty = false;
    if (!ParseInternalKey(entries->key(), &parsed).ok()) {
      return Status::Corruption("External file has corrupted keys", file->external_path);
    }
    if (parsed.sequence != 0) {
      return Status::Corruption("External file has non zero sequence number", file->external_path);
    }
    (last ? file->largest : file->smallest).DecodeFrom(entries->key());
    return Status::OK();
  });
  if (!s.ok()) return s;
  const RangeTombstones* const tombstones = table->range_tombstones();
  if (tombstones == nullptr || tombstones->empty()) return Status::OK();
  for (const auto& fragment : tombstones->fragments()) {
    if (fragment.sequences.front() != 0) {
      return Status::Corruption("External file has a range deletion with non zero sequence number",
                                file->external_path);
    }
  }
  WidenByTombstones(icmp, *tombstones, file, empty);
  return Status::OK();
}

// The same of a table that a database made, whose entries have sequence numbers of their own: all
// of it is read, for no other place says which.
Status FindBoundsAndSequences(TableReader* table, const InternalKeyComparator& icmp,
                              const ReadOptions& options, ExternalFile* file, bool* empty) {
  const std::unique_ptr<InternalIterator> entries(table->NewIterator(options));
  ParsedInternalKey parsed;
  *empty = true;
  file->smallest_seqno = kMaxSequenceNumber;
  const auto note = [&](SequenceNumber smallest, SequenceNumber largest) {
    file->smallest_seqno = std::min(file->smallest_seqno, smallest);
    file->largest_seqno = std::max(file->largest_seqno, largest);
  };
  std::string last;
  for (entries->SeekToFirst(); entries->Valid(); entries->Next()) {
    if (!ParseInternalKey(entries->key(), &parsed).ok()) {
      return Status::Corruption("External file has corrupted keys", file->external_path);
    }
    if (parsed.type == kTypeBlobIndex) {
      return Status::NotSupported("ingestion of a table with values in blob files",
                                  file->external_path);
    }
    note(parsed.sequence, parsed.sequence);
    if (*empty) file->smallest.DecodeFrom(entries->key());
    last.assign(entries->key().data(), entries->key().size());
    *empty = false;
  }
  if (!entries->status().ok()) return entries->status();
  if (!*empty) file->largest.DecodeFrom(last);
  const RangeTombstones* const tombstones = table->range_tombstones();
  if (tombstones == nullptr || tombstones->empty()) return Status::OK();
  for (const auto& fragment : tombstones->fragments()) {
    note(fragment.sequences.back(), fragment.sequences.front());
  }
  WidenByTombstones(icmp, *tombstones, file, empty);
  return Status::OK();
}

// Which version of the format of external files it is, and that it has not been ingested before
// with a number of its own.
Status CheckFormat(const IngestExternalFileOptions& ingest, ExternalFile* file) {
  const auto& extra = file->properties->user_collected_properties;
  const auto version = extra.find(kExternalVersionProperty);
  if (version == extra.end() && ingest.allow_db_generated_files) return Status::OK();
  if (version == extra.end() || version->second.size() != sizeof(uint32_t)) {
    return Status::Corruption("External file version not found (SstFileWriter did not write it)",
                              file->external_path);
  }
  switch (DecodeFixed32(version->second.data())) {
    case 1:
      if (!ingest.allow_global_seqno || ingest.allow_db_generated_files) return Status::OK();
      return Status::InvalidArgument(
          "External SST file V1 does not support global seqno: set allow_global_seqno to false",
          file->external_path);
    case 2:
      break;
    default:
      return Status::InvalidArgument("External file version is not supported", file->external_path);
  }
  const auto sequence = extra.find(kExternalGlobalSeqnoProperty);
  if (sequence == extra.end() || sequence->second.size() != sizeof(uint64_t)) {
    return Status::Corruption("External file has no place for its sequence number",
                              file->external_path);
  }
  if (DecodeFixed64(sequence->second.data()) != 0) {
    return Status::InvalidArgument(
        "External file was ingested before, and has the sequence number it got there: write it "
        "anew",
        file->external_path);
  }
  file->takes_sequence = true;
  return Status::OK();
}

Status SyncFile(FileSystem* fs, const FileOptions& file_options, const std::string& path) {
  std::unique_ptr<FSWritableFile> file;
  IOStatus io = fs->ReopenWritableFile(path, file_options, &file, nullptr);
  // Who wrote it has synced it, if no one else can.
  if (io.IsNotSupported()) return Status::OK();
  if (io.ok()) io = file->Sync(IOOptions(), nullptr);
  if (io.ok()) io = file->Close(IOOptions(), nullptr);
  return io;
}

}  // namespace

Status OpenExternalTable(FileSystem* fs, const std::string& path, uint64_t size,
                         const Options& options, const TableFactory& factory,
                         TableReaderOptions table_options, std::unique_ptr<TableReader>* table) {
  std::unique_ptr<RandomAccessFileReader> reader;
  IOStatus io = RandomAccessFileReader::Open(fs, path, FileOptions(options), &reader);
  if (!io.ok()) return io;
  table_options.statistics = options.statistics.get();
  table_options.info_log = options.info_log.get();
  table_options.block_protection_bytes = options.block_protection_bytes_per_key;
  table_options.compression_manager = options.compression_manager;
  return factory.NewTableReader(table_options, std::move(reader), size, table);
}

Status InspectExternalFile(const ColumnFamily& family, const Options& options, FileSystem* fs,
                           const IngestExternalFileOptions& ingest, ExternalFile* file) {
  IOStatus io = fs->GetFileSize(file->external_path, IOOptions(), &file->size, nullptr);
  if (!io.ok()) return io;
  TableReaderOptions table_options(family.icmp);
  table_options.prefix_extractor = family.prefix_extractor.get();
  table_options.expects_bare_keys = LacksTimestampsInTables(options);
  std::unique_ptr<TableReader> table;
  Status s = OpenExternalTable(fs, file->external_path, file->size, options, *family.table_factory,
                               std::move(table_options), &table);
  if (!s.ok()) return s;
  if (ingest.verify_checksums_before_ingest) {
    ReadOptions sweep;
    sweep.readahead_size = ingest.verify_checksums_readahead_size;
    s = table->VerifyChecksum(sweep);
    if (!s.ok()) return s;
  }
  file->properties = table->GetTableProperties();
  file->has_bare_keys = table->has_bare_keys();
  if (family.icmp.timestamp_size() != 0 &&
      file->has_bare_keys != LacksTimestampsInTables(options)) {
    return Status::InvalidArgument(
        file->has_bare_keys ? "External file has no timestamps, and the family's tables have"
                            : "External file has timestamps, and the family's tables have none",
        file->external_path);
  }
  s = CheckFormat(ingest, file);
  if (!s.ok()) return s;
  ReadOptions reads;
  reads.total_order_seek = true;
  reads.fill_cache = ingest.fill_cache;
  bool empty = false;
  s = ingest.allow_db_generated_files
          ? FindBoundsAndSequences(table.get(), family.icmp, reads, file, &empty)
          : FindBounds(table.get(), family.icmp, reads, file, &empty);
  if (s.ok() && empty) s = Status::InvalidArgument("File contain no entries", file->external_path);
  return s;
}

Status ChecksumExternalFile(FileSystem* fs, const FileOptions& file_options,
                            const IngestExternalFileOptions& ingest,
                            FileChecksumGenFactory* factory, ExternalFile* file) {
  const bool given = file->checksum_func_name != rocksdb::kUnknownFileChecksumFuncName;
  if (given && ingest.verify_file_checksum) {
    return VerifyFileChecksum(fs, file->external_path, file_options, factory, file->checksum,
                              file->checksum_func_name, 0, ReadLimits());
  }
  if (given) return Status::OK();
  return MakeFileChecksum(fs, file->external_path, file_options, factory, /*requested=*/"", 0,
                          ReadLimits(), &file->checksum, &file->checksum_func_name);
}

Status TakeExternalFile(FileSystem* fs, const FileOptions& file_options,
                        const IngestExternalFileOptions& ingest, const ExternalFile& file) {
  if (ingest.move_files || ingest.link_files) {
    IOStatus io = fs->LinkFile(file.external_path, file.internal_path, IOOptions(), nullptr);
    if (io.ok()) return SyncFile(fs, file_options, file.internal_path);
    if (!io.IsNotSupported() || !ingest.failed_move_fall_back_to_copy) return io;
  }
  return CopyFile(fs, file.external_path, file.internal_path, file.size);
}

Status WriteGlobalSequence(FileSystem* fs, const FileOptions& file_options,
                           FileChecksumGenFactory* factory, ExternalFile* file) {
  const uint64_t offset = file->properties->external_sst_file_global_seqno_offset;
  if (offset == 0) {
    return Status::InvalidArgument(
        "Trying to set global seqno for a file that don't have a global seqno field",
        file->external_path);
  }
  FileOptions buffered = file_options;
  buffered.use_direct_reads = buffered.use_direct_writes = false;
  std::unique_ptr<FSRandomRWFile> writer;
  IOStatus io = fs->NewRandomRWFile(file->internal_path, buffered, &writer, nullptr);
  if (io.IsNotSupported()) return Status::OK();
  char bytes[sizeof(SequenceNumber)];
  EncodeFixed64(bytes, file->sequence);
  if (io.ok()) io = writer->Write(offset, Slice(bytes, sizeof(bytes)), IOOptions(), nullptr);
  if (io.ok()) io = writer->Fsync(IOOptions(), nullptr);
  if (io.ok()) io = writer->Close(IOOptions(), nullptr);
  if (!io.ok() || factory == nullptr) return io;
  const std::string function = file->checksum_func_name;
  return MakeFileChecksum(fs, file->internal_path, file_options, factory, function, 0, ReadLimits(),
                          &file->checksum, &file->checksum_func_name);
}

void RemoveOriginal(FileSystem* fs, Logger* info_log, const std::string& external_path) {
  const IOStatus io = fs->DeleteFile(external_path, IOOptions(), nullptr);
  if (io.ok()) return;
  LogWarn(info_log, "%s was added to the DB, but cannot be deleted: %s", external_path.c_str(),
          io.ToString().c_str());
}

bool AnyOverlap(const InternalKeyComparator& icmp, const std::vector<ExternalFile>& files) {
  std::vector<const ExternalFile*> sorted;
  for (const ExternalFile& file : files) sorted.push_back(&file);
  std::sort(sorted.begin(), sorted.end(), [&](const ExternalFile* a, const ExternalFile* b) {
    return icmp.Compare(a->smallest.Encode(), b->smallest.Encode()) < 0;
  });
  for (size_t i = 1; i < sorted.size(); ++i) {
    if (!sorted[i - 1]->EndsBefore(icmp, sorted[i]->smallest.user_key())) return true;
  }
  return false;
}

namespace {

// One that lies in the file's range, within [*first, *last] too if they are given.
bool HasTombstoneIn(const InternalKeyComparator& icmp, const RangeTombstones& tombstones,
                    const ExternalFile& file, const Slice* smallest, const Slice* largest) {
  const auto& fragments = tombstones.fragments();
  for (size_t i = tombstones.FindFragment(file.smallest.user_key());
       i < fragments.size() && !file.EndsBefore(icmp, fragments[i].start); ++i) {
    Slice start = fragments[i].start;
    Slice end = fragments[i].end;
    if (smallest == nullptr) return true;
    if (ClipToTable(icmp, *smallest, *largest, &start, &end) && !file.EndsBefore(icmp, start) &&
        icmp.CompareBare(file.smallest.user_key(), end) < 0) {
      return true;
    }
  }
  return false;
}

// Whether an iterator has an entry in the file's range.
Status HasEntryIn(const InternalKeyComparator& icmp, InternalIterator* entries,
                  const ExternalFile& file, bool* found) {
  const InternalKey target(
      WithMaxTimestamp(icmp.BareKey(file.smallest.user_key()), icmp.timestamp_size()),
      kMaxSequenceNumber, kValueTypeForSeek);
  entries->Seek(target.Encode());
  *found = entries->Valid() && !file.EndsBefore(icmp, ExtractUserKey(entries->key()));
  return entries->status();
}

}  // namespace

Status OverlapsMemory(const SuperVersion& sv, const ExternalFile& file, bool* overlaps) {
  *overlaps = false;
  std::vector<const MemTable*> memtables = {sv.mem};
  memtables.insert(memtables.end(), sv.imm->memtables().begin(), sv.imm->memtables().end());
  for (const MemTable* memtable : memtables) {
    const std::unique_ptr<InternalIterator> entries(memtable->NewIterator());
    Status s = HasEntryIn(memtable->comparator(), entries.get(), file, overlaps);
    if (!s.ok() || *overlaps) return s;
    const std::shared_ptr<const RangeTombstones> tombstones = memtable->range_tombstones();
    if (tombstones != nullptr &&
        HasTombstoneIn(memtable->comparator(), *tombstones, file, nullptr, nullptr)) {
      *overlaps = true;
      return s;
    }
  }
  return Status::OK();
}

Status OverlapsLevel(const Version& version, int level, TableCache* tables,
                     const ExternalFile& file, bool* overlaps) {
  *overlaps = false;
  const InternalKeyComparator& icmp = version.icmp();
  const LevelFiles& files = version.level_files(level);
  ReadOptions reads;
  reads.total_order_seek = true;
  for (size_t i = 0; i < files.size && !*overlaps; ++i) {
    const FileSlot& one = files[i];
    if (icmp.CompareBare(ExtractUserKey(one.largest), file.smallest.user_key()) < 0 ||
        file.EndsBefore(icmp, ExtractUserKey(one.smallest))) {
      continue;
    }
    const TableFileId id = one.meta->TableId(level);
    const std::unique_ptr<InternalIterator> entries(tables->NewIterator(reads, id));
    Status s = HasEntryIn(icmp, entries.get(), file, overlaps);
    TableCache::Ref table;
    if (s.ok()) s = tables->FindTable(id, &table);
    if (!s.ok()) return s;
    if (const RangeTombstones* tombstones = table->range_tombstones()) {
      *overlaps |= HasTombstoneIn(icmp, *tombstones, file, &one.smallest, &one.largest);
    }
  }
  return Status::OK();
}

}  // namespace cairn
