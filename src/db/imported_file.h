// A table file that a family from outside begins with (DB::CreateColumnFamilyWithImport): what its
// metadata say of it, and whether the file agrees.
//
// Called by imports.cc. Stateless; no call needs a lock.
#pragma once

#include <string>
#include <vector>

#include "base/internal_key.h"
#include "base/namespace.h"
#include "manifest/file_metadata.h"
#include "rocksdb/file_system.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/status.h"

namespace cairn {

struct ImportedFile {
  std::string external_path;
  std::string internal_path;  // its copy or link; empty: not taken yet
  int level = 0;
  FileMetaData meta;
};

// The path that the metadata name.
std::string PathOfImported(const LiveFileMetaData& told);

// Opens the file and fills in all but internal_path and the number. Where the metadata have no
// internal keys as bounds (RocksDB 7.8.3's have none) the whole file is read for them. Errors as
// DB::CreateColumnFamilyWithImport says. SUSPENDS.
[[nodiscard]] Status InspectImportedFile(const InternalKeyComparator& icmp, const Options& options,
                                         FileSystem* fs, const LiveFileMetaData& told,
                                         ImportedFile* file);

// Oldest first: from the deepest level to level 0, there in the order of epochs, or of sequence
// numbers where some are not known. InvalidArgument: two of a deeper level overlap.
[[nodiscard]] Status OrderImportedFiles(const InternalKeyComparator& icmp,
                                        std::vector<ImportedFile>* files);

}  // namespace cairn
