// A table file from outside that is to become part of the database (DB::IngestExternalFiles): what
// it holds, how it comes into the database's directory, and what it overlaps there.
//
// Called by ingestions.cc. Stateless; all calls that read may SUSPEND, and none needs a lock.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "base/namespace.h"
#include "base/range_tombstones.h"
#include "db/column_family.h"
#include "manifest/version.h"
#include "read/super_version.h"
#include "rocksdb/file_checksum.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "table/table_options.h"
#include "table/table_reader.h"

namespace cairn {

struct ExternalFile {
  std::string external_path;  // as the user named it
  std::string internal_path;  // its copy or link
  uint64_t number = 0;
  uint64_t size = 0;  // bytes
  // Bounds of entries and range tombstones, with their sequence numbers: 0, unless a database made
  // the file. `largest` may be a tombstone's end (EndsWithTombstone).
  InternalKey smallest, largest;
  // What its entries and tombstones have.
  SequenceNumber smallest_seqno = 0, largest_seqno = 0;
  std::shared_ptr<const TableProperties> properties;
  bool has_tombstones = false;
  bool has_bare_keys = false;   // see TableReader::has_bare_keys
  bool takes_sequence = false;  // its format has entries take the sequence number of the MANIFEST
  std::string checksum = rocksdb::kUnknownFileChecksum;
  std::string checksum_func_name = rocksdb::kUnknownFileChecksumFuncName;

  // What was decided.
  int level = 0;
  SequenceNumber sequence = 0;  // of all entries; 0: what they have

  // The range of user keys ends before this one.
  bool EndsBefore(const InternalKeyComparator& icmp, const Slice& user_key) const {
    return cairn::EndsBefore(icmp, largest.Encode(), user_key);
  }
};

// Opens a table from outside, of `size` bytes. The caller's `table_options` say its order, prefixes
// and numbers; the rest is the database's.
[[nodiscard]] Status OpenExternalTable(FileSystem* fs, const std::string& path, uint64_t size,
                                       const Options& options, const TableFactory& factory,
                                       TableReaderOptions table_options,
                                       std::unique_ptr<TableReader>* table);

// Calls visit(last) where `entries` stand on the first entry (false) and on the last one (true),
// until it is not OK. There may be none. SUSPENDS.
template <class Visit>
[[nodiscard]] Status VisitEnds(InternalIterator* entries, const Visit& visit) {
  entries->SeekToFirst();
  if (!entries->Valid()) return entries->status();
  if (Status s = visit(/*last=*/false); !s.ok()) return s;
  entries->SeekToLast();
  if (entries->status().IsNotSupported()) {
    // A plain table, which is in memory, has no way back: to the last entry by their number.
    uint64_t n = 0;
    for (entries->SeekToFirst(); entries->Valid(); entries->Next()) ++n;
    if (!entries->status().ok()) return entries->status();
    for (entries->SeekToFirst(); entries->Valid() && n > 1; --n) entries->Next();
  }
  if (!entries->Valid()) return entries->status();
  if (Status s = visit(/*last=*/true); !s.ok()) return s;
  return entries->status();
}

// Opens the file and fills in size, bounds and properties. Errors as DB::IngestExternalFile says.
[[nodiscard]] Status InspectExternalFile(const ColumnFamily& family, const Options& options,
                                         FileSystem* fs, const IngestExternalFileOptions& ingest,
                                         ExternalFile* file);

// With a factory: makes the file's checksum. The caller's of file->checksum_func_name, if it is
// given, is compared with it (Corruption: it is another), or with verify_file_checksum false taken
// as it is. InvalidArgument: the factory has no such function.
[[nodiscard]] Status ChecksumExternalFile(FileSystem* fs, const FileOptions& file_options,
                                          const IngestExternalFileOptions& ingest,
                                          FileChecksumGenFactory* factory, ExternalFile* file);

// Links or copies it to file->internal_path, durably but for the directory.
[[nodiscard]] Status TakeExternalFile(FileSystem* fs, const FileOptions& file_options,
                                      const IngestExternalFileOptions& ingest,
                                      const ExternalFile& file);

// Writes the sequence number that was decided into the copy or link, durably, and with a factory
// makes its checksum anew. OK, without doing so, where the file system writes no file in its
// middle: the MANIFEST has the number in any case.
[[nodiscard]] Status WriteGlobalSequence(FileSystem* fs, const FileOptions& file_options,
                                         FileChecksumGenFactory* factory, ExternalFile* file);

// After a move: the file goes from where it was. An error is told in the LOG alone.
void RemoveOriginal(FileSystem* fs, Logger* info_log, const std::string& external_path);

// Two files have a user key in common, as far as their bounds tell.
inline bool Overlap(const InternalKeyComparator& icmp, const ExternalFile& a,
                    const ExternalFile& b) {
  return !a.EndsBefore(icmp, b.smallest.user_key()) && !b.EndsBefore(icmp, a.smallest.user_key());
}
// Some two of them have a user key in common, as far as their bounds tell.
bool AnyOverlap(const InternalKeyComparator& icmp, const std::vector<ExternalFile>& files);

// A memtable has an entry or a tombstone in the file's range. REQUIRES: sv is referenced.
[[nodiscard]] Status OverlapsMemory(const SuperVersion& sv, const ExternalFile& file,
                                    bool* overlaps);

// Some file of the level has. Only those whose bounds overlap are looked into.
[[nodiscard]] Status OverlapsLevel(const Version& version, int level, TableCache* tables,
                                   const ExternalFile& file, bool* overlaps);

}  // namespace cairn
