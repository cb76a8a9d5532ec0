// A file in meta/: what a backup consists of, as text.
//
//   schema_version 2.0                         only from schema 2 on
//   1700000000                                 seconds since 1970
//   4711                                       a sequence number; for information
//   metadata 0AFF                              the user's, in hexadecimal; may be missing
//   2                                          how many files follow
//   private/1/CURRENT crc32 1234567            (the checksum is a CRC32C, in decimal)
//   shared_checksum/000012_s0123456789ABCDEFGHIJ_999.sst crc32 7654321
//   shared_checksum/000013_s0123456789ABCDEFGHIJ_999.sst ni::excluded true
//                                              schema 2: left out; does not count
//
// Schema 2 may have more fields: lines of a name and a value before the number of files, pairs of
// them behind each file (of which "size" and "temp" are known), and lines behind "// FOOTER". What
// is not known is passed over, unless its name begins with "ni::". Another major version is not
// read at all.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "rocksdb/io_status.h"
#include "rocksdb/types.h"

namespace cairn {

struct BackupFile {
  std::string path;   // within the backup directory
  uint64_t size = 0;  // bytes
  std::optional<uint32_t> crc32c;
  Temperature temperature = Temperature::kUnknown;
};

struct BackupMeta {
  int64_t timestamp = 0;  // seconds since 1970
  uint64_t sequence = 0;
  std::string app_metadata;
  std::vector<std::shared_ptr<const BackupFile>> files;
  std::vector<std::string> excluded;  // paths of shared files that are in other directories

  uint64_t size() const;  // bytes of all files
};

// A line of the list of files.
struct BackupMetaEntry {
  BackupFile file;
  bool has_size = false;  // file.size says something
};

inline constexpr int kMaxBackupSchema = 2;
inline constexpr size_t kMaxBackupAppMetadata = size_t{1} << 20;  // bytes

// `name`: of the file, for errors. All of *meta but `files`, which *entries says; in case of an
// error as much as was read. NotSupported: it is of a schema that is not known. Corruption.
// *ignored: the names of fields that were passed over.
[[nodiscard]] IOStatus ParseBackupMeta(const std::string& name, const std::string& text,
                                       BackupMeta* meta, std::vector<BackupMetaEntry>* entries,
                                       std::vector<std::string>* ignored);

// `schema`: 1 or 2.
std::string FormatBackupMeta(const BackupMeta& meta, int schema);

}  // namespace cairn
