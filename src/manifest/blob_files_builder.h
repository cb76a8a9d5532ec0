// BlobFilesBuilder: the blob files of the next Version, out of those of the present one and what
// edits say. A part of VersionBuilder. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>

#include "base/namespace.h"
#include "manifest/blob_file_meta.h"
#include "rocksdb/status.h"

namespace cairn {

class BlobFilesBuilder {
 public:
  // `base` may be null: there are none. It outlives the builder.
  explicit BlobFilesBuilder(const BlobFileList* base) : base_(base) {}

  // Corruption: it is there already; it is not there, or has not that much.
  [[nodiscard]] Status Add(const BlobFileAddition& addition);
  [[nodiscard]] Status AddGarbage(const BlobFileGarbage& garbage);
  // A table whose oldest blob file this is comes, or goes. A file that is not there, and number
  // kNoBlobFile, are passed over: whoever reads finds out.
  void Link(uint64_t number, uint64_t table);
  void Unlink(uint64_t number, uint64_t table);

  // What tables can refer to.
  BlobFileList Build() const;

 private:
  // The file as it will be, to be changed; null: there is none.
  BlobFileMeta* Change(uint64_t number);

  const BlobFileList* const base_;
  std::map<uint64_t, BlobFileMeta> changed_;
};

}  // namespace cairn
