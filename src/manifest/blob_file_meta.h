// What the MANIFEST says of blob files, and what a Version knows of them.
//
// A blob file comes with one BlobFileAddition, in the same edit as the first tables that refer to
// it. What of it no table refers to any more, compactions say with BlobFileGarbage. Each table
// names the oldest blob file that it refers to and is linked to that one. So a file can go when it
// is older than every file with a link, or has none and consists of garbage: RocksDB's rule, on
// which the MANIFEST of either engine must agree.
//
// Thread safety: constant once part of a Version.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/namespace.h"
#include "blob/blob_format.h"
#include "rocksdb/slice.h"

namespace cairn {

struct BlobFileAddition {
  uint64_t number = kNoBlobFile;
  uint64_t blobs = 0;
  uint64_t bytes = 0;         // of the records (BlobRecordSize)
  std::string checksum_func;  // see rocksdb/file_checksum.h; empty: there is no checksum
  std::string checksum;

  uint64_t file_size() const { return kBlobHeaderSize + bytes + kBlobFooterSize; }
  void AppendTo(std::string* dst) const;
  // Takes it off the front of *src. False: malformed, or with a field that may not be skipped.
  [[nodiscard]] bool DecodeFrom(Slice* src);
};

// Adds to what was said before of the file.
struct BlobFileGarbage {
  uint64_t number = kNoBlobFile;
  uint64_t blobs = 0;
  uint64_t bytes = 0;

  void AppendTo(std::string* dst) const;
  [[nodiscard]] bool DecodeFrom(Slice* src);
};

struct BlobFileMeta {
  std::shared_ptr<const BlobFileAddition> file;
  uint64_t garbage_blobs = 0;
  uint64_t garbage_bytes = 0;
  std::set<uint64_t> linked_tables;  // by number

  uint64_t number() const { return file->number; }
};

// By number, ascending.
using BlobFileList = std::vector<std::shared_ptr<const BlobFileMeta>>;

// The file of this number, or null.
const BlobFileMeta* FindBlobFile(const BlobFileList& files, uint64_t number);

// Sums over a list, as RocksDB's properties tell them.
struct BlobFileTotals {
  uint64_t files = 0;
  uint64_t file_bytes = 0;
  uint64_t garbage_bytes = 0;
};
BlobFileTotals TotalsOf(const BlobFileList& files);
// Bytes of files per byte that is no garbage; 0: there are no files.
double BlobSpaceAmplification(const BlobFileTotals& totals);

}  // namespace cairn
