// How a database opens each kind of file: what DBOptions says of it, and then the file system
// (FileSystem::OptimizeFor...). Called once at open, and for each job.
#pragma once

#include "base/namespace.h"
#include "rocksdb/file_system.h"
#include "rocksdb/options.h"

namespace cairn {

// Logs and MANIFESTs are read once from the start, or appended in small pieces and synced often:
// never direct, never mapped.
FileOptions FileOptionsForLogRead(const FileSystem& fs, const DBOptions& db);
FileOptions FileOptionsForLogWrite(const FileSystem& fs, const DBOptions& db);
FileOptions FileOptionsForManifestWrite(const FileSystem& fs, const DBOptions& db);
// Of flushes and compactions.
FileOptions FileOptionsForTableWrite(const FileSystem& fs, const DBOptions& db);
FileOptions FileOptionsForTableRead(const FileSystem& fs, const DBOptions& db);
FileOptions FileOptionsForBlobRead(const FileSystem& fs, const DBOptions& db);

}  // namespace cairn
