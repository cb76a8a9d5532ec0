// Prints what a MANIFEST says, in the words of RocksDB's ldb.
#pragma once

#include <string>

#include "base/namespace.h"
#include "rocksdb/comparator.h"
#include "rocksdb/file_system.h"
#include "rocksdb/status.h"

namespace cairn {

struct ManifestDumpOptions {
  bool verbose = false;                                 // each edit, too
  bool hex = false;                                     // keys in hexadecimal
  bool json = false;                                    // each edit, as one line of JSON
  const Comparator* comparator = BytewiseComparator();  // what the reader knows
};

// "'key' seq:5, type:1", with the key as it is or in hexadecimal.
// `comparator` (may be null): that of the keys, which may end in timestamps.
std::string InternalKeyText(const Slice& internal_key, bool hex,
                            const Comparator* comparator = nullptr);
// "|timestamp:5" of bytes that are a timestamp; nothing of none.
std::string TimestampText(const Slice& timestamp);

// Errors as ManifestPicture::Read()'s. SUSPENDS.
[[nodiscard]] Status DumpManifest(FileSystem* fs, const std::string& path,
                                  const ManifestDumpOptions& options);

}  // namespace cairn
